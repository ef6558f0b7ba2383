#include "app/evaluate/query_answer.h"

#include "linn/base/error.h"
#include "linn/logic/normal_form.h"
#include "linn/logic/print.h"

namespace linn::app {

std::optional<std::string> normal_form_text(ExpressionPool& pool, Expr expression) {
  try {
    return to_string(pool, normalize(pool, expression, Form::kDnf));
  } catch (const InputError&) {  // the model may answer such an expression all the same
    return std::nullopt;
  }
}

std::string bounded_normal_form(const EquationModel& model, ExpressionPool& pool, Expr expression,
                                const NormalFormLimits& limits) {
  if (const auto* network = dynamic_cast<const NetworkEquationModel*>(&model)) {
    static_cast<void>(Normalizer(pool, limits).network_form(expression, network->form()));
  }
  return to_string(pool, normalize(pool, expression, Form::kDnf, limits));
}

ExpressionAnswer ask(const EquationModel& model, ExpressionPool& pool, Expr expression, ThreadPool& threads) {
  ExpressionAnswer answer;
  answer.probability = model.probabilities(pool, {&expression, 1}, threads)[0];
  answer.normal_form = normal_form_text(pool, expression);
  return answer;
}

Json to_json(const ExpressionAnswer& answer) {
  return {{"probability", answer.probability},
          {"value", answer.value()},
          {"normal_form", answer.normal_form ? Json(*answer.normal_form) : Json(nullptr)}};
}

}  // namespace linn::app
