// A device besides the CPU on which logic networks are trained and evaluated.
//
// Plans are built on the CPU, by whoever trains; a device takes them as they are and has its own memory and passes. It
// holds a copy of parameters, vectors and the optimizer's state from the first step after start() to finish(), which
// brings them back: so whatever reads or stores a model between two epochs knows nothing of devices. Steps only queue
// work; the CPU plans the next batch while the device computes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "linn/base/random.h"
#include "linn/nn/embedding.h"
#include "linn/nn/gradient_run.h"
#include "linn/nn/logic_network.h"
#include "linn/nn/losses.h"
#include "linn/optim/optimizer.h"
#include "linn/plan/plan.h"

namespace linn {

// A loss of the scores of expressions, in words that a device understands: see losses.h and ranking_loss.h. The spans
// need to last for the call of a step only.
struct ScoreLoss {
  enum class Kind : std::uint8_t {
    kCrossEntropy,     // of labels
    kExpectedLogLoss,  // of labels; the scores after them have their negative entropy with these weights
    kBprSimilarity,    // groups of one liked item and its negatives, all pairs
    kBprScore,
    kSoftmax,  // the same groups
  };
  Kind kind = Kind::kCrossEntropy;
  std::span<const float> labels = {};
  std::span<const float> weights = {};
  std::size_t group = 0;
  double label_noise = 0.0;
};

// The choice of an item by every root of a plan, as in catalogue_softmax.h, by the truth of AND(root, item). The
// gradient is that of the mean over the roots.
struct CatalogueChoice {
  std::span<const std::uint32_t> rows;     // of the table that the step reads, ascending: items, then others
  std::size_t chosen = 0;                  // items among them
  std::span<const std::uint32_t> targets;  // by root: its item's place in `rows`
  std::span<const std::uint32_t> draws;    // places of the drawn negatives; empty: all items
  std::span<const float> log_counts;       // of each draw
  std::size_t catalogue = 0;
  double label_noise = 0.0;
};

struct DeviceStep {
  const Plan& plan;
  const RegularizerOptions& regularizers;
  const LawRows& negated_law_rows;  // as choose_law_rows() leaves them
  const LawRows& other_law_rows;
  float dropout = 0.0F;
  std::uint64_t dropout_seed = 0;
  const float* table = nullptr;  // pretraining: vectors of the variables that belong to this step alone
  std::size_t table_rows = 0;
};

// Sums over steps.
struct DeviceSums {
  double task_loss = 0.0;
  RegularizerValues regularizers;
};

class DeviceTraining {
 public:
  virtual ~DeviceTraining() = default;

  virtual void step(const DeviceStep& step, const ScoreLoss& loss) = 0;
  virtual void step(const DeviceStep& step, const CatalogueChoice& choice) = 0;

  // Waits for all steps, brings values and state back, and returns the sums over the steps since the last call. The
  // next step begins with the values that the model has then. Nothing happens if there was no step.
  virtual DeviceSums finish() = 0;
};

class DeviceEvaluation {
 public:
  virtual ~DeviceEvaluation() = default;
  // The scores of a plan's roots, and their vectors, one row each.
  virtual void scores(const Plan& plan, const float* table, std::span<float> scores) = 0;
  virtual void root_vectors(const Plan& plan, const float* table, std::span<float> vectors) = 0;
  // Reads the network's values again.
  virtual void reload() = 0;
};

class TrainingDevice {
 public:
  virtual ~TrainingDevice() = default;

  // All arguments must outlive the result. `variables` is the optimizer's only table; null: it has none, and steps
  // bring their own. Throws InputError for a network or an optimizer that the device does not know.
  virtual std::unique_ptr<DeviceTraining> train(LogicNetwork& network, EmbeddingTable* variables,
                                                Optimizer& optimizer) = 0;
  virtual std::unique_ptr<DeviceEvaluation> evaluate(const LogicNetwork& network) = 0;
  // Of a large product in float32, in operations per second / 1e9; measured.
  virtual double peak_gflops() = 0;
  // For people, such as "NVIDIA H200".
  virtual std::string name() const = 0;
};

struct CudaOptions {
  int device = 0;
  bool tf32 = false;  // large products over whole catalogues with TF32
};

// Throws InputError if this build has no CUDA, and Failure if there is no such device.
std::unique_ptr<TrainingDevice> open_cuda_device(const CudaOptions& options);
// Whether this build has CUDA.
bool has_cuda();

// "cpu" (null), "cuda" or "cuda:N"; throws InputError for anything else.
std::unique_ptr<TrainingDevice> open_device(std::string_view name, bool tf32 = false);

}  // namespace linn
