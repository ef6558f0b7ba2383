#include <algorithm>
#include <numeric>

#include "linn/base/thread_pool.h"
#include "linn/cuda/choice.h"
#include "linn/cuda/device.h"
#include "linn/cuda/losses.h"
#include "linn/cuda/row_kernels.h"
#include "linn/cuda/update.h"

namespace linn::cuda {
namespace {

constexpr u32 kSums = kLaws + 2;  // the laws, the length term and the task
constexpr u32 kThreads = 256;

struct SumView {
  const float* laws = nullptr;  // kLaws x law_rows; null: none
  u32 law_rows = 0;
  const float* lengths = nullptr;
  u32 nodes = 0;
  const double* task = nullptr;
  u32 units = 0;
  double* totals = nullptr;
};

// A block adds up one sum.
__global__ void totals_kernel(SumView s) {
  __shared__ double sums[kThreads];
  double sum = 0.0;
  if (blockIdx.x < kLaws) {
    for (u32 i = threadIdx.x; s.laws != nullptr && i < s.law_rows; i += kThreads) {
      sum += static_cast<double>(s.laws[std::size_t{blockIdx.x} * s.law_rows + i]);
    }
  } else if (blockIdx.x == kLaws) {
    for (u32 i = threadIdx.x; i < s.nodes; i += kThreads) sum += static_cast<double>(s.lengths[i]);
  } else {
    for (u32 i = threadIdx.x; i < s.units; i += kThreads) sum += s.task[i];
  }
  sum = block_total(sum, sums);
  if (threadIdx.x == 0) s.totals[blockIdx.x] += sum;
}

class CudaTraining : public DeviceTraining {
 public:
  CudaTraining(const DeviceLimits& limits, LogicNetwork& network, EmbeddingTable* variables, Optimizer& optimizer)
      : limits_(limits),
        host_network_(network),
        variables_(variables),
        optimizer_(optimizer),
        network_(network),
        pass_(stream_, limits.shared),
        choice_(stream_, limits.tf32),
        gradients_(network_.layout().size()),
        m_(network_.layout().size()),
        v_(network_.layout().size()),
        decays_(network_.layout().size()),
        totals_(kSums),
        scale_(1) {
    if (variables == nullptr) return;
    const std::size_t size = variables->rows() * variables->width();
    for (Buffer<float>* part : {&table_values_, &table_m_, &table_v_}) part->reshape(std::max<std::size_t>(size, 1));
    done_.reshape(std::max<std::size_t>(variables->rows(), 1));
    past_.reshape(optimizer.options().longest_delay);
    table_ = {table_values_.data(),
              table_m_.data(),
              table_v_.data(),
              done_.data(),
              static_cast<u32>(variables->rows()),
              static_cast<u32>(variables->width())};
  }

  // Destroying what the device may still use would be an error of ours, not of the device.
  ~CudaTraining() override { cudaStreamSynchronize(stream_.get()); }

  void step(const DeviceStep& step, const ScoreLoss& loss) override {
    begin(step);
    if (variables_ != nullptr) find_rows(step.plan);
    const std::size_t labels_at = staging_.add(loss.labels);
    const std::size_t weights_at = staging_.add(loss.weights);
    send(step);
    LossView view = {loss.kind,
                     static_cast<u32>(loss.labels.size()),
                     static_cast<u32>(step.plan.roots.size()),
                     static_cast<u32>(loss.group),
                     loss.label_noise,
                     staging_.at<float>(labels_at),
                     staging_.at<float>(weights_at)};
    pass_.forward(values());
    const float* scores = pass_.scores();
    score_loss(stream_, view, scores, d_scores_.reshape(step.plan.roots.size()),
               values_.reshape(step.plan.roots.size()));
    pass_.begin_backward();
    pass_.add_score_gradients(d_scores_.data());
    end(step, units_of(view), nullptr, 0);
  }

  void step(const DeviceStep& step, const CatalogueChoice& choice) override {
    begin(step);
    rows_.assign(choice.rows.begin(), choice.rows.end());
    find_uses(step.plan);
    choice_.add(choice, staging_);
    send(step);
    const Weights gradients = network_.layout().parts_of(gradients_.data());
    pass_.forward(values());
    choice_.run(pass_.pass(), values(), staging_, values_.reshape(step.plan.roots.size()),
                modules_learn() ? &gradients : nullptr);
    pass_.begin_backward();
    pass_.add_root_gradients(choice_.d_roots());
    end(step, static_cast<u32>(step.plan.roots.size()), choice_.d_items(), choice_.chosen());
  }

  DeviceSums finish() override {
    DeviceSums result;
    if (!resident_) return result;
    check(cudaSetDevice(limits_.device));
    flush();
    double totals[kSums];
    stream_.download(totals, totals_.data(), kSums);
    download();
    resident_ = false;
    std::copy_n(totals, kLaws, result.regularizers.laws.begin());
    result.regularizers.length = totals[kLaws];
    result.task_loss = totals[kLaws + 1];
    return result;
  }

