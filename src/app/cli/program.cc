#include "app/cli/program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <new>
#include <optional>
#include <thread>

#include "app/cli/stop_signals.h"
#include "app/process/command_line.h"
#include "app/process/processes.h"
#include "linn/base/error.h"
#include "linn/base/options.h"
#include "linn/base/utf8.h"
#include "linn/data/data_folder.h"
#include "linn/kernels/dispatch.h"

namespace linn::app {
namespace {

constexpr int kWorkFailed = 1;
constexpr int kBadInput = 2;

// The deepest subcommand that was chosen.
const CLI::App* chosen_command(const CLI::App& app) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  return command;
}

std::string full_name(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent == nullptr ? command.get_name() : full_name(*parent) + " " + command.get_name();
}

// The message for a command line that cannot be parsed.
std::string describe(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* command = chosen_command(app);
  const std::vector<std::string> extras = app.remaining(true);
  if (!extras.empty()) {
    const std::string& extra = extras.front();
    std::vector<std::string> known;
    if (extra.starts_with("-")) {
      for (const CLI::Option* option : command->get_options()) {
        for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
      }
      return fmt::format("unknown option '{}' for '{}'{}", extra, full_name(*command), suggestion(extra, known));
    }
    for (const CLI::App* sub : command->get_subcommands(nullptr)) known.push_back(sub->get_name());
    if (known.empty()) return fmt::format("unexpected argument '{}' for '{}'", extra, full_name(*command));
    return fmt::format("unknown command '{}' for '{}'{}", extra, full_name(*command), suggestion(extra, known));
  }
  std::string message = error.what();
  if (message == "A subcommand is required") message = "a command is required";  // CLI11's own word for it
  std::replace(message.begin(), message.end(), '\n', ' ');
  return fmt::format("{} (see '{} --help')", message, full_name(*command));
}

// One line without control characters, which may come from a file and would reach the terminal. Standard error may be
// closed.
void complain(std::string_view message) {
  constexpr std::size_t kLongest = 4000;
  std::fputs(fmt::format("linn: {}\n", printable(message, kLongest)).c_str(), stderr);
}

// Other instruction sets round differently in the last digits, so results of other machines need theirs.
void choose_instruction_set() {
  const char* const name = std::getenv("LINN_INSTRUCTIONS");
  if (name == nullptr || restrict_instruction_set(name)) return;
  throw InputError(fmt::format("LINN_INSTRUCTIONS must be one of {}, not '{}'",
                               fmt::join(supported_instruction_sets(), ", "), name));
}

std::string version_text() {
  const std::string mpi = message_passing();
  constexpr const char* kMissing = "not in this build";
  return fmt::format("{}\nMPI: {}\nCUDA: {}", program_name(), mpi.empty() ? kMissing : mpi,
                     has_cuda() ? "for GPUs, with --device cuda" : kMissing);
}

// A file opened while a standard stream is closed would get its descriptor, and everything printed.
void open_closed_streams() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor) {
    if (fcntl(descriptor, F_GETFD) != -1) continue;
    const int opened = open("/dev/null", O_RDWR);
    if (opened != descriptor && opened >= 0) close(opened);
  }
}

}  // namespace

void run_if_chosen(CLI::App& command, Program& program, std::function<void()> run) {
  command.callback([&program, run = std::move(run)] { program.run = run; });
}

void run_shared_if_chosen(CLI::App& command, Program& program, std::function<void()> run) {
  command.callback([&program, run = std::move(run)] {
    program.run = run;
    program.shares_work = true;
  });
}

void add_json_option(CLI::App& command, Program& program) {
  command.add_flag("--json", program.json, "Print exactly one JSON object");
}

void add_quiet_option(CLI::App& command, Program& program) {
  command.add_flag("--quiet", program.quiet, "Print no progress and no remarks on standard error");
}

CLI::Option* add_seed_option(CLI::App& command, Program& program) {
  return add_whole_number(command, "--seed", program.seed, "Seed of all random numbers");
}

void add_device_option(CLI::App& command, DeviceOptions& device) {
  command.add_option("--device", device.name, "Where LINN is computed: cpu, cuda or cuda:N")
      ->type_name("cpu|cuda|cuda:N")
      ->capture_default_str();
  command.add_flag("--tf32", device.tf32, "On a GPU: products over a whole catalogue with TF32, faster and less exact");
}

void add_threads_option(CLI::App& command, std::size_t& threads) {
  constexpr std::size_t kMost = 1024;
  add_whole_number(command, "--threads", threads, "Number of threads; 0: one per core", 0, kMost);
}

void add_parallel_option(CLI::App& command, const std::string& jobs, std::size_t& parallel) {
  constexpr std::size_t kMost = 4096;
  add_whole_number(command, "--parallel", parallel, jobs + " at a time, one thread each; 0: one per core", 0, kMost);
}

void add_run_argument(CLI::App& command, std::string& run) {
  command.add_option("run", run, "The run folder")->type_name("RUN")->required();
}

