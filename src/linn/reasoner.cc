// KnowledgeBase and Reasoner of linn.h.
#include <algorithm>

#include "linn/base/error.h"
#include "linn/base/file.h"
#include "linn/data/equations.h"
#include "linn/equations/equation_registry.h"
#include "linn/equations/exact_model.h"
#include "linn/equations/learn_equations.h"
#include "linn/equations/linn_equation_model.h"
#include "linn/learning.h"
#include "linn/logic/parse.h"
#include "linn/logic/print.h"
#include "linn/model/audit.h"

namespace linn {

std::string normalize(std::string_view expression, std::string_view form) {
  if (form != "dnf" && form != "cnf") {
    throw InputError("the normal form must be dnf or cnf, not '" + std::string(form) + "'");
  }
  ExpressionPool pool;
  const Expr parsed = parse_expression(pool, expression);
  return to_string(pool, normalize(pool, parsed, form == "dnf" ? Form::kDnf : Form::kCnf));
}

struct KnowledgeBase::Impl {
  ExpressionPool pool;
  EquationList equations;
};

KnowledgeBase::KnowledgeBase() : impl_(std::make_unique<Impl>()) {}
KnowledgeBase::~KnowledgeBase() = default;
KnowledgeBase::KnowledgeBase(KnowledgeBase&& other) noexcept = default;
KnowledgeBase& KnowledgeBase::operator=(KnowledgeBase&& other) noexcept = default;

void KnowledgeBase::add(std::string_view equation) {
  ExpressionPool scratch;  // a broken equation must not leave its variables behind
  parse_equation(scratch, equation);
  const Equation parsed = parse_equation(impl_->pool, equation);
  impl_->equations.add(parsed.expression, parsed.label);
}

void KnowledgeBase::add(std::string_view expression, double truth) {
  if (!(truth >= 0.0 && truth <= 1.0)) throw InputError("the truth of an expression must be a number from 0 to 1");
  ExpressionPool scratch;
  parse_expression(scratch, expression);
  impl_->equations.add(parse_expression(impl_->pool, expression), static_cast<float>(truth));
}

void KnowledgeBase::add_file(const std::filesystem::path& path) {
  ExpressionPool pool = impl_->pool;
  const EquationList read = read_equation_file(path, pool);
  impl_->pool = std::move(pool);
  for (std::size_t i = 0; i < read.size(); ++i) impl_->equations.add(read.expressions[i], read.labels[i]);
}

std::size_t KnowledgeBase::size() const { return impl_->equations.size(); }

std::vector<std::string> KnowledgeBase::variables() const { return impl_->pool.variables().names(); }

struct Reasoner::Impl {
  std::unique_ptr<const EquationModel> model;
  TrainingSummary training;
};

Reasoner::Reasoner(std::unique_ptr<const Impl> impl) : impl_(std::move(impl)) {}
Reasoner::~Reasoner() = default;
Reasoner::Reasoner(Reasoner&& other) noexcept = default;
Reasoner& Reasoner::operator=(Reasoner&& other) noexcept = default;

Reasoner Reasoner::learn(const KnowledgeBase& knowledge, const LearnOptions& options) {
  if (knowledge.size() == 0) throw InputError("there are no equations to learn from");
  EquationData data = split_equations(knowledge.impl_->pool, knowledge.impl_->equations, options.seed);
  // No test set is needed here.
  for (std::size_t i = 0; i < data.test.size(); ++i) data.train.add(data.test.expressions[i], data.test.labels[i]);
  data.test = {};

  return learn(data, knowledge.size(), {}, options);
}

Reasoner Reasoner::learn_folder(const std::filesystem::path& path, const LearnOptions& options) {
  EquationData data = read_equation_data(path, options.seed);
  return learn(data, data.train.size() + data.validation.size() + data.test.size(), absolute_name(path), options);
}

Reasoner Reasoner::learn(EquationData& data, std::size_t equations, const std::string& source,
                         const LearnOptions& options) {
  const EquationKind& kind = equation_registry().require(options.model);
  const TrainingSetup setup(options, kind, kEquationTask, source, {equations, 0});
  Context context(options.seed, options.threads, options.stop);
  forward_progress(context, options);
  LearnedEquations learned = learn_equations(kind, *setup.settings, setup.config, data, setup.place, context);
  std::map<std::string, double> validation;
  if (learned.validation.count > 0) {
    validation = {{"accuracy", learned.validation.accuracy},
                  {"rmse", learned.validation.rmse},
                  {"log_loss", learned.validation.log_loss},
                  {"calibration_error", learned.validation.calibration_error}};
  }
  auto impl = std::make_unique<Impl>();
  impl->model = std::move(learned.model);
  impl->training = summary_of(learned.report, std::move(validation));
  return Reasoner(std::move(impl));
}

Reasoner Reasoner::infer(const KnowledgeBase& knowledge, double label_noise, std::uint64_t seed,
                         const std::atomic<bool>* stop) {
  if (knowledge.size() == 0) throw InputError("there are no equations to reason from");
  GibbsOptions options;
  options.noise = label_noise;
  options.seed = seed;
  options.stop = stop;
  ExpressionPool pool = knowledge.impl_->pool;
  auto impl = std::make_unique<Impl>();
  impl->model = fit_exact(pool, knowledge.impl_->equations, options);
  return Reasoner(std::move(impl));
}

Reasoner Reasoner::load(const std::filesystem::path& run_or_file) {
  auto impl = std::make_unique<Impl>();
  impl->model = load_equation_model(SafetensorsFile::read(model_file(run_or_file)));
  return Reasoner(std::move(impl));
}

double Reasoner::truth_of(std::string_view expression) const {
  ExpressionPool pool;
  const Expr parsed = parse_question(pool, expression, impl_->model->names());
  ThreadPool threads(1);
  return static_cast<double>(impl_->model->probabilities(pool, {&parsed, 1}, threads).front());
}

std::vector<double> Reasoner::truth_of(std::span<const std::string> expressions, std::size_t threads,
                                       const std::atomic<bool>* stop) const {
  // The size of a part is fixed, so that results do not depend on the number of threads.
  constexpr std::size_t kPart = 512;
  std::vector<double> truths(expressions.size());
  ThreadPool workers(threads, stop);
  workers.run((expressions.size() + kPart - 1) / kPart, [&](std::size_t part, std::size_t) {
    const std::size_t begin = part * kPart;
    const std::size_t end = std::min(begin + kPart, expressions.size());
    ExpressionPool pool;
    ThreadPool one(1, stop);
    std::vector<Expr> parsed;
    for (std::size_t i = begin; i < end; ++i) {
      try {
        parsed.push_back(parse_question(pool, expressions[i], impl_->model->names()));
      } catch (const InputError& error) {
        throw for_query(error, i);
      }
    }
    std::ranges::copy(impl_->model->probabilities(pool, parsed, one),
                      truths.begin() + static_cast<std::ptrdiff_t>(begin));
  });
  return truths;
}

Reasoner::Clauses Reasoner::clauses_of(std::span<const std::string> expressions) const {
  const auto* network = dynamic_cast<const NetworkEquationModel*>(impl_->model.get());
  if (network == nullptr || network->logic_model() == nullptr) {
    throw InputError("this model is not a LINN network, which reads clauses");
  }
  Clauses all;
  all.disjunctive = network->form() == Form::kDnf;
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    try {
      ExpressionPool pool;
      const Expr parsed = parse_expression(pool, expressions[i]);
      const NormalForm form = network_forms(network->form(), pool, {&parsed, 1}, network->names()).front();
      for (std::size_t c = 0; c < form.clauses(); ++c) {
        for (const Literal literal : form.clause(c)) all.literals.push_back(literal.code);
        all.clauses.push_back(static_cast<std::uint32_t>(all.literals.size()));
      }
      all.expressions.push_back(static_cast<std::uint32_t>(all.clauses.size() - 1));
    } catch (const InputError& error) {
      throw for_query(error, i);
    }
  }
  return all;
}

