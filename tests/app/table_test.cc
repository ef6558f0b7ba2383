#include "app/report/table.h"

#include <gtest/gtest.h>

#include <array>

namespace linn::app {
namespace {

TEST(Estimates, AreMeanAndStandardError) {
  EXPECT_FALSE(estimate({}).has_value());
  const std::array<double, 1> one = {0.5};
  EXPECT_DOUBLE_EQ(estimate(one)->mean, 0.5);
  EXPECT_FALSE(estimate(one)->error.has_value());
  const std::array<double, 4> four = {1.0, 2.0, 3.0, 4.0};
  EXPECT_DOUBLE_EQ(estimate(four)->mean, 2.5);
  EXPECT_NEAR(*estimate(four)->error, 0.6454972, 1e-6);  // the root of 5/3 over 2
}

Table small_table() {
  Table table;
  table.corner = "model";
  table.columns = {{"accuracy", 2, "1k"}, {"s", 1, "1k"}};
  TableCell both;
  both.ours = Estimate{0.9367, 0.004, true};
  both.paper = Estimate{0.944, 0.0064, false};
  both.runs = 5;
  both.best = true;
  TableCell only_paper;
  only_paper.paper = Estimate{30.7};
  table.rows = {{"A & B, \"C\"", {both, only_paper}, false}, {"D", {TableCell(), TableCell()}, true}};
  return table;
}

TEST(Tables, ShowOursAndThePapers) {
  const std::string html = to_html(small_table());
  EXPECT_NE(html.find("<b>0.94 ± 0.00*</b><small>paper 0.94 ± 0.01</small>"), std::string::npos) << html;
  EXPECT_NE(html.find("not run</span><small>paper 30.7</small>"), std::string::npos) << html;
  EXPECT_NE(html.find("A &amp; B, &quot;C&quot;"), std::string::npos) << html;
  EXPECT_NE(html.find("<th colspan=\"2\" scope=\"colgroup\">1k</th>"), std::string::npos) << html;
  Table partly = small_table();
  partly.columns[1].group.clear();
  EXPECT_NE(to_html(partly).find(">1k</th><td colspan=\"1\"></td></tr>"), std::string::npos) << to_html(partly);
  EXPECT_NE(html.find("<tr class=\"rule\"><th scope=\"row\">D</th><td>–</td>"), std::string::npos) << html;
}

TEST(Tables, HeadWordsAsTheyHeadFigures) {
  Table table = small_table();
  table.rows[0].cells[1].text = "words";
  const std::string html = to_html(table);
  EXPECT_NE(html.find("<td class=\"text\">words</td></tr>"), std::string::npos) << html;
  EXPECT_NE(html.find("<td>–</td><td class=\"text\">–</td></tr>"), std::string::npos) << html;
  EXPECT_NE(html.find("<th scope=\"col\">accuracy</th><th scope=\"col\" class=\"text\">s</th>"), std::string::npos)
      << html;
}

TEST(Tables, HaveALineForEveryCellInCsv) {
  EXPECT_EQ(to_csv(small_table()),
            "row,column,ours,error,runs,marked,paper,paper_error,paper_marked,text\n"
            "\"A & B, \"\"C\"\"\",1k accuracy,0.9367,0.004,5,1,0.944,0.0064,0,\n"
            "\"A & B, \"\"C\"\"\",1k s,,,,,30.7,,0,\n"
            "D,1k accuracy,,,,,,,,\n"
            "D,1k s,,,,,,,,\n");
}

TEST(Tables, SayInMarkdownWhatTheyAreAbout) {
  Table table = small_table();
  table.caption = "1k: 300 test equations";
  EXPECT_EQ(to_markdown(table), "1k: 300 test equations\n\n" + to_markdown(small_table()));
}

TEST(Tables, AreReadableAsMarkdown) {
  EXPECT_EQ(to_markdown(small_table()),
            "| model | 1k accuracy | 1k s |\n| --- | --- | --- |\n"
            "| A & B, \"C\" | **0.94 ± 0.00*** (0.94 ± 0.01) | (30.7) |\n| | | |\n| D | – | – |\n");
}

}  // namespace
}  // namespace linn::app
