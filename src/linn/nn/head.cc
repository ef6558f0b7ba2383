#include "linn/nn/head.h"

#include <algorithm>
#include <cmath>
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

  void backward(const HeadInput& input, const float* d_output, float* d_hidden, LaneGradients* gradients,
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
        gradients->add_product(layer.weight, input.rows, layer_input(i), d_to, layer.outputs);
        if (layer.has_bias) add_rows(input.rows, layer.outputs, d_to, layer.outputs, gradients->of(layer.bias).data);
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

  void backward(const HeadInput& input, const float* d_output, float* d_hidden, LaneGradients* gradients,
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

// x = left + mlp(h),  out = x min(1, c / |x|).
//
// In a long chain the left operand is all that came before, so a result keeps what it knew and adds what is new.
// Without the bound c on its length, a chain of hundreds of gates can grow exponentially.
class LeftResidualHead : public MlpHead {
 public:
  LeftResidualHead(const ModuleOptions& options, std::size_t width, std::size_t hidden, float bound,
                   const std::string& prefix, ParameterSet& parameters)
      : MlpHead(options, width, hidden, prefix, parameters), bound_(bound) {}

  bool uses_operands() const override { return true; }
  bool uses_right_operand() const override { return false; }

  std::size_t scratch(std::size_t rows) const override { return MlpHead::scratch(rows) + rows * width(); }

  void forward(const HeadInput& input, float* output, float* scratch) const override {
    sum(input, output, scratch);
    for (std::size_t i = 0; i < input.rows; ++i) {
      float* x = output + i * width();
      const float square = squared_norm(width(), x);
      if (square > bound_ * bound_) scale(width(), bound_ / std::sqrt(square), x);
    }
  }

  // With g the gradient of the output and u = x / |x|, that of x is (c / |x|) (g - (g.u) u) beyond the bound, else g.
  void backward(const HeadInput& input, const float* d_output, float* d_hidden, LaneGradients* gradients,
                const OperandGradients& operands, float* scratch) const override {
    float* d_sum = scratch + MlpHead::scratch(input.rows);
    sum(input, d_sum, scratch);
    for (std::size_t i = 0; i < input.rows; ++i) {
      float* x = d_sum + i * width();
      const float* g = d_output + i * width();
      const float square = squared_norm(width(), x);
      if (square > bound_ * bound_) {
        const float shrink = bound_ / std::sqrt(square);
        scale(width(), -shrink * dot(width(), g, x) / square, x);
        axpy(width(), shrink, g, x);
      } else {
        std::copy_n(g, width(), x);
      }
    }
    MlpHead::backward(input, d_sum, d_hidden, gradients, operands, scratch);
    if (operands.left.data != nullptr) accumulate_rows(input.rows, width(), {d_sum, width()}, operands.left);
  }

 private:
  void sum(const HeadInput& input, float* x, float* scratch) const {
    MlpHead::forward(input, x, scratch);
    accumulate_rows(input.rows, width(), input.left, {x, width()});
  }

  float bound_;
};

// out = (P left) * (Q right), element by element, and mlp(h) + that with hidden layers. The product is the AND of fuzzy
// logic in each dimension; under the dot product with T it makes the truth of AND(a, b) bilinear in a and b.
class ProductHead : public Head {
 public:
  ProductHead(const ModuleOptions& options, std::size_t width, std::size_t hidden, const std::string& prefix,
              ParameterSet& parameters)
      : width_(width) {
    if (hidden > 0) mlp_ = std::make_unique<MlpHead>(options, width, hidden, prefix, parameters);
    left_.weight = parameters.add(prefix + ".product_left", width, width);
    right_.weight = parameters.add(prefix + ".product_right", width, width);
  }

  bool uses_operands() const override { return true; }

  void prepare(const ParameterSet& parameters) override {
    if (mlp_) mlp_->prepare(parameters);
    for (Side* side : {&left_, &right_}) {
      side->value = parameters.value(side->weight).data;
      side->transposed.reshape(width_ * width_);
      transpose(width_, width_, side->value, width_, side->transposed.data(), width_);
    }
  }

  // The operands, their projections, and a gradient.
  std::size_t scratch(std::size_t rows) const override { return 5 * rows * width_ + (mlp_ ? mlp_->scratch(rows) : 0); }

  void forward(const HeadInput& input, float* output, float* scratch) const override {
    const std::size_t block = input.rows * width_;
    float* left = scratch;
    float* right = scratch + block;
    project(input, scratch, left, right);
    if (mlp_) {
      mlp_->forward(input, output, scratch + 5 * block);
      multiply_add(block, left, right, output);
    } else {
      multiply(block, left, right, output);
    }
  }

  // With l = P left and r = Q right: dl = g * r, dr = g * l.
  void backward(const HeadInput& input, const float* d_output, float* d_hidden, LaneGradients* gradients,
                const OperandGradients& operands, float* scratch) const override {
    const std::size_t block = input.rows * width_;
    if (mlp_) mlp_->backward(input, d_output, d_hidden, gradients, operands, scratch + 5 * block);
    float* left = scratch;
    float* right = scratch + block;
    project(input, scratch, left, right);
    float* d_projected = scratch + 2 * block;
    float* gathered = scratch + 3 * block;
    float* d_operand = scratch + 4 * block;
    const auto side_backward = [&](const Side& side, const float* other, const RowSource& operand,
                                   const RowTarget& target) {
      multiply(block, d_output, other, d_projected);
      if (gradients != nullptr) {
        copy_rows(input.rows, width_, operand, {gathered, width_});
        gradients->add_product(side.weight, input.rows, gathered, d_projected, width_);
      }
      if (target.data == nullptr) return;
      matmul({input.rows, width_, width_}, by_rows(d_projected, width_), side.transposed.data(), width_, d_operand,
             width_);
      accumulate_rows(input.rows, width_, {d_operand, width_}, target);
    };
    side_backward(left_, right, input.left, operands.left);
    side_backward(right_, left, input.right, operands.right);
  }

  std::size_t multiply_adds() const override { return 2 * width_ * width_ + (mlp_ ? mlp_->multiply_adds() : 0); }

 private:
  struct Side {
    std::size_t weight = 0;  // parameter
    const float* value = nullptr;
    AlignedArray<float> transposed;
  };

  void project(const HeadInput& input, float* scratch, float* left, float* right) const {
    float* gathered = scratch + 3 * input.rows * width_;
    const auto one = [&](const Side& side, const RowSource& operand, float* projected) {
      copy_rows(input.rows, width_, operand, {gathered, width_});
      matmul({input.rows, width_, width_}, by_rows(gathered, width_), side.value, width_, projected, width_);
    };
    one(left_, input.left, left);
    one(right_, input.right, right);
  }

  std::size_t width_;
  std::unique_ptr<MlpHead> mlp_;  // null: the product alone
  Side left_, right_;
};

}  // namespace

std::unique_ptr<Head> make_gate_head(const NetworkOptions& options, Gate gate, const std::string& prefix,
                                     ParameterSet& parameters) {
  const std::size_t width = options.width;
  const std::size_t hidden = options.gate_hidden(gate);
  switch (options.structure(gate)) {
    case Structure::kMlp:
      break;
    case Structure::kResidual:
      return std::make_unique<ResidualHead>(options.gate, width, hidden, false, prefix, parameters);
    case Structure::kLeftResidual: {
      const float bound = options.length_bound > 0.0F ? options.length_bound : std::sqrt(static_cast<float>(width));
      return std::make_unique<LeftResidualHead>(options.gate, width, hidden, bound, prefix, parameters);
    }
    case Structure::kProduct:
    case Structure::kMlpProduct:
      return std::make_unique<ProductHead>(options.gate, width, hidden, prefix, parameters);
  }
  return std::make_unique<MlpHead>(options.gate, width, hidden, prefix, parameters);
}

std::unique_ptr<Head> make_negation_head(const NetworkOptions& options, const std::string& prefix,
                                         ParameterSet& parameters) {
  const std::size_t hidden = options.negation_hidden();
  if (options.negation.structure == Structure::kResidual) {
    return std::make_unique<ResidualHead>(options.negation, options.width, hidden, true, prefix, parameters);
  }
  return std::make_unique<MlpHead>(options.negation, options.width, hidden, prefix, parameters);
}

}  // namespace linn
