// What a model of equations is asked: query and variables.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/evaluate/expression_trace.h"
#include "app/evaluate/query_answer.h"
#include "app/serve/problem.h"
#include "app/serve/route_groups.h"

namespace linn::app {
namespace {

constexpr std::size_t kLongestName = 1000;  // bytes

Assumptions read_assumptions(const EquationModel& model, const Json& object) {
  Assumptions assumed;
  if (object.is_null()) return assumed;
  for (const auto& [name, value] : object.items()) {
    try {
      find_variable(model.names(), name);
    } catch (const InputError& error) {
      throw Problem::at("assume", error);
    }
    assumed[name] = value.get<bool>();
  }
  return assumed;
}

Json answer_expression(const EquationModel& model, const std::string& text, const Assumptions& assumed, bool traced,
                       std::size_t most_literals, ThreadPool& threads) {
  ExpressionPool pool;
  const Expr expression = parse_question(pool, text, model.names());
  ExpressionAnswer answer;
  answer.normal_form = bounded_normal_form(model, pool, expression, {most_literals});
  if (!traced) {
    answer.probability = probability(model, pool, expression, assumed, threads);
    return to_json(answer);
  }
  TracedExpression found = trace(model, pool, expression, assumed, threads);
  answer.probability = found.probability;
  Json object = to_json(answer);
  object["root"] = found.root;
  object["nodes"] = std::move(found.nodes);
  return object;
}

HttpResponse query(const Call& call, std::size_t most_literals) {
  const EquationModel& model = call.model->equations();
  const Assumptions assumed = read_assumptions(model, call.body["assume"]);
  const bool traced = call.body["trace"].get<bool>();
  ThreadPool alone(1, call.time.stop);
  Json results = Json::array();
  for (const Json& text : call.body["expressions"]) {
    call.time.check();
    try {
      results.push_back(
          answer_expression(model, text.get_ref<const std::string&>(), assumed, traced, most_literals, alone));
    } catch (const InputError& error) {
      throw Problem::at(fmt::format("expressions[{}]", results.size()), error);
    }
  }
  return HttpResponse::json({{"results", std::move(results)}});
}

HttpResponse variables(const Call& call) {
  const EquationModel& model = call.model->equations();
  const Vocabulary& names = model.names();
  const std::vector<float>& truths = call.model->truths();
  const std::string text = fold_case(call.query["q"].get_ref<const std::string&>());
  const auto limit = call.query["limit"].get<std::size_t>();
  const auto offset = call.query["offset"].get<std::size_t>();
  // Names that begin with the text come first, and of them the shorter ones: who types 1 may mean 1.
  std::vector<VariableId> beginning;
  std::vector<VariableId> containing;
  for (VariableId id = 0; id < names.size(); ++id) {
    const std::size_t at = fold_case(names.name(id)).find(text);
    if (at != std::string::npos) (at == 0 ? beginning : containing).push_back(id);
  }
  if (!text.empty()) {
    std::ranges::stable_sort(beginning, {}, [&](VariableId id) { return names.name(id).size(); });
  }
  beginning.insert(beginning.end(), containing.begin(), containing.end());
  Json found = Json::array();
  for (std::size_t i = offset; i < beginning.size() && found.size() < limit; ++i) {
    const VariableId id = beginning[i];
    found.push_back({{"name", names.name(id)}, {"value", truths[id] >= 0.5F}, {"probability", truths[id]}});
  }
  return HttpResponse::json({{"variables", std::move(found)}, {"total", beginning.size()}});
}

}  // namespace

void add_equation_routes(const ServeLimits& limits, std::vector<Route>& routes) {
  Route query_route;
  query_route.method = "POST";
  query_route.path = "/v1/models/{model}/query";
  query_route.id = "query";
  query_route.summary = "How true the model considers expressions, on request with every node of their networks";
  query_route.needs = Route::Needs::kModel;
  query_route.body = Schema::object(
      "", {required("expressions", Schema::list("Expressions, as `linn query` reads them",
                                                Schema::text("", limits.expression), limits.list)
                                       .example(Json::array({"1 & !2"}))),
           {"trace", Schema::flag("Also every node with its truth", false)},
           {"assume",
            Schema::map("Variables that count as true or false", Schema::flag("", false), limits.list).or_null()}});
  query_route.answer =
      "`results`: of each expression `probability`, `value` and `normal_form`, as `linn query --json`; with a trace "
      "`nodes`, and which of them is the `root`";
  query_route.handle = Route::at_once([most = limits.literals](const Call& call) { return query(call, most); });
  routes.push_back(std::move(query_route));

  Route variables_route;
  variables_route.method = "GET";
  variables_route.path = "/v1/models/{model}/variables";
  variables_route.id = "variables";
  variables_route.summary = "The variables whose name contains a text";
  variables_route.needs = Route::Needs::kModel;
  variables_route.query = search_parameters("a name", limits);
  variables_route.answer = "`variables` with `name`, `value` and `probability`, and how many there are, `total`";
  variables_route.handle = Route::at_once(variables);
  routes.push_back(std::move(variables_route));
}

}  // namespace linn::app
