// linn evaluate, query and solve: asking a trained run.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "linn/base/error.h"
#include "linn/cli/evaluate_recommend.h"
#include "linn/cli/program.h"
#include "linn/cli/runs.h"
#include "linn/logic/normal_form.h"
#include "linn/logic/parse.h"
#include "linn/logic/print.h"

namespace linn::cli {
namespace {

struct Ask {
  std::string run;
  std::size_t threads = 0;

  std::unique_ptr<EquationModel> load() const {
    const RunFolder folder = RunFolder::open(run);
    require_task(read_config(folder), "equations", folder);
    return load_equation_model(folder.model_path());
  }
};

void add_run_options(CLI::App& command, Ask& ask, Program& program) {
  command.add_option("run", ask.run, "The run folder")->type_name("RUN")->required();
  add_threads_option(command, ask.threads);
  add_json_option(command, program);
}

struct Evaluate : Ask {
  std::string data;
  Split split = Split::kTest;
  bool split_given = false;
  EvaluateRecommend recommend;
  bool recommend_given = false;  // an option that only recommenders have
};

// A single file that is given for evaluation alone is not split: all of it is asked.
EquationData read_for_evaluation(const std::string& path, std::uint64_t seed, bool whole_file) {
  if (!whole_file || !std::filesystem::is_regular_file(path)) return read_equation_data(path, seed);
  EquationData data;
  data.test = read_equation_file(path, data.pool);
  return data;
}

void run(const Evaluate& options, const Program& program) {
  const Json config = read_config(RunFolder::open(options.run));
  if (config["task"] == "recommend") {
    EvaluateRecommend recommend = options.recommend;
    recommend.run = options.run;
    recommend.threads = options.threads;
    recommend.question.data = options.data;
    recommend.question.split = options.split;
    evaluate_recommend(recommend, program);
    return;
  }
  if (options.recommend_given) {
    throw InputError("this run is about equations: it has no candidates and no users", Place{options.run, 0, 0});
  }
  const auto model = options.load();
  const std::string path = options.data.empty() ? config.at("data").get<std::string>() : options.data;
  EquationData data =
      read_for_evaluation(path, config.at("seed").get<std::uint64_t>(), !options.data.empty() && !options.split_given);
  const EquationList& equations = options.split == Split::kTrain        ? data.train
                                  : options.split == Split::kValidation ? data.validation
                                                                        : data.test;
  if (equations.size() == 0) throw InputError("this split has no equations", Place{path, 0, 0});
  ThreadPool threads(options.threads);
  const EquationMetrics metrics = evaluate_model(*model, data.pool, equations, threads);
  if (program.json) {
    print_json(to_json(metrics));
  } else {
    fmt::print("{}\n", to_text(metrics));
  }
}

struct Query : Ask {
  std::string expression;
};

void run(const Query& options, const Program& program) {
  const auto model = options.load();
  ExpressionPool pool;
  const Expr expression = parse_expression(pool, options.expression);
  ThreadPool threads(options.threads);
  const float p = model->probabilities(pool, {&expression, 1}, threads)[0];
  // A model may answer what has no normal form of reasonable size.
  std::optional<std::string> normal_form;
  try {
    normal_form = to_string(pool, normalize(pool, expression, Form::kDnf));
  } catch (const InputError&) {
    normal_form.reset();
  }
  if (program.json) {
    print_json(
        {{"probability", p}, {"value", p >= 0.5F}, {"normal_form", normal_form ? Json(*normal_form) : Json(nullptr)}});
  } else {
    fmt::print("{:.4f} ({})  {}\n", p, p >= 0.5F ? "true" : "false", normal_form.value_or("(no small normal form)"));
  }
}

struct Solve : Ask {
  std::string truth;
};

void run(const Solve& options, const Program& program) {
  const auto model = options.load();
  ThreadPool threads(options.threads);
  const std::vector<float> p = model->variables(threads);
  const Vocabulary& names = model->names();

  std::size_t right = 0;
  std::size_t known = 0;
  if (!options.truth.empty()) {
    ExpressionPool pool;
    const Truth truth = read_truth(options.truth, pool);
    for (VariableId id = 0; id < truth.size(); ++id) {
      const auto found = names.find(pool.variables().name(id));
      if (!truth[id] || !found) continue;
      ++known;
      right += (p[*found] >= 0.5F) == *truth[id] ? 1 : 0;
    }
    if (known == 0) throw InputError("no variable of this file is one of the model's", Place{options.truth, 0, 0});
  }
  const double accuracy = known == 0 ? 0.0 : static_cast<double>(right) / static_cast<double>(known);

  if (program.json) {
    Json variables = Json::object();
    for (VariableId id = 0; id < names.size(); ++id) {
      variables[names.name(id)] = {{"value", p[id] >= 0.5F}, {"probability", p[id]}};
    }
    Json object = {{"variables", std::move(variables)}};
    if (known > 0) {
      object["accuracy"] = accuracy;
      object["count"] = known;
    }
    print_json(object);
    return;
  }
  for (VariableId id = 0; id < names.size(); ++id) {
    fmt::print("{}\t{}\t{:.4f}\n", quote_name(names.name(id)), p[id] >= 0.5F ? "T" : "F", p[id]);
  }
  if (known > 0) fmt::print(stderr, "{} of {} right: {:.4f}\n", right, known, accuracy);
}

template <class Options>
void set_callback(CLI::App& command, std::shared_ptr<Options> options, Program& program) {
  command.callback([options, &program] { program.run = [options, &program] { run(*options, program); }; });
}

}  // namespace

void add_answer_commands(CLI::App& app, Program& program) {
  CLI::App* evaluate = app.add_subcommand("evaluate", "The metrics of a trained run");
  auto evaluate_options = std::make_shared<Evaluate>();
  add_run_options(*evaluate, *evaluate_options, program);
  evaluate->add_option("--data", evaluate_options->data, "Other data than the run was trained on")
      ->type_name("DIR|FILE");
  add_choice<Split>(*evaluate, "--split", evaluate_options->split,
                    {{"test", Split::kTest}, {"validation", Split::kValidation}, {"train", Split::kTrain}},
                    "Which part of the data; a single file for --data is taken whole unless this is given");
  std::vector<CLI::Option*> for_recommenders = add_candidate_options(*evaluate, evaluate_options->recommend.question);
  for_recommenders.push_back(evaluate
                                 ->add_option("--per-user", evaluate_options->recommend.per_user,
                                              "Recommenders: a table of each user's result")
                                 ->type_name("FILE"));
  for_recommenders.push_back(
      evaluate
          ->add_option("--write-candidates", evaluate_options->recommend.write_candidates,
                       "Recommenders: a table of the items that each held-out one is ranked among")
          ->type_name("FILE"));
  for_recommenders.push_back(evaluate->add_flag("--explanations", evaluate_options->recommend.explanations,
                                                "Recommenders: whether reasons are the right ones, too"));
  add_quiet_option(*evaluate, program);
  evaluate->callback([evaluate, evaluate_options, for_recommenders, &program] {
    evaluate_options->split_given = evaluate->count("--split") > 0;
    for (const CLI::Option* option : for_recommenders) {
      evaluate_options->recommend_given = evaluate_options->recommend_given || option->count() > 0;
    }
    program.run = [evaluate_options, &program] { run(*evaluate_options, program); };
  });

  CLI::App* query = app.add_subcommand("query", "How true a trained run thinks an expression is");
  auto query_options = std::make_shared<Query>();
  add_run_options(*query, *query_options, program);
  query->add_option("expression", query_options->expression, "Such as \"rain & !umbrella\"")
      ->type_name("EXPR")
      ->required();
  set_callback(*query, query_options, program);

  CLI::App* solve = app.add_subcommand("solve", "The value of every variable");
  auto solve_options = std::make_shared<Solve>();
  add_run_options(*solve, *solve_options, program);
  solve->add_option("--truth", solve_options->truth, "A table of true values to compare with")->type_name("FILE");
  set_callback(*solve, solve_options, program);
}

}  // namespace linn::cli
