// Interactions and Recommender of linn.h.
#include <algorithm>
#include <unordered_set>

#include "linn/base/error.h"
#include "linn/base/file.h"
#include "linn/base/logistic.h"
#include "linn/data/continued_data.h"
#include "linn/data/interactions.h"
#include "linn/data/split_interactions.h"
#include "linn/learning.h"
#include "linn/recommend/learn_recommender.h"
#include "linn/recommend/protocol/candidates.h"
#include "linn/recommend/protocol/evaluate_ranking.h"
#include "linn/recommend/protocol/history_text.h"
#include "linn/recommend/protocol/top_items.h"
#include "linn/recommend/reasons/explanation.h"
#include "linn/recommend/recommender_registry.h"
#include "linn/train/run_data.h"

namespace linn {
namespace {

// The most reasons in Recommendation::words.
constexpr std::size_t kMaxReasonsInWords = 3;

std::map<std::string, double> metrics_of(std::span<const Ranking> rankings) {
  if (rankings.empty()) return {};
  const RankingMetrics metrics = ranking_metrics(rankings, kMeanMetricKs);
  std::map<std::string, double> means = {{"count", static_cast<double>(metrics.count)}};
  for (const Metric& metric : mean_metrics(metrics)) means[metric.name] = metric.values[0];
  return means;
}

}  // namespace

History parse_history(std::string_view text) {
  History history;
  for (auto& [item, liked] : history_names(text)) history.push_back({std::move(item), liked});
  return history;
}

struct Interactions::Impl {
  Vocabulary users, items;
  std::vector<Interaction> rows;
  std::map<ItemId, std::string> titles;

  // Adds the users, items and titles to a data set.
  void add_names(InteractionData& data) const {
    for (const std::string& user : users.names()) data.users.intern(user);
    for (const std::string& item : items.names()) data.items.intern(item);
    if (data.titles.empty() && titles.empty()) return;
    data.titles.resize(data.items.size());
    for (const auto& [item, title] : titles) data.titles[*data.items.find(items.name(item))] = title;
  }

  // The rows of each user in order, with the numbers of users and items in `data`.
  std::vector<std::vector<Interaction>> histories(const InteractionData& data) const {
    std::vector<std::vector<Interaction>> histories(data.users.size());
    for (const Interaction& row : rows) {
      const UserId user = *data.users.find(users.name(row.user));
      histories[user].push_back({user, *data.items.find(items.name(row.item)), row.liked, row.time});
    }
    for (auto& history : histories) {
      std::ranges::stable_sort(history, {}, &Interaction::time);
      std::unordered_set<ItemId> rated;
      std::erase_if(history, [&](const Interaction& row) { return !rated.insert(row.item).second; });
    }
    return histories;
  }
};

Interactions::Interactions() : impl_(std::make_unique<Impl>()) {}
Interactions::~Interactions() = default;
Interactions::Interactions(Interactions&& other) noexcept = default;
Interactions& Interactions::operator=(Interactions&& other) noexcept = default;

void Interactions::add(std::string_view user, std::string_view item, bool liked, std::int64_t time) {
  if (!impl_->items.find(item)) {
    Vocabulary scratch;  // an invalid item must not leave its user behind
    intern_identifier(scratch, item, "an item");
  }
  const UserId user_id = intern_identifier(impl_->users, user, "a user");
  impl_->rows.push_back({user_id, intern_identifier(impl_->items, item, "an item"), liked, time});
}

void Interactions::set_title(std::string_view item, std::string_view title) {
  impl_->titles[intern_identifier(impl_->items, item, "an item")] = clean_title(title);
}

std::size_t Interactions::size() const { return impl_->rows.size(); }

struct Recommender::Impl {
  TrainedRecommender trained;
  TrainingSummary training;
  std::vector<std::string> items, users;
  std::unique_ptr<const ItemFinder> finder;
  std::optional<Histories> histories;      // of the users in training
  std::vector<CategoryColumn> categories;  // of the items in training

  explicit Impl(TrainedRecommender recommender) : trained(std::move(recommender)) {
    items = trained.catalogue.items.names();
    users = trained.catalogue.users.names();
    finder = std::make_unique<ItemFinder>(trained.catalogue);
    ThreadPool threads(1);
    trained.model->prepare_for_queries(threads);
  }

