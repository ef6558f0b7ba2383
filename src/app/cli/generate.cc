// linn generate: random data with known hidden truth.
#include <fmt/format.h>

#include <charconv>
#include <memory>

#include "app/cli/program.h"
#include "linn/data/generate_equations.h"
#include "linn/data/generate_interactions.h"

namespace linn::app {
namespace {

struct GenerateEquations {
  EquationRecipe recipe;
  std::string truth;
  DataFolderOptions folder;
};

// "A..B", or "A" for A..A.
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

void add_share(CLI::App& command, const std::string& name, double& share, const std::string& description) {
  command.add_option(name, share, description)->type_name("P")->capture_default_str();
}

void run(const GenerateEquations& options, const Program& program) {
  options.folder.require_room({"train", "validation", "test", "variables"}, "variable");
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
  write_equation_folder(options.folder.out, data);

  if (program.json) {
    print_json({{"variables", data.pool.variables().size()},
                {"equations", data.train.size() + data.validation.size() + data.test.size()},
                {"train", data.train.size()},
                {"validation", data.validation.size()},
                {"test", data.test.size()},
                {"noise", recipe.noise},
                {"seed", recipe.seed},
                {"out", options.folder.out}});
    return;
  }
  fmt::print("{} equations over {} variables in {}: {} for training, {} for validation, {} for testing\n",
             data.train.size() + data.validation.size() + data.test.size(), data.pool.variables().size(),
             options.folder.out, data.train.size(), data.validation.size(), data.test.size());
}

struct GenerateInteractions {
  InteractionRecipe recipe;
  DataFolderOptions folder;
};

std::size_t count_likes(const InteractionData& data) {
  std::size_t likes = 0;
  for (const auto* part : {&data.train, &data.validation, &data.test}) {
    for (const Interaction& row : *part) likes += row.liked ? 1 : 0;
  }
  return likes;
}

void run(const GenerateInteractions& options, const Program& program) {
  options.folder.require_room({"train", "validation", "test", "items", "rules", "causes"}, "item");
  InteractionRecipe recipe = options.recipe;
  recipe.seed = program.seed;
  const GeneratedInteractions generated = generate_interactions(recipe);
  write_generated_interactions(options.folder.out, generated);

  const InteractionData& data = generated.data;
  const std::size_t ratings = data.train.size() + data.validation.size() + data.test.size();
  const std::size_t likes = count_likes(data);
  if (program.json) {
    print_json({{"users", data.users.size()},
                {"items", data.items.size()},
                {"likes", likes},
                {"dislikes", ratings - likes},
                {"train", data.train.size()},
                {"validation", data.validation.size()},
                {"test", data.test.size()},
                {"rules", generated.rules.size()},
                {"caused", generated.causes.size()},
                {"seed", recipe.seed},
                {"out", options.folder.out}});
    return;
  }
  fmt::print(
      "{} users and {} items with {} likes and {} dislikes in {}: {} for training, {} for validation, {} for testing\n"
      "{} rules caused {} of the likes\n",
      data.users.size(), data.items.size(), likes, ratings - likes, options.folder.out, data.train.size(),
      data.validation.size(), data.test.size(), generated.rules.size(), generated.causes.size());
}

void add_generate_equations(CLI::App& generate, Program& program) {
  CLI::App* equations =
      generate.add_subcommand("equations", "Generate random equations over variables with hidden values");
  auto options = std::make_shared<GenerateEquations>();
  EquationRecipe& recipe = options->recipe;
  CLI::Option* variables = add_whole_number(*equations, "--variables", recipe.variables, "Number of variables", 1);
  add_whole_number(*equations, "--equations", recipe.equations, "Number of equations", 1);
  add_share(*equations, "--noise", recipe.noise, "Label noise: share of wrong training and validation labels");
  equations->add_option("--truth", options->truth, "Use the variables and values of this file")
      ->type_name("FILE")
      ->excludes(variables);
  add_range(*equations, "--clauses", recipe.min_clauses, recipe.max_clauses, "Clauses per expression");
  add_range(*equations, "--literals", recipe.min_literals, recipe.max_literals, "Literals per clause");
  add_share(*equations, "--validation-share", recipe.validation_share, "Share of the equations for validation");
  add_share(*equations, "--test-share", recipe.test_share, "Share of the equations for testing");
  add_data_folder_options(*equations, options->folder);
  add_seed_option(*equations, program);
  add_json_option(*equations, program);
  run_if_chosen(*equations, program, [options, &program] { run(*options, program); });
}

void add_generate_interactions(CLI::App& generate, Program& program) {
  CLI::App* interactions =
      generate.add_subcommand("interactions", "Generate random likes and dislikes of users who follow hidden rules");
  auto options = std::make_shared<GenerateInteractions>();
  InteractionRecipe& recipe = options->recipe;
  add_whole_number(*interactions, "--users", recipe.users, "Number of users", 1);
  add_whole_number(*interactions, "--items", recipe.items, "Number of items", 1);
  interactions->add_option("--ratings", recipe.ratings, "Number of likes and dislikes in all (default: 9 per user)")
      ->type_name("N")
      ->check(whole_number(1));
  interactions->add_option("--rules", recipe.rules, "Number of hidden rules (default: depends on the items)")
      ->type_name("N")
      ->check(whole_number(0));
  add_share(*interactions, "--likes", recipe.like_share, "Share of likes among all ratings");
  add_share(*interactions, "--caused", recipe.caused_share, "Share of likes caused by a rule, where rules apply");
  add_data_folder_options(*interactions, options->folder);
  add_seed_option(*interactions, program);
  add_json_option(*interactions, program);
  run_if_chosen(*interactions, program, [options, &program] { run(*options, program); });
}

}  // namespace

void add_generate_command(CLI::App& app, Program& program) {
  CLI::App* generate = app.add_subcommand("generate", "Generate random data with known hidden truth");
  generate->require_subcommand(1);
  add_generate_equations(*generate, program);
  add_generate_interactions(*generate, program);
}

}  // namespace linn::app
