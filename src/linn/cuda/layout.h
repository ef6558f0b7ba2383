// Where the parameters of a network lie on the device, and the way there and back.
#pragma once

#include <vector>

#include "linn/cuda/pass.h"
#include "linn/nn/logic_network.h"

namespace linn::cuda {

class Layout {
 public:
  // Throws InputError for a structure that the device does not know.
  explicit Layout(const LogicNetwork& network);

  const Shape& shape() const { return shape_; }
  std::size_t size() const { return size_; }
  // The parts of a block of so many floats.
  Weights parts_of(float* block) const;
  // Whether coupled or decoupled decay applies to each element.
  std::vector<std::uint8_t> decays(bool decay_biases) const;

  // From the order of ParameterSet to that of the device, and back.
  void to_device(std::span<const float> parameters, std::vector<float>& block) const;
  void to_host(std::span<const float> block, std::span<float> parameters) const;

 private:
  struct Piece {
    std::size_t offset, rows, columns;  // of the parameter
    std::size_t at, stride;             // on the device
    bool is_bias;
  };
  std::size_t add(const LogicNetwork& network, const std::string& name);
  void add_at(const LogicNetwork& network, const std::string& name, std::size_t at, std::size_t stride);

  Shape shape_;
  std::vector<Piece> pieces_;
  std::size_t size_ = 0;
  static constexpr std::size_t kAbsent = ~std::size_t{0};
  std::size_t bias_at_[2] = {kAbsent, kAbsent}, out_at_[2] = {kAbsent, kAbsent}, out_bias_at_[2] = {kAbsent, kAbsent};
  std::size_t negation_bias_at_ = 0, negation_out_at_ = 0, negation_out_bias_at_ = kAbsent;
};

}  // namespace linn::cuda