  SafetensorsFile to_file() const {
    SafetensorsWriter out;
    trained.write(out);
    return SafetensorsFile::parse(out.to_bytes(), "the recommender");
  }

  std::optional<ItemId> find(const std::string& item, bool skip_unknown) const {
    const auto found = finder->find(item);
    if (!found && !skip_unknown) throw InputError(finder->unknown(item));
    return found;
  }

  std::vector<ItemId> find_all(std::span<const std::string> names, bool skip_unknown) const {
    std::vector<ItemId> found;
    for (const std::string& name : names) {
      if (const auto item = find(name, skip_unknown)) found.push_back(*item);
    }
    return found;
  }

  // A query by the numbers of the model. The query refers to the events.
  struct ResolvedQuery {
    std::vector<Event> events;
    Query query;
  };
  ResolvedQuery resolve(const RecommendationQuery& query) const {
    ResolvedQuery resolved;
    if (!query.user.empty()) resolved.query.user = trained.catalogue.users.find(query.user);
    if (query.history) {
      std::unordered_set<ItemId> seen;
      for (const HistoryEvent& event : *query.history) {
        const auto item = find(event.item, query.skip_unknown);
        if (item && seen.insert(*item).second) resolved.events.push_back({*item, event.liked});
      }
    } else {
      if (query.user.empty()) throw InputError("a query needs a history or a user");
      if (!histories) throw InputError("the query has no history, and this recommender was loaded without histories");
      if (!resolved.query.user) throw InputError("the model does not know the user '" + query.user + "'");
      const auto events = histories->events(*resolved.query.user);
      resolved.events.assign(events.begin(), events.end());
    }
    resolved.query.history = resolved.events;
    return resolved;
  }

  Recommendation recommendation(ItemId item, float score, const Explanation* explanation) const {
    Recommendation result;
    result.item = items[item];
    result.title = trained.catalogue.title(item);
    result.score = static_cast<double>(score);
    if (trained.kind->scores_are_logits(*trained.settings)) result.probability = static_cast<double>(logistic(score));
    if (explanation == nullptr) return result;
    if (explanation->base) result.base = static_cast<double>(*explanation->base);
    result.words =
        in_words(*explanation, kMaxReasonsInWords, [&](ItemId reason) { return trained.catalogue.name(reason); });
    for (const Reason& reason : explanation->reasons) {
      Recommendation::Reason& because = result.because.emplace_back();
      because.item = items[reason.event.item];
      because.liked = reason.event.liked;
      if (reason.weight) because.weight = static_cast<double>(*reason.weight);
      because.effect = static_cast<double>(reason.effect);
      if (reason.share) because.share = static_cast<double>(*reason.share);
    }
    return result;
  }

