#include "app/serve/served_model.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <locale.h>
#include <sys/stat.h>
#include <wctype.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "app/evaluate/equation_run.h"
#include "app/serve/problem.h"
#include "app/task_kinds.h"
#include "linn/base/error.h"
#include "linn/base/utf8.h"
#include "linn/equations/linn_equation_model.h"
#include "linn/model/run_folder.h"
#include "linn/recommend/protocol/top_items.h"

namespace linn::app {

namespace {

// Of two and three bytes: the alphabets that have cases.
std::string lower_case(std::string_view character, locale_t locale) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  if (character.size() == 1) return std::string(1, static_cast<char>(towlower_l(byte(0), locale)));
  if (character.size() > 3) return std::string(character);
  const wint_t code = character.size() == 2 ? (byte(0) & 0x1FU) << 6U | (byte(1) & 0x3FU)
                                            : (byte(0) & 0x0FU) << 12U | (byte(1) & 0x3FU) << 6U | (byte(2) & 0x3FU);
  const wint_t lower = towlower_l(code, locale);
  const auto rest = [&](unsigned shift) { return static_cast<char>(0x80U | ((lower >> shift) & 0x3FU)); };
  if (lower < 0x80) return std::string(1, static_cast<char>(lower));
  if (lower < 0x800) return {static_cast<char>(0xC0U | lower >> 6U), rest(0)};
  return {static_cast<char>(0xE0U | lower >> 12U), rest(6), rest(0)};
}

}  // namespace

std::string fold_case(std::string_view text) {
  // Every system with glibc has this locale; without it only ASCII is folded.
  static const locale_t locale = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  std::string folded;
  folded.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = std::max<std::size_t>(utf8_length(text), 1);
    if (locale != nullptr) {
      folded += lower_case(text.substr(0, length), locale);
    } else {
      const char c = text[0];
      folded +=
          c >= 'A' && c <= 'Z' ? std::string(1, static_cast<char>(c + 0x20)) : std::string(text.substr(0, length));
    }
    text.remove_prefix(length);
  }
  return folded;
}

struct ServedRecommender::UserData {
  explicit UserData(FittedData read) : fitted(std::move(read)), histories(fitted.data) {}
  FittedData fitted;
  Histories histories;
};

ServedRecommender::ServedRecommender(const std::string& run) : session_(run, 1) {
  session_.model().prepare_for_queries(session_.threads());
  const Catalogue& catalogue = session_.catalogue();
  TopItemsOptions all;
  all.count = catalogue.items.size();
  ThreadPool alone(1);
  for (const ScoredItem& item : top_items(session_.model(), Query{}, all, alone)) by_popularity_.push_back(item.item);
  for (ItemId item = 0; item < catalogue.items.size(); ++item) {
    searched_.push_back(fold_case(catalogue.title(item)) + "\n" + fold_case(catalogue.items.name(item)));
  }
}

RecommendQuery ServedRecommender::user_query(const std::string& user) const {
  std::shared_ptr<const UserData> data;
  {
    const std::lock_guard lock(user_data_mutex_);
    try {
      if (!user_data_) user_data_ = std::make_shared<const UserData>(session_.read_data());
    } catch (const InputError&) {  // whose message would name files of this machine
      throw Problem(409, "the data of this run cannot be read, so the histories of its users are not known");
    }
    data = user_data_;
  }
  return session_.user_query(user, data->fitted, data->histories);
}

ModelFile ModelFile::of(const std::string& run) {
  struct stat status = {};
  const std::string path = (std::filesystem::path(run) / "model.safetensors").string();
  if (::stat(path.c_str(), &status) != 0) return {};
  constexpr std::int64_t kNanoseconds = 1'000'000'000;
  return {status.st_mtim.tv_sec * kNanoseconds + status.st_mtim.tv_nsec, status.st_ino,
          static_cast<std::uint64_t>(status.st_size)};
}

ServedModel::ServedModel(std::string name, std::string run, std::uint64_t version, ThreadPool& threads)
    : name_(std::move(name)), run_(std::move(run)), version_(version), config_(TrainedRun(run_).config) {
  if (config_.task == kRecommendTask) {
    recommender_ = std::make_unique<ServedRecommender>(run_);
  } else {
    equations_ = load_equation_run(run_);
    truths_ = equations_->variables(threads);
  }
  description_ = describe();
}

const ServedRecommender& ServedModel::recommender() const {
  if (!recommender_) {
    throw Problem(409, fmt::format("the model '{}' is one of equations, which recommends nothing", name_));
  }
  return *recommender_;
}

