#include "linn/base/random.h"

#include <bit>
#include <cassert>
#include <cmath>
#include <numbers>

namespace linn {
namespace {

std::uint64_t splitmix64(std::uint64_t& x) {
  x += 0x9E3779B97F4A7C15U;
  std::uint64_t z = x;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31U);
}

// The full 128-bit product, without relying on a 128-bit type.
struct Product {
  std::uint64_t high, low;
};
Product multiply(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t a0 = a & 0xFFFFFFFFU, a1 = a >> 32U;
  const std::uint64_t b0 = b & 0xFFFFFFFFU, b1 = b >> 32U;
  const std::uint64_t low = a0 * b0;
  const std::uint64_t middle1 = a1 * b0 + (low >> 32U);
  const std::uint64_t middle2 = a0 * b1 + (middle1 & 0xFFFFFFFFU);
  return {a1 * b1 + (middle1 >> 32U) + (middle2 >> 32U), (middle2 << 32U) | (low & 0xFFFFFFFFU)};
}

}  // namespace

Random::Random(std::uint64_t seed, std::uint64_t stream) {
  // Two rounds, so that neighbouring seeds and streams are unrelated.
  std::uint64_t x = seed;
  std::uint64_t y = splitmix64(x) ^ (stream * 0xD1342543DE82EF95U);
  for (auto& word : state_) word = splitmix64(y);
}

std::uint64_t Random::next() {
  auto& s = state_;
  const std::uint64_t result = std::rotl(s[0] + s[3], 23) + s[0];
  const std::uint64_t t = s[1] << 17U;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = std::rotl(s[3], 45);
  return result;
}

std::uint64_t Random::below(std::uint64_t bound) {
  assert(bound != 0);
  // Lemire's method: multiply, and reject the few values that would bias the result.
  Product product = multiply(next(), bound);
  if (product.low < bound) {
    const std::uint64_t threshold = (0 - bound) % bound;
    while (product.low < threshold) product = multiply(next(), bound);
  }
  return product.high;
}

std::int64_t Random::between(std::int64_t low, std::int64_t high) {
  assert(low <= high);
  const std::uint64_t width = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
  const std::uint64_t offset = width == 0 ? next() : below(width);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + offset);
}

double Random::uniform() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }

double Random::normal() {
  // Box-Muller; the second value is discarded, so that the generator has no other state.
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

}  // namespace linn
