#include "linn/nn/head.h"

#include <vector>

#include "linn/kernels/elementwise.h"
#include "linn/kernels/matmul.h"
#include "linn/nn/activation.h"

namespace linn {
namespace {

// The paper's modules: optional further hidden layers, then the output layer.
//
//   h_k = f(h_(k-1) W_k + b_k),  out = h_depth W_out (+ b_out)
class MlpHead : public Head {
 public:
  MlpHead(const ModuleOptions& options, std::size_t width, std::size_t hidden, const std::string& prefix,
          ParameterSet& parameters)
      : width_(width), hidden_(hidden), activation_(options.activation) {
    const auto layer = [&](const std::string& name, std::size_t outputs, bool bias, bool activated) {
      Layer made;
      made.outputs = outputs;
      made.activated = activated;
      made.weight = parameters.add(prefix + "." + name, hidden, outputs);
      if (bias) made.bias = parameters.add(prefix + "." + name + "_bias", 1, outputs, ParameterKind::kBias);
      made.has_bias = bias;
      layers_.push_back(std::move(made));
    };
    for (std::size_t i = 1; i < options.depth; ++i) layer("hidden" + std::to_string(i + 1), hidden, true, true);
    layer("out", width, options.output_bias, false);
  }

  void prepare(const ParameterSet& parameters) override {
    for (Layer& layer : layers_) {
      const ConstMatrixView weight = parameters.value(layer.weight);
      layer.value = weight.data;
      layer.transposed.reshape(weight.rows * weight.cols);
      transpose(weight.rows, weight.cols, weight.data, weight.stride, layer.transposed.data(), weight.rows);
      layer.bias_value = layer.has_bias ? parameters.value(layer.bias).data : nullptr;
    }
  }

  // All hidden layers except the first, and two alternating gradients.
  std::size_t scratch(std::size_t rows) const override { return rows * hidden_ * (layers_.size() + 1); }

  void forward(const HeadInput& input, float* output, float* scratch) const override {
    const float* from = input.hidden;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      float* to = i + 1 == layers_.size() ? output : scratch + i * input.rows * hidden_;
      apply(layers_[i], input.rows, from, to);
      from = to;
    }
  }

  void backward(const HeadInput& input, const float* d_output, float* d_hidden, ParameterGradients* gradients,
                const OperandGradients&, float* scratch) const override {
    // Recomputes the hidden layers after the first: cheaper than keeping them for the whole batch.
    const std::size_t block = input.rows * hidden_;
    const auto layer_input = [&](std::size_t i) { return i == 0 ? input.hidden : scratch + (i - 1) * block; };
    for (std::size_t i = 0; i + 1 < layers_.size(); ++i) {
      apply(layers_[i], input.rows, layer_input(i), scratch + i * block);
    }
    float* spare = scratch + (layers_.size() - 1) * block;
    const float* d_to = d_output;
    for (std::size_t i = layers_.size(); i-- > 0;) {
      const Layer& layer = layers_[i];
      float* d_from = i == 0 ? d_hidden : spare + (i % 2) * block;
      if (gradients != nullptr) {
        matmul({hidden_, layer.outputs, input.rows}, transposed(layer_input(i), hidden_), d_to, layer.outputs,
               gradients->of(layer.weight).data, layer.outputs, {.accumulate = true});
      }
      if (gradients != nullptr && layer.has_bias) {
        add_rows(input.rows, layer.outputs, d_to, layer.outputs, gradients->of(layer.bias).data);
      }
      matmul({input.rows, hidden_, layer.outputs}, by_rows(d_to, layer.outputs), layer.transposed.data(), hidden_,
             d_from, hidden_);
      if (i > 0) activation_backward(activation_, block, layer_input(i), d_from);
      d_to = d_from;
    }
  }

  std::size_t multiply_adds() const override { return (layers_.size() - 1) * hidden_ * hidden_ + hidden_ * width_; }

 protected:
  std::size_t width() const { return width_; }

 private:
  struct Layer {
    std::size_t outputs = 0;
    bool activated = false;
    bool has_bias = false;
    std::size_t weight = 0, bias = 0;  // parameters
    const float* value = nullptr;
    const float* bias_value = nullptr;
    AlignedArray<float> transposed;
  };

  void apply(const Layer& layer, std::size_t rows, const float* from, float* to) const {
    matmul({rows, layer.outputs, hidden_}, by_rows(from, hidden_), layer.value, layer.outputs, to, layer.outputs,
           {.bias = layer.bias_value});
    if (layer.activated) activate(activation_, rows * layer.outputs, to);
  }

  std::size_t width_;
  std::size_t hidden_;
  Activation activation_;
  std::vector<Layer> layers_;
};

// out = mlp(h) + (left + right) / 2, and for NOT: out = mlp(h) - operand. The module learns the difference from a
// simple guess, which helps in deep expressions.
class ResidualHead : public MlpHead {
 public:
  ResidualHead(const ModuleOptions& options, std::size_t width, std::size_t hidden, bool is_negation,
               const std::string& prefix, ParameterSet& parameters)
      : MlpHead(options, width, hidden, prefix, parameters), is_negation_(is_negation) {}

  bool uses_operands() const override { return true; }

  void forward(const HeadInput& input, float* output, float* scratch) const override {
    MlpHead::forward(input, output, scratch);
    add_share(input.rows, input.left, {output, width()});
    if (!is_negation_) add_share(input.rows, input.right, {output, width()});
  }

  void backward(const HeadInput& input, const float* d_output, float* d_hidden, ParameterGradients* gradients,
                const OperandGradients& operands, float* scratch) const override {
    MlpHead::backward(input, d_output, d_hidden, gradients, operands, scratch);
    if (operands.left.data != nullptr) add_share(input.rows, {d_output, width()}, operands.left);
    if (operands.right.data != nullptr) add_share(input.rows, {d_output, width()}, operands.right);
  }

 private:
  // to += share * from, row by row.
  void add_share(std::size_t rows, const RowSource& from, const RowTarget& to) const {
    const auto row = [](const auto& matrix, std::size_t i) {
      return matrix.data + (matrix.index != nullptr ? matrix.index[i] : i) * matrix.stride;
    };
    const float share = is_negation_ ? -1.0F : 0.5F;
    for (std::size_t i = 0; i < rows; ++i) axpy(width(), share, row(from, i), row(to, i));
  }

  bool is_negation_;
};

}  // namespace

std::unique_ptr<Head> make_head(const ModuleOptions& options, std::size_t width, std::size_t hidden, bool is_negation,
                                const std::string& prefix, ParameterSet& parameters) {
  switch (options.structure) {
    case Structure::kResidual:
      return std::make_unique<ResidualHead>(options, width, hidden, is_negation, prefix, parameters);
    case Structure::kMlp:
      break;
  }
  return std::make_unique<MlpHead>(options, width, hidden, prefix, parameters);
}

}  // namespace linn
