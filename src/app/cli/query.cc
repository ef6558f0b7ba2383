// linn query: how true a trained run considers an expression.
#include <fmt/format.h>

#include <memory>

#include "app/cli/line_answers.h"
#include "app/cli/program.h"
#include "app/evaluate/equation_run.h"
#include "app/evaluate/query_answer.h"
#include "linn/base/error.h"
#include "linn/base/utf8.h"

namespace linn::app {
namespace {

struct QueryExpression {
  std::string run;
  std::string expression;
  AnswerOptions answers;
  std::size_t threads = 0;
};

void query_file(const QueryExpression& query, const EquationModel& model, const Program& program) {
  ThreadPool threads(query.threads);
  AnswerWriter out(query.answers, program, "line\tprobability\tvalue\texpression");
  for_each_block_of_lines(query.answers.file, [&](std::span<const std::string> lines, std::size_t first) {
    ExpressionPool pool;  // a new one for each block: it only grows
    std::vector<Expr> expressions;
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (lines[i].find_first_not_of(" \t") == std::string::npos) continue;
      try {
        expressions.push_back(parse_question(pool, lines[i], model.names()));
      } catch (const InputError& error) {
        throw error.in_file(query.answers.file, first + i);
      }
      numbers.push_back(i);
    }
    const std::vector<float> truths = model.probabilities(pool, expressions, threads);
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      const std::string& text = lines[numbers[k]];
      const std::size_t line = first + numbers[k];
      const bool value = truths[k] >= 0.5F;
      if (out.json()) {
        out.add_json({{"line", line}, {"expression", text}, {"probability", truths[k]}, {"value", value}});
      } else {
        out.add_table(fmt::format("{}\t{:.6g}\t{}\t{}\n", line, truths[k], value ? "T" : "F",
                                  printable(text, std::string::npos)));
      }
    }
  });
  out.finish();
}

void run(const QueryExpression& query, const Program& program) {
  if (query.expression.empty() == query.answers.file.empty()) {
    throw InputError("expected an expression, or --file with one expression per line");
  }
  const auto model = load_equation_run(query.run);
  if (!query.answers.file.empty()) return query_file(query, *model, program);
  if (!query.answers.out.empty() || query.answers.lines) {
    throw InputError("--out and --json-lines apply only to --file");
  }
  ExpressionPool pool;
  const Expr expression = parse_question(pool, query.expression, model->names());
  ThreadPool threads(query.threads);
  const ExpressionAnswer answer = ask(*model, pool, expression, threads);
  if (program.json) {
    print_json(to_json(answer));
  } else {
    fmt::print("{:.4f} ({})  {}\n", answer.probability, answer.value() ? "true" : "false",
               answer.normal_form.value_or("(the normal form is too large)"));
  }
}

}  // namespace

void add_query_command(CLI::App& app, Program& program) {
  CLI::App* command = app.add_subcommand("query", "Print how true a trained run considers an expression");
  auto query = std::make_shared<QueryExpression>();
  add_run_argument(*command, query->run);
  add_threads_option(*command, query->threads);
  add_json_option(*command, program);
  command->add_option("expression", query->expression, "An expression, such as 'rain & !umbrella'")->type_name("EXPR");
  add_answer_options(*command, query->answers, "expression");
  run_if_chosen(*command, program, [query, &program] { run(*query, program); });
}

}  // namespace linn::app
