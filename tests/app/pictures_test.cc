#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "app/report/heat_map.h"
#include "app/report/scatter_plot.h"

namespace linn::app {
namespace {

TEST(ScatterPlot, DrawsEveryPointInItsColour) {
  const std::string svg = to_svg(
      ScatterPlot{{0, 0, 1, 2, -1, 1, 5, 5}, {0, 1, 0, 0}, {{"a<b", "#0072B2"}, {"b", "#E69F00"}, {"none", "red"}}});
  const auto count = [&](const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = svg.find(part); at != std::string::npos; at = svg.find(part, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count("<circle"), 4U + 2U);  // points, and two in the legend
  EXPECT_EQ(count("#0072B2"), 2U);
  EXPECT_EQ(count("red"), 0U);
  EXPECT_EQ(count("a&lt;b (3)"), 1U);
  EXPECT_EQ(count("nan"), 0U);
  EXPECT_TRUE(to_svg(ScatterPlot()).starts_with("<svg"));
}

TEST(HeatMap, IsATableOrAPicture) {
  const HeatMap map = {{"a, b", "c \"<&\""}, {0.0F, 0.25F, 0.5F, 1.0F}};
  EXPECT_EQ(to_table(map, '\t'), "item\ta, b\tc \"<&\"\na, b\t0\t0.25\nc \"<&\"\t0.5\t1\n");
  EXPECT_EQ(to_table(map, ','), "item,\"a, b\",\"c \"\"<&\"\"\"\n\"a, b\",0,0.25\n\"c \"\"<&\"\"\",0.5,1\n");
  const std::string svg = to_svg(map, "A & B");
  EXPECT_TRUE(svg.starts_with("<svg"));
  EXPECT_NE(svg.find("A &amp; B"), std::string::npos);
  EXPECT_EQ(to_svg(map).find("A &amp; B"), std::string::npos);
  EXPECT_NE(svg.find("c &quot;&lt;&amp;&quot;"), std::string::npos);
  EXPECT_NE(svg.find("#ffffff"), std::string::npos);
  EXPECT_NE(svg.find("#08306b"), std::string::npos);
  EXPECT_NE(svg.find(">0.25<"), std::string::npos);
}

}  // namespace
}  // namespace linn::app
