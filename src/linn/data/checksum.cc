#include "linn/data/checksum.h"

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdint>
#include <string_view>

#include "linn/logic/print.h"

namespace linn {
namespace {

// Collects what is added, and hashes it in large pieces, each with the hash of those before it as its seed.
class Checksum {
 public:
  void add(std::uint64_t number) { append({reinterpret_cast<const char*>(&number), sizeof number}); }
  void add(std::string_view text) {
    add(text.size());
    append(text);
  }
  void add(const Vocabulary& names) {
    add(names.size());
    for (VariableId id = 0; id < names.size(); ++id) add(names.name(id));
  }
  std::string text() {
    flush();
    return fmt::format("{:016x}", hash_);
  }

 private:
  void append(std::string_view bytes) {
    constexpr std::size_t kPiece = std::size_t{1} << 16;
    pending_ += bytes;
    if (pending_.size() >= kPiece) flush();
  }
  void flush() {
    hash_ = XXH64(pending_.data(), pending_.size(), hash_);
    pending_.clear();
  }

  std::uint64_t hash_ = 0;
  std::string pending_;
};

}  // namespace

std::string checksum(const EquationData& data) {
  Checksum sum;
  for (const EquationList* list : {&data.train, &data.validation, &data.test}) {
    sum.add(list->size());
    for (std::size_t i = 0; i < list->size(); ++i) {
      sum.add(to_string(data.pool, list->expressions[i]));
      sum.add(fmt::format("{}", list->labels[i]));
    }
  }
  return sum.text();
}

std::string checksum(const Vocabulary& users, const Vocabulary& items) {
  Checksum sum;
  sum.add(users);
  sum.add(items);
  return sum.text();
}

std::string checksum(const InteractionData& data) {
  Checksum sum;
  sum.add(data.users);
  sum.add(data.items);
  for (const auto* part : {&data.train, &data.validation, &data.test}) {
    sum.add(part->size());
    for (const Interaction& row : *part) {
      sum.add((std::uint64_t{row.user} << 32U) | row.item);
      sum.add((static_cast<std::uint64_t>(row.time) << 1U) | (row.liked ? 1U : 0U));
    }
  }
  for (const CategoryColumn& column : data.categories) {
    sum.add(column.name);
    for (const std::string& values : column.values) sum.add(values);
  }
  return sum.text();
}

}  // namespace linn
