// linn bench: the speed of training and recommendation, relative to the peak of this machine.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>

#include "app/bench/exchange_speed.h"
#include "app/bench/fold_speed.h"
#include "app/bench/recommend_speed.h"
#include "app/bench/step_speed.h"
#include "app/cli/program.h"
#include "linn/base/error.h"
#include "linn/kernels/dispatch.h"
#include "linn/kernels/peak.h"

namespace linn::app {
namespace {

struct Bench {
  std::size_t threads = 0;
  double seconds = 0.3;
  bool quick = false;
  bool exchange = false;
  DeviceOptions device;
};

// The peak resident size of the process.
double most_memory_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

// All cases on all threads and, to show how a step scales, the main case on one thread: the authors' preset at d = 64
// with all laws.
std::vector<SpeedCase> chosen_cases(std::size_t threads, bool quick) {
  std::vector<SpeedCase> cases;
  const auto is_main = [](const SpeedCase& c) { return c.width == 64 && c.authors && c.laws; };
  if (threads > 1) {
    for (const SpeedCase& c : speed_cases(1)) {
      if (is_main(c)) cases.push_back(c);
    }
  }
  for (const SpeedCase& c : speed_cases(threads)) {
    if (!quick || is_main(c)) cases.push_back(c);
  }
  return cases;
}

// Recommendation on one thread and on all threads.
std::vector<RecommendSpeedCase> chosen_recommend_cases(std::size_t threads, bool quick) {
  std::vector<RecommendSpeedCase> cases = recommend_speed_cases(1);
  if (threads > 1 && !quick) std::ranges::copy(recommend_speed_cases(threads), std::back_inserter(cases));
  return cases;
}

// One line of the table.
struct BenchRow {
  std::string label;  // in the table; JSON has the longer name
  std::string name, form, preset;
  std::size_t d = 64;
  bool laws = false;
  std::size_t threads = 1;
  double gflop = 0.0;
  double seconds = 0.0;
  std::optional<double> plan_seconds = std::nullopt;
  std::string note = {};
};

// `floor` is the time that the operations take at the peak.
Json row_to_json(const BenchRow& row, double floor) {
  Json object = {
      {"name", row.name},       {"preset", row.preset},        {"form", row.form},   {"d", row.d},
      {"laws", row.laws},       {"threads", row.threads},      {"gflop", row.gflop}, {"seconds", row.seconds},
      {"floor_seconds", floor}, {"ratio", floor / row.seconds}};
  if (row.plan_seconds) object["plan_seconds"] = *row.plan_seconds;
  return object;
}

void print_row(const BenchRow& row, double floor) {
  fmt::print("{:<14} {:<9} {:<8} {:>3} {:<4} {:>7} {:>9.3f} {:>9.2f} {:>9.2f} {:>5.0f}%", row.label, row.form,
             row.preset, row.d, row.laws ? "on" : "off", row.threads, row.gflop, 1e3 * row.seconds, 1e3 * floor,
             100 * floor / row.seconds);
  if (row.plan_seconds) fmt::print(" {:>5.1f}%", 100 * *row.plan_seconds / row.seconds);
  fmt::print("{}\n", row.note);
  std::fflush(stdout);
}

// Steps that several processes share: what they send, and how long they wait for that.
void run_exchange(const Bench& options, const Program& program) {
  ProcessGroup& processes = *program.processes;
  if (processes.size() == 1) {
    throw InputError("--exchange measures what several processes send each other: start them together, by mpirun");
  }
  const std::size_t threads = options.threads == 0 ? cores() : options.threads;
  Json cases = Json::array();
  if (!program.json) {
    fmt::print("{} processes, threads of each: {}\n\n", processes.size(), threads);
    fmt::print("{:<14} {:<9} {:<8} {:>3} {:<4} {:>9} {:>7} {:>11} {:>11} {:>8} {:>9} {:>12}\n", "data", "form",
               "preset", "d", "laws", "modules", "rows", "sent kB", "received", "of bound", "step ms", "exchange ms",
               "transfer ms");
  }
  const auto add = [&](const BenchRow& row, const ExchangeResult& r) {
    // What all touch goes out once and comes back once.
    const double bound = 2.0 * sizeof(float) * static_cast<double>(r.modules + r.rows * r.width);
    const double share = static_cast<double>(std::max(r.sent, r.received)) / bound;
    if (program.json) {
      cases.push_back({{"name", row.name},
                       {"preset", row.preset},
                       {"form", row.form},
                       {"d", row.d},
                       {"laws", row.laws},
                       {"threads", threads},
                       {"processes", processes.size()},
                       {"modules", r.modules},
                       {"rows", r.rows},
                       {"bytes_sent", r.sent},
                       {"bytes_received", r.received},
                       {"share_of_bound", share},
                       {"seconds", r.seconds},
                       {"exchange_seconds", r.exchange_seconds},
                       {"transfer_seconds", r.transfer_seconds}});
      return;
    }
    fmt::print(
        "{:<14} {:<9} {:<8} {:>3} {:<4} {:>9} {:>7} {:>11.1f} {:>11.1f} {:>7.0f}% {:>9.2f} {:>12.2f} {:>12.2f}\n",
        row.label, row.form, row.preset, row.d, row.laws ? "on" : "off", r.modules, r.rows,
        1e-3 * static_cast<double>(r.sent), 1e-3 * static_cast<double>(r.received), 100 * share, 1e3 * r.seconds,
        1e3 * r.exchange_seconds, 1e3 * r.transfer_seconds);
    std::fflush(stdout);
  };
  for (const SpeedCase& c : speed_cases(threads)) {
    if (!c.authors || !c.laws || (options.quick && c.width != 64)) continue;
    const std::string name = data_name(c.data);
    add({name, name, form_name(c.data), "authors", c.width, c.laws},
        measure_step_exchange(c, options.seconds, program.seed, processes));
  }
  for (const FoldSpeedCase& c : fold_speed_cases(threads)) {
    if (c.laws || c.mlp_product || (options.quick && c.width != 64)) continue;
    add({"ml-1m", "ml-1m", "fold", "best", c.width, c.laws},
        measure_fold_exchange(c, options.seconds, program.seed, processes));
  }
  if (program.json) print_json({{"processes", processes.size()}, {"threads", threads}, {"exchange", cases}});
}

constexpr const char* kHeading = "{:<14} {:<9} {:<8} {:>3} {:<4} {:>7} {:>9} {:>9} {:>9} {:>6} {:>6}\n";

// Training steps on a device against its own peak.
void run_on_device(const Bench& options, TrainingDevice& device, const Program& program) {
  const double peak = device.peak_gflops();
  if (!program.json) {
    fmt::print("{}: peak {:.1f} GFLOP/s of a product of 4096 x 4096 matrices\n\n", device.name(), peak);
    fmt::print(fmt::runtime(kHeading), "data", "form", "preset", "d", "laws", "threads", "GFLOP", "ms", "floor ms",
               "ratio", "plan");
  }
  Json cases = Json::array();
  const auto add = [&](const BenchRow& row) {
    const double floor = row.gflop / peak;
    if (program.json) {
      cases.push_back(row_to_json(row, floor));
    } else {
      print_row(row, floor);
    }
  };
  for (const SpeedCase& c : chosen_cases(1, options.quick)) {
    const SpeedResult r = measure_step(c, options.seconds, program.seed, &device);
    const std::string name = data_name(c.data);
    add({name, name, form_name(c.data), c.authors ? "authors" : "paper", c.width, c.laws, c.threads, r.gflop, r.seconds,
         r.plan_seconds});
  }
  for (const FoldSpeedCase& c : fold_speed_cases(1)) {
    if (c.mlp_product || (options.quick && c.width != 64)) continue;
    const FoldSpeedResult r = measure_fold_step(c, options.seconds, program.seed, &device);
    add({"ml-1m", "ml-1m", "fold", "best", c.width, c.laws, c.threads, r.gflop, r.seconds, r.plan_seconds,
         c.laws ? "  laws on 1 %" : ""});
  }
  if (program.json) print_json({{"peak_gflops", peak}, {"device", device.name()}, {"cases", cases}});
}

void run(const Bench& options, const Program& program) {
  if (options.exchange) return run_exchange(options, program);
  if (program.processes->size() > 1) throw InputError("several processes measure --exchange alone");
  if (const std::unique_ptr<TrainingDevice> device = options.device.open()) {
    return run_on_device(options, *device, program);
  }
  const std::size_t threads = options.threads == 0 ? cores() : options.threads;
  const Peak peak = measure_peak(threads);
  const Peak peak_of_one = threads == 1 ? peak : measure_peak(1);
  if (!program.json) {
    fmt::print("{}: peak {:.1f} GFLOP/s on {} threads (registers {:.1f}, product kernel {:.1f}), {:.1f} on one\n\n",
               current_instruction_set(), peak.best(), threads, peak.fma_loop, peak.matmul, peak_of_one.best());
    fmt::print(fmt::runtime(kHeading), "data", "form", "preset", "d", "laws", "threads", "GFLOP", "ms", "floor ms",
               "ratio", "plan");
  }
  Json cases = Json::array();
  const auto add = [&](const BenchRow& row) {
    const double floor = row.gflop / (row.threads == 1 ? peak_of_one : peak).best();
    if (program.json) {
      cases.push_back(row_to_json(row, floor));
    } else {
      print_row(row, floor);
    }
  };
  for (const SpeedCase& c : chosen_cases(threads, options.quick)) {
    const SpeedResult r = measure_step(c, options.seconds, program.seed);
    const std::string name = data_name(c.data);
    add({name, name, form_name(c.data), c.authors ? "authors" : "paper", c.width, c.laws, c.threads, r.gflop, r.seconds,
         r.plan_seconds});
  }
  for (const FoldSpeedCase& c : fold_speed_cases(threads)) {
    if (options.quick && c.width != 64) continue;
    const FoldSpeedResult r = measure_fold_step(c, options.seconds, program.seed);
    add({"ml-1m", c.mlp_product ? "ml-1m-relu" : "ml-1m", "fold", "best", c.width, c.laws, c.threads, r.gflop,
         r.seconds, r.plan_seconds,
         c.laws          ? "  laws on 1 %"
         : c.mlp_product ? "  relu over all pairs"
                         : ""});
  }
  for (const RecommendSpeedCase& c : chosen_recommend_cases(threads, options.quick)) {
    const RecommendSpeedResult r = measure_recommend(c, options.seconds, program.seed);
    add({"recommend-63k", c.name(), c.form == RecommendForm::kDnf ? "dnf" : "factored", "authors", 64, false, c.threads,
         r.gflop, r.seconds, std::nullopt, c.kept_projections ? "  items projected in advance" : ""});
  }
  const FoldSpeedCase query;
  const FoldSpeedResult r = measure_fold_query(query, options.seconds, program.seed);
  add({"recommend-3k", "recommend-3k-fold-kept", "fold", "best", query.width, false, query.threads, r.gflop, r.seconds,
       std::nullopt, "  200 events"});
  const double megabytes = most_memory_megabytes();
  if (!program.json) {
    fmt::print("\npeak memory: {:.0f} MB\n", megabytes);
    return;
  }
  print_json({{"peak_gflops", peak.best()},
              {"peak_gflops_one_thread", peak_of_one.best()},
              {"instruction_set", current_instruction_set()},
              {"threads", threads},
              {"most_memory_mb", megabytes},
              {"cases", cases}});
}

}  // namespace

void add_bench_command(CLI::App& app, Program& program) {
  CLI::App* command = app.add_subcommand("bench", "Measure speed relative to the peak of this machine");
  auto options = std::make_shared<Bench>();
  add_threads_option(*command, options->threads);
  add_device_option(*command, options->device);
  command->add_option("--seconds", options->seconds, "Seconds to measure each case")
      ->type_name("S")
      ->check(CLI::Range(0.0, 600.0))
      ->capture_default_str();
  command->add_flag("--exchange", options->exchange,
                    "Measure what several processes send each other in a training step, and how long that takes");
  command->add_flag("--quick", options->quick,
                    "Measure only the authors' preset at d = 64 with all laws, and recommendation on one thread");
  add_seed_option(*command, program);
  add_json_option(*command, program);
  run_shared_if_chosen(*command, program, [options, &program] { run(*options, program); });
}

}  // namespace linn::app
