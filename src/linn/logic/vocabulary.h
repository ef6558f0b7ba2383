// Names of variables and their dense numbers.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linn {

using VariableId = std::uint32_t;

// Gives every distinct name a number from 0 on, in the order of first meeting.
class Vocabulary {
 public:
  // The number of a name, new or known. A name must be valid UTF-8 without control characters and not
  // empty (InputError), so that it survives every file format and JSON.
  VariableId intern(std::string_view name);

  std::optional<VariableId> find(std::string_view name) const;

  const std::string& name(VariableId id) const { return names_[id]; }
  std::size_t size() const { return names_.size(); }

 private:
  static std::uint64_t hash(std::string_view name);
  std::size_t slot_of(std::string_view name, std::uint64_t hash) const;
  void grow();

  // Open addressing over the numbers; names stand apart so that references to them stay valid.
  struct Slot {
    std::uint64_t hash = 0;
    std::uint32_t id_plus_one = 0;
    std::uint32_t length = 0;
  };
  std::deque<std::string> names_;
  std::vector<Slot> slots_;
};

}  // namespace linn
