// linn normalize: the normal form of an expression.
#include <fmt/format.h>

#include <memory>

#include "app/cli/program.h"
#include "linn/base/error.h"
#include "linn/base/file.h"
#include "linn/data/dimacs.h"
#include "linn/data/knowledge_base.h"
#include "linn/logic/normal_form.h"
#include "linn/logic/parse.h"
#include "linn/logic/print.h"

namespace linn::app {
namespace {

struct Normalize {
  std::string expression;
  std::string file;
  Form form = Form::kDnf;
  Notation notation = Notation::kAscii;
  NormalFormLimits limits;
};

// The expressions of a file. A DIMACS file is a single expression.
std::vector<Expr> read_expressions(const std::string& file, ExpressionPool& pool) {
  const std::string text = read_file(file);
  if (is_dimacs(text, file)) return {pool.conjunction(parse_dimacs(pool, text, file))};
  std::vector<Expr> expressions = parse_expression_list(text, file, pool);
  if (expressions.empty()) throw InputError("this file has no expression", Place{file, 0, 0});
  return expressions;
}

void run(const Normalize& options, const Program& program) {
  ExpressionPool pool;
  const std::vector<Expr> expressions = options.file.empty()
                                            ? std::vector<Expr>{parse_expression(pool, options.expression)}
                                            : read_expressions(options.file, pool);
  Normalizer normalizer(pool, options.limits);
  Json results = Json::array();
  std::string lines;  // printed only if all expressions are valid
  for (const Expr e : expressions) {
    const NormalForm normal_form = normalizer.normalize(e, options.form);
    const std::string text = to_string(pool, normal_form, options.notation);
    if (program.json) {
      results.push_back({{"normal_form", text},
                         {"form", options.form == Form::kDnf ? "dnf" : "cnf"},
                         {"clauses", normal_form.clauses()},
                         {"literals", normal_form.literals.size()}});
    } else {
      lines += text + "\n";
    }
  }
  if (!program.json) {
    fmt::print("{}", lines);
    return;
  }
  // A single expression is the object itself; --file always adds the list.
  Json object = results.size() == 1 ? results[0] : Json::object();
  if (!options.file.empty()) object["results"] = std::move(results);
  print_json(object);
}

}  // namespace

void add_normalize_command(CLI::App& app, Program& program) {
  CLI::App* command = app.add_subcommand("normalize", "Print the normal form of an expression");
  auto options = std::make_shared<Normalize>();
  CLI::Option* expression =
      command->add_option("expression", options->expression, "An expression, such as '(rain & !umbrella) -> wet'")
          ->type_name("EXPR");
  CLI::Option* file =
      command->add_option("--file", options->file, "A file with one expression or equation per line, or a DIMACS CNF")
          ->type_name("FILE")
          ->excludes(expression);
  add_choice<Form>(*command, "--form", options->form, {{"dnf", Form::kDnf}, {"cnf", Form::kCnf}},
                   "Disjunctive or conjunctive normal form");
  add_choice<Notation>(*command, "--notation", options->notation,
                       {{"ascii", Notation::kAscii}, {"unicode", Notation::kUnicode}, {"authors", Notation::kAuthors}},
                       "Notation of the result");
  add_whole_number(*command, "--max-literals", options->limits.max_literals,
                   "Give up if the normal form has more literals than this", 1);
  add_json_option(*command, program);
  run_if_chosen(*command, program, [options, expression, file, &program] {
    if (expression->count() + file->count() == 0) throw CLI::RequiredError("EXPR or --file");
    if (file->count() > 0 && options->file.empty()) throw CLI::ValidationError("--file", "the name is empty");
    run(*options, program);
  });
}

}  // namespace linn::app
