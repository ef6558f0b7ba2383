#include "linn/linn.h"

#include <fmt/format.h>

#include <unordered_set>

#include "linn/base/context.h"
#include "linn/base/error.h"
#include "linn/base/scratch_folder.h"
#include "linn/data/equations.h"
#include "linn/data/interactions.h"
#include "linn/data/split_interactions.h"
#include "linn/equations/equation_model.h"
#include "linn/equations/equation_options.h"
#include "linn/equations/fit_exact.h"
#include "linn/equations/train_equations.h"
#include "linn/logic/parse.h"
#include "linn/model/run_folder.h"
#include "linn/recommend/protocol/history_text.h"
#include "linn/recommend/protocol/model_registry.h"
#include "linn/recommend/protocol/top_items.h"
#include "linn/recommend/protocol/train_ranking.h"
#include "linn/recommend/reasons/explanation.h"

namespace linn {
namespace {

std::filesystem::path model_file(const std::filesystem::path& path) {
  return std::filesystem::is_regular_file(path) ? path : RunFolder::open(path).model_path();
}

template <class Preset>
Preset preset_of(const std::string& word) {
  if (word == "best") return Preset::kBest;
  if (word == "paper") return Preset::kPaper;
  if (word == "authors") return Preset::kAuthors;
  throw InputError(fmt::format("there is no preset '{}'; there are best, paper and authors", word));
}

}  // namespace

// Equations.

struct KnowledgeBase::Impl {
  ExpressionPool pool;
  EquationList equations;
};

KnowledgeBase::KnowledgeBase() : impl_(std::make_unique<Impl>()) {}
KnowledgeBase::~KnowledgeBase() = default;
KnowledgeBase::KnowledgeBase(KnowledgeBase&& other) noexcept = default;
KnowledgeBase& KnowledgeBase::operator=(KnowledgeBase&& other) noexcept = default;

void KnowledgeBase::add(std::string_view equation) {
  const Equation parsed = parse_equation(impl_->pool, equation);
  impl_->equations.add(parsed.expression, parsed.label);
}

void KnowledgeBase::add_file(const std::filesystem::path& path) {
  const EquationList read = read_equation_file(path, impl_->pool);
  for (std::size_t i = 0; i < read.size(); ++i) impl_->equations.add(read.expressions[i], read.labels[i]);
}

std::size_t KnowledgeBase::size() const { return impl_->equations.size(); }

struct Reasoner::Impl {
  std::unique_ptr<EquationModel> model;
  ThreadPool threads{1};
};

Reasoner::Reasoner(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Reasoner::~Reasoner() = default;
Reasoner::Reasoner(Reasoner&& other) noexcept = default;
Reasoner& Reasoner::operator=(Reasoner&& other) noexcept = default;

Reasoner Reasoner::learn(const KnowledgeBase& knowledge, const LearnOptions& options) {
  if (knowledge.size() == 0) throw InputError("there are no equations to learn from");
  EquationData data = split_equations(knowledge.impl_->pool, knowledge.impl_->equations, options.seed);
  // Nobody asks for a test here.
  for (std::size_t i = 0; i < data.test.size(); ++i) data.train.add(data.test.expressions[i], data.test.labels[i]);
  data.test = {};

  const EquationOptions settings =
      changed_preset(preset_of<EquationPreset>(options.preset), knowledge.size(), options.settings);
  check_expressions(data, settings.form);
  Context context(options.seed, options.threads);
  const ScratchFolder scratch;  // training keeps its best epoch in a run folder, which nobody looks at here
  RunFolder folder = RunFolder::create(scratch / "run", "{}\n", false);
  train_equations(data, settings, context, folder);
  return load(scratch / "run");
}

Reasoner Reasoner::infer(const KnowledgeBase& knowledge, double wrong, std::uint64_t seed) {
  if (knowledge.size() == 0) throw InputError("there are no equations to reason from");
  GibbsOptions options;
  options.noise = wrong;
  options.seed = seed;
  ExpressionPool pool = knowledge.impl_->pool;
  auto impl = std::make_unique<Impl>();
  impl->model = fit_exact(pool, knowledge.impl_->equations, options);
  return Reasoner(std::move(impl));
}

Reasoner Reasoner::load(const std::filesystem::path& path) {
  auto impl = std::make_unique<Impl>();
  impl->model = load_equation_model(model_file(path));
  return Reasoner(std::move(impl));
}

double Reasoner::truth_of(std::string_view expression) const {
  ExpressionPool pool;
  const Expr parsed = parse_expression(pool, expression);
  return static_cast<double>(impl_->model->probabilities(pool, {&parsed, 1}, impl_->threads).front());
}

std::vector<Reasoner::Variable> Reasoner::variables() const {
  const std::vector<float> truths = impl_->model->variables(impl_->threads);
  std::vector<Variable> variables;
  for (VariableId id = 0; id < truths.size(); ++id) {
    variables.push_back({std::string(impl_->model->names().name(id)), static_cast<double>(truths[id])});
  }
  return variables;
}

void Reasoner::save(const std::filesystem::path& file) const { impl_->model->save(file, {}); }

// Likes and dislikes.

struct Ratings::Impl {
  Vocabulary users, items;
  std::vector<Interaction> ratings;

  void add(std::string_view user, std::string_view item, bool liked) {
    ratings.push_back({intern_identifier(users, user, "a user"), intern_identifier(items, item, "an item"), liked,
                       static_cast<std::int64_t>(ratings.size())});
  }
};

Ratings::Ratings() : impl_(std::make_unique<Impl>()) {}
Ratings::~Ratings() = default;
Ratings::Ratings(Ratings&& other) noexcept = default;
Ratings& Ratings::operator=(Ratings&& other) noexcept = default;

void Ratings::like(std::string_view user, std::string_view item) { impl_->add(user, item, true); }
void Ratings::dislike(std::string_view user, std::string_view item) { impl_->add(user, item, false); }
std::size_t Ratings::size() const { return impl_->ratings.size(); }

struct Adviser::Impl {
  LoadedRankingModel loaded;
  std::unique_ptr<ItemFinder> finder;
  ThreadPool threads{1};

  const Catalogue& catalogue() const { return loaded.header.catalogue; }

  Advice advice_of(const Explanation& explanation) const {
    constexpr std::size_t kMostInWords = 3;
    const auto identifier = [&](ItemId item) { return std::string(catalogue().items.name(item)); };
    const auto title = [&](ItemId item) { return catalogue().titles.empty() ? "" : catalogue().titles[item]; };
    Advice advice;
    advice.item = identifier(explanation.item);
    advice.title = title(explanation.item);
    advice.score = static_cast<double>(explanation.score);
    advice.words = in_words(explanation, kMostInWords, [&](ItemId item) {
      const std::string known = title(item);
      return known.empty() ? identifier(item) : known;
    });
    for (const linn::Reason& reason : explanation.reasons) {
      advice.reasons.push_back({identifier(reason.event.item), reason.event.liked, static_cast<double>(reason.effect)});
    }
    return advice;
  }
};

Adviser::Adviser(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Adviser::~Adviser() = default;
Adviser::Adviser(Adviser&& other) noexcept = default;
Adviser& Adviser::operator=(Adviser&& other) noexcept = default;

Adviser Adviser::learn(const Ratings& ratings, const LearnOptions& options) {
  if (ratings.size() == 0) throw InputError("there are no ratings to learn from");
  InteractionData data;
  data.users = ratings.impl_->users;
  data.items = ratings.impl_->items;
  // Each user's ratings in order. The last like of those who have more than five is held back to choose the best epoch
  // by, with what follows it.
  std::vector<std::vector<Interaction>> histories(data.users.size());
  std::vector<std::unordered_set<ItemId>> rated(data.users.size());
  for (const Interaction& rating : ratings.impl_->ratings) {
    if (rated[rating.user].insert(rating.item).second) histories[rating.user].push_back(rating);
  }
  for (const auto& history : histories) {
    const auto held_back = history.begin() + static_cast<std::ptrdiff_t>(split_history(history).test);
    data.train.insert(data.train.end(), history.begin(), held_back);
    data.validation.insert(data.validation.end(), held_back, history.end());
  }

  constexpr RecommenderKind kKind = RecommenderKind::kLinn;
  const RecommendOptions settings = changed_preset(preset_of<RecommendPreset>(options.preset), kKind,
                                                   {ratings.size(), data.users.size()}, options.settings);
  Context context(options.seed, options.threads);
  const Histories events(data);
  if (training_examples(events).empty())
    throw InputError("there are no likes to learn from that have an earlier rating of the same user");
  const Catalogue catalogue = {data.users, data.items, {}};
  const auto model = make_ranking_model(kKind, settings, events, context);
  const ScratchFolder scratch;  // training keeps its best epoch in a run folder, which nobody looks at here
  RunFolder folder = RunFolder::create(scratch / "run", "{}\n", false);
  train_ranking(*model, events, catalogue, settings, context, folder);
  return load(scratch / "run");
}

Adviser Adviser::load(const std::filesystem::path& path) {
  auto impl = std::make_unique<Impl>();
  impl->loaded = load_recommender(model_file(path));
  impl->finder = std::make_unique<ItemFinder>(impl->catalogue());
  return Adviser(std::move(impl));
}

std::vector<Advice> Adviser::recommend(std::string_view history, std::size_t count) const {
  const ParsedHistory parsed = parse_history(history, *impl_->finder, UnknownItems::kRefuse);
  const Query query = {std::nullopt, parsed.events};
  std::vector<ItemId> items;
  for (const ScoredItem& best : top_items(*impl_->loaded.model, query, count, false, impl_->threads)) {
    items.push_back(best.item);
  }
  std::vector<Advice> advice;
  for (const Explanation& explanation : linn::explain(*impl_->loaded.model, query, items, impl_->threads)) {
    advice.push_back(impl_->advice_of(explanation));
  }
  return advice;
}

Advice Adviser::explain(std::string_view history, std::string_view item) const {
  const ParsedHistory parsed = parse_history(history, *impl_->finder, UnknownItems::kRefuse);
  const auto found = impl_->finder->find(item);
  if (!found) throw InputError(impl_->finder->unknown(item));
  const ItemId target = *found;
  const Query query = {std::nullopt, parsed.events};
  return impl_->advice_of(linn::explain(*impl_->loaded.model, query, {&target, 1}, impl_->threads).front());
}

void Adviser::save(const std::filesystem::path& file) const { impl_->loaded.model->save(file, impl_->catalogue(), {}); }

}  // namespace linn
