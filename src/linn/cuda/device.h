// What training and evaluation share of a device.
#pragma once

#include <memory>

#include "linn/cuda/layout.h"
#include "linn/cuda/logic_pass.h"
#include "linn/train/training_device.h"

namespace linn::cuda {

struct DeviceLimits {
  int device = 0;
  bool tf32 = false;
  u32 shared = 0;  // bytes of shared memory for a block
};

// A network's values on the device.
class DeviceNetwork {
 public:
  explicit DeviceNetwork(const LogicNetwork& network);
  void upload(const Stream& stream);
  // Without the plan.
  Pass pass() const;
  const Layout& layout() const { return layout_; }
  const LogicNetwork& network() const { return network_; }
  float* values() const { return values_.data(); }

 private:
  const LogicNetwork& network_;
  Layout layout_;
  std::vector<float> block_;
  Buffer<float> values_, true_;
};

std::unique_ptr<DeviceTraining> make_training(const DeviceLimits& limits, LogicNetwork& network,
                                              EmbeddingTable* variables, Optimizer& optimizer);
std::unique_ptr<DeviceEvaluation> make_evaluation(const DeviceLimits& limits, const LogicNetwork& network);

}  // namespace linn::cuda