std::vector<Reasoner::Law> Reasoner::audit(std::span<const std::string> expressions, std::size_t cases,
                                           std::uint64_t seed, std::size_t threads,
                                           const std::atomic<bool>* stop) const {
  const auto* model = dynamic_cast<const LinnEquationModel*>(impl_->model.get());
  if (model == nullptr) throw InputError("this model is not a LINN network, which has laws to audit");
  ThreadPool workers(threads, stop);
  ExpressionPool pool;
  std::vector<Expr> parsed;
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    try {
      parsed.push_back(parse_expression(pool, expressions[i]));
      known_variables(pool, {&parsed.back(), 1}, model->names());
    } catch (const InputError& error) {
      throw for_query(error, i);
    }
  }
  const LogicModel& network = *model->logic_model();
  const std::size_t d = network.network.width();
  const Matrix vectors =
      expression_vectors(network, network_forms(model->form(), pool, parsed, model->names()), workers);
  const std::vector<LawAudit> audits =
      audit_modules(network.network, {network.variables.row(0), network.variables.rows(), d, d}, vectors.view(), cases,
                    seed, workers);
  const auto figures = [](const AuditFigures& f) {
    return Law::Figures{f.cases, f.similarity, f.agreement, f.difference};
  };
  std::vector<Law> laws;
  for (const LawAudit& audit : audits) {
    laws.push_back({audit.law->name, audit.law->left, audit.law->right, audit.law->differ, audit.law->taught,
                    figures(audit.variables), figures(audit.expressions)});
  }
  return laws;
}

std::vector<Reasoner::Variable> Reasoner::variables() const {
  ThreadPool threads(1);
  const std::vector<float> truths = impl_->model->variables(threads);
  std::vector<Variable> variables;
  for (VariableId id = 0; id < truths.size(); ++id) {
    variables.push_back({impl_->model->names().name(id), static_cast<double>(truths[id])});
  }
  return variables;
}

std::span<const float> Reasoner::vectors() const {
  const LogicModel* network = impl_->model->logic_model();
  return network == nullptr ? std::span<const float>() : network->variables.values();
}

std::size_t Reasoner::width() const {
  const LogicModel* network = impl_->model->logic_model();
  return network == nullptr ? 0 : network->network.width();
}

const TrainingSummary& Reasoner::training() const { return impl_->training; }

void Reasoner::save(const std::filesystem::path& file) const {
  SafetensorsWriter out;
  impl_->model->write(out);
  out.write(file);
}

}  // namespace linn