  std::vector<Recommendation> recommend(const RecommendationQuery& query) const {
    ThreadPool threads(1);
    const ResolvedQuery resolved = resolve(query);
    const std::vector<ItemId> excluded = find_all(query.exclude, true);
    std::vector<ItemId> only;
    if (query.only) only = find_all(*query.only, query.skip_unknown);
    const std::vector<ScoredItem> best =
        top_items(*trained.model, resolved.query,
                  {query.count, query.include_seen, excluded, query.only ? &only : nullptr}, threads);
    std::vector<Explanation> explanations;
    if (query.explain) {
      std::vector<ItemId> chosen(best.size());
      std::ranges::transform(best, chosen.begin(), &ScoredItem::item);
      explanations = linn::explain(*trained.model, resolved.query, chosen, threads);
    }
    std::vector<Recommendation> results;
    for (std::size_t i = 0; i < best.size(); ++i) {
      results.push_back(recommendation(best[i].item, best[i].score, query.explain ? &explanations[i] : nullptr));
    }
    return results;
  }
};

Recommender::Recommender(std::unique_ptr<const Impl> impl) : impl_(std::move(impl)) {}
Recommender::~Recommender() = default;
Recommender::Recommender(Recommender&& other) noexcept = default;
Recommender& Recommender::operator=(Recommender&& other) noexcept = default;

// `base`: the recommender to start from; null: none.
Recommender Recommender::learn(const InteractionData& data, const std::string& source, const LearnOptions& options,
                               const Impl* base) {
  const RecommenderKind& kind = base != nullptr ? *base->trained.kind : recommender_registry().require(options.model);
  const std::size_t rows = data.train.size() + data.validation.size() + data.test.size();
  std::unique_ptr<Settings> start;
  if (base != nullptr) {
    start = base->trained.settings->clone();
    if (start->has("epochs")) start->set("epochs", std::to_string(kContinuedEpochs));
  }
  TrainingSetup setup(options, kind, kRecommendTask, source, {rows, data.users.size(), data.items.size()}, start.get());
  if (base != nullptr) setup.place.base = std::make_shared<const SafetensorsFile>(base->to_file());
  Context context(options.seed, options.threads);
  forward_progress(context, options);
  LearnedRecommender learned = learn_recommender(kind, *setup.settings, setup.config, data, setup.place, context);
  auto impl = std::make_unique<Impl>(std::move(learned.recommender));
  impl->training = summary_of(learned.report, metrics_of(learned.validation));
  impl->histories.emplace(data);
  impl->categories = data.categories;
  return Recommender(std::move(impl));
}

Recommender Recommender::learn(const Interactions& interactions, const LearnOptions& options) {
  if (interactions.size() == 0) throw InputError("there are no interactions to learn from");
  InteractionData data;
  interactions.impl_->add_names(data);
  for (const auto& history : interactions.impl_->histories(data)) {
    const auto held_back = history.begin() + static_cast<std::ptrdiff_t>(split_history(history).test);
    data.train.insert(data.train.end(), history.begin(), held_back);
    data.validation.insert(data.validation.end(), held_back, history.end());
  }
  return learn(data, {}, options);
}

Recommender Recommender::learn(const Interactions& interactions, const Interactions& validation,
                               const LearnOptions& options) {
  if (interactions.size() == 0) throw InputError("there are no interactions to learn from");
  InteractionData data;
  interactions.impl_->add_names(data);
  validation.impl_->add_names(data);
  for (const auto& history : interactions.impl_->histories(data)) {
    data.train.insert(data.train.end(), history.begin(), history.end());
  }
  for (const auto& history : validation.impl_->histories(data)) {
    data.validation.insert(data.validation.end(), history.begin(), history.end());
  }
  return learn(data, {}, options);
}

Recommender Recommender::learn_more(const Interactions& later, const LearnOptions& options) const {
  if (!impl_->histories) throw InputError("this recommender was loaded without histories, so it cannot learn more");
  if (later.size() == 0) throw InputError("there are no interactions to learn from");
  const Catalogue& known = impl_->trained.catalogue;
  InteractionData earlier;
  earlier.users = known.users;
  earlier.items = known.items;
  earlier.titles = known.titles;
  earlier.categories = impl_->categories;
  for (UserId user = 0; user < impl_->histories->users(); ++user) {
    for (const Event& event : impl_->histories->events(user)) {
      earlier.train.push_back({user, event.item, event.liked, 0});
    }
  }
  InteractionData more;
  later.impl_->add_names(more);
  for (const auto& rows : later.impl_->histories(more)) {
    if (rows.empty()) continue;
    // The likes before them count, too.
    std::vector<Interaction> history;
    if (const auto user = known.users.find(more.users.name(rows[0].user))) {
      for (const Event& event : impl_->histories->events(*user)) history.push_back({0, 0, event.liked, 0});
    }
    const std::size_t before = history.size();
    history.insert(history.end(), rows.begin(), rows.end());
    const std::size_t test = split_history(history).test;
    const auto held_back = rows.begin() + static_cast<std::ptrdiff_t>(test < before ? rows.size() : test - before);
    more.train.insert(more.train.end(), rows.begin(), held_back);
    more.validation.insert(more.validation.end(), held_back, rows.end());
  }
  return learn(continue_data(std::move(earlier), more), {}, options, impl_.get());
}

Recommender Recommender::learn_folder(const std::filesystem::path& data, const LearnOptions& options) {
  return learn(read_interaction_folder(data), absolute_name(data), options);
}

Recommender Recommender::load(const std::filesystem::path& run_or_file, bool histories) {
  auto impl =
      std::make_unique<Impl>(load_recommender(SafetensorsFile::read(model_file(run_or_file)), recommender_registry()));
  if (histories) {
    if (std::filesystem::is_regular_file(run_or_file)) {
      throw InputError("expected a run folder: a model file does not tell which data it was trained on",
                       Place{run_or_file.string(), 0, 0});
    }
    const RunConfig config = read_config(RunFolder::open(run_or_file));
    const FittedData fitted = fit_to_catalogue(read_run_interactions(config), impl->trained.catalogue);
    impl->histories.emplace(fitted.data);
    impl->categories = fitted.data.categories;
  }
  return Recommender(std::move(impl));
}

std::vector<Recommendation> Recommender::recommend(const RecommendationQuery& query) const {
  return impl_->recommend(query);
}

std::vector<std::vector<Recommendation>> Recommender::recommend(std::span<const RecommendationQuery> queries,
                                                                std::size_t threads) const {
  std::vector<std::vector<Recommendation>> results(queries.size());
  ThreadPool workers(threads);
  workers.run(queries.size(), [&](std::size_t i, std::size_t) {
    try {
      results[i] = impl_->recommend(queries[i]);
    } catch (const InputError& error) {
      throw for_query(error, i);
    }
  });
  return results;
}

std::vector<double> Recommender::score(const RecommendationQuery& query, std::span<const std::string> items) const {
  const Impl::ResolvedQuery resolved = impl_->resolve(query);
  const std::vector<ItemId> targets = impl_->find_all(items, false);
  std::vector<float> scores(targets.size());
  ThreadPool threads(1);
  if (!targets.empty()) impl_->trained.model->score({&resolved.query, 1}, targets, targets.size(), scores, threads);
  return {scores.begin(), scores.end()};
}

Recommendation Recommender::explain(const RecommendationQuery& query, std::string_view item) const {
  const Impl::ResolvedQuery resolved = impl_->resolve(query);
  const ItemId target = *impl_->find(std::string(item), false);
  ThreadPool threads(1);
  const Explanation explanation = linn::explain(*impl_->trained.model, resolved.query, {&target, 1}, threads).front();
  return impl_->recommendation(target, explanation.score, &explanation);
}

std::vector<Recommendation> Recommender::similar(std::string_view item, std::size_t count) const {
  ThreadPool threads(1);
  TopItemsOptions options;
  options.count = count;
  const Similarities found =
      similar_items(*impl_->trained.model, *impl_->find(std::string(item), false), options, threads);
  std::vector<Recommendation> similar;
  for (std::size_t i = 0; i < found.items.size(); ++i) {
    similar.push_back(impl_->recommendation(found.items[i].item, found.items[i].score, nullptr));
    if (!found.truths.empty()) similar.back().truth = found.truths[i];
  }
  return similar;
}

std::map<std::string, double> Recommender::evaluate(const Interactions& interactions, std::size_t candidates,
                                                    std::size_t threads) const {
  InteractionData data;
  interactions.impl_->add_names(data);
  for (const auto& history : interactions.impl_->histories(data)) {
    // Holds out the last like and everything after it.
    const auto after = std::ranges::find_if(history.rbegin(), history.rend(), &Interaction::liked).base();
    const auto last = after == history.begin() ? history.end() : after - 1;
    data.train.insert(data.train.end(), history.begin(), last);
    data.test.insert(data.test.end(), last, history.end());
  }
  const FittedData fitted = fit_to_catalogue(std::move(data), impl_->trained.catalogue);
  const Histories histories(fitted.data);
  const std::uint64_t seed = impl_->trained.kind->ranking(*impl_->trained.settings).candidate_seed;
  const Candidates held_out(histories, Split::kTest, {candidates, seed});
  if (held_out.size() == 0)
    throw InputError("there is nothing to evaluate: no user has a like of a known item after another rating");
  ThreadPool workers(threads);
  return metrics_of(rank_held_out(*impl_->trained.model, histories, held_out, fitted.known_users, workers));
}

const std::vector<std::string>& Recommender::items() const { return impl_->items; }
const std::vector<std::string>& Recommender::users() const { return impl_->users; }
const std::vector<std::string>& Recommender::titles() const { return impl_->trained.catalogue.titles; }
std::string_view Recommender::model() const { return impl_->trained.kind->name(); }
const TrainingSummary& Recommender::training() const { return impl_->training; }

void Recommender::save(const std::filesystem::path& file) const {
  SafetensorsWriter out;
  impl_->trained.write(out);
  out.write(file);
}

}  // namespace linn
