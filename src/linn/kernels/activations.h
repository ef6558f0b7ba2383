// Activations besides the relu of elementwise.h, over whole arrays.
//
// As with the other kernels, the result at one place depends on the value there alone (in a softmax: on the whole
// array), an output may be the same array as an input, and NaN stays NaN. The backward functions take the output of
// forward, from which these derivatives follow.
#pragma once

#include <cstddef>

namespace linn {

// y = 1 / (1 + e^-x)
void sigmoid(std::size_t size, const float* x, float* y);

// y = tanh(x)                 dx = dy · (1 - y²)
void tanh(std::size_t size, const float* x, float* y);
void tanh_backward(std::size_t size, const float* y, const float* dy, float* dx);

// y = e^x / Σ e^x             dx = y · (dy - Σ dy·y)
void softmax(std::size_t size, const float* x, float* y);
void softmax_backward(std::size_t size, const float* y, const float* dy, float* dx);

}  // namespace linn
