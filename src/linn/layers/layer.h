// Conventions that all layers of the baselines share.
//
//   Linear layer(parameters, "score", 64, 1);                    // adds score.weight and score.bias
//   Linear::Cache cache;                                         // one for each place where the network uses the layer
//   ParameterGradients gradients(parameters);
//   layer.forward(parameters, x, y, cache);                      // writes y
//   layer.backward(parameters, gradients, gradients, x, dy, dx, cache);     // writes dx, adds to the gradients of
//   weight and bias
//
// - A layer holds sizes and parameter numbers and is const: threads may share it, each with its own caches and
//   gradients.
// - Outputs and the gradients of inputs are overwritten; the gradients of parameters are added to.
// - The caller keeps the inputs (and the outputs, where backward takes them) until backward is done. The cache keeps
//   everything else between forward and backward. It serves batches of any size and allocates only when a batch is
//   larger than all before. A forward pass alone allocates nothing that only backward needs.
// - Matrices are stored row by row with any stride. Outputs overlap no inputs unless stated otherwise.
// - A weight matrix is inputs × outputs, the layout matmul expects on its right side: the transpose of PyTorch's.
// - The order of summation depends on the shapes alone, so the same call gives the same bits.
// - Values start as zeros; ParameterSet::initialize_normal or the model initializes them.
#pragma once

#include "linn/kernels/matrix.h"
#include "linn/nn/parameters.h"
