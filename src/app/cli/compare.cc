// linn compare: whether one recommender is significantly better than another.
#include <fmt/format.h>

#include <memory>
#include <set>

#include "app/cli/evaluation_options.h"
#include "app/cli/program.h"
#include "app/evaluate/metrics_text.h"
#include "linn/base/error.h"
#include "linn/base/split.h"
#include "linn/metrics/paired_test.h"
#include "linn/model/names_json.h"

namespace linn::app {
namespace {

struct Compare {
  std::string first, second;  // run folders, several separated by commas
  DataSelection selection;
  RankingProtocol protocol;
  std::size_t bootstrap = 0;  // samples; 0: no interval
  std::size_t threads = 0;
};

std::vector<std::string> folders_in(const std::string& text) {
  std::vector<std::string> runs;
  for (const std::string_view run : split(text, ',')) {
    if (!run.empty()) runs.emplace_back(run);
  }
  if (runs.empty()) throw InputError("expected a run folder, or several separated by commas");
  return runs;
}

// The common test set of all runs: data, users and items in the same order, candidates.
class TestSet {
 public:
  TestSet(const Compare& options, const RecommenderRun& first)
      : other_data_(!options.selection.data.empty()),
        data_(first.config.data),
        earlier_data_(first.config.earlier_data),
        items_(names_to_json(first.trained.catalogue.items)),
        users_(names_to_json(first.trained.catalogue.users)),
        fitted_(first.read_data(options.selection.data)),
        histories_(fitted_.data),
        candidates_(first.candidates(histories_, options.selection.split.value_or(Split::kTest), options.protocol)) {
    for (const Example& example : candidates_.examples()) example_users_.push_back(example.user);
  }

  std::vector<Ranking> rank(const RecommenderRun& run, ThreadPool& threads) const {
    const auto refuse = [&](const std::string& why) { throw InputError(why, Place{run.path, 0, 0}); };
    if (!other_data_ && (run.config.data != data_ || run.config.earlier_data != earlier_data_)) {
      refuse(
          fmt::format("this run was trained on other data ({}) than the first one; use --data to evaluate both on "
                      "the same data",
                      run.config.data));
    }
    const Catalogue& catalogue = run.trained.catalogue;
    if (names_to_json(catalogue.items) != items_ || names_to_json(catalogue.users) != users_) {
      refuse("this run and the first one have different users or items");
    }
    return rank_held_out(*run.trained.model, histories_, candidates_, fitted_.known_users, threads);
  }

  const FittedData& fitted() const { return fitted_; }
  std::size_t size() const { return candidates_.size(); }
  std::size_t users() const { return std::set(example_users_.begin(), example_users_.end()).size(); }

  std::vector<double> by_user(const std::vector<Ranking>& rankings, const RankingMeasure& measure) const {
    return mean_by_user(std::span(example_users_), values_of(measure, rankings));
  }

