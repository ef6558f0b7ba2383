#include "app/report/document.h"

#include <gtest/gtest.h>

#include <limits>

#include "app/report/network_drawing.h"
#include "linn/base/error.h"
#include "linn/base/file.h"
#include "support/temp_folder.h"

namespace linn::app {
namespace {

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t times = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++times;
  return times;
}

Plot small_plot() {
  Plot plot;
  plot.x.label = "weight \"w\"";
  plot.y.label = "accuracy";
  plot.series = {{"a, b", {1.0, 2.0, 3.0}, {0.5, 0.25, 1.0}, {0.1, 0.1, 0.1}}, {"none", {}, {}}};
  return plot;
}

TEST(Reports, ContainTheirFiguresAndWriteTheDataBesideThem) {
  ASSERT_EQ(missing_plot_tools(), "");
  const TempFolder folder;
  Report report("Title <1>", "what it is");
  report.add_fact("Date", "today");
  ReportSection section("figure-9", "A figure");
  section.add_text("5 < 6");
  section.add_figure(small_plot(), "a curve", "its caption", true);
  section.add_figure(HeatMap{{"x", "y"}, {0.0F, 1.0F, 0.5F, 0.25F}}, "a map");
  section.add_figure(ScatterPlot{{1.0, 2.0, 3.0, 4.0}, {0, 1}, {{"left", "red"}, {"right", "blue"}}}, "points");
  section.add_graph(network_drawing("(a & b) | !c"), "a network");
  Plot broken = small_plot();
  broken.x.low = std::numeric_limits<double>::quiet_NaN();
  section.add_figure(broken, "broken");
  section.add_command("linn a");
  for (const char* name : {"b", "c", "d", "e", "f", "g"}) section.add_command(std::string("linn ") + name);
  report.add_section(std::move(section));
  ReportSection empty("figure-8", "Nothing yet");
  Plot nothing;
  nothing.series = {{"", {}, {}}};
  empty.add_figure(nothing, "Nothing");
  report.add_section(std::move(empty));
  const auto complaints = report.write(folder.path() / "page.html", folder.path() / "beside");
  EXPECT_EQ(complaints.size(), 1U);  // the broken one

  const std::string page = read_file(folder.path() / "page.html");
  EXPECT_EQ(count(page, "<svg"), 4U);
  EXPECT_EQ(count(page, "<figure"), 5U);
  EXPECT_NE(page.find("Title &lt;1&gt;"), std::string::npos);
  EXPECT_NE(page.find("5 &lt; 6"), std::string::npos);
  EXPECT_NE(page.find("Nothing: not run yet."), std::string::npos);
  EXPECT_NE(page.find("It runs 6 commands"), std::string::npos);
  EXPECT_EQ(page.find("http://"), page.find("http://www.w3.org"));  // nothing is fetched; this is the SVG namespace
  EXPECT_EQ(page.find("<script"), std::string::npos);
  // Pictures in a page must not share identifiers.
  EXPECT_EQ(count(page, "id=\"gnuplot"), 0U);
  EXPECT_GT(count(page, "currentColor"), 0U);
  EXPECT_EQ(read_file(folder.path() / "beside/figure-9.csv"),
            "series,x,y,error\n\"a, b\",1,0.5,0.1\n\"a, b\",2,0.25,0.1\n\"a, b\",3,1,0.1\n");
  EXPECT_EQ(read_file(folder.path() / "beside/figure-9-figure-2.csv"), "item,x,y\nx,0,1\ny,0.5,0.25\n");
  EXPECT_EQ(read_file(folder.path() / "beside/figure-9-figure-3.csv"), "group,x,y\nleft,1,2\nright,3,4\n");
  EXPECT_TRUE(read_file(folder.path() / "beside/figure-9-figure-2.svg").starts_with("<svg"));
  EXPECT_NE(page.find("href=\"beside/figure-9.csv\""), std::string::npos);
}

TEST(Plots, OfFewPointsCanBeReadAsTables) {
  Plot plot;
  plot.x.label = "weight";
  plot.x.ticks = {{0.001, "0"}};
  plot.series = {{"small", {0.001, 0.1}, {0.5, 0.75}, {0.01, 0.02}}, {"large", {0.1}, {0.25}}};
  EXPECT_EQ(to_markdown(plot),
            "| weight | small | large |\n| --- | --- | --- |\n"
            "| 0 | 0.5000 ± 0.0100 | – |\n| 0.1 | 0.7500 ± 0.0200 | 0.2500 |\n");
  plot.series[0].x.resize(100);
  plot.series[0].y.resize(100);
  EXPECT_EQ(to_markdown(plot), "");
}

TEST(Plots, ReportErrorsOfGnuplot) {
  ASSERT_EQ(missing_plot_tools(), "");
  const TempFolder folder;
  Plot plot = small_plot();
  plot.x.low = plot.x.high = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(draw(plot, folder.path(), "broken"), Failure);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "broken.log"));
}

TEST(NetworkDrawings, FoldChainsAndShareWhatIsShared) {
  const std::string graph = network_drawing("(v_i & b & c) | !v_i");
  EXPECT_EQ(count(graph, "label=\"AND\""), 2U);
  EXPECT_EQ(count(graph, "label=\"OR\""), 1U);
  EXPECT_EQ(count(graph, "label=\"NOT\""), 1U);
  EXPECT_EQ(count(graph, "label=<v<sub>i</sub>>"), 1U);
  EXPECT_EQ(count(graph, "label=<b>"), 1U);
  EXPECT_THROW(network_drawing("a -> b"), InputError);
  EXPECT_THROW(network_drawing("a &"), InputError);
  EXPECT_THROW(network_drawing("T"), InputError);
}

}  // namespace
}  // namespace linn::app