const EquationModel& ServedModel::equations() const {
  if (!equations_) {
    throw Problem(409, fmt::format("the model '{}' is a recommender, which answers no expressions", name_));
  }
  return *equations_;
}

ConstMatrixView ServedModel::vectors() const {
  if (recommender_) {
    const RankingModel& model = recommender_->session().model();
    const Reasoning* reasoning = model.reasoning();
    if (reasoning == nullptr) return {nullptr, 0, 0, 0};
    const std::size_t d = reasoning->network().width();
    return {reasoning->variables().row(0), model.items(), d, d};
  }
  const LogicModel* network = equations_->logic_model();
  if (network == nullptr) return {nullptr, 0, 0, 0};
  const std::size_t d = network->variables.width();
  return {network->variables.row(0), network->variables.rows(), d, d};
}

namespace {

// The preset whose settings the run differs from least. Settings that the size of the data decides are the same for
// all.
std::string nearest_preset(const RunConfig& config, const DataSize& size, std::size_t width) {
  const ModelKind& kind = model_kind(config.task, config.model);
  std::string nearest;
  std::size_t least = 0;
  for (const Preset preset : {Preset::kBest, Preset::kPaper, Preset::kAuthors}) {
    const std::unique_ptr<Settings> settings = kind.preset(preset, size, width);
    std::size_t differences = 0;
    for (const auto& [option, value] : config.options) {
      differences += settings->has(option) && settings->get(option) != value ? 1 : 0;
    }
    if (!nearest.empty() && differences >= least) continue;
    nearest = preset_name(preset);
    least = differences;
  }
  return nearest;
}

}  // namespace

Json ServedModel::describe() const {
  const auto option = [&](std::string_view wanted) -> Json {
    for (const auto& [key, value] : config_.options) {
      if (key == wanted) return value;
    }
    return nullptr;
  };
  Json object = {{"name", name_}, {"task", config_.task}, {"model", config_.model}, {"form", option("form")}};
  const ConstMatrixView rows = vectors();
  DataSize size;
  if (recommender_) {
    const Catalogue& catalogue = recommender_->session().catalogue();
    size.users = catalogue.users.size();
    size.items = catalogue.items.size();
  }
  object["preset"] = nearest_preset(config_, size, rows.cols);
  object["d"] = rows.rows > 0 ? Json(rows.cols) : Json(nullptr);
  if (recommender_) {
    object["users"] = size.users;
    object["items"] = size.items;
  } else {
    object["variables"] = equations_->names().size();
  }
  const std::vector<std::string> lines = epoch_lines(run_);
  const std::size_t best = best_epoch(lines, recommends());
  object["metrics"] = best > 0 ? parse_json(lines[best - 1]) : Json(nullptr);
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  object["loaded"] = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
  object["version"] = version_;
  object["ready"] = true;
  object["reasons"] = recommender_ && recommender_->session().model().reasoning() != nullptr;
  object["vectors"] = rows.rows > 0;
  object["audit"] = recommender_ ? rows.rows > 0 : dynamic_cast<const LinnEquationModel*>(equations_.get()) != nullptr;
  return object;
}

std::vector<std::string> epoch_lines(const std::string& run) { return RunFolder::open(run).metrics(); }

std::size_t best_epoch(const std::vector<std::string>& lines, bool recommends) {
  const Json::json_pointer score_at(recommends ? "/validation/ndcg@10" : "/validation/accuracy");
  const Json::json_pointer loss_at(recommends ? "/validation/loss" : "/validation/log_loss");
  const auto number = [](const Json& line, const Json::json_pointer& at) {
    return line.contains(at) && line[at].is_number() ? line[at].get<double>() : std::nan("");
  };
  std::size_t best = 0;
  double best_score = 0.0;
  double best_loss = 0.0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Json line = parse_json(lines[i]);
    const double score = number(line, score_at);
    const double loss = number(line, loss_at);
    if (std::isnan(score)) continue;
    if (best == 0 || score > best_score || (score == best_score && loss < best_loss)) {
      best = i + 1;
      best_score = score;
      best_loss = loss;
    }
  }
  // Nothing to choose by: the last one is kept.
  return best == 0 ? lines.size() : best;
}

bool is_training(const std::string& run) {
  struct stat status = {};
  if (::stat((std::filesystem::path(run) / "run.lock").c_str(), &status) != 0) return false;
  return is_lock_held(status.st_ino);
}

}  // namespace linn::app