 private:
  bool other_data_;  // than the first run was trained on
  std::string data_;
  std::vector<RunConfig::Source> earlier_data_;  // before that
  std::string items_, users_;
  FittedData fitted_;
  Histories histories_;
  Candidates candidates_;
  std::vector<UserId> example_users_;  // the user of each held-out item
};

using Runs = std::vector<std::vector<Ranking>>;

std::vector<std::vector<double>> values_by_user(const Runs& runs, const RankingMeasure& measure,
                                                const TestSet& test_set) {
  std::vector<std::vector<double>> values;
  for (const auto& run : runs) values.push_back(test_set.by_user(run, measure));
  return values;
}

double mean_of(const std::vector<std::vector<double>>& runs) {
  double sum = 0.0;
  for (const auto& run : runs) sum += mean_and_error(run).mean;
  return sum / static_cast<double>(runs.size());
}

// The difference of each user, averaged over the runs.
std::vector<double> user_differences(const std::vector<std::vector<double>>& a,
                                     const std::vector<std::vector<double>>& b) {
  std::vector<double> differences = mean_over_runs(a);
  const std::vector<double> others = mean_over_runs(b);
  for (std::size_t i = 0; i < differences.size(); ++i) differences[i] -= others[i];
  return differences;
}

Json test_to_json(const PairedTest& test) {
  return {{"difference", test.difference},
          {"error", test.error},
          {"low", test.low},
          {"high", test.high},
          {"p", test.p},
          {"count", test.count}};
}

std::string test_to_text(const PairedTest& test) {
  return fmt::format("{:+.4f}  [{:+.4f}, {:+.4f}]  p = {:.2g}", test.difference, test.low, test.high, test.p);
}

void run(const Compare& options, const Program& program) {
  const std::vector<std::string> first = folders_in(options.first);
  const std::vector<std::string> second = folders_in(options.second);
  ThreadPool threads(options.threads);
  const TestSet test_set(options, RecommenderRun(first.front()));
  remark_left_out(test_set.fitted().left_out, test_set.fitted().unknown_items, program);
  const auto rank_all = [&](const std::vector<std::string>& folders) {
    Runs runs;
    for (const std::string& folder : folders) runs.push_back(test_set.rank(RecommenderRun(folder), threads));
    return runs;
  };
  const Runs a = rank_all(first);
  const Runs b = rank_all(second);
  const bool seeds = a.size() == b.size() && a.size() > 1;

  Json object = {{"first", first}, {"second", second}, {"count", test_set.size()}};
  object["candidates"] = candidates_to_json(options.protocol.candidates);
  Json measures = Json::object();
  std::string text = fmt::format("{:<9} {:>7} {:>7}  difference over {} users, 95 % interval\n", "", "first", "second",
                                 test_set.users());
  for (const RankingMeasure& measure : ranking_measures(options.protocol.cutoffs)) {
    const auto values_a = values_by_user(a, measure, test_set);
    const auto values_b = values_by_user(b, measure, test_set);
    const SeedsAndUsersTest test = seeds_and_users_test(values_a, values_b);
    Json entry = {
        {"first", mean_of(values_a)}, {"second", mean_of(values_b)}, {"users", test_to_json(test.over_users)}};
    entry["seeds"] = seeds ? test_to_json(test.over_seeds) : Json(nullptr);
    text += fmt::format("{:<9} {:7.4f} {:7.4f}  {}\n", measure.name, mean_of(values_a), mean_of(values_b),
                        test_to_text(test.over_users));
    if (options.bootstrap > 0) {
      Random random(program.seed);
      const Interval interval = bootstrap_interval(user_differences(values_a, values_b), random, options.bootstrap);
      entry["bootstrap"] = {{"low", interval.low}, {"high", interval.high}};
      text += fmt::format("{:<26} bootstrap: [{:+.4f}, {:+.4f}]\n", "", interval.low, interval.high);
    }
    if (seeds) text += fmt::format("{:<26} over {} seeds: {}\n", "", a.size(), test_to_text(test.over_seeds));
    measures[measure.name] = entry;
  }
  object["measures"] = measures;
  if (program.json) {
    print_json(object);
  } else {
    fmt::print("{}", text);
  }
}

}  // namespace

void add_compare_command(CLI::App& app, Program& program) {
  CLI::App* compare =
      app.add_subcommand("compare", "Test whether one recommender is better than another on the same held-out items");
  auto options = std::make_shared<Compare>();
  compare->add_option("first", options->first, "A run folder, or several of the same model, separated by commas")
      ->type_name("RUN,...")
      ->required();
  compare->add_option("second", options->second, "The run or runs to compare with; several runs are paired in order")
      ->type_name("RUN,...")
      ->required();
  add_data_options(*compare, options->selection, false);
  add_ranking_options(*compare, options->protocol);
  compare
      ->add_option("--bootstrap", options->bootstrap,
                   "Also compute a bootstrap interval from this many samples of users")
      ->type_name("SAMPLES")
      ->check(whole_number(0, 1'000'000));
  add_threads_option(*compare, options->threads);
  add_seed_option(*compare, program);
  add_quiet_option(*compare, program);
  add_json_option(*compare, program);
  run_if_chosen(*compare, program, [options, &program] { run(*options, program); });
}

}  // namespace linn::app
