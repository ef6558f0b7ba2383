// The part of a module after its first layer.
//
// AND, OR and NOT all begin with a linear map of their operands, which is computed once per vector and shared by all
// users of the vector. The rest of a module is a head: a function from the first hidden layer h (and optionally the
// operands themselves) to the output vector. To add a module structure, write another head, name it in Structure and
// in network_option_table.cc, and construct it in make_gate_head(); nothing else changes. `ResidualHead` is an example.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "linn/base/aligned.h"
#include "linn/kernels/rows.h"
#include "linn/nn/lane_gradients.h"
#include "linn/nn/network_options.h"
#include "linn/nn/parameters.h"

namespace linn {

// The rows of one call.
struct HeadInput {
  std::size_t rows = 0;
  const float* hidden = nullptr;  // rows x hidden width: the first hidden layer, activated
  RowSource left{};               // the operands, for heads that use them; NOT has only the left one
  RowSource right{};
};

// Where a head that uses its operands adds their gradients. Targets without data are skipped.
struct OperandGradients {
  RowTarget left;
  RowTarget right;
};

class Head {
 public:
  virtual ~Head() = default;

  // Whether HeadInput must hold the operands besides the hidden layer.
  virtual bool uses_operands() const { return false; }
  // Whether the right one is among them.
  virtual bool uses_right_operand() const { return uses_operands(); }

  // Copies the parameters into the layout that the products need. Call it whenever parameters have changed.
  virtual void prepare(const ParameterSet& parameters) = 0;

  // The number of floats of scratch that a call with so many rows needs.
  virtual std::size_t scratch(std::size_t rows) const = 0;

  // output: rows x width.
  virtual void forward(const HeadInput& input, float* output, float* scratch) const = 0;

  // From the gradient of the output: writes the gradient of the activated hidden layer (rows x hidden width), adds
  // those of the parameters (unless `gradients` is null) and those of the operands.
  virtual void backward(const HeadInput& input, const float* d_output, float* d_hidden, LaneGradients* gradients,
                        const OperandGradients& operands, float* scratch) const = 0;

  // Multiply-adds of one row, forward.
  virtual std::size_t multiply_adds() const = 0;
};

// Both add the head's parameters to the set, as PREFIX.NAME.
std::unique_ptr<Head> make_gate_head(const NetworkOptions& options, Gate gate, const std::string& prefix,
                                     ParameterSet& parameters);
std::unique_ptr<Head> make_negation_head(const NetworkOptions& options, const std::string& prefix,
                                         ParameterSet& parameters);

}  // namespace linn
