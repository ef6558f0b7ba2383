// Interactions in columns, and Recommender.
#include <linn/linn.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "asking.h"
#include "binding.h"
#include "learning.h"

namespace linn::python {
namespace {

// Nothing for None.
template <class T>
std::span<const T> view_of(const std::optional<Column<T>>& column) {
  return column ? view(*column) : std::span<const T>();
}

using Names = std::vector<std::string>;

std::shared_ptr<Interactions> interactions(const Names& users, const Names& items, const Column<std::uint32_t>& user,
                                           const Column<std::uint32_t>& item,
                                           const std::optional<Column<std::uint8_t>>& liked,
                                           const std::optional<Column<std::int64_t>>& time,
                                           const std::vector<std::pair<std::string, std::string>>& titles) {
  const nb::gil_scoped_release release;
  auto made = std::make_shared<Interactions>();
  made->add({users, items, view(user), view(item), view_of(liked), view_of(time)});
  for (const auto& [name, title] : titles) made->set_title(name, title);
  return made;
}

using Handle = std::shared_ptr<Recommender>;

Handle learn(const std::shared_ptr<Interactions>& train, const std::shared_ptr<Interactions>& validation,
             const nb::dict& request) {
  return run_learning<Handle>(learn_request(request), [train, validation](const LearnOptions& options) {
    return std::make_shared<Recommender>(validation ? Recommender::learn(*train, *validation, options)
                                                    : Recommender::learn(*train, options));
  });
}

Handle learn_folder(const std::string& data, const nb::dict& request) {
  return run_learning<Handle>(learn_request(request), [data](const LearnOptions& options) {
    return std::make_shared<Recommender>(Recommender::learn_folder(data, options));
  });
}

Handle learn_more(const Handle& self, const std::shared_ptr<Interactions>& later, const nb::dict& request) {
  return run_learning<Handle>(learn_request(request), [self, later](const LearnOptions& options) {
    return std::make_shared<Recommender>(self->learn_more(*later, options));
  });
}

// An item with its reasons, as linn/recommender.py makes its classes of it.
nb::tuple to_tuple(const Recommendation& recommendation) {
  nb::list because;
  for (const Recommendation::Reason& reason : recommendation.because) {
    because.append(nb::make_tuple(reason.item, reason.liked, reason.weight, reason.effect, reason.share));
  }
  return nb::make_tuple(recommendation.item, recommendation.title, recommendation.score, recommendation.probability,
                        recommendation.truth, recommendation.base, recommendation.words, because);
}

nb::list to_list(const std::vector<Recommendation>& recommendations) {
  nb::list list;
  for (const Recommendation& recommendation : recommendations) list.append(to_tuple(recommendation));
  return list;
}

using Events = std::vector<std::pair<std::string, bool>>;

RecommendationQuery query_of(const std::optional<Events>& history, const std::string& user) {
  RecommendationQuery query;
  query.user = user;
  if (!history) return query;
  query.history.emplace();
  for (const auto& [item, liked] : *history) query.history->push_back({item, liked});
  return query;
}

nb::list recommend(const Recommender& self, const std::optional<Events>& history, const std::string& user,
                   std::size_t count, const Names& exclude, const std::optional<Names>& only, bool include_seen,
                   bool explain) {
  RecommendationQuery query = query_of(history, user);
  query.count = count;
  query.exclude = exclude;
  query.only = only;
  query.include_seen = include_seen;
  query.explain = explain;
  return to_list(ask_and_wait([&](const std::atomic<bool>* stop) {
    query.stop = stop;
    return self.recommend(query);
  }));
}

std::pair<Array<std::int64_t>, Array<double>> recommend_many(
    const Recommender& self, const std::optional<Column<std::int64_t>>& starts,
    const std::optional<Column<std::uint32_t>>& items, const std::optional<Column<std::uint8_t>>& liked,
    const std::optional<Column<std::int64_t>>& users, std::size_t count, const Column<std::uint32_t>& exclude,
    const std::optional<Column<std::uint32_t>>& only, bool include_seen, std::size_t threads) {
  RecommendationColumns columns;
  columns.starts = view_of(starts);
  columns.items = view_of(items);
  columns.liked = view_of(liked);
  columns.users = view_of(users);
  columns.count = count;
  columns.exclude = view(exclude);
  if (only) columns.only = view(*only);
  columns.include_seen = include_seen;
  const std::size_t number = starts ? columns.starts.size() - 1 : columns.users.size();
  std::vector<std::int64_t> found(number * count);
  std::vector<double> scores(number * count);
  ask_and_wait([&](const std::atomic<bool>* stop) {
    columns.stop = stop;
    self.recommend(columns, found, scores, threads);
  });
  return {to_array(std::move(found), {number, count}), to_array(std::move(scores), {number, count})};
}

Array<double> score(const Recommender& self, const std::optional<Events>& history, const std::string& user,
                    const Names& items) {
  RecommendationQuery query = query_of(history, user);
  return to_array(ask_and_wait([&](const std::atomic<bool>* stop) {
    query.stop = stop;
    return self.score(query, items);
  }));
}

}  // namespace

void add_recommender(nb::module_& module) {
  module.def("parse_history", [](const std::string& text) {
    Events events;
    for (HistoryEvent& event : parse_history(text)) events.emplace_back(std::move(event.item), event.liked);
    return events;
  });

  nb::class_<Interactions>(module, "Interactions");
  module.def("interactions", &interactions, nb::arg("users"), nb::arg("items"), nb::arg("user"), nb::arg("item"),
             nb::arg("liked").none(), nb::arg("time").none(), nb::arg("titles"));

  nb::class_<Recommender>(module, "Recommender")
      .def_static("learn", &learn, nb::arg("train"), nb::arg("validation").none(), nb::arg("request"))
      .def_static("learn_folder", &learn_folder)
      .def_static("learn_more", &learn_more)
      .def_static("load",
                  [](const std::string& path, bool histories) {
                    const nb::gil_scoped_release release;
                    return std::make_shared<Recommender>(Recommender::load(path, histories));
                  })
      .def("save",
           [](const Recommender& self, const std::string& path) {
             const nb::gil_scoped_release release;
             self.save(path);
           })
      .def("save_run",
           [](const Recommender& self, const std::string& path) {
             const nb::gil_scoped_release release;
             self.save_run(path);
           })
      .def("recommend", &recommend, nb::arg("history").none(), nb::arg("user"), nb::arg("count"), nb::arg("exclude"),
           nb::arg("only").none(), nb::arg("include_seen"), nb::arg("explain"))
      .def("recommend_many", &recommend_many, nb::arg("starts").none(), nb::arg("items").none(),
           nb::arg("liked").none(), nb::arg("users").none(), nb::arg("count"), nb::arg("exclude"),
           nb::arg("only").none(), nb::arg("include_seen"), nb::arg("threads"))
      .def("score", &score, nb::arg("history").none(), nb::arg("user"), nb::arg("items"))
      .def(
          "explain",
          [](const Recommender& self, const std::optional<Events>& history, const std::string& user,
             const std::string& item) {
            RecommendationQuery query = query_of(history, user);
            return to_tuple(ask_and_wait([&](const std::atomic<bool>* stop) {
              query.stop = stop;
              return self.explain(query, item);
            }));
          },
          nb::arg("history").none(), nb::arg("user"), nb::arg("item"))
      .def("similar",
           [](const Recommender& self, const std::string& item, std::size_t count) {
             std::vector<Recommendation> similar;
             {
               const nb::gil_scoped_release release;
               similar = self.similar(item, count);
             }
             return to_list(similar);
           })
      .def("evaluate",
           [](const Recommender& self, const Interactions& on, std::size_t candidates, std::size_t threads) {
             return ask_and_wait([&](const std::atomic<bool>* stop) {
               return self.evaluate(on, {.candidates = candidates, .threads = threads, .stop = stop});
             });
           })
      .def("evaluate_held_back",
           [](const Recommender& self, std::size_t candidates, std::size_t threads) {
             return ask_and_wait([&](const std::atomic<bool>* stop) {
               return self.evaluate({.candidates = candidates, .threads = threads, .stop = stop});
             });
           })
      .def("items", [](const Recommender& self) { return self.items(); })
      .def("users", [](const Recommender& self) { return self.users(); })
      .def("titles", [](const Recommender& self) { return self.titles(); })
      .def("model", [](const Recommender& self) { return std::string(self.model()); })
      .def("notes", [](const Recommender& self) { return self.notes(); })
      .def("training", [](const Recommender& self) { return to_dict(self.training()); });
}

}  // namespace linn::python
