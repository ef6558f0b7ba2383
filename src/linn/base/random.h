// Random numbers that are the same on every platform and compiler.
//
// The generator is xoshiro256++ seeded through splitmix64 (Blackman & Vigna, 2019). The distributions of the standard
// library differ between implementations, so the few that are needed are defined here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace linn {

class Random {
 public:
  using result_type = std::uint64_t;

  // Streams of one seed are independent, so every consumer (a file, an epoch, a worker) can own a generator that is
  // unaffected by what the others draw.
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0);

  std::uint64_t next();

  // Uniform in [0, bound); bound must not be 0.
  std::uint64_t below(std::uint64_t bound);

  // Uniform in [low, high], inclusive.
  std::int64_t between(std::int64_t low, std::int64_t high);

  // Uniform in [0, 1), a multiple of 2^-53.
  double uniform();

  // True with the given probability.
  bool chance(double probability) { return uniform() < probability; }

  // Standard normal. Relies on the C library's logarithm and cosine, whose last bit may differ between platforms;
  // values that must be identical everywhere are drawn with the other functions.
  double normal();

  template <class T>
  void shuffle(std::span<T> values) {
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
  }

  // The whole state, for saving and resuming.
  using State = std::array<std::uint64_t, 4>;
  const State& state() const { return state_; }
  void set_state(const State& state) { state_ = state; }

  static constexpr std::uint64_t min() { return 0; }
  static constexpr std::uint64_t max() { return ~std::uint64_t{0}; }
  std::uint64_t operator()() { return next(); }

 private:
  State state_;
};

}  // namespace linn
