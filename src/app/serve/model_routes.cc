// What is asked about the models themselves: what they are, their epochs, vectors, laws and projections.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <numeric>
#include <utility>

#include "app/evaluate/audit_run.h"
#include "app/serve/problem.h"
#include "app/serve/route_groups.h"
#include "linn/base/context.h"
#include "linn/embed/tsne.h"

namespace linn::app {
namespace {

constexpr const char* kTableType = "text/tab-separated-values; charset=utf-8";
constexpr std::size_t kMostPoints = 5'000;
constexpr std::uint64_t kMostEpochs = 1'000'000'000;

ConstMatrixView require_vectors(const ServedModel& model) {
  const ConstMatrixView vectors = model.vectors();
  if (vectors.rows == 0) {
    throw Problem(409, fmt::format("the model '{}' is no LINN and has no vectors to show", model.name()));
  }
  return vectors;
}

// A field of a tab-separated file has no tabs and no line ends.
std::string tab_field(std::string_view text) {
  std::string field(text);
  for (char& c : field) {
    if (c == '\t' || c == '\n' || c == '\r') c = ' ';
  }
  return field;
}

HttpResponse vectors_table(const Call& call) {
  const ConstMatrixView vectors = require_vectors(*call.model);
  HttpResponse response;
  response.content_type = kTableType;
  auto out = std::back_inserter(response.body);
  for (std::size_t row = 0; row < vectors.rows; ++row) {
    for (std::size_t column = 0; column < vectors.cols; ++column) {
      fmt::format_to(out, "{}{}", column > 0 ? "\t" : "", vectors.data[row * vectors.stride + column]);
    }
    response.body += '\n';
  }
  return response;
}

HttpResponse metadata_table(const Call& call) {
  const ConstMatrixView vectors = require_vectors(*call.model);
  HttpResponse response;
  response.content_type = kTableType;
  auto out = std::back_inserter(response.body);
  if (call.model->recommends()) {
    const RecommendSession& session = call.model->recommender().session();
    const ItemCounts& counts = session.model().reasoning()->counts();
    response.body += "item\ttitle\tlikes\n";
    for (ItemId item = 0; item < vectors.rows; ++item) {
      fmt::format_to(out, "{}\t{}\t{}\n", tab_field(session.catalogue().items.name(item)),
                     tab_field(session.catalogue().title(item)), counts.likes[item]);
    }
    return response;
  }
  const Vocabulary& names = call.model->equations().names();
  response.body += "variable\tvalue\tprobability\n";
  for (VariableId id = 0; id < names.size(); ++id) {
    const float truth = call.model->truths()[id];
    fmt::format_to(out, "{}\t{}\t{}\n", tab_field(names.name(id)), truth >= 0.5F ? "T" : "F", truth);
  }
  return response;
}

// Of the model that is served, whatever has become of its run since. The expressions are those of its test data, as far
// as the data are still there.
HttpResponse audit(const ServedModel& model) {
  ThreadPool alone(1);
  std::optional<RunAudit> result;
  if (model.recommends()) {
    result = audit_recommender(model.recommender().session().model(), {}, alone);
  } else {
    try {
      result = audit_equations(model.equations(), read_equations({}, model.config()), {}, alone);
    } catch (const InputError&) {
      result = audit_equations(model.equations(), {}, {}, alone);
    }
  }
  if (!result) throw Problem(409, fmt::format("the model '{}' is no LINN and knows no laws", model.name()));
  return HttpResponse::json(to_json(*result));
}

// The rows that are shown: all, or the most popular items, or the first variables.
std::vector<std::uint32_t> shown_rows(const ServedModel& model, std::size_t rows) {
  std::vector<std::uint32_t> shown;
  if (model.recommends()) {
    shown = model.recommender().by_popularity();
  } else {
    shown.resize(rows);
    std::iota(shown.begin(), shown.end(), 0U);
  }
  if (shown.size() > kMostPoints) shown.resize(kMostPoints);
  return shown;
}

HttpResponse projection(const ServedModel& model, const Background& background) {
  const ConstMatrixView vectors = require_vectors(model);
  const std::vector<std::uint32_t> rows = shown_rows(model, vectors.rows);
  std::vector<float> picked(rows.size() * vectors.cols);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::copy_n(vectors.data + rows[i] * vectors.stride, vectors.cols,
                picked.begin() + static_cast<std::ptrdiff_t>(i * vectors.cols));
  }
  TsneOptions options;
  // A point needs three times as many neighbours as the perplexity says.
  options.perplexity = std::clamp(static_cast<double>(rows.size() - 1) / 3.0 - 1.0, 1.0, options.perplexity);
  std::vector<double> xy(2 * rows.size(), 0.0);
  if (rows.size() > 4) {
    Context context(0, 1);
    context.set_progress([&](const Progress&) { return !background.stopping(); });
    const TsneResult result = tsne({picked.data(), rows.size(), vectors.cols, vectors.cols}, options, context);
    if (result.interrupted) throw Problem(503, "the service is ending");
    xy = result.xy;
  } else {
    for (std::size_t i = 0; i < rows.size(); ++i) xy[2 * i] = static_cast<double>(i);
  }
  Json points = Json::array();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Json point = {{"x", static_cast<float>(xy[2 * i])}, {"y", static_cast<float>(xy[2 * i + 1])}};
    if (model.recommends()) {
      const RecommendSession& session = model.recommender().session();
      point["name"] = session.catalogue().items.name(rows[i]);
      point["title"] = session.catalogue().title(rows[i]);
      point["likes"] = session.model().reasoning()->counts().likes[rows[i]];
    } else {
      point["name"] = model.equations().names().name(rows[i]);
      point["probability"] = model.truths()[rows[i]];
    }
    points.push_back(std::move(point));
  }
  return HttpResponse::json(
      {{"method", "t-sne"}, {"version", model.version()}, {"total", vectors.rows}, {"points", std::move(points)}});
}

