#include "linn/logic/vocabulary.h"

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <random>

#include "linn/base/error.h"
#include "linn/base/utf8.h"

namespace linn {
namespace {

constexpr std::size_t kFirstSlots = 64;  // a power of two, like every later size
constexpr std::size_t kWord = 8;         // bytes

void check_name(std::string_view name) {
  if (name.empty()) throw InputError("a variable's name must not be empty");
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) throw InputError("a variable's name must not contain control characters");
  }
  if (!is_valid_utf8(name)) throw InputError("a variable's name must be valid UTF-8");
}

struct HashKeys {
  std::uint64_t start = 0;
  std::array<std::uint64_t, 3> factors = {};  // odd: multiplication by them is invertible
  std::array<char, XXH3_SECRET_SIZE_MIN> secret = {};

  HashKeys() {
    std::random_device random;
    const auto word = [&] { return (std::uint64_t{random()} << 32U) | random(); };
    start = word();
    for (std::uint64_t& factor : factors) factor = word() | 1U;
    for (char& byte : secret) byte = static_cast<char>(random());
  }
};

}  // namespace

// Keyed with random numbers of the process: whoever knew the hash could choose names that all fall into one slot, and
// every search would take time proportional to their number. A name of at most one word is hashed by an invertible
// function of its bytes, so names of that and equal length have equal hashes only if they are equal.
std::uint64_t Vocabulary::hash(std::string_view name) {
  static const HashKeys keys;
  if (name.size() > kWord)
    return XXH3_64bits_withSecret(name.data(), name.size(), keys.secret.data(), keys.secret.size());
  std::uint64_t h = 0;
  for (const char c : name) h = (h << 8U) | static_cast<unsigned char>(c);
  h ^= keys.start + name.size();
  for (const std::uint64_t factor : keys.factors) {
    h *= factor;
    h ^= h >> 32U;
  }
  return h;
}

// The slot that holds the name, or the free slot for it.
std::size_t Vocabulary::slot_of(std::string_view name, std::uint64_t h) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = h & mask;; i = (i + 1) & mask) {
    const Slot& slot = slots_[i];
    if (slot.id_plus_one == 0) return i;
    if (slot.hash != h || slot.length != name.size()) continue;
    // For short names an equal hash implies an equal name.
    if (name.size() <= kWord || names_[slot.id_plus_one - 1] == name) return i;
  }
}

void Vocabulary::grow() {
  std::vector<Slot> old(std::max(kFirstSlots, slots_.size() * 2));
  std::swap(old, slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.id_plus_one == 0) continue;
    std::size_t i = slot.hash & mask;
    while (slots_[i].id_plus_one != 0) i = (i + 1) & mask;
    slots_[i] = slot;
  }
}

VariableId Vocabulary::intern(std::string_view name) {
  if (names_.size() * 4 >= slots_.size() * 3) grow();
  const std::uint64_t h = hash(name);
  Slot& slot = slots_[slot_of(name, h)];
  if (slot.id_plus_one != 0) return slot.id_plus_one - 1;

  check_name(name);
  // A literal needs one bit more than its variable's id.
  constexpr std::size_t kMaxNames = std::size_t{1} << 30U;
  if (names_.size() >= kMaxNames) throw InputError(fmt::format("more than {} variables", kMaxNames));
  names_.emplace_back(name);
  slot = {h, static_cast<std::uint32_t>(names_.size()), static_cast<std::uint32_t>(name.size())};
  return slot.id_plus_one - 1;
}

std::optional<VariableId> Vocabulary::find(std::string_view name) const {
  if (slots_.empty()) return std::nullopt;
  const Slot& slot = slots_[slot_of(name, hash(name))];
  if (slot.id_plus_one == 0) return std::nullopt;
  return slot.id_plus_one - 1;
}

std::size_t Vocabulary::longest_search() const {
  std::size_t longest = 0;
  for (const std::string& name : names_) {
    const std::uint64_t h = hash(name);
    const std::size_t mask = slots_.size() - 1;
    longest = std::max(longest, ((slot_of(name, h) - h) & mask) + 1);
  }
  return longest;
}

}  // namespace linn
