// Interactions and Recommender of linn.h.
#include <algorithm>
#include <limits>
#include <unordered_set>

#include "linn/base/error.h"
#include "linn/base/file.h"
#include "linn/base/logistic.h"
#include "linn/data/checksum.h"
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

// The folder in a run folder that holds the interactions of a recommender that was trained on Interactions.
constexpr const char* kDataName = "data";

// Adds the names of a column. Throws InputError at the first interaction with an invalid one, or with a number that is
// not the place of a name.
std::vector<std::uint32_t> intern_column(Vocabulary& vocabulary, std::span<const std::string> names,
                                         std::span<const std::uint32_t> column, std::string_view what,
                                         std::string_view as) {
  const auto fail_at = [&](std::size_t place, const std::string& message) {
    const auto row = std::ranges::find(column, place);
    const bool found = row != column.end();
    throw InputError(message,
                     Place{std::string(what), found ? static_cast<std::size_t>(row - column.begin()) + 1 : 0, 0});
  };
  std::vector<std::uint32_t> numbers(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    try {
      numbers[i] = intern_identifier(vocabulary, names[i], as);
    } catch (const InputError& error) {
      fail_at(i, error.message());
    }
  }
  const auto beyond = std::ranges::find_if(column, [&](std::uint32_t place) { return place >= names.size(); });
  if (beyond != column.end()) fail_at(*beyond, "there is no name of this number");
  return numbers;
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
    const auto numbers_in = [](const Vocabulary& vocabulary, const Vocabulary& own) {
      std::vector<std::uint32_t> numbers(own.size());
      for (std::uint32_t id = 0; id < own.size(); ++id) numbers[id] = *vocabulary.find(own.name(id));
      return numbers;
    };
    const std::vector<UserId> user_ids = numbers_in(data.users, users);
    const std::vector<ItemId> item_ids = numbers_in(data.items, items);
    std::vector<std::vector<Interaction>> histories(data.users.size());
    for (const Interaction& row : rows) {
      const UserId user = user_ids[row.user];
      histories[user].push_back({user, item_ids[row.item], row.liked, row.time});
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

void Interactions::add(const InteractionColumns& columns) {
  const std::size_t rows = columns.user.size();
  if (columns.item.size() != rows || (!columns.liked.empty() && columns.liked.size() != rows) ||
      (!columns.time.empty() && columns.time.size() != rows)) {
    throw InputError("the columns of the interactions differ in length");
  }
  Vocabulary users = impl_->users;
  Vocabulary items = impl_->items;
  const std::vector<UserId> user_ids = intern_column(users, columns.users, columns.user, "user", "a user");
  const std::vector<ItemId> item_ids = intern_column(items, columns.items, columns.item, "item", "an item");
  impl_->users = std::move(users);
  impl_->items = std::move(items);
  impl_->rows.reserve(impl_->rows.size() + rows);
  for (std::size_t i = 0; i < rows; ++i) {
    impl_->rows.push_back({user_ids[columns.user[i]], item_ids[columns.item[i]],
                           columns.liked.empty() || columns.liked[i] != 0, columns.time.empty() ? 0 : columns.time[i]});
  }
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
  RunConfig config;
  std::vector<EpochRecord> records;     // of the training; empty after load()
  std::optional<InteractionData> data;  // if it came from memory

  explicit Impl(TrainedRecommender recommender) : trained(std::move(recommender)) {
    config.task = kRecommendTask;
    config.model = trained.kind->name();
    config.options = trained.settings->values();
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
  // Unknown items to be excluded are ignored.
  ItemChoice choice(const std::optional<std::vector<std::string>>& only, std::span<const std::string> exclude,
                    bool skip_unknown) const {
    const std::vector<ItemId> excluded = find_all(exclude, true);
    if (!only) return {items.size(), std::nullopt, excluded};
    return {items.size(), find_all(*only, skip_unknown), excluded};
  }

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
    ThreadPool threads(1, query.stop);
    const ResolvedQuery resolved = resolve(query);
    const std::vector<ScoredItem> best =
        top_items(*trained.model, resolved.query,
                  {query.count, query.include_seen, choice(query.only, query.exclude, query.skip_unknown)}, threads);
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

  // Throws InputError for a place that items() does not have.
  void check_items(std::span<const std::uint32_t> places) const {
    if (std::ranges::any_of(places, [&](std::uint32_t place) { return place >= items.size(); })) {
      throw InputError("there is no item of this number");
    }
  }

  // The events of one of the histories.
  std::vector<Event> events(const RecommendationColumns& queries, std::size_t number) const {
    if (queries.starts.empty()) {
      const std::int64_t user = queries.users[number];
      if (user < 0) throw InputError("a query needs a history or a user");
      const auto known = histories->events(static_cast<UserId>(user));
      return {known.begin(), known.end()};
    }
    const auto begin = static_cast<std::size_t>(queries.starts[number]);
    const auto end = static_cast<std::size_t>(queries.starts[number + 1]);
    check_items(queries.items.subspan(begin, end - begin));
    std::vector<Event> events;
    events.reserve(end - begin);
    std::vector<bool> seen(items.size(), false);
    for (std::size_t i = begin; i < end; ++i) {
      const ItemId item = queries.items[i];
      if (!seen[item]) events.push_back({item, queries.liked.empty() || queries.liked[i] != 0});
      seen[item] = true;
    }
    return events;
  }

  // The number of histories. Throws InputError if the columns do not fit together.
  std::size_t check(const RecommendationColumns& queries) const {
    const auto& starts = queries.starts;
    const std::size_t number = starts.empty() ? queries.users.size() : starts.size() - 1;
    if (!queries.users.empty() && queries.users.size() != number) {
      throw InputError("there are not as many users as histories");
    }
    if (starts.empty() && number > 0 && !histories) {
      throw InputError("the queries have no histories, and this recommender was loaded without histories");
    }
    if (!starts.empty() && (starts.front() < 0 || !std::ranges::is_sorted(starts) ||
                            static_cast<std::size_t>(starts.back()) > queries.items.size())) {
      throw InputError("the histories do not start at increasing places in the list of items");
    }
    if (!queries.liked.empty() && queries.liked.size() != queries.items.size()) {
      throw InputError("there are not as many likes and dislikes as items in the histories");
    }
    for (const std::int64_t user : queries.users) {
      if (user >= static_cast<std::int64_t>(users.size())) throw InputError("there is no user of this number");
    }
    check_items(queries.exclude);
    if (queries.only) check_items(*queries.only);
    return number;
  }

  // Ranks the held-out likes of a split.
  std::map<std::string, double> evaluate(const Histories& rated, Split split, const EvaluationOptions& options,
                                         std::size_t known_users) const {
    const std::uint64_t seed = trained.kind->ranking(*trained.settings).candidate_seed;
    const Candidates held_out(rated, split,
                              {options.candidates, seed, choice(options.only, options.exclude, options.skip_unknown)});
    if (held_out.size() == 0) return {};
    ThreadPool workers(options.threads, options.stop);
    return metrics_of(rank_held_out(*trained.model, rated, held_out, known_users, workers));
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
  Context context(options.seed, options.threads, options.stop);
  forward_progress(context, options);
  LearnedRecommender learned = learn_recommender(kind, *setup.settings, setup.config, data, setup.place, context);
  auto impl = std::make_unique<Impl>(std::move(learned.recommender));
  impl->training = summary_of(learned.report, metrics_of(learned.validation));
  impl->records = std::move(learned.report.records);
  impl->histories.emplace(data);
  impl->categories = data.categories;
  impl->config = setup.config;
  impl->config.data_checksum = checksum(data);
  if (source.empty()) impl->data = data;
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
  // Not those of users that its data folder has gained since the training.
  for (UserId user = 0; user < known.users.size(); ++user) {
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
  const bool is_file = std::filesystem::is_regular_file(run_or_file);
  if (!is_file) impl->config = read_config(RunFolder::open(run_or_file));
  if (histories) {
    if (is_file) {
      throw InputError("expected a run folder: a model file does not tell which data it was trained on",
                       Place{run_or_file.string(), 0, 0});
    }
    FittedData fitted = fit_to_catalogue(read_run_interactions(impl->config), impl->trained.catalogue);
    impl->histories.emplace(fitted.data);
    impl->categories = fitted.data.categories;
    if (std::filesystem::path(impl->config.data).parent_path() == absolute_name(run_or_file)) {
      impl->data = std::move(fitted.data);
    }
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

void Recommender::recommend(const RecommendationColumns& queries, std::span<std::int64_t> items,
                            std::span<double> scores, std::size_t threads) const {
  const std::size_t number = impl_->check(queries);
  const std::size_t count = queries.count;
  if (items.size() != number * count || scores.size() != items.size()) {
    throw InputError("the arrays for the recommendations do not have `count` places per history");
  }
  const TopItemsOptions options = {count, queries.include_seen,
                                   ItemChoice(impl_->items.size(), queries.only, queries.exclude)};
  ThreadPool workers(threads, queries.stop);
  // A few histories together are read faster than one by one, but no thread should be without any.
  constexpr std::size_t kTogether = 32;
  const std::size_t part = std::clamp<std::size_t>(number / (4 * workers.threads()), 1, kTogether);
  workers.run((number + part - 1) / part, [&](std::size_t task, std::size_t) {
    const std::size_t begin = task * part;
    const std::size_t end = std::min(begin + part, number);
    std::vector<std::vector<Event>> events;
    events.reserve(end - begin);
    std::vector<Query> asked(end - begin);
    for (std::size_t i = begin; i < end; ++i) {
      try {
        events.push_back(impl_->events(queries, i));
      } catch (const InputError& error) {
        throw for_query(error, i);
      }
      asked[i - begin].history = events.back();
      if (!queries.users.empty() && queries.users[i] >= 0)
        asked[i - begin].user = static_cast<UserId>(queries.users[i]);
    }
    ThreadPool one(1, queries.stop);
    const std::vector<std::vector<ScoredItem>> lists = top_items_of(*impl_->trained.model, asked, options, one);
    for (std::size_t i = begin; i < end; ++i) {
      const std::vector<ScoredItem>& best = lists[i - begin];
      for (std::size_t k = 0; k < count; ++k) {
        items[i * count + k] = k < best.size() ? static_cast<std::int64_t>(best[k].item) : -1;
        scores[i * count + k] =
            k < best.size() ? static_cast<double>(best[k].score) : std::numeric_limits<double>::quiet_NaN();
      }
    }
  });
}

std::vector<double> Recommender::score(const RecommendationQuery& query, std::span<const std::string> items) const {
  const Impl::ResolvedQuery resolved = impl_->resolve(query);
  const std::vector<ItemId> targets = impl_->find_all(items, false);
  std::vector<float> scores(targets.size());
  ThreadPool threads(1, query.stop);
  if (!targets.empty()) impl_->trained.model->score({&resolved.query, 1}, targets, targets.size(), scores, threads);
  return {scores.begin(), scores.end()};
}

Recommendation Recommender::explain(const RecommendationQuery& query, std::string_view item) const {
  const Impl::ResolvedQuery resolved = impl_->resolve(query);
  const ItemId target = *impl_->find(std::string(item), false);
  ThreadPool threads(1, query.stop);
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

std::map<std::string, double> Recommender::evaluate(const Interactions& interactions,
                                                    const EvaluationOptions& options) const {
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
  auto metrics = impl_->evaluate(Histories(fitted.data), Split::kTest, options, fitted.known_users);
  if (metrics.empty()) {
    throw InputError("there is nothing to evaluate: no user has a like of a known item after another rating");
  }
  return metrics;
}

std::map<std::string, double> Recommender::evaluate(const EvaluationOptions& options) const {
  if (!impl_->histories)
    throw InputError("there is nothing to evaluate: this recommender was loaded without histories");
  for (const Split split : {Split::kTest, Split::kValidation}) {
    auto metrics = impl_->evaluate(*impl_->histories, split, options, impl_->users.size());
    if (!metrics.empty()) return metrics;
  }
  throw InputError("there is nothing to evaluate: no like was held back in training");
}

const std::vector<std::string>& Recommender::items() const { return impl_->items; }
const std::vector<std::string>& Recommender::users() const { return impl_->users; }
const std::vector<std::string>& Recommender::titles() const { return impl_->trained.catalogue.titles; }
std::string_view Recommender::model() const { return impl_->trained.kind->name(); }
const std::map<std::string, std::string>& Recommender::notes() const { return impl_->trained.notes; }
const TrainingSummary& Recommender::training() const { return impl_->training; }

void Recommender::save(const std::filesystem::path& file) const {
  SafetensorsWriter out;
  impl_->trained.write(out);
  out.write(file);
}

void Recommender::save_run(const std::filesystem::path& path) const {
  RunConfig config = impl_->config;
  if (impl_->data) config.data = kDataName;
  RunFolder folder = RunFolder::create(path, config.to_json(), true);
  if (impl_->data) write_interaction_folder(path / kDataName, *impl_->data);
  FolderStore store(folder);
  for (const EpochRecord& record : impl_->records) store.append(record);
  SafetensorsWriter out;
  impl_->trained.write(out);
  store.save_model(out);
}

}  // namespace linn