HttpResponse epochs(const ModelShelf& shelf, const Call& call) {
  const std::string& run = shelf.run_of(call.model_name);
  const auto after = call.query["after"].get<std::size_t>();
  std::vector<std::string> lines;
  std::string task;
  try {
    task = TrainedRun(run).config.task;
    lines = epoch_lines(run);
  } catch (const InputError&) {
    throw Problem(503, "the folder of this run cannot be read; it may be being replaced")
        .with_header("Retry-After", "1");
  }
  // The lines are objects: they go out as they are.
  std::string list;
  for (std::size_t i = std::min(after, lines.size()); i < lines.size(); ++i) {
    list += (list.empty() ? "" : ",") + lines[i];
  }
  HttpResponse response;
  response.body = fmt::format("{{\"epochs\":[{}],\"total\":{},\"best\":{},\"training\":{}}}\n", list, lines.size(),
                              best_epoch(lines, task == kRecommendTask), is_training(run));
  return response;
}

}  // namespace

void add_model_routes(const ModelShelf& shelf, Background& background, std::vector<Route>& routes) {
  const auto get = [&](const char* path, const char* id, const char* summary, Route::Needs needs, const char* answer,
                       std::function<HttpResponse(const Call&)> handle) -> Route& {
    Route route;
    route.method = "GET";
    route.path = path;
    route.id = id;
    route.summary = summary;
    route.needs = needs;
    route.answer = answer;
    if (handle) route.handle = Route::at_once(std::move(handle));
    return routes.emplace_back(std::move(route));
  };
  get("/v1/models", "models", "All models", Route::Needs::kNothing, "`models`, in the order of the command line",
      [&shelf](const Call&) { return HttpResponse::json(shelf.describe()); });
  get("/v1/models/{model}", "model", "A model", Route::Needs::kName,
      "Task, kind of model, form, preset, d, items or variables, the metrics of its best epoch, and when it was loaded",
      [&shelf](const Call& call) { return HttpResponse::json(shelf.describe(call.model_name)); });
  get("/v1/models/{model}/epochs", "epochs", "The epochs of its training, also of one that is under way",
      Route::Needs::kName, "`epochs`, how many there are, `total`, which one was best, and whether it is `training`",
      [&shelf](const Call& call) { return epochs(shelf, call); })
      .query = {{"after", Schema::whole("Leave out the first so many", 0, kMostEpochs, 0)}};
  get("/v1/models/{model}/vectors.tsv", "vectors", "The vectors of its items or variables, for an embedding projector",
      Route::Needs::kModel, "A line a vector", vectors_table)
      .answer_type = "text/tab-separated-values";
  get("/v1/models/{model}/metadata.tsv", "metadata", "What the vectors stand for", Route::Needs::kModel,
      "A header, and a line a vector", metadata_table)
      .answer_type = "text/tab-separated-values";
  get("/v1/models/{model}/audit", "audit", "How well it obeys the laws of logic; measured once and kept",
      Route::Needs::kModel, "`laws`, as `linn audit --json`", nullptr)
      .handle = [&background](const Call& call, const Respond& respond) {
    call.model->audit()->get(
        background, [model = call.model] { return audit(*model); }, respond);
  };
  get("/v1/models/{model}/projection", "projection",
      "Its items or variables as points in the plane, by t-SNE; made once and kept", Route::Needs::kModel,
      "`points` with `name`, `x` and `y`; the most popular items, or the first variables", nullptr)
      .handle = [&background](const Call& call, const Respond& respond) {
    call.model->projection()->get(
        background, [model = call.model, &background] { return projection(*model, background); }, respond);
  };
}

}  // namespace linn::app
