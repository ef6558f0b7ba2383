#include "linn/nn/network_options.h"

namespace linn {

NetworkOptions NetworkOptions::paper(std::size_t width) {
  NetworkOptions options;
  options.width = width;
  options.gate.hidden = width;
  options.negation.hidden = width;
  return options;
}

NetworkOptions NetworkOptions::authors(std::size_t width) {
  NetworkOptions options;
  options.width = width;
  options.gate.hidden = 2 * width;
  options.gate.output_bias = true;
  options.negation.hidden = width;
  options.negation.output_bias = true;
  return options;
}

}  // namespace linn
