// linn evaluate and query: what a trained run answers.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "app/cli/program.h"
#include "app/cli/runs.h"
#include "app/evaluate/evaluate_run.h"
#include "linn/base/error.h"
#include "linn/equations/equation_model.h"
#include "linn/logic/lexer.h"
#include "linn/logic/normal_form.h"
#include "linn/logic/parse.h"
#include "linn/logic/print.h"

namespace linn::app {
namespace {

struct Evaluate : EvaluateOptions {
  bool ranking_options = false;  // an option was given that only recommenders have
};

Json explanations_to_json(const ExplanationQuality& quality) {
  Json object = {{"count", quality.count},
                 {"drop_without_first_reason", quality.first_drop},
                 {"drop_without_random_event", quality.random_drop},
                 {"drop_without_greatest_weight", quality.weight_drop},
                 {"caused", quality.caused}};
  if (quality.caused > 0) {
    object["first_reason_hits"] = quality.first_hits;
    object["greatest_weight_hits"] = quality.weight_hits;
    object["cooccurrence_hits"] = quality.cooccurrence_hits;
    object["chance_hits"] = quality.chance_hits;
  }
  return object;
}

std::string explanations_to_text(const ExplanationQuality& quality) {
  std::string text = fmt::format(
      "explanations of {} likes: the score falls by {:.4f} without the first reason, by {:.4f} without a random event",
      quality.count, quality.first_drop, quality.random_drop);
  if (quality.caused > 0) {
    text += fmt::format(
        "\n{} of them were caused by a rule; an item of the rule is the first reason in {:.1f}%, and the event of "
        "greatest weight in {:.1f}%; counting users who share both items finds one in {:.1f}%, chance in {:.1f}%",
        quality.caused, 100 * quality.first_hits, 100 * quality.weight_hits, 100 * quality.cooccurrence_hits,
        100 * quality.chance_hits);
  }
  return text;
}

void print_evaluation(const EquationMetrics& metrics, const Program& program) {
  if (program.json) {
    print_json(to_json(metrics));
  } else {
    fmt::print("{}\n", to_text(metrics));
  }
}

void print_evaluation(const RankingEvaluation& ranking, const Program& program) {
  if (program.json) {
    Json object = to_json(ranking.rankings, ranking.cutoffs, ranking.candidates);
    object["left_out"] = ranking.left_out;
    if (ranking.explanations) object["explanations"] = explanations_to_json(*ranking.explanations);
    print_json(object);
  } else {
    fmt::print("{}\n", to_text(ranking.rankings, ranking.cutoffs));
    if (ranking.explanations) fmt::print("{}\n", explanations_to_text(*ranking.explanations));
  }
}

void run(Evaluate options, const Program& program) {
  if (options.ranking_options && read_config(RunFolder::open(options.run)).task != kRecommendTask) {
    throw InputError("this run is a model of equations; it has no candidates and no users", Place{options.run, 0, 0});
  }
  options.quiet = program.quiet;
  ThreadPool threads(options.threads);
  std::visit([&](const auto& evaluation) { print_evaluation(evaluation, program); }, evaluate_run(options, threads));
}

struct QueryCommand : Ask {
  std::string expression;
};

// Throws InputError with the place of the first name that the model does not know.
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
  // A model may answer an expression whose normal form is too large to print.
  std::optional<std::string> normal_form;
  try {
    normal_form = to_string(pool, normalize(pool, expression, Form::kDnf));
  } catch (const InputError&) {
    normal_form.reset();
  }
  if (program.json) {
    print_json({{"probability", p}, {"value", p >= 0.5F}, {"normal_form", or_null(normal_form)}});
  } else {
    fmt::print("{:.4f} ({})  {}\n", p, p >= 0.5F ? "true" : "false",
               normal_form.value_or("(the normal form is too large)"));
  }
}

}  // namespace

void add_answer_commands(CLI::App& app, Program& program) {
  CLI::App* evaluate = app.add_subcommand("evaluate", "Print the metrics of a trained run");
  auto options = std::make_shared<Evaluate>();
  add_run_options(*evaluate, *options, program);
  add_data_options(*evaluate, *options);
  std::vector<CLI::Option*> for_recommenders = add_candidate_options(*evaluate, options->ranking);
  for_recommenders.push_back(
      evaluate->add_option("--per-user", options->per_user, "Recommenders: write a table with the result of each user")
          ->type_name("FILE"));
  for_recommenders.push_back(evaluate
                                 ->add_option("--write-candidates", options->write_candidates,
                                              "Recommenders: write a table of the candidates of each held-out item")
                                 ->type_name("FILE"));
  for_recommenders.push_back(evaluate->add_flag("--explanations", options->explanations,
                                                "Recommenders: measure the quality of explanations, too"));
  add_quiet_option(*evaluate, program);
  run_if_chosen(*evaluate, program, [evaluate, options, for_recommenders, &program] {
    options->split_given = evaluate->count("--split") > 0;
    for (const CLI::Option* option : for_recommenders) {
      options->ranking_options = options->ranking_options || option->count() > 0;
    }
    run(*options, program);
  });

  CLI::App* query = app.add_subcommand("query", "Print how true a trained run considers an expression");
  auto query_options = std::make_shared<QueryCommand>();
  add_run_options(*query, *query_options, program);
  query->add_option("expression", query_options->expression, "An expression, such as 'rain & !umbrella'")
      ->type_name("EXPR")
      ->required();
  run_if_chosen(*query, program, [query_options, &program] { run(*query_options, program); });
}

}  // namespace linn::app
