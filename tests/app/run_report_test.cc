#include "app/report/run_report.h"

#include <gtest/gtest.h>

#include "linn/base/file.h"
#include "linn/equations/majority_model.h"
#include "linn/model/run_folder.h"
#include "support/expect_error.h"
#include "support/temp_folder.h"

namespace linn::app {
namespace {

class RunReports : public testing::Test {
 protected:
  // A run on the equations `text`, without a model.
  RunFolder make_run(const std::string& name, const std::string& text) {
    const std::filesystem::path data = folder_ / (name + ".txt");
    write_file(data, text);
    return RunFolder::create(
        folder_ / name, R"({"task": "equations", "model": "majority", "seed": 1, "data": ")" + data.string() + "\"}\n",
        false);
  }
  // The same with a model.
  void make_trained_run(const std::string& name, const std::string& text) {
    const RunFolder run = make_run(name, text);
    Vocabulary names;
    names.intern("a");
    const MajorityModel model(names, 1.0F);
    SafetensorsWriter out;
    model.write(out);
    out.write(run.model_path());
  }
  Report report(
      const std::vector<std::string>& names, const std::function<bool()>& stop = [] { return false; }) {
    std::vector<std::filesystem::path> paths;
    for (const std::string& name : names) paths.push_back(folder_ / name);
    return report_of_runs(paths, threads_, stop);
  }
  std::string page(const Report& report) {
    report.write(folder_ / "page.html", folder_ / "page");
    return read_file(folder_ / "page.html");
  }
  static std::string many_equations() {
    std::string text;
    for (int i = 0; i < 200; ++i) text += "a = T\n";
    return text;
  }

  TempFolder folder_;
  ThreadPool threads_{1};
};

TEST_F(RunReports, LeaveOutARunThatCannotBeEvaluated) {
  make_trained_run("good", many_equations());
  make_run("untrained", many_equations());
  make_trained_run("few", "a = T\n");
  const std::string html = page(report({"good", "untrained", "few"}));
  EXPECT_NE(html.find("<th scope=\"row\">good</th>"), std::string::npos);
  EXPECT_NE(html.find("1.0000"), std::string::npos);
  EXPECT_NE(html.find("<dt>Left out</dt><dd>untrained: "), std::string::npos);
  EXPECT_NE(html.find("<dt>Left out</dt><dd>few: "), std::string::npos);
  EXPECT_EQ(html.find("<th scope=\"row\">few</th>"), std::string::npos);
}

TEST_F(RunReports, NeedARunThatCanBeEvaluated) {
  make_run("untrained", many_equations());
  EXPECT_THROW(report({"untrained"}), Failure);
  EXPECT_THROW(report({"nowhere"}), InputError);
}

TEST_F(RunReports, StopBetweenEvaluations) {
  make_trained_run("one", many_equations());
  make_trained_run("two", many_equations());
  int calls = 0;
  EXPECT_THROW(report({"one", "two"}, [&] { return ++calls == 2; }), Failure);
  EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace linn::app
