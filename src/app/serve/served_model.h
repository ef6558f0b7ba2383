// A run that is loaded for the service. It never changes: a better model of the same run is another object, which takes
// its place between two requests.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "app/evaluate/recommend_session.h"
#include "app/serve/background.h"
#include "linn/base/json.h"
#include "linn/equations/equation_model.h"
#include "linn/model/run_config.h"

namespace linn::app {

// A recommender with what looking things up in it takes.
class ServedRecommender {
 public:
  // Throws InputError if the folder has no recommender.
  explicit ServedRecommender(const std::string& run);

  const RecommendSession& session() const { return session_; }

  // All items, those first that are best for a user of whom nothing is known.
  const std::vector<ItemId>& by_popularity() const { return by_popularity_; }
  // The title and the identifier as they are searched: in lower case, separated by a line end.
  std::string_view searched(ItemId item) const { return searched_[item]; }

  // The user with all events of the data. Throws InputError if the data has no such user or cannot be read, which
  // happens at the first call.
  RecommendQuery user_query(const std::string& user) const;

 private:
  struct UserData;

  RecommendSession session_;
  std::vector<ItemId> by_popularity_;
  std::vector<std::string> searched_;
  mutable std::mutex user_data_mutex_;
  mutable std::shared_ptr<const UserData> user_data_;
};

// In lower case, letter by letter.
std::string fold_case(std::string_view text);

// What a run folder holds at a moment: whether its model is another one than before.
struct ModelFile {
  std::int64_t modified = 0;  // nanoseconds
  std::uint64_t inode = 0;
  std::uint64_t size = 0;

  bool exists() const { return inode != 0; }
  static ModelFile of(const std::string& run);
  friend bool operator==(const ModelFile&, const ModelFile&) = default;
};

class ServedModel {
 public:
  // Reads the run. Throws InputError if it has no model.
  ServedModel(std::string name, std::string run, std::uint64_t version, ThreadPool& threads);

  const std::string& name() const { return name_; }
  const std::string& run() const { return run_; }
  std::uint64_t version() const { return version_; }
  const RunConfig& config() const { return config_; }
  // One of the two; throw Problem 409 if the model has the other task.
  const ServedRecommender& recommender() const;
  const EquationModel& equations() const;
  bool recommends() const { return recommender_ != nullptr; }

  // The vectors of the model's items or variables, if it reasons with vectors; no rows otherwise.
  ConstMatrixView vectors() const;
  // How true each variable is.
  const std::vector<float>& truths() const { return truths_; }
  // What /v1/models says of it, but for whether a training is under way.
  const Json& description() const { return description_; }

  const std::shared_ptr<KeptAnswer>& audit() const { return audit_; }
  const std::shared_ptr<KeptAnswer>& projection() const { return projection_; }

 private:
  Json describe() const;

  std::string name_;
  std::string run_;
  std::uint64_t version_;
  RunConfig config_;
  std::unique_ptr<ServedRecommender> recommender_;
  std::unique_ptr<EquationModel> equations_;
  std::vector<float> truths_;
  Json description_;
  std::shared_ptr<KeptAnswer> audit_ = std::make_shared<KeptAnswer>();
  std::shared_ptr<KeptAnswer> projection_ = std::make_shared<KeptAnswer>();
};

// The epochs that a training has recorded in a run folder: each line is an object.
std::vector<std::string> epoch_lines(const std::string& run);
// The place of the epoch whose model is kept, from 1; 0 if there is none. By the score that trainings choose by:
// nDCG@10 of recommenders, the accuracy of equations, then the lower loss.
std::size_t best_epoch(const std::vector<std::string>& lines, bool recommends);
// Whether a training writes to the run folder at this moment.
bool is_training(const std::string& run);

}  // namespace linn::app
