#include "linn/logic/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "linn/base/error.h"
#include "linn/base/utf8.h"

namespace linn {
namespace {

constexpr std::size_t kFirstSlots = 64;  // a power of two, like every later size
constexpr std::size_t kWord = 8;         // bytes hashed at a time

void check_name(std::string_view name) {
  if (name.empty()) throw InputError("a variable's name must not be empty");
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) throw InputError("a variable's name must not contain control characters");
  }
  if (!is_valid_utf8(name)) throw InputError("a variable's name must be valid UTF-8");
}

}  // namespace

// Every step except absorbing a further word is invertible, so names of one word and equal length have equal hashes
// only if they are equal.
std::uint64_t Vocabulary::hash(std::string_view name) {
  std::uint64_t h = 0x9E3779B97F4A7C15U ^ name.size();
  while (!name.empty()) {
    std::uint64_t word = 0;
    const std::size_t n = std::min(name.size(), kWord);
    if (n == kWord) {
      std::memcpy(&word, name.data(), kWord);
    } else {
      for (std::size_t i = 0; i < n; ++i) word = (word << 8U) | static_cast<unsigned char>(name[i]);
    }
    h = (h ^ word) * 0xBF58476D1CE4E5B9U;
    h ^= h >> 29U;
    name.remove_prefix(n);
  }
  h *= 0x94D049BB133111EBU;
  return h ^ (h >> 32U);
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

}  // namespace linn