void DataFolderOptions::require_room(std::initializer_list<std::string_view> names, std::string_view other_name) const {
  check_room_for_tables(out, names, true, other_name);
  if (force || is_incomplete(out)) return;
  for (const std::string_view name : names) {
    const std::filesystem::path path = std::filesystem::path(out) / fmt::format("{}.tsv", name);
    if (!std::filesystem::exists(path)) continue;
    throw InputError(fmt::format("{} already exists; use --force to overwrite it", path.string()));
  }
}

void add_data_folder_options(CLI::App& command, DataFolderOptions& options) {
  command.add_option("--out", options.out, "The folder to write")->type_name("DIR")->required();
  command.add_flag("--force", options.force, "Overwrite a data set that is already in the folder");
}

CLI::Option* add_report_option(CLI::App& command, std::string& out) {
  return command
      .add_option("--out", out,
                  "The report: a page NAME.html with its files in the folder NAME, or a folder that gets an index.html")
      ->type_name("REPORT");
}

CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
  return CLI::Validator(
      [least, most](std::string& text) {
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error == std::errc() && end == text.data() + text.size() && value >= least && value <= most) {
          return std::string();
        }
        return fmt::format("must be a whole number from {} to {}, not '{}'", least, most, text);
      },
      "");
}

std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
  const std::string near = nearest_word(word, known);
  return near.empty() ? "" : fmt::format(", did you mean '{}'?", near);
}

std::size_t cores() { return std::max(1U, std::thread::hardware_concurrency()); }

void print_json(const Json& object) { fmt::print("{}\n", object.dump(2)); }

namespace {

// What is told to the user, on standard error, about a failure.
struct Complaint {
  std::string message;
  std::string excerpt = {};
};

// Returns the exit status, and leaves a complaint unless that is 0 or said already.
int run_command(int argc, const char* const* argv, Program& program, std::optional<Complaint>& complaint) {
  CLI::App app("Neural networks that reason: learn from logical equations, or from likes and dislikes.", "linn");
  app.set_version_flag("--version", version_text());
  app.require_subcommand(1);
  app.option_defaults()->always_capture_default(false);
  add_normalize_command(app, program);
  add_generate_command(app, program);
  add_import_command(app, program);
  add_train_command(app, program);
  add_tune_command(app, program);
  add_evaluate_command(app, program);
  add_query_command(app, program);
  add_compare_command(app, program);
  add_recommend_command(app, program);
  add_explain_command(app, program);
  add_similar_command(app, program);
  add_cooccur_command(app, program);
  add_solve_command(app, program);
  add_audit_command(app, program);
  add_tsne_command(app, program);
  add_report_command(app, program);
  add_reproduce_command(app, program);
  add_serve_command(app, program);
  add_bench_command(app, program);
  add_manual_command(app, program);

  try {
    for (int i = 1; i < argc; ++i) {
      if (!is_valid_utf8(argv[i])) {  // JSON configurations cannot hold it
        throw InputError(fmt::format("the argument '{}' is not UTF-8", printable(argv[i], 200)));
      }
    }
    choose_instruction_set();
    app.parse(argc, argv);
    if (program.processes->size() > 1 && !program.shares_work) {
      throw InputError(fmt::format("'{}' runs in one process, not in {}", full_name(*chosen_command(app)),
                                   program.processes->size()));
    }
    if (!program.processes->is_first()) program.quiet = true;
    program.run();
    if (std::fflush(stdout) != 0) throw Failure("cannot write to standard output");
    return program.status;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    complaint = {describe(app, error)};
    return kBadInput;
  } catch (const InputError& error) {
    complaint = {error.what(), error.excerpt()};
    return kBadInput;
  } catch (const std::bad_alloc&) {
    complaint = {"not enough memory"};
    return kWorkFailed;
  } catch (const std::length_error&) {  // more elements than any memory holds
    complaint = {"not enough memory"};
    return kWorkFailed;
  } catch (const std::filesystem::filesystem_error& error) {
    complaint = {fmt::format("{}: {}", error.path1().string(), error.code().message())};
    return kWorkFailed;
  } catch (const std::exception& error) {
    complaint = {error.what()};
    return kWorkFailed;
  }
}

void complain(const Complaint& complaint) {
  complain(complaint.message);
  std::fputs(complaint.excerpt.c_str(), stderr);
}

}  // namespace

int run_program(int argc, const char* const* argv) {
  open_closed_streams();
  Program program;
  std::optional<Complaint> complaint;
  std::unique_ptr<Processes> processes;
  try {
    processes = join_processes([] { return asked_to_stop(); });
  } catch (const InputError& error) {
    if (launched_rank() == 0) complain(error.what());
    return kBadInput;
  }
  if (processes) program.processes = processes.get();
  const int status = run_command(argc, argv, program, complaint);
  const bool speaks = !processes || processes->leave(status);
  if (complaint && speaks) {
    if (processes && !processes->is_first()) {
      complaint->message =
          fmt::format("process {} on {}: {}", processes->rank(), processes->host(), complaint->message);
    }
    complain(*complaint);
  }
  if (processes) processes->end(status);
  return status;
}

}  // namespace linn::app
