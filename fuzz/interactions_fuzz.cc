// Interaction folders and all import formats: for any bytes, the readers return valid data or throw an InputError whose
// position is within the text.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "linn/base/error.h"
#include "linn/data/import.h"
#include "linn/data/interactions.h"
#include "linn/data/item_categories.h"
#include "linn/data/moment.h"
#include "linn/data/table.h"

namespace {

template <class Read>
void attempt(std::string_view text, Read read) {
  try {
    read();
  } catch (const linn::InputError& error) {
    const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
    if (error.place().line > lines) std::abort();
    // Latin-1 text has more bytes as UTF-8, but not more characters.
    if (error.place().column > text.size() + 1) std::abort();
    if (error.message().empty()) std::abort();
    static_cast<void>(error.excerpt());
  }
}

void check(const linn::InteractionData& data) {
  if (!data.titles.empty() && data.titles.size() != data.items.size()) std::abort();
  for (const linn::CategoryColumn& column : data.categories) {
    if (column.values.size() != data.items.size()) std::abort();
  }
  const linn::ItemCategories categories(data.categories, data.items.size());
  for (std::size_t item = 0; item < data.items.size(); ++item) {
    for (const auto category : categories.of(item)) {
      if (category >= categories.count()) std::abort();
    }
  }
  for (const auto* part : {&data.train, &data.validation, &data.test}) {
    for (const linn::Interaction& row : *part) {
      if (row.user >= data.users.size() || row.item >= data.items.size()) std::abort();
    }
  }
}

void import_as(linn::ImportFormat format, std::string_view ratings, std::string_view titles,
               const linn::ImportOptions& options) {
  linn::ImportFiles files{{"ratings", ratings}, linn::ImportFile{"titles", titles}};
  const linn::ImportResult result = linn::import_interactions(format, files, options);
  check(result.data);
  const std::size_t rows = result.data.train.size() + result.data.validation.size() + result.data.test.size();
  if (rows == 0 || rows != result.likes + result.dislikes) std::abort();
  if (result.skipped > options.skip_bad) std::abort();
  if (result.first.empty() || result.first.size() > rows + result.repeated) std::abort();
}

}  // namespace

// The text up to the first zero byte is the ratings, the rest the titles.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  attempt(text, [&] {
    linn::InteractionData data;
    linn::TableReader table(text, "train.tsv");
    linn::read_interactions(table, data, data.train);
    check(data);
  });
  attempt(text, [&] {
    linn::InteractionData data;
    linn::TableReader table(text, "items.tsv");
    linn::read_items(table, data);
    check(data);
  });
  if (const auto moment = linn::parse_moment(text)) {
    // A date that can be written is read as the same time.
    const std::string date = linn::date_text(moment->whole);
    if (!date.empty() && linn::parse_moment(date) != linn::Moment{moment->whole, 0}) std::abort();
  }
  const std::size_t cut = std::min(text.find('\0'), text.size());
  const std::string_view ratings = text.substr(0, cut);
  const std::string_view titles = text.substr(std::min(cut + 1, text.size()));
  using enum linn::ImportFormat;
  for (const auto format : {kMovielens100k, kMovielens1m, kMovielensCsv, kAmazonJson, kAmazonCsv, kRecbole, kCsv}) {
    linn::ImportOptions options;
    attempt(text, [&] { import_as(format, ratings, titles, options); });
    options.skip_bad = 1'000'000;
    attempt(text, [&] { import_as(format, ratings, titles, options); });
    options.rated = false;
    attempt(text, [&] { import_as(format, ratings, titles, options); });
    options.rated = true;
    // Columns that a source may or may not have.
    options.user_column = "user";
    options.item_column = "item";
    options.title_column = "title";
    attempt(text, [&] { import_as(format, ratings, titles, options); });
  }
  return 0;
}
