// The part of a build that has no CUDA.
#include "linn/base/error.h"
#include "linn/train/training_device.h"

namespace linn {

bool has_cuda() { return false; }

std::unique_ptr<TrainingDevice> open_cuda_device(const CudaOptions&) {
  throw InputError("this build has no CUDA: the device must be 'cpu'");
}

}  // namespace linn