 private:
  bool modules_learn() const { return optimizer_.options().parameter_rate > 0; }
  PastSteps past() const { return {past_.data(), static_cast<u32>(past_.size())}; }
  const float* values() const { return own_table_ != nullptr ? own_table_ : table_values_.data(); }

  void begin(const DeviceStep& step) {
    check(cudaSetDevice(limits_.device));
    if (!resident_) upload();
    resident_ = true;
    plan_.add(step.plan, &step.regularizers, &step.negated_law_rows, &step.other_law_rows, staging_);
    if (step.table != nullptr) {
      own_table_at_ = staging_.add(std::span(step.table, step.table_rows * host_network_.width()));
    }
  }

  // The distinct rows of the table that a plan reads, ascending.
  void find_rows(const Plan& plan) {
    rows_.assign(plan.variables.begin(), plan.variables.end());
    std::ranges::sort(rows_);
    rows_.erase(std::ranges::unique(rows_).begin(), rows_.end());
    find_uses(plan);
  }

  // By row the variables of the plan that are it, in their order.
  void find_uses(const Plan& plan) {
    place_.resize(variables_->rows());
    for (u32 i = 0; i < rows_.size(); ++i) place_[rows_[i]] = i;
    row_starts_.assign(rows_.size() + 1, 0);
    for (const u32 row : plan.variables) ++row_starts_[place_[row] + 1];
    std::partial_sum(row_starts_.begin(), row_starts_.end(), row_starts_.begin());
    row_fill_.assign(row_starts_.begin(), row_starts_.end());
    row_nodes_.resize(plan.variables.size());
    for (u32 i = 0; i < plan.variables.size(); ++i) row_nodes_[row_fill_[place_[plan.variables[i]]]++] = i;
    rows_at_ = staging_.add(rows_);
    row_starts_at_ = staging_.add(row_starts_);
    row_nodes_at_ = staging_.add(row_nodes_);
  }

  // Sends the batch, and prepares the pass and the table for it.
  void send(const DeviceStep& step) {
    staging_.send(stream_);
    own_table_ = step.table != nullptr ? staging_.at<float>(own_table_at_) : nullptr;
    Pass m = network_.pass();
    std::ranges::copy(step.regularizers.laws, m.law_scale);
    m.length = step.regularizers.length;
    m.squared_length = step.regularizers.squared_length;
    m.dropout = step.dropout;
    m.dropout_seed = step.dropout_seed;
    pass_.bind(m, step.plan, plan_, staging_, true);
    if (modules_learn()) stream_.clear(gradients_.data(), gradients_.size());
    ++steps_;
    factors_ = optimizer_.factors_of(steps_);
    if (variables_ == nullptr) return;
    if (steps_ - first_ > past_.size()) {
      catch_up(stream_, optimizer_.rule(), past(), table_, nullptr, table_.rows, steps_ - 1);
      first_ = steps_ - 1;
    }
    catch_up(stream_, optimizer_.rule(), past(), table_, staging_.at<u32>(rows_at_), static_cast<u32>(rows_.size()),
             steps_ - 1);
    remember(stream_, past(), steps_, factors_);
  }

  // The way back, the update, and the sums.
  void end(const DeviceStep& step, u32 units, const float* d_items, u32 items) {
    const Weights gradients = network_.layout().parts_of(gradients_.data());
    pass_.backward(modules_learn() ? &gradients : nullptr);
    const auto count = static_cast<u32>(variables_ != nullptr ? rows_.size() : 0);
    if (variables_ != nullptr) {
      sum_row_gradients(stream_,
                        {count, table_.width, staging_.at<u32>(row_starts_at_), staging_.at<u32>(row_nodes_at_),
                         pass_.pass().d_vector(kFirstVariable), step.dropout, step.dropout_seed, d_items, items,
                         row_gradients_.reshape(std::size_t{count} * table_.width)});
    }
    const float* scale = nullptr;
    if (optimizer_.options().clip_norm > 0) {
      const std::size_t parameters = modules_learn() ? gradients_.size() : 0;
      const std::size_t of_rows = std::size_t{count} * table_.width;
      clip_by_norm(stream_, optimizer_.options().clip_norm, gradients_.data(), parameters, row_gradients_.data(),
                   of_rows, norm_parts_.reshape(norm_parts(parameters, of_rows)), scale_.data());
      scale = scale_.data();
    }
    if (modules_learn()) {
      StepFactors factors = factors_;
      factors.rate *= static_cast<float>(optimizer_.options().parameter_rate);
      factors.shrink *= static_cast<float>(optimizer_.options().parameter_rate);
      update_parameters(stream_, optimizer_.rule(), factors, scale, static_cast<u32>(gradients_.size()), decays_.data(),
                        gradients_.data(), m_.data(), v_.data(), network_.values());
    }
    if (variables_ != nullptr) {
      update_rows(stream_, optimizer_.rule(), factors_, steps_, scale, table_, staging_.at<u32>(rows_at_), count,
                  row_gradients_.data());
    }
    const bool laws = std::ranges::any_of(step.regularizers.laws, [](float weight) { return weight != 0.0F; });
    const Pass& m = pass_.pass();
    stream_.launch(totals_kernel, dim3(kSums), kThreads, 0,
                   SumView{laws ? m.law_values : nullptr, m.plan.law_rows + 1, m.length_values, m.plan.nodes,
                           values_.data(), units, totals_.data()});
  }

