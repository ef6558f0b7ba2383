// Variable names and their consecutive ids.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linn {

using VariableId = std::uint32_t;

// Assigns consecutive ids to distinct names, in order of first occurrence.
class Vocabulary {
 public:
  // The id of a name, which is added if it is new. A name must be non-empty, valid UTF-8 and free of control characters
  // (otherwise InputError), so that every file format and JSON can represent it.
  VariableId intern(std::string_view name);

  std::optional<VariableId> find(std::string_view name) const;

  const std::string& name(VariableId id) const { return names_[id]; }
  std::size_t size() const { return names_.size(); }
  // The most slots that are looked at to find a name: small for any names.
  std::size_t longest_search() const;
  // All names, by id.
  std::vector<std::string> names() const { return {names_.begin(), names_.end()}; }

 private:
  static std::uint64_t hash(std::string_view name);
  std::size_t slot_of(std::string_view name, std::uint64_t hash) const;
  void grow();

  // Open addressing over the ids; names are stored separately so that references to them stay valid.
  struct Slot {
    std::uint64_t hash = 0;
    std::uint32_t id_plus_one = 0;
    std::uint32_t length = 0;
  };
  std::deque<std::string> names_;
  std::vector<Slot> slots_;
};

}  // namespace linn
