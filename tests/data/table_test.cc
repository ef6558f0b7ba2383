#include "linn/data/table.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "linn/base/file.h"
#include "support/expect_error.h"
#include "support/temp_folder.h"

namespace linn {
namespace {

using Row = std::vector<std::string>;

std::vector<Row> rows_of(std::string_view text) {
  TableReader table(text, "table");
  std::vector<Row> rows;
  while (table.next()) {
    Row& row = rows.emplace_back();
    for (std::size_t i = 0; i < table.header().size(); ++i) row.emplace_back(table.field(i));
  }
  return rows;
}

void expect_table_error(std::string_view text, std::size_t line, std::size_t column, std::string_view part) {
  SCOPED_TRACE(text);
  expect_input_error([&] { rows_of(text); }, line, column, part, "table");
}

TEST(TableReader, TheHeaderTellsTabFromComma) {
  EXPECT_EQ(rows_of("a\tb\n1\t2\n"), (std::vector<Row>{{"1", "2"}}));
  EXPECT_EQ(rows_of("a,b\n1,2\n"), (std::vector<Row>{{"1", "2"}}));
  EXPECT_EQ(rows_of("a,b\tc\n1,2\t3\n"), (std::vector<Row>{{"1,2", "3"}}));
  EXPECT_EQ(rows_of("a\n1,2\n"), (std::vector<Row>{{"1,2"}}));
}

TEST(TableReader, SkipsBlankLines) {
  EXPECT_EQ(rows_of("\n  \na\tb\r\n\r\n1\t\r\n\t\n\n\t2"), (std::vector<Row>{{"1", ""}, {"", "2"}}));
}

TEST(TableReader, FindsColumnsByTheirNames) {
  TableReader table("uid,iid,label\n7,8,1\n", "table");
  EXPECT_EQ(table.column({"user", "uid"}), 0U);
  EXPECT_EQ(table.column({"label"}), 2U);
  EXPECT_FALSE(table.find_column({"time"}));
  ASSERT_TRUE(table.next());
  EXPECT_EQ(table.line_number(), 2U);
  EXPECT_EQ(table.field(1), "8");
}

TEST(TableReader, EarlierNamesTakePrecedence) {
  const TableReader table("uid,user\n", "table");
  EXPECT_EQ(table.column({"user", "uid"}), 1U);
}

TEST(TableReader, ReportsAMissingColumn) {
  const TableReader table("\nfoo\tbar\n", "table");
  expect_input_error(
      [&] {
        table.column({"user", "uid"});
      },
      2, 0, "no column 'user' or 'uid'; the header has 'foo', 'bar'", "table");
}

TEST(TableReader, ADoubledColumnIsAnError) {
  const TableReader table("a,b,a\n", "table");
  expect_input_error([&] { table.column({"a"}); }, 1, 0, "duplicate column 'a'", "table");
  EXPECT_EQ(table.column({"b"}), 1U);
}

TEST(TableReader, WithoutAHeaderItIsAnError) {
  expect_table_error("", 0, 0, "empty");
  expect_table_error("\n \n", 0, 0, "empty");
}

TEST(TableReader, ABinaryFileIsNoTable) {
  for (const std::string_view text : {std::string_view("\x7F"
                                                       "ELF\0,a\n",
                                                       8),
                                      std::string_view("user,item\0\n", 11)}) {
    expect_input_error([&] { TableReader(text, "linn.csv"); }, 1, 0, "found a binary file", "linn.csv");
  }
}

TEST(TableReader, WrongNumberOfFields) {
  expect_table_error("a\tb\n1\t2\n\n1\n", 4, 2, "expected 2 tab-separated fields as in the header, found 1");
  expect_table_error("a\tb\nä\t2\t3\n", 2, 5, "found 3");
  expect_table_error("a,b\n1\n", 2, 2, "expected 2 comma-separated fields");
  expect_table_error("a,b\n1,\"2\",3\n", 2, 7, "found 3");
  expect_table_error("a\n1\t2\n", 2, 3, "expected 1 tab-separated field as");
}

TEST(TableReader, TabFilesHaveNoQuoting) {
  EXPECT_EQ(rows_of("a\tb\n\"x\t\"\"y\"\n"), (std::vector<Row>{{"\"x", "\"\"y\""}}));
}

TEST(TableReader, CommaFilesHaveQuoting) {
  EXPECT_EQ(rows_of("a,b\n\"x,y\",\"he said \"\"no\"\"\"\n"), (std::vector<Row>{{"x,y", "he said \"no\""}}));
  EXPECT_EQ(rows_of("a,b\n\"\",\"\"\"\"\n"), (std::vector<Row>{{"", "\""}}));
  EXPECT_EQ(rows_of("a,b\nx \"y\",\"z\"\n"), (std::vector<Row>{{"x \"y\"", "z"}}));
  EXPECT_EQ(rows_of("\"a\",\"b\"\n\"\"\"1\"\"\",\n"), (std::vector<Row>{{"\"1\"", ""}}));
}

TEST(TableReader, ReportsThePositionOfInvalidQuoting) {
  expect_table_error("a,b\nx,\"y\n", 2, 3, "unterminated quoted field");
  expect_table_error("a,b\nä,\"y\nz\"\n", 2, 3, "unterminated quoted field");
  expect_table_error("a,b\n\"x\" ,y\n", 2, 4, "expected a comma after the closing quote");
  expect_table_error("a,\"b\n", 1, 3, "unterminated quoted field");
}

TEST(TableReader, ErrorsAreAtTheRightCharacter) {
  TableReader tabs("a\tb\nä\tbcd\n", "table");
  ASSERT_TRUE(tabs.next());
  EXPECT_EQ(tabs.error(1, "bad").place().column, 3U);
  EXPECT_EQ(tabs.error(1, "bad", 3).place().column, 5U);
  EXPECT_EQ(tabs.error(1, "bad").place().line, 2U);
  EXPECT_EQ(tabs.error(1, "bad").excerpt(), "  ä bcd\n    ^\n");

  TableReader commas("a,b\nx,\"ä\"\"c\"\"d\"\n", "table");
  ASSERT_TRUE(commas.next());
  ASSERT_EQ(commas.field(1), "ä\"c\"d");
  // x , " ä " " c " " d: the column of each character of the field
  const std::vector<std::size_t> expected = {4, 5, 7, 8, 10};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(commas.error(1, "bad", i + 1).place().column, expected[i]) << i;
  }
}

TEST(TableReader, ReadsFilesPlainAndPacked) {
  const TempFolder folder;
  for (const char* name : {"t.tsv", "t.tsv.gz"}) {
    write_file(folder / name,
               "\xEF\xBB\xBF"
               "a\tb\r\n1\t2\r\n");
    TableReader table(folder / name);
    EXPECT_EQ(table.column({"a"}), 0U);
    ASSERT_TRUE(table.next());
    EXPECT_EQ(table.field(1), "2");
    EXPECT_FALSE(table.next());
  }
}

std::string in_quotes(std::string_view field) {
  std::string out = "\"";
  for (const char c : field) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

RC_GTEST_PROP(TableReader, QuotedFieldsRoundTrip, ()) {
  const auto field = rc::gen::container<std::string>(rc::gen::element('a', '"', ',', '\t', ' ', '\''));
  const auto rows = *rc::gen::container<std::vector<std::vector<std::string>>>(
      rc::gen::container<std::vector<std::string>>(3, field));
  std::string text = "a,b,c\n";
  for (const auto& row : rows) text += in_quotes(row[0]) + "," + in_quotes(row[1]) + "," + in_quotes(row[2]) + "\n";
  RC_ASSERT(rows_of(text) == rows);
}

TEST(IsHeader, NeedsBothColumns) {
  EXPECT_TRUE(is_header("sent\tlabel", {"expression", "sent"}, {"label"}));
  EXPECT_TRUE(is_header("x,\"label\",expression", {"expression", "sent"}, {"label"}));
  EXPECT_FALSE(is_header("sent\tvalue", {"expression", "sent"}, {"label"}));
  EXPECT_FALSE(is_header("sent label", {"expression", "sent"}, {"label"}));
  EXPECT_FALSE(is_header("sent,label,\"", {"expression", "sent"}, {"label"}));
  EXPECT_FALSE(is_header("", {"expression", "sent"}, {"label"}));
}

TEST(FieldSplitter, TakesSeparatorsOfSeveralCharacters) {
  FieldSplitter fields("::");
  fields.split("1::\"é::::x:y");
  ASSERT_EQ(fields.size(), 4U);
  EXPECT_EQ(fields[1], "\"é");
  EXPECT_EQ(fields[2], "");
  EXPECT_EQ(fields[3], "x:y");
  EXPECT_EQ(fields.column_of(3), 10U);
  FieldSplitter bars('|');
  bars.split("1|\"a\"|");
  ASSERT_EQ(bars.size(), 3U);
  EXPECT_EQ(bars[1], "\"a\"");
}

}  // namespace
}  // namespace linn
