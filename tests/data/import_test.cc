#include "linn/data/import.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "linn/base/file.h"
#include "linn/base/random.h"
#include "linn/data/split_interactions.h"
#include "support/expect_error.h"
#include "support/temp_folder.h"

namespace linn {
namespace {

using Texts = std::vector<std::string>;

ImportResult import_text(ImportFormat format, std::string_view ratings, std::string_view titles = {},
                         const ImportOptions& options = {}) {
  ImportFiles files{{"ratings", ratings}, std::nullopt};
  if (!titles.empty()) files.titles = ImportFile{"titles", titles};
  return import_interactions(format, files, options);
}

// "user item+ time" for each row, + for a like.
Texts rows_of(const InteractionData& data, const std::vector<Interaction>& part) {
  Texts rows;
  for (const Interaction& row : part) {
    rows.push_back(data.users.name(row.user) + " " + data.items.name(row.item) + (row.liked ? "+ " : "- ") +
                   std::to_string(row.time));
  }
  return rows;
}

Texts train_of(ImportFormat format, std::string_view ratings, const ImportOptions& options = {}) {
  const ImportResult result = import_text(format, ratings, {}, options);
  return rows_of(result.data, result.data.train);
}

void expect_import_error(ImportFormat format, std::string_view ratings, std::size_t line, std::size_t column,
                         std::string_view part, const ImportOptions& options = {}) {
  SCOPED_TRACE(ratings);
  expect_input_error([&] { import_text(format, ratings, {}, options); }, line, column, part, "ratings");
}

const Texts kTwo = {"7 50+ 20", "8 51- 10"};

TEST(Import, Movielens100k) {
  const ImportResult result = import_text(ImportFormat::kMovielens100k, "7\t50\t4\t20\n8\t51\t3\t10\n\n",
                                          "50|Mis\xe9rables, Les (1995)|01-Jan-1995||http|0\n52|Unrated|x\n51|Two\n");
  EXPECT_EQ(rows_of(result.data, result.data.train), kTwo);
  EXPECT_EQ(result.data.titles, (Texts{"Misérables, Les (1995)", "Two"}));
  EXPECT_EQ(result.data.items.size(), 2U);
  EXPECT_EQ(result.likes, 1U);
  EXPECT_EQ(result.dislikes, 1U);
}

TEST(Import, Movielens1m) {
  const ImportResult result = import_text(ImportFormat::kMovielens1m, "7::50::4::20\r\n8::51::3.5::10\r\n",
                                          "50::A::B: c::Drama|War\n51::Tür::Comedy\n");
  EXPECT_EQ(rows_of(result.data, result.data.train), kTwo);
  EXPECT_EQ(result.data.titles, (Texts{"A::B: c", "Tür"}));
}

TEST(Import, MovielensCsv) {
  const ImportResult result =
      import_text(ImportFormat::kMovielensCsv, "userId,movieId,rating,timestamp\n7,50,4.0,20\n8,51,3.5,10\n",
                  "movieId,title,genres\n50,\"American President, The (1995)\",Comedy\n");
  EXPECT_EQ(rows_of(result.data, result.data.train), kTwo);
  EXPECT_EQ(result.data.titles, (Texts{"American President, The (1995)", ""}));
}

TEST(Import, AmazonJson) {
  EXPECT_EQ(
      train_of(ImportFormat::kAmazonJson,
               "{\"reviewerID\": \"7\", \"asin\": \"50\", \"helpful\": [0, {\"asin\": \"no\"}], \"overall\": 4.0, "
               "\"reviewText\": \"so \\\"good\\\"\", \"unixReviewTime\": 20}\n"
               "{\"unixReviewTime\": 10.0, \"overall\": 3, \"asin\": \"51\", \"reviewerID\": \"8\"}\n"),
      kTwo);
  const auto refuse = [](std::string_view text, std::size_t column, std::string_view part) {
    expect_import_error(ImportFormat::kAmazonJson, text, 1, column, part);
  };
  refuse("{'reviewerID': 'x'}", 2, "expected a review as a JSON object: syntax error");
  refuse("[1]", 1, "found another value");
  refuse("5", 1, "found another value");
  refuse("{}", 0, "the review has no 'reviewerID' that is a string");
  refuse("{\"reviewerID\": 5}", 0, "the review has no 'reviewerID' that is a string");
  refuse("{\"reviewerID\": \"x\", \"asin\": \"y\", \"unixReviewTime\": 1}", 0,
         "the review has no 'overall' that is a number");
  refuse("{\"reviewerID\": \"x\", \"asin\": \"y\", \"overall\": 1, \"unixReviewTime\": 1e30}", 0,
         "the review has no 'unixReviewTime' that is a number or a date");
  refuse("{\"reviewerID\": \"\", \"asin\": \"y\", \"overall\": 1, \"unixReviewTime\": 1}", 0,
         "expected an identifier as user, found nothing");
  refuse("{\"reviewerID\": \"x", 18, "expected a review as a JSON object");
}

TEST(Import, AmazonCsv) {
  EXPECT_EQ(train_of(ImportFormat::kAmazonCsv, "itemID,rating,userID,timestamp\n50,4,7,20\n51,3,8,10\n"), kTwo);
  EXPECT_EQ(train_of(ImportFormat::kAmazonCsv, "7,50,4.0,20\n8,51,1,10\n"), kTwo);
  // The 2018 order: item identifiers have ten characters, user identifiers more.
  EXPECT_EQ(train_of(ImportFormat::kAmazonCsv, "B000000001,A11111111111,5.0,1\n"), Texts{"A11111111111 B000000001+ 1"});
  EXPECT_EQ(train_of(ImportFormat::kAmazonCsv, "A11111111111,B000000001,5.0,1\n"), Texts{"A11111111111 B000000001+ 1"});
  expect_import_error(ImportFormat::kAmazonCsv, "7,50,4.0,20\n7,50,4.0\n", 2, 9,
                      "expected 4 fields separated by ',' (user, item, rating, time), found 3");
}

TEST(Import, Recbole) {
  const ImportResult result =
      import_text(ImportFormat::kRecbole,
                  "user_id:token\titem_id:token\trating:float\ttimestamp:float\n7\t50\t4\t20.0\n8\t51\t3\t1e1\n",
                  "item_id:token\tmovie_title:token_seq\tclass:token_seq\n51\tTwo of\tx\n");
  EXPECT_EQ(rows_of(result.data, result.data.train), kTwo);
  EXPECT_EQ(result.data.titles, (Texts{"", "Two of"}));
  EXPECT_TRUE(import_text(ImportFormat::kRecbole, "user_id:token\titem_id:token\trating:float\n1\t2\t3\n",
                          "item_id:token\tyear:float\n2\t1990\n")
                  .data.titles.empty());
}

TEST(Import, CsvWithNamedColumns) {
  ImportOptions options;
  options.user_column = "who";
  options.item_column = "what";
  options.rating_column = "stars given";
  options.time_column = "when";
  options.title_column = "called";
  const ImportResult result = import_text(
      ImportFormat::kCsv,
      "when\twhat\twho\tstars given\tcalled\tuser\n20\t50\t7\t4\tFirst\tx\n10\t51\t8\t3\t\tx\n9\t51\t9\t5\tTwo\tx\n",
      {}, options);
  EXPECT_EQ(rows_of(result.data, result.data.train), (Texts{"7 50+ 20", "8 51- 10", "9 51+ 9"}));
  EXPECT_EQ(result.data.titles, (Texts{"First", "Two"}));
  EXPECT_TRUE(result.remarks.empty());

  options.user_column = "whom";
  expect_import_error(ImportFormat::kCsv, "when,what,who,stars given,called\n", 1, 0, "no column 'whom'", options);
  EXPECT_EQ(train_of(ImportFormat::kCsv, "user,item,rating,timestamp\n7,50,4,20\n8,51,3,10\n"), kTwo);
  expect_import_error(ImportFormat::kCsv, "user,item\n", 1, 0, "no column 'rating' or");
}

TEST(Import, WithoutTimesTheOrderOfTheFileCounts) {
  const ImportResult result = import_text(ImportFormat::kCsv, "user,item,rating\n1,b,5\n2,b,5\n1,a,5\n");
  EXPECT_EQ(rows_of(result.data, result.data.train), (Texts{"1 b+ 0", "1 a+ 0", "2 b+ 0"}));
  EXPECT_FALSE(result.has_times);
  EXPECT_EQ(result.likely_times, "");
  EXPECT_EQ(import_text(ImportFormat::kCsv, "user,item,rating,Date of order\n1,b,5,1\n").likely_times, "Date of order");
}

TEST(Import, WithoutRatingsEveryRowIsALike) {
  ImportOptions options;
  options.rated = false;
  const ImportResult result = import_text(ImportFormat::kCsv, "user,item,time\n1,b,7\n2,b,8\n", {}, options);
  EXPECT_EQ(rows_of(result.data, result.data.train), (Texts{"1 b+ 7", "2 b+ 8"}));
  EXPECT_FALSE(result.first[0].rating);
  EXPECT_TRUE(result.first[0].liked);
}

TEST(Import, HeadersInAnyCaseAndSemicolons) {
  EXPECT_EQ(train_of(ImportFormat::kCsv, "User;ITEMID;Rating;Timestamp\n7;50;4;20\n8;\"51\";3;10\n"), kTwo);
  EXPECT_EQ(train_of(ImportFormat::kCsv, "User,user,item,rating,time\nx,7,50,4,20\ny,8,51,3,10\n"), kTwo);
  expect_import_error(ImportFormat::kCsv, "user;item;rating\n7;50\n", 2, 5, "expected 3 semicolon-separated fields");
}

TEST(Import, ReadsTablesAsTheyAreWrittenByHand) {
  // A space behind each comma.
  EXPECT_EQ(train_of(ImportFormat::kCsv, "user, item, rating, time\nann, lamp, 5, 2\nann, vase, 1, 1\n"),
            (Texts{"ann vase- 1", "ann lamp+ 2"}));
  // Decimal commas, but not what may be thousands.
  EXPECT_EQ(train_of(ImportFormat::kCsv, "user;item;rating;time\nann;lamp;4,5;1\nann;vase;3,5;2\n"),
            (Texts{"ann lamp+ 1", "ann vase- 2"}));
  expect_import_error(ImportFormat::kCsv, "user;item;rating\nann;lamp;4,500\n", 2, 10, "expected a number as rating");
  expect_import_error(ImportFormat::kCsv, "user|item|rating\nann|lamp|4\n", 1, 0, "the columns are separated by '|'");
}

TEST(Import, OrdersByTimeThenAsInTheFile) {
  EXPECT_EQ(train_of(ImportFormat::kCsv,
                     "user,item,rating,time\n1,a,3,30\n1,b,3,10\n1,c,3,10\n1,d,3,10.5\n1,e,3,-1\n1,f,3,10.25\n"),
            (Texts{"1 e- -1", "1 b- 10", "1 c- 10", "1 f- 10", "1 d- 10", "1 a- 30"}));
  // Beyond the precision of a double.
  EXPECT_EQ(train_of(ImportFormat::kCsv, "user,item,rating,time\n1,a,5,9007199254740993\n1,b,5,9007199254740992\n"),
            (Texts{"1 b+ 9007199254740992", "1 a+ 9007199254740993"}));
}

TEST(Import, OfRepeatedRatingsTheFirstInTimeCounts) {
  const ImportResult result =
      import_text(ImportFormat::kCsv, "user,item,rating,time\n1,a,5,30\n1,a,1,10\n1,a,2,10\n2,a,3,40\n");
  EXPECT_EQ(rows_of(result.data, result.data.train), (Texts{"1 a- 10", "2 a- 40"}));
  EXPECT_EQ(result.repeated, 2U);
  EXPECT_EQ(result.likes, 0U);
  EXPECT_EQ(result.dislikes, 2U);
}

TEST(Import, TheThresholdCanBeMoved) {
  ImportOptions options;
  options.like_from = 3.5;
  EXPECT_EQ(train_of(ImportFormat::kCsv, "user,item,rating,time\n1,a,3.5,1\n1,b,3.4,2\n", options),
            (Texts{"1 a+ 1", "1 b- 2"}));
}

TEST(Import, ReportsThePositionOfInvalidFields) {
  const auto lines = [](std::string_view text, std::size_t column, std::string_view part) {
    expect_import_error(ImportFormat::kMovielens1m, text, 2, column, part);
  };
  lines("1::2::3::4\n1::2::3\n", 8, "expected 4 fields separated by '::' (user, item, rating, time), found 3");
  lines("1::2::3::4\n1::2::3::4::5\n", 13, "found 5");
  lines("1::2::3::4\n1::2::good::4\n", 7, "expected a number as rating, found 'good'");
  lines("1::2::3::4\n1::2::nan::4\n", 7, "expected a number as rating, found 'nan'");
  lines("1::2::3::4\n1::2::3::\n", 10, "as time, found ''");
  lines("1::2::3::4\n1::::3::4\n", 4, "expected an identifier as item, found nothing");
  expect_import_error(ImportFormat::kMovielens100k, "1\t2\t3\n", 1, 6, "expected 4 fields separated by tabs");
  expect_import_error(ImportFormat::kMovielensCsv, "userId,movieId,rating,timestamp\n1,\"2,3,4\n", 2, 3,
                      "unterminated quoted field");
  expect_import_error(ImportFormat::kCsv, "", 0, 0, "the file is empty");
  expect_import_error(ImportFormat::kAmazonCsv, "", 0, 0, "the file is empty");
  expect_import_error(ImportFormat::kAmazonJson, "\n\n", 0, 0, "the file contains no ratings");
  expect_input_error([] { import_text(ImportFormat::kMovielens100k, "1\t2\t3\t4\n", "1|a\nbroken\n"); }, 2, 7,
                     "expected an item and its title separated by '|'", "titles");
}

TEST(Import, SkipsTheToleratedNumberOfInvalidRows) {
  const std::string_view text =
      "user,item,rating,time\n1,a,5,1\n1,b\n1,c,x,3\n\"1,d,5,4\n1,,5,5\n,e,5,5\n1,f,5,now\n1,g,5,7\n";
  ImportOptions options;
  options.skip_bad = 6;
  const ImportResult result = import_text(ImportFormat::kCsv, text, {}, options);
  EXPECT_EQ(rows_of(result.data, result.data.train), (Texts{"1 a+ 1", "1 g+ 7"}));
  EXPECT_EQ(result.data.users.size(), 1U);
  EXPECT_EQ(result.data.items.size(), 2U);
  EXPECT_EQ(result.skipped, 6U);
  ASSERT_EQ(result.remarks.size(), 5U);
  EXPECT_EQ(result.remarks[1], "skipped ratings:4:5: expected a number as rating, found 'x'");
  options.skip_bad = 5;
  expect_import_error(ImportFormat::kCsv, text, 8, 7, "more than the 5 invalid rows allowed", options);
  options.skip_bad = 1;
  expect_import_error(ImportFormat::kCsv, text, 4, 5, "more than the 1 invalid row allowed", options);
  options.skip_bad = 0;
  expect_import_error(ImportFormat::kCsv, text, 3, 4, "expected 4 comma-separated fields", options);
}

TEST(Import, AnInvalidTitleMakesTheRowInvalid) {
  ImportOptions options;
  options.title_column = "title";
  options.skip_bad = 1;
  const ImportResult result =
      import_text(ImportFormat::kCsv, "user,item,rating,time,title\n1,a,5,1,\xff\n1,b,5,1,a\x01z\n", {}, options);
  EXPECT_EQ(rows_of(result.data, result.data.train), Texts{"1 b+ 1"});
  EXPECT_EQ(result.data.titles, Texts{"a z"});
  EXPECT_EQ(result.skipped, 1U);
}

TEST(Import, ATruncatedFileIsNotAnInvalidRow) {
  const TempFolder folder;
  std::string text = "user,item,rating,time\n";
  for (int i = 0; i < 5000; ++i) text += std::to_string(i * 7919 % 1000) + ",x" + std::to_string(i) + ",5,1\n";
  write_file(folder / "whole.csv.gz", text);
  std::string bytes;
  {
    std::FILE* file = std::fopen((folder / "whole.csv.gz").c_str(), "rb");
    bytes.resize(std::filesystem::file_size(folder / "whole.csv.gz"));
    ASSERT_EQ(std::fread(bytes.data(), 1, bytes.size(), file), bytes.size());
    std::fclose(file);
  }
  write_file(folder / "half.csv", std::string_view(bytes).substr(0, bytes.size() / 2));
  ImportOptions options;
  options.skip_bad = 1'000'000;
  expect_input_error(
      [&] {
        import_interactions(ImportFormat::kCsv, {{folder / "half.csv", std::nullopt}, std::nullopt}, options);
      },
      0, 0, "the gzip data is truncated", "half.csv");
}

TEST(Import, FindsTheFilesOfASource) {
  const TempFolder folder;
  expect_input_error([&] { find_import_files(ImportFormat::kMovielens100k, folder / "none"); }, 0, 0, "cannot be read");
  expect_input_error([&] { find_import_files(ImportFormat::kMovielens100k, folder.path()); }, 0, 0,
                     "the folder contains no u.data");
  expect_input_error([&] { find_import_files(ImportFormat::kRecbole, folder.path()); }, 0, 0,
                     "expected one file *.inter (optionally .gz) in the folder, found none");
  for (const char* name : {"u.data", "movies.csv", "ratings.csv.gz", "x.inter", "x.item.gz"})
    write_file(folder / name, "");
  ImportFiles files = find_import_files(ImportFormat::kMovielens100k, folder.path());
  EXPECT_EQ(files.ratings.path, folder / "u.data");
  EXPECT_FALSE(files.titles);
  files = find_import_files(ImportFormat::kMovielensCsv, folder.path());
  EXPECT_EQ(files.ratings.path, folder / "ratings.csv.gz");
  ASSERT_TRUE(files.titles);
  EXPECT_EQ(files.titles->path, folder / "movies.csv");
  files = find_import_files(ImportFormat::kRecbole, folder / "x.inter");
  EXPECT_EQ(files.ratings.path, folder / "x.inter");
  ASSERT_TRUE(files.titles);
  EXPECT_EQ(files.titles->path, folder / "x.item.gz");
  expect_input_error([&] { find_import_files(ImportFormat::kCsv, folder.path()); }, 0, 0, "found several");
}

TEST(Import, ReadsDatesAsTimes) {
  EXPECT_EQ(train_of(ImportFormat::kCsv,
                     "user,item,rating,time\n1,a,5,2024-02-14T10:01:00Z\n1,b,5,2024-02-14\n1,c,3,1707904859.5\n"
                     "1,d,5,2024-02-14 11:00:59.25+01:00\n"),
            (Texts{"1 b+ 1707868800", "1 d+ 1707904859", "1 c- 1707904859", "1 a+ 1707904860"}));
  EXPECT_EQ(train_of(ImportFormat::kMovielens1m, "1::a::5::2024-02-14 10:01\n"), Texts{"1 a+ 1707904860"});
  EXPECT_EQ(train_of(ImportFormat::kAmazonCsv, "u,i,5,2024-02-14\n"), Texts{"u i+ 1707868800"});
  EXPECT_EQ(train_of(ImportFormat::kRecbole,
                     "user_id:token\titem_id:token\trating:float\ttimestamp:token\n"
                     "1\ta\t5\t2024-02-14\n"),
            Texts{"1 a+ 1707868800"});
  EXPECT_EQ(train_of(ImportFormat::kAmazonJson,
                     "{\"reviewerID\": \"1\", \"asin\": \"a\", \"overall\": 5, "
                     "\"unixReviewTime\": \"2024-02-14\"}\n"),
            Texts{"1 a+ 1707868800"});
  expect_import_error(ImportFormat::kCsv, "user,item,rating,time\n1,a,5,2024-02-14\n1,\"b\",5,2024-02-30\n", 3, 9,
                      "as time, found '2024-02-30'");
}

TEST(Import, ColumnsCanBeNamedInEveryFormatWithAHeader) {
  ImportOptions options;
  options.user_column = "who";
  options.item_column = "what";
  options.rating_column = "how";
  options.time_column = "when";
  const std::string_view table = "who,what,how,when,user\n7,50,4,20,x\n8,51,3,10,y\n";
  EXPECT_EQ(train_of(ImportFormat::kCsv, table, options), kTwo);
  EXPECT_EQ(train_of(ImportFormat::kMovielensCsv, table, options), kTwo);
  EXPECT_EQ(train_of(ImportFormat::kAmazonCsv, table, options), kTwo);
  EXPECT_EQ(train_of(ImportFormat::kRecbole,
                     "who:token\twhat:token\thow:float\twhen:float\n7\t50\t4\t20\n8\t51\t3\t10\n", options),
            kTwo);
  options.title_column = "name";
  const ImportResult json =
      import_text(ImportFormat::kAmazonJson,
                  "{\"who\": \"7\", \"what\": \"50\", \"how\": 4, \"when\": 20, \"name\": \"N\"}\n"
                  "{\"who\": \"8\", \"what\": \"51\", \"how\": 3, \"when\": 10}\n",
                  {}, options);
  EXPECT_EQ(rows_of(json.data, json.data.train), kTwo);
  EXPECT_EQ(json.data.titles, (Texts{"N", ""}));
  const std::string newer = R"({"rating": 5.0, "text": {"user_x": 1}, "asin": "50", "user_id": "7", "timestamp": 10})";
  try {
    import_text(ImportFormat::kAmazonJson, newer + "\n", {});
    FAIL();
  } catch (const MissingColumn& error) {
    EXPECT_EQ(error.field(), RatingField::kUser);
    EXPECT_EQ(error.nearest(), "user_id");
    EXPECT_EQ(error.place().line, 1U);
  }
  expect_import_error(ImportFormat::kAmazonJson, "{\"who\": \"7\", \"asin\": \"50\"}\n", 1, 0,
                      "the review has no 'what' that is a string", options);
  expect_import_error(ImportFormat::kMovielens100k, "7\t50\t4\t20\n", 0, 0, "no header", options);
  expect_import_error(ImportFormat::kMovielens1m, "7::50::4::20\n", 0, 0, "no header", options);
  expect_import_error(ImportFormat::kAmazonCsv, "7,50,4.0,20\n", 0, 0, "no header", options);
}

TEST(Import, TheTitleColumnOfAFileOfItemsCanBeNamed) {
  ImportOptions options;
  options.title_column = "long";
  const std::string_view ratings = "userId,movieId,rating,timestamp\n7,50,4,20\n";
  EXPECT_EQ(import_text(ImportFormat::kMovielensCsv, ratings, "movieId,title,long\n50,T,Title\n", options).data.titles,
            Texts{"Title"});
  expect_input_error([&] { import_text(ImportFormat::kMovielensCsv, ratings, "movieId,title\n50,T\n", options); }, 1, 0,
                     "no column 'long'", "titles");
  expect_import_error(ImportFormat::kMovielensCsv, ratings, 0, 0, "there is no file of items with the titles 'long'",
                      options);
}

TEST(Import, AFileOfItemsNeedNotShareTheNameOfTheItemColumn) {
  ImportOptions options;
  options.item_column = "film";
  const std::string_view ratings = "userId,film,rating,timestamp\n7,50,4,20\n";
  for (const char* items : {"movieId,title\n50,T\n", "movieId,title,film\n9,T,50\n"}) {
    EXPECT_EQ(import_text(ImportFormat::kMovielensCsv, ratings, items, options).data.titles, Texts{"T"}) << items;
  }
}

TEST(Import, AMissingColumnComesWithTheNearestHeader) {
  const auto nearest = [](std::string_view header, RatingField field) {
    try {
      import_text(ImportFormat::kCsv, std::string(header) + "\n");
    } catch (const MissingColumn& error) {
      EXPECT_EQ(error.field(), field);
      EXPECT_EQ(error.place().line, 1U);
      return error.nearest();
    }
    return std::string("no error");
  };
  using enum RatingField;
  EXPECT_EQ(nearest("Customer,Product,Stars,When", kUser), "Customer");
  EXPECT_EQ(nearest("user,Product ID,Stars,When", kItem), "Product ID");
  EXPECT_EQ(nearest("user,item,when,Score", kRating), "Score");
  EXPECT_EQ(nearest("useer,item,rating", kUser), "useer");
  EXPECT_EQ(nearest("item,rating", kUser), "");  // both have another meaning
  EXPECT_EQ(nearest("user,item,date,quantity", kRating), "quantity");
  EXPECT_EQ(nearest("user,item,date", kRating), "");
  ImportOptions options;
  options.time_column = "tiem";
  try {
    import_text(ImportFormat::kCsv, "user,item,rating,Timed\n", {}, options);
    ADD_FAILURE();
  } catch (const MissingColumn& error) {
    EXPECT_EQ(error.field(), kTime);
    EXPECT_EQ(error.nearest(), "Timed");
    EXPECT_NE(error.message().find("no column 'tiem'"), std::string::npos) << error.message();
  }
}

TEST(Import, KeepsTheFirstRatingsAsTheyWereUnderstood) {
  std::string text = "user,item,rating,time,title\n1,a,4.5,2024-02-14,A\n1,b,2,7,\n";
  for (int i = 0; i < 20; ++i) text += "2,c,5,1,C\n";
  ImportOptions options;
  options.title_column = "title";
  const ImportResult result = import_text(ImportFormat::kCsv, text, {}, options);
  ASSERT_EQ(result.first.size(), 10U);
  EXPECT_EQ(result.first[0].user + result.first[0].item + result.first[0].title, "1aA");
  EXPECT_EQ(result.first[0].rating, 4.5);
  EXPECT_TRUE(result.first[0].liked);
  EXPECT_EQ(result.first[0].time.whole, 1707868800);
  EXPECT_EQ(result.first[1].item, "b");
  EXPECT_FALSE(result.first[1].liked);
  EXPECT_EQ(result.first[9].title, "C");
  EXPECT_TRUE(result.has_times);
  EXPECT_FALSE(import_text(ImportFormat::kCsv, "user,item,rating\n1,a,5\n").has_times);
}

TEST(Import, GenresOfMovieLensBecomeCategories) {
  const auto genres = [](ImportFormat format, std::string_view ratings, std::string_view items) {
    const InteractionData data = import_text(format, ratings, items).data;
    return data.categories.empty() ? Texts{} : data.categories.front().values;
  };
  EXPECT_EQ(genres(ImportFormat::kMovielens100k, "7\t50\t4\t20\n8\t51\t3\t10\n",
                   "50|A|01-Jan-1995||http|0|1|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|1\n"
                   "51|B|01-Jan-1995||http|1|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0\n"),
            (Texts{"Action|Western", ""}));
  EXPECT_EQ(
      genres(ImportFormat::kMovielens1m, "7::50::4::20\n8::51::3::10\n", "50::A::B: c::Drama|War\n51::B\n99::C::War\n"),
      (Texts{"Drama|War", ""}));
  EXPECT_EQ(genres(ImportFormat::kMovielensCsv, "userId,movieId,rating,timestamp\n7,50,4.0,20\n8,51,3.5,10\n",
                   "movieId,title,genres\n51,B,(no genres listed)\n50,A,Comedy|Crime\n"),
            (Texts{"Comedy|Crime", ""}));
  EXPECT_EQ(genres(ImportFormat::kMovielensCsv, "userId,movieId,rating,timestamp\n7,50,4.0,20\n", "movieId,title\n"),
            Texts{});
}

// The importer as one would write it without regard to memory.
RC_GTEST_PROP(Import, EqualsTheNaiveImporter, ()) {
  using Rating = std::tuple<unsigned, unsigned, unsigned, int>;
  const auto ratings = *rc::gen::container<std::vector<Rating>>(rc::gen::tuple(
      rc::gen::inRange(0U, 3U), rc::gen::inRange(0U, 25U), rc::gen::inRange(1U, 6U), rc::gen::inRange(0, 9)));
  RC_PRE(!ratings.empty());
  std::string text = "user,item,rating,time\n";
  std::map<unsigned, std::vector<Rating>> by_user;
  std::vector<unsigned> users;
  for (const Rating& rating : ratings) {
    const auto& [user, item, stars, time] = rating;
    text += "u" + std::to_string(user) + ",i" + std::to_string(item) + "," + std::to_string(stars) + "," +
            std::to_string(time) + "\n";
    if (by_user[user].empty()) users.push_back(user);
    by_user[user].push_back(rating);
  }
  Texts train, validation, test;
  for (const unsigned user : users) {
    std::vector<Rating>& own = by_user[user];
    std::stable_sort(own.begin(), own.end(),
                     [](const Rating& a, const Rating& b) { return std::get<3>(a) < std::get<3>(b); });
    std::set<unsigned> seen;
    std::vector<Interaction> history;
    Texts rows;
    for (const auto& [unused, item, stars, time] : own) {
      if (!seen.insert(item).second) continue;
      history.push_back({user, item, stars >= 4, time});
      rows.push_back("u" + std::to_string(user) + " i" + std::to_string(item) + (stars >= 4 ? "+ " : "- ") +
                     std::to_string(time));
    }
    const SplitPoints points = split_history(history);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      (i < points.validation ? train : i < points.test ? validation : test).push_back(rows[i]);
    }
  }
  const ImportResult result = import_text(ImportFormat::kCsv, text);
  RC_ASSERT(rows_of(result.data, result.data.train) == train);
  RC_ASSERT(rows_of(result.data, result.data.validation) == validation);
  RC_ASSERT(rows_of(result.data, result.data.test) == test);
}

TEST(Import, IdsEqualThoseOfReadingTheFolderBack) {
  std::string text = "user,item,rating,time\n";
  Random random(1);
  for (int i = 0; i < 300; ++i) {
    text += std::to_string(random.below(9)) + "," + std::to_string(random.below(60)) + "," +
            std::to_string(1 + random.below(5)) + "," + std::to_string(random.below(50)) + "\n";
  }
  const InteractionData data = import_text(ImportFormat::kCsv, text).data;
  EXPECT_FALSE(data.validation.empty());
  EXPECT_FALSE(data.test.empty());
  const TempFolder folder;
  write_interaction_folder(folder.path(), data);
  const InteractionData read = read_interaction_folder(folder.path());
  EXPECT_EQ(read.train, data.train);
  EXPECT_EQ(read.validation, data.validation);
  EXPECT_EQ(read.test, data.test);
}

}  // namespace
}  // namespace linn
