// Activation functions whose derivatives follow from their outputs.
#pragma once

#include <cstddef>

#include "linn/kernels/rows.h"
#include "linn/nn/network_options.h"

namespace linn {

// x[i] = f(x[i])
void activate(Activation activation, std::size_t size, float* x);

// d[i] *= f'(x) where y[i] = f(x)
void activation_backward(Activation activation, std::size_t size, const float* y, float* d);

// The first layer of a module with projected operands: h = f(a + b + bias), row by row. Without data, b is left out.
void add_activate(Activation activation, std::size_t rows, std::size_t columns, const RowSource& a, const RowSource& b,
                  const float* bias, float* h);

}  // namespace linn
