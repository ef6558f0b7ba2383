// How true a trained LINN recommender considers "likes both items": what `linn cooccur` writes and `linn report` shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "linn/base/json.h"
#include "linn/base/thread_pool.h"

namespace linn::app {

inline constexpr std::size_t kAsymmetryPairs = 10'000;

struct CooccurrenceOptions {
  std::string run;
  std::string items = {};  // separated by commas; empty: nine items from popular to rare
  std::uint64_t seed = 0;
};

struct RunCooccurrence {
  struct Item {
    std::string id;
    std::string title;      // may be empty
    std::size_t users = 0;  // with the item in their training data

    const std::string& name() const { return title.empty() ? id : title; }
  };
  std::vector<Item> items;
  std::vector<float> values;    // row by row: Sim(row AND column, T)
  double mean_asymmetry = 0.0;  // |Sim(i AND j, T) - Sim(j AND i, T)| over kAsymmetryPairs random pairs
};

// Nothing if the model is not a LINN. Throws InputError if the run is not a recommender.
std::optional<RunCooccurrence> cooccurrence_of_run(const CooccurrenceOptions& options, ThreadPool& threads);

Json to_json(const RunCooccurrence& result);
RunCooccurrence cooccurrence_from_json(const Json& object);

}  // namespace linn::app
