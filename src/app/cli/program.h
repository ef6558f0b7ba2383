// Shared by all commands: common options, choices, output, and the program itself.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "linn/base/json.h"
#include "linn/base/process_group.h"
#include "linn/train/training_device.h"

namespace linn::app {

// Options that many commands have, and the work of the chosen command, which starts once the whole command line has
// been parsed.
struct Program {
  bool json = false;
  bool quiet = false;
  std::uint64_t seed = 0;
  int status = 0;  // set by a command that finished only a part of its work
  std::function<void()> run;
  // Those that a launcher started together.
  LoneProcess alone;
  ProcessGroup* processes = &alone;
  bool shares_work = false;  // whether the chosen command is for several processes
};

// Sets the function to run if this command is chosen.
void run_if_chosen(CLI::App& command, Program& program, std::function<void()> run);
// The same for a command that several processes run together.
void run_shared_if_chosen(CLI::App& command, Program& program, std::function<void()> run);

void add_json_option(CLI::App& command, Program& program);
void add_quiet_option(CLI::App& command, Program& program);
CLI::Option* add_seed_option(CLI::App& command, Program& program);
void add_threads_option(CLI::App& command, std::size_t& threads);
// Where networks are computed.
struct DeviceOptions {
  std::string name = "cpu";
  bool tf32 = false;

  // Null: the CPU. Throws InputError, or Failure if there is no such device.
  std::unique_ptr<TrainingDevice> open() const { return open_device(name, tf32); }
};
void add_device_option(CLI::App& command, DeviceOptions& device);
// Processes at a time; 0 means one per core. `jobs` names them in the help, such as "Trials".
void add_parallel_option(CLI::App& command, const std::string& jobs, std::size_t& parallel);
// The argument RUN.
void add_run_argument(CLI::App& command, std::string& run);
// --out and --force of a command that writes a data folder.
struct DataFolderOptions {
  std::string out;
  bool force = false;

  // Throws InputError if NAME.tsv exists for one of the names, unless forced, and as check_room_for_tables() does.
  void require_room(std::initializer_list<std::string_view> names, std::string_view other_name) const;
};
void add_data_folder_options(CLI::App& command, DataFolderOptions& options);
// --out of a command that writes a report.
CLI::Option* add_report_option(CLI::App& command, std::string& out);

// Checks that an option is a whole number in a range; a plain conversion would turn -1 into a huge number.
CLI::Validator whole_number(std::uint64_t least, std::uint64_t most = ~std::uint64_t{0});

template <class Number>
CLI::Option* add_whole_number(CLI::App& command, const std::string& name, Number& target,
                              const std::string& description, std::uint64_t least = 0,
                              std::uint64_t most = ~std::uint64_t{0}) {
  return command.add_option(name, target, description)
      ->type_name("N")
      ->check(whole_number(least, most))
      ->capture_default_str();
}

// An option that takes one of a few words. The help lists them, and an unknown word is answered with the nearest one.
template <class Enum>
struct Choice {
  std::string_view word;
  Enum value;
};

// ", did you mean 'X'?" or nothing.
std::string suggestion(std::string_view word, const std::vector<std::string>& known);

template <class Enum>
std::string word_of(const std::vector<Choice<Enum>>& choices, Enum value) {
  for (const auto& choice : choices) {
    if (choice.value == value) return std::string(choice.word);
  }
  return {};
}

template <class Enum>
CLI::Option* add_choice(CLI::App& command, const std::string& name, Enum& target, std::vector<Choice<Enum>> choices,
                        const std::string& description) {
  std::string words;
  std::string initial;
  for (const auto& choice : choices) {
    words += (words.empty() ? "" : "|") + std::string(choice.word);
    if (choice.value == target) initial = choice.word;
  }
  CLI::callback_t set = [choices, &target, name, words](const CLI::results_t& given) {
    std::vector<std::string> known;
    for (const auto& choice : choices) {
      if (choice.word == given.front()) {
        target = choice.value;
        return true;
      }
      known.emplace_back(choice.word);
    }
    std::string near = suggestion(given.front(), known);
    if (near.empty()) near = "; choose one of " + words;
    throw CLI::ValidationError(name, "unknown value '" + given.front() + "'" + near);
  };
  return command.add_option(name, set, description)->type_name(words)->default_str(initial);
}

// The number of cores, at least 1.
std::size_t cores();

// Prints the one object that --json promises.
void print_json(const Json& object);

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// One file per command.
void add_normalize_command(CLI::App& app, Program& program);
void add_generate_command(CLI::App& app, Program& program);
void add_import_command(CLI::App& app, Program& program);
void add_train_command(CLI::App& app, Program& program);
void add_tune_command(CLI::App& app, Program& program);
void add_evaluate_command(CLI::App& app, Program& program);
void add_query_command(CLI::App& app, Program& program);
void add_compare_command(CLI::App& app, Program& program);
void add_recommend_command(CLI::App& app, Program& program);
void add_explain_command(CLI::App& app, Program& program);
void add_similar_command(CLI::App& app, Program& program);
void add_cooccur_command(CLI::App& app, Program& program);
void add_solve_command(CLI::App& app, Program& program);
void add_audit_command(CLI::App& app, Program& program);
void add_tsne_command(CLI::App& app, Program& program);
void add_serve_command(CLI::App& app, Program& program);
void add_bench_command(CLI::App& app, Program& program);
void add_manual_command(CLI::App& app, Program& program);
void add_report_command(CLI::App& app, Program& program);
void add_reproduce_command(CLI::App& app, Program& program);

// The whole program; returns the exit status.
int run_program(int argc, const char* const* argv);

}  // namespace linn::app