  void flush() {
    if (variables_ == nullptr) return;
    catch_up(stream_, optimizer_.rule(), past(), table_, nullptr, table_.rows, steps_);
    first_ = steps_;
  }

  std::span<float> host_state(const std::string& name) {
    for (const Optimizer::FloatState& state : optimizer_.float_state()) {
      if (state.name == name) return state.values;
    }
    return {};
  }
  std::span<u32> host_counts(const std::string& name) {
    for (const Optimizer::CountState& state : optimizer_.count_state()) {
      if (state.name == name) return state.values;
    }
    return {};
  }

  void upload() {
    ThreadPool alone(1);
    optimizer_.flush(alone);
    steps_ = first_ = static_cast<u32>(optimizer_.steps());
    network_.upload(stream_);
    stream_.clear(totals_.data(), kSums);
    const Layout& layout = network_.layout();
    const std::vector<std::uint8_t> decays = layout.decays(optimizer_.options().decay_biases);
    stream_.upload<std::uint8_t>(decays_.data(), decays.data(), decays.size());
    stream_.clear(gradients_.data(), gradients_.size());
    for (const auto& [name, part] : {std::pair("m", &m_), std::pair("v", &v_)}) {
      const std::span<float> state = host_state(name);
      if (state.empty()) {
        stream_.clear(part->data(), part->size());
      } else {
        layout.to_device(state, block_);
        stream_.upload<float>(part->data(), block_.data(), block_.size());
        stream_.wait();  // before the block is used again
      }
    }
    if (variables_ != nullptr) {
      stream_.upload<float>(table_.values, variables_->values().data(), variables_->values().size());
      for (const auto& [name, part] : {std::pair("m.", table_.m), std::pair("v.", table_.v)}) {
        const std::span<float> state = host_state(name + variables_->name());
        if (state.empty()) {
          stream_.clear(part, variables_->values().size());
        } else {
          stream_.upload<float>(part, state.data(), state.size());
        }
      }
      row_fill_.assign(table_.rows, steps_);
      stream_.upload<u32>(table_.done, row_fill_.data(), row_fill_.size());
    }
    stream_.wait();
  }

  void download() {
    const Layout& layout = network_.layout();
    block_.resize(layout.size());
    const auto fetch = [&](const float* from, std::span<float> to) {
      if (to.empty()) return;
      stream_.download(block_.data(), from, block_.size());
      stream_.wait();
      layout.to_host(block_, to);
    };
    fetch(network_.values(), host_network_.parameters().values());
    fetch(m_.data(), host_state("m"));
    fetch(v_.data(), host_state("v"));
    if (variables_ != nullptr) {
      stream_.download(variables_->values().data(), table_.values, variables_->values().size());
      const std::span<float> m = host_state("m." + variables_->name());
      const std::span<float> v = host_state("v." + variables_->name());
      stream_.download(m.data(), table_.m, m.size());
      stream_.download(v.data(), table_.v, v.size());
      std::ranges::fill(host_counts("done." + variables_->name()), steps_);
    }
    stream_.wait();
    host_counts("steps")[0] = steps_;
    optimizer_.restored();
    host_network_.prepare();
  }

  DeviceLimits limits_;
  LogicNetwork& host_network_;
  EmbeddingTable* variables_;
  Optimizer& optimizer_;
  Stream stream_;
  DeviceNetwork network_;
  Staging staging_;
  PlanUpload plan_;
  LogicPass pass_;
  ChoicePass choice_;
  bool resident_ = false;  // whether the device has the values
  u32 steps_ = 0;
  u32 first_ = 0;  // all rows have made the steps up to this one
  StepFactors factors_;
  std::vector<float> block_;

  // The parameters' gradients and the optimizer's state.
  Buffer<float> gradients_, m_, v_;
  Buffer<std::uint8_t> decays_;
  Buffer<double> totals_;
  Buffer<float> scale_;
  Buffer<float> table_values_, table_m_, table_v_;
  Buffer<u32> done_;
  Buffer<StepFactors> past_;
  TableState table_;

  // Of the batch.
  const float* own_table_ = nullptr;  // pretraining
  std::size_t own_table_at_ = 0;
  std::vector<u32> rows_, row_starts_, row_nodes_, row_fill_, place_;
  std::size_t rows_at_ = 0, row_starts_at_ = 0, row_nodes_at_ = 0;
  Buffer<float> d_scores_, row_gradients_;
  Buffer<double> values_, norm_parts_;
};

}  // namespace

std::unique_ptr<DeviceTraining> make_training(const DeviceLimits& limits, LogicNetwork& network,
                                              EmbeddingTable* variables, Optimizer& optimizer) {
  return std::make_unique<CudaTraining>(limits, network, variables, optimizer);
}

}  // namespace linn::cuda
