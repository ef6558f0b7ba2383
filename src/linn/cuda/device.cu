#include <chrono>
#include <mutex>

#include "linn/cuda/blas.h"
#include "linn/cuda/device.h"
#include "linn/cuda/fold.h"

namespace linn {
namespace cuda {

DeviceNetwork::DeviceNetwork(const LogicNetwork& network)
    : network_(network), layout_(network), values_(layout_.size()), true_(network.width()) {}

void DeviceNetwork::upload(const Stream& stream) {
  layout_.to_device(network_.parameters().values(), block_);
  stream.upload<float>(values_.data(), block_.data(), block_.size());
  stream.upload<float>(true_.data(), network_.true_vector().data(), network_.width());
  stream.wait();
}

Pass DeviceNetwork::pass() const {
  Pass m;
  m.shape = layout_.shape();
  m.weights = layout_.parts_of(values_.data());
  m.true_vector = true_.data();
  return m;
}

namespace {

class CudaEvaluation : public DeviceEvaluation {
 public:
  CudaEvaluation(const DeviceLimits& limits, const LogicNetwork& network)
      : limits_(limits), network_(network), pass_(stream_, limits.shared) {}

  void reload() override { loaded_ = false; }

  void scores(const Plan& plan, const float* table, std::span<float> scores) override {
    const std::lock_guard lock(mutex_);
    forward(plan, table);
    stream_.download<float>(scores.data(), pass_.scores(), scores.size());
    stream_.wait();
  }

  void root_vectors(const Plan& plan, const float* table, std::span<float> vectors) override {
    const std::lock_guard lock(mutex_);
    forward(plan, table);
    const std::size_t d = network_.network().width();
    std::vector<float> all(std::size_t{plan.size()} * d);
    stream_.download<float>(all.data(), pass_.pass().vectors, all.size());
    stream_.wait();
    for (std::size_t i = 0; i < plan.roots.size(); ++i) {
      std::copy_n(all.data() + plan.roots[i] * d, d, vectors.data() + i * d);
    }
  }

 private:
  // Only the vectors that the plan has are copied: a catalogue may be much larger.
  void forward(const Plan& plan, const float* table) {
    check(cudaSetDevice(limits_.device));
    if (!loaded_) network_.upload(stream_);
    loaded_ = true;
    const std::size_t d = network_.network().width();
    gathered_.resize(plan.variables.size() * d);
    for (std::size_t i = 0; i < plan.variables.size(); ++i) {
      std::copy_n(table + plan.variables[i] * d, d, gathered_.data() + i * d);
    }
    upload_.add(plan, nullptr, nullptr, nullptr, staging_);
    const std::size_t gathered_at = staging_.add(gathered_);
    staging_.send(stream_);
    pass_.bind(network_.pass(), plan, upload_, staging_, false);
    pass_.forward(staging_.at<float>(gathered_at), true);
  }

  DeviceLimits limits_;
  Stream stream_;
  DeviceNetwork network_;
  Staging staging_;
  PlanUpload upload_;
  LogicPass pass_;
  std::vector<float> gathered_;
  bool loaded_ = false;
  std::mutex mutex_;
};

class CudaDevice : public TrainingDevice {
 public:
  explicit CudaDevice(const CudaOptions& options) {
    int count = 0;
    if (const cudaError_t error = cudaGetDeviceCount(&count); error != cudaSuccess || count == 0) {
      throw Failure(std::string("there is no CUDA device: ") +
                    cudaGetErrorString(error != cudaSuccess ? error : cudaErrorNoDevice));
    }
    if (options.device >= count) {
      throw Failure("there is no CUDA device " + std::to_string(options.device) + ": " +
                    (count == 1 ? "the only one is 0" : "they are 0 to " + std::to_string(count - 1)));
    }
    check(cudaSetDevice(options.device));
    cudaDeviceProp properties;
    check(cudaGetDeviceProperties(&properties, options.device));
    name_ = properties.name;
    limits_ = {options.device, options.tf32, prepare_fold_kernels(static_cast<u32>(properties.sharedMemPerBlockOptin))};
  }

  std::unique_ptr<DeviceTraining> train(LogicNetwork& network, EmbeddingTable* variables,
                                        Optimizer& optimizer) override {
    check(cudaSetDevice(limits_.device));
    return make_training(limits_, network, variables, optimizer);
  }
  std::unique_ptr<DeviceEvaluation> evaluate(const LogicNetwork& network) override {
    check(cudaSetDevice(limits_.device));
    return make_evaluation(limits_, network);
  }
  double peak_gflops() override {
    check(cudaSetDevice(limits_.device));
    constexpr u32 kSize = 4096;
    constexpr int kRepeats = 20;
    const Stream stream;
    const Blas blas(stream, limits_.tf32);
    const std::size_t size = std::size_t{kSize} * kSize;
    const Buffer<float> a(size), b(size), c(size);
    std::vector<float> values(size);
    Random random(1);
    for (float& value : values) value = static_cast<float>(random.uniform());
    for (const Buffer<float>* matrix : {&a, &b}) stream.upload<float>(matrix->data(), values.data(), size);
    blas.multiply(kSize, kSize, kSize, a.data(), false, b.data(), false, c.data());
    stream.wait();
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kRepeats; ++i) {
      blas.multiply(kSize, kSize, kSize, a.data(), false, b.data(), false, c.data());
    }
    stream.wait();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return 2e-9 * kRepeats * static_cast<double>(size) * kSize / seconds;
  }
  std::string name() const override { return name_; }

 private:
  DeviceLimits limits_;
  std::string name_;
};

}  // namespace

std::unique_ptr<DeviceEvaluation> make_evaluation(const DeviceLimits& limits, const LogicNetwork& network) {
  return std::make_unique<CudaEvaluation>(limits, network);
}

}  // namespace cuda

bool has_cuda() { return true; }

std::unique_ptr<TrainingDevice> open_cuda_device(const CudaOptions& options) {
  return std::make_unique<cuda::CudaDevice>(options);
}

}  // namespace linn
