#include "app/serve/openapi.h"

#include "linn/version.h"

namespace linn::app {
namespace {

constexpr const char* kProblem = "#/components/schemas/Problem";
constexpr const char* kTokenScheme = "token";

Json problem_schema() {
  return {{"type", "object"},
          {"properties",
           {{"type", {{"type", "string"}}},
            {"title", {{"type", "string"}}},
            {"status", {{"type", "integer"}}},
            {"detail", {{"type", "string"}, {"description", "What is wrong, in one line"}}},
            {"field", {{"type", "string"}, {"description", "Where, such as history[3].item"}}},
            {"line", {{"type", "integer"}}},
            {"column", {{"type", "integer"}, {"description", "Counted in characters, from 1"}}}}},
          {"required", {"type", "title", "status", "detail"}}};
}

Json operation(const Route& route, const std::vector<std::string>& models, bool secured) {
  Json parameters = Json::array();
  if (route.path.find("{model}") != std::string::npos) {
    parameters.push_back({{"name", "model"},
                          {"in", "path"},
                          {"required", true},
                          {"description", "The name of a model"},
                          {"schema", {{"type", "string"}, {"enum", models}}}});
  }
  for (const Schema::Field& field : route.query) {
    Json parameter = {{"name", field.name}, {"in", "query"}, {"required", field.required}};
    if (!field.schema.help().empty()) parameter["description"] = field.schema.help();
    parameter["schema"] = field.schema.to_json();
    if (field.schema.is_list()) {  // separated by commas
      parameter["style"] = "form";
      parameter["explode"] = false;
    }
    parameters.push_back(std::move(parameter));
  }
  Json object = {{"operationId", route.id}, {"summary", route.summary}};
  if (!parameters.empty()) object["parameters"] = std::move(parameters);
  if (route.body) {
    object["requestBody"] = {{"required", true},
                             {"content", {{"application/json", {{"schema", route.body->to_json()}}}}}};
  }
  Json schema = {{"type", route.answer_type == "application/json" ? "object" : "string"}};
  object["responses"] = {
      {"200", {{"description", route.answer}, {"content", {{route.answer_type, {{"schema", std::move(schema)}}}}}}},
      {"default",
       {{"description", "A mistake in the request, or what keeps the service from answering it"},
        {"content", {{"application/problem+json", {{"schema", {{"$ref", kProblem}}}}}}}}}};
  if (secured && !route.is_open) object["security"] = Json::array({{{kTokenScheme, Json::array()}}});
  return object;
}

}  // namespace

Json openapi(const std::vector<Route>& routes, const std::vector<std::string>& models, bool secured) {
  Json paths = Json::object();
  for (const Route& route : routes) {
    paths[route.path][route.method == "GET" ? "get" : "post"] = operation(route, models, secured);
  }
  Json components = {{"schemas", {{"Problem", problem_schema()}}}};
  if (secured) components["securitySchemes"] = {{kTokenScheme, {{"type", "http"}, {"scheme", "bearer"}}}};
  return {
      {"openapi", "3.1.0"},
      {"info",
       {{"title", "linn"},
        {"version", kVersion},
        {"description", "Trained networks that reason: recommendations with reasons, and the truth of expressions."}}},
      {"paths", std::move(paths)},
      {"components", std::move(components)}};
}

}  // namespace linn::app
