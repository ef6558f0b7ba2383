// What follows a module's first layer.
//
// AND, OR and NOT all begin with a linear map of their operands, which is computed once for each vector and shared by
// everything that uses it. The rest of a module is a head: from the first hidden layer h (and, if it likes, the
// operands themselves) to the output vector. To add another module structure, write another head, name it in
// Structure and in network_option_table.h, and make it in make_head(); nothing else changes. `ResidualHead` shows it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "linn/base/aligned.h"
#include "linn/kernels/rows.h"
#include "linn/nn/network_options.h"
#include "linn/nn/parameters.h"

namespace linn {

// The rows that a head works on.
struct HeadInput {
  std::size_t rows = 0;
  const float* hidden = nullptr;  // rows x hidden width: the first hidden layer, activated
  RowSource left{};               // the operands, for heads that use them; NOT has only the left one
  RowSource right{};
};

// Where the gradients of the operands are added, for heads that use them. No data: not wanted.
struct OperandGradients {
  RowTarget left;
  RowTarget right;
};

class Head {
 public:
  virtual ~Head() = default;

  // Whether the operands must be given beside the hidden layer.
  virtual bool uses_operands() const { return false; }

  // Copies of the parameters in the layout that the products want. To be called whenever parameters have changed.
  virtual void prepare(ParameterSet& parameters) = 0;

  // How many floats of scratch a call with so many rows needs.
  virtual std::size_t scratch(std::size_t rows) const = 0;

  // output: rows x width.
  virtual void forward(const HeadInput& input, float* output, float* scratch) const = 0;

  // From the gradient of the output: writes the gradient of the hidden layer as it was activated (rows x hidden
  // width), adds those of the parameters to a block laid out like ParameterSet's (null: not wanted), and those of the
  // operands.
  virtual void backward(const HeadInput& input, const float* d_output, float* d_hidden, float* parameter_gradients,
                        const OperandGradients& operands, float* scratch) const = 0;

  // Multiply-adds of one row, forward.
  virtual std::size_t multiply_adds() const = 0;
};

// Adds the head's parameters to the set, as PREFIX.NAME.
std::unique_ptr<Head> make_head(const ModuleOptions& options, std::size_t width, std::size_t hidden, bool is_negation,
                                const std::string& prefix, ParameterSet& parameters);

}  // namespace linn
