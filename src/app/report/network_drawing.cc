#include "app/report/network_drawing.h"

#include <fmt/format.h>

#include <iterator>
#include <vector>

#include "app/report/markup.h"
#include "linn/base/error.h"
#include "linn/logic/parse.h"

namespace linn::app {
namespace {

constexpr const char* kModules = "#0072B2";
constexpr const char* kCompare = "#D55E00";

// The part after the first underscore is a subscript.
std::string label_of(std::string_view name) {
  const std::size_t bar = name.find('_');
  if (bar == std::string_view::npos || bar + 1 == name.size()) return fmt::format("<{}>", escape_html(name));
  return fmt::format("<{}<sub>{}</sub>>", escape_html(name.substr(0, bar)), escape_html(name.substr(bar + 1)));
}

}  // namespace

std::string network_drawing(std::string_view expression) {
  ExpressionPool pool;
  const Expr root = parse_expression(pool, expression);
  std::string graph = fmt::format(
      "digraph {{\n  rankdir=BT; bgcolor=transparent; nodesep=0.35; ranksep=0.35;\n"
      "  node [fontname=\"sans-serif\", fontsize=13]; edge [fontname=\"sans-serif\", arrowsize=0.7];\n");
  auto out = std::back_inserter(graph);

  // Operands come before the expressions that use them. node[i] is the last module of expression i.
  std::vector<std::string> node(pool.size());
  std::size_t modules = 0;
  const auto module = [&](const char* name, const std::vector<std::string>& inputs) {
    std::string id = fmt::format("m{}", modules++);
    fmt::format_to(out,
                   "  {} [shape=box, style=\"rounded,filled\", fillcolor=\"{}\", color=\"{}\", fontcolor=\"white\", "
                   "label=\"{}\"];\n",
                   id, kModules, kModules, name);
    for (const std::string& input : inputs) fmt::format_to(out, "  {} -> {};\n", input, id);
    return id;
  };
  for (std::uint32_t i = 0; i < pool.size(); ++i) {
    const Expr e{i};
    const auto operands = pool.operands(e);
    switch (pool.op(e)) {
      case Op::kTrue:
      case Op::kFalse:
        continue;  // in every pool
      case Op::kVariable:
        node[i] = fmt::format("v{}", i);
        fmt::format_to(out, "  {} [shape=circle, width=0.55, fixedsize=true, label={}];\n", node[i],
                       label_of(pool.variables().name(pool.variable_of(e))));
        break;
      case Op::kNot:
        node[i] = module("NOT", {node[operands[0].index]});
        break;
      case Op::kAnd:
      case Op::kOr: {
        // Modules take two vectors, so a chain is folded from the left.
        const char* name = pool.op(e) == Op::kAnd ? "AND" : "OR";
        std::string joined = node[operands[0].index];
        for (const Expr operand : operands.subspan(1)) joined = module(name, {joined, node[operand.index]});
        node[i] = joined;
        break;
      }
      default:
        throw InputError("expected an expression of &, | and !");
    }
  }
  if (node[root.index].empty()) throw InputError("a constant has no network");
  fmt::format_to(out,
                 "  T [shape=circle, width=0.55, fixedsize=true, label=\"T\"];\n"
                 "  sim [shape=box, style=\"rounded,filled\", fillcolor=\"{0}\", color=\"{0}\", fontcolor=\"white\", "
                 "label=\"Sim\"];\n"
                 "  p [shape=plaintext, label=\"true or false\"];\n  {1} -> sim;\n  T -> sim;\n  sim -> p;\n}}\n",
                 kCompare, node[root.index]);
  return graph;
}

}  // namespace linn::app
