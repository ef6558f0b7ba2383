// linn evaluate and query: asking a trained run.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "app/cli/evaluate_recommend.h"
#include "app/cli/program.h"
#include "app/cli/runs.h"
#include "linn/base/error.h"
#include "linn/equations/variable_map.h"
#include "linn/logic/lexer.h"
#include "linn/logic/normal_form.h"
#include "linn/logic/parse.h"
#include "linn/logic/print.h"

namespace linn::app {
namespace {

struct Evaluate : AskData {
  EvaluateRecommend recommend;
  bool recommend_given = false;  // an option that only recommenders have
};

void run(const Evaluate& options, const Program& program) {
  if (read_config(RunFolder::open(options.run)).task == kRecommendTask) {
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
  EquationData data = options.read();
  const EquationList& equations = options.equations(data);
  if (equations.size() == 0) throw InputError("this split has no equations", Place{options.data_path(), 0, 0});
  ThreadPool threads(options.threads);
  const EquationMetrics metrics = evaluate_equations(*model, data.pool, equations, threads);
  if (program.json) {
    print_json(to_json(metrics));
  } else {
    fmt::print("{}\n", to_text(metrics));
  }
}

struct QueryCommand : Ask {
  std::string expression;
};

// Complains about a plain name that the model does not know at its place in the text.
void check_variables(const std::string& text, const Vocabulary& known) {
  Lexer lexer(text);
  for (Token token = lexer.next(); token.kind != TokenKind::kEnd; token = lexer.next()) {
    if (token.kind != TokenKind::kName) continue;
    try {
      find_variable(known, std::string(token.text));
    } catch (const InputError& error) {
      lexer.fail(token.offset, error.message());
    }
  }
}

void run(const QueryCommand& options, const Program& program) {
  const auto model = options.load();
  ExpressionPool pool;
  const Expr expression = parse_expression(pool, options.expression);
  check_variables(options.expression, model->names());
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

}  // namespace

void add_answer_commands(CLI::App& app, Program& program) {
  CLI::App* evaluate = app.add_subcommand("evaluate", "The metrics of a trained run");
  auto evaluate_options = std::make_shared<Evaluate>();
  add_run_options(*evaluate, *evaluate_options, program);
  add_data_options(*evaluate, *evaluate_options);
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
  auto query_options = std::make_shared<QueryCommand>();
  add_run_options(*query, *query_options, program);
  query->add_option("expression", query_options->expression, "Such as 'rain & !umbrella'")
      ->type_name("EXPR")
      ->required();
  query->callback(
      [query_options, &program] { program.run = [query_options, &program] { run(*query_options, program); }; });
}

}  // namespace linn::app
