// Activations without parameters, beside the relu of the kernels: whole arrays, and softmax over rows.
//
// As with the kernels, a result at one place depends on nothing but the value there (in a softmax: on its row), an
// output may be the same array as an input, and what is not a number stays so. The backward functions take the
// output of forward, from which all these derivatives follow.
#pragma once

#include <cstddef>
#include <cstdint>

#include "linn/layers/layer.h"

namespace linn {

// y = 1 / (1 + e^-x)          dx = dy · y · (1 - y)
void sigmoid(std::size_t size, const float* x, float* y);
void sigmoid_backward(std::size_t size, const float* y, const float* dy, float* dx);

// y = tanh(x)                 dx = dy · (1 - y²)
void tanh(std::size_t size, const float* x, float* y);
void tanh_backward(std::size_t size, const float* y, const float* dy, float* dx);

// y = e^x / Σ e^x             dx = y · (dy - Σ dy·y)
void softmax(std::size_t size, const float* x, float* y);
void softmax_backward(std::size_t size, const float* y, const float* dy, float* dx);

// A softmax over every row. Where a mask is given, rows × cols without gaps, an element with mask 0 takes no part: it
// gets 0, and so does its gradient. A row without any element is all zeros.
void softmax_rows(const ConstMatrixView& x, const std::uint8_t* mask, const MatrixView& y);
void softmax_rows_backward(const ConstMatrixView& y, const ConstMatrixView& dy, const MatrixView& dx);

}  // namespace linn
