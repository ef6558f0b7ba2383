// What all commands of the program share.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "linn/base/json.h"

namespace linn::app {

// Options that many commands have, and the command that was chosen. The chosen command's `run` does the
// work after the whole command line has been read.
struct Program {
  bool json = false;
  bool quiet = false;
  std::uint64_t seed = 0;
  int status = 0;  // of a command that has done what it could, but not all
  std::function<void()> run;
};

void add_json_option(CLI::App& command, Program& program);
void add_quiet_option(CLI::App& command, Program& program);
void add_seed_option(CLI::App& command, Program& program);
// Checks that an option is a whole number in a range; a plain conversion would take -1 for a very large one.
CLI::Validator whole_number(std::uint64_t least, std::uint64_t most = ~std::uint64_t{0});

void add_threads_option(CLI::App& command, std::size_t& threads);

// An option that takes one of a few words; the help lists them, and a wrong one is answered with the nearest.
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
  CLI::callback_t set = [choices, &target, name](const CLI::results_t& given) {
    std::vector<std::string> known;
    for (const auto& choice : choices) {
      if (choice.word == given.front()) {
        target = choice.value;
        return true;
      }
      known.emplace_back(choice.word);
    }
    throw CLI::ValidationError(name, "unknown value '" + given.front() + "'" + suggestion(given.front(), known));
  };
  return command.add_option(name, set, description)->type_name(words)->default_str(initial);
}

// Prints the object that --json promises: exactly one, with a newline.
void print_json(const Json& object);

// Each command in its own file.
void add_normalize_command(CLI::App& app, Program& program);
void add_generate_command(CLI::App& app, Program& program);
void add_import_command(CLI::App& app, Program& program);
void add_train_command(CLI::App& app, Program& program);
void add_tune_command(CLI::App& app, Program& program);
void add_answer_commands(CLI::App& app, Program& program);
void add_compare_command(CLI::App& app, Program& program);
void add_recommend_command(CLI::App& app, Program& program);
void add_explain_command(CLI::App& app, Program& program);
void add_cooccur_command(CLI::App& app, Program& program);
void add_solve_command(CLI::App& app, Program& program);
void add_audit_command(CLI::App& app, Program& program);
void add_tsne_command(CLI::App& app, Program& program);
void add_bench_command(CLI::App& app, Program& program);
void add_manual_command(CLI::App& app, Program& program);
void add_report_command(CLI::App& app, Program& program);
void add_reproduce_command(CLI::App& app, Program& program);

// The whole program; returns the exit status.
int run_program(int argc, const char* const* argv);

}  // namespace linn::app
