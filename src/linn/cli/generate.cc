// linn generate: random data with a hidden truth.
#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <memory>

#include "linn/base/error.h"
#include "linn/cli/program.h"
#include "linn/data/generate_equations.h"

namespace linn::cli {
namespace {

struct GenerateEquations {
  EquationRecipe recipe;
  std::string truth;
  std::string out;
  bool force = false;
};

// "A..B", or "A" for just that.
void parse_range(const std::string& text, const std::string& option, std::size_t& low, std::size_t& high) {
  const std::size_t dots = text.find("..");
  const auto number = [&](std::string_view digits) {
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size()) {
      throw CLI::ValidationError(option, fmt::format("'{}' is not a number or a range such as 1..5", text));
    }
    return value;
  };
  low = number(std::string_view(text).substr(0, dots));
  high = dots == std::string::npos ? low : number(std::string_view(text).substr(dots + 2));
}

void add_range(CLI::App& command, const std::string& name, std::size_t& low, std::size_t& high,
               const std::string& description) {
  command
      .add_option(
          name,
          [&low, &high, name](const CLI::results_t& given) {
            parse_range(given.front(), name, low, high);
            return true;
          },
          description)
      ->type_name("A..B")
      ->default_str(fmt::format("{}..{}", low, high));
}

// A folder that holds data already is not overwritten by accident.
void check_out_folder(const std::filesystem::path& out, bool force) {
  if (force) return;
  for (const char* name : {"train.tsv", "validation.tsv", "test.tsv", "variables.tsv"}) {
    if (std::filesystem::exists(out / name)) {
      throw InputError(fmt::format("{} exists already; --force overwrites it", (out / name).string()));
    }
  }
}

void run(const GenerateEquations& options, const Program& program) {
  check_out_folder(options.out, options.force);
  EquationRecipe recipe = options.recipe;
  recipe.seed = program.seed;

  EquationData data;
  if (options.truth.empty()) {
    data = generate_equations(recipe);
  } else {
    ExpressionPool pool;
    const Truth truth = read_truth(options.truth, pool);
    data = generate_equations(recipe, std::move(pool), truth);
  }
  write_equation_folder(options.out, data);

  if (program.json) {
    print_json({{"variables", data.pool.variables().size()},
                {"equations", data.train.size() + data.validation.size() + data.test.size()},
                {"train", data.train.size()},
                {"validation", data.validation.size()},
                {"test", data.test.size()},
                {"noise", recipe.noise},
                {"seed", recipe.seed},
                {"out", options.out}});
    return;
  }
  fmt::print("{} equations over {} variables in {}: {} for training, {} for validation, {} for testing\n",
             data.train.size() + data.validation.size() + data.test.size(), data.pool.variables().size(), options.out,
             data.train.size(), data.validation.size(), data.test.size());
}

}  // namespace

void add_generate_command(CLI::App& app, Program& program) {
  CLI::App* generate = app.add_subcommand("generate", "Make random data with a hidden truth");
  generate->require_subcommand(1);

  CLI::App* equations = generate->add_subcommand("equations", "Random equations over hidden values of variables");
  auto options = std::make_shared<GenerateEquations>();
  EquationRecipe& recipe = options->recipe;
  CLI::Option* variables = equations->add_option("--variables", recipe.variables, "How many variables")
                               ->type_name("N")
                               ->check(whole_number(1))
                               ->capture_default_str();
  equations->add_option("--equations", recipe.equations, "How many equations")
      ->type_name("M")
      ->check(whole_number(1))
      ->capture_default_str();
  equations->add_option("--noise", recipe.noise, "Share of training and validation labels that are flipped")
      ->type_name("P")
      ->capture_default_str();
  equations->add_option("--truth", options->truth, "Fresh equations for the variables and values of this file")
      ->type_name("FILE")
      ->excludes(variables);
  add_range(*equations, "--clauses", recipe.min_clauses, recipe.max_clauses, "Clauses of an expression");
  add_range(*equations, "--literals", recipe.min_literals, recipe.max_literals, "Literals of a clause");
  equations->add_option("--validation-share", recipe.validation_share, "Share of the equations for validation")
      ->type_name("P")
      ->capture_default_str();
  equations->add_option("--test-share", recipe.test_share, "Share of the equations for testing")
      ->type_name("P")
      ->capture_default_str();
  equations->add_option("--out", options->out, "The folder to write")->type_name("DIR")->required();
  equations->add_flag("--force", options->force, "Overwrite a data set that is in the folder already");
  add_seed_option(*equations, program);
  add_json_option(*equations, program);
  equations->callback([options, &program] { program.run = [options, &program] { run(*options, program); }; });
}

}  // namespace linn::cli
