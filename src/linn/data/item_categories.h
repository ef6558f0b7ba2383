// Categories of items, such as genres, from the further columns of a table of items.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace linn {

// A column as written: the values of an item are separated by '|'.
struct CategoryColumn {
  std::string name;
  std::vector<std::string> values;  // by item; empty: none

  friend bool operator==(const CategoryColumn&, const CategoryColumn&) = default;
};

// The same with numbers for the values: the same word in two columns makes two categories.
class ItemCategories {
 public:
  ItemCategories() = default;
  // Categories are numbered in the order in which items have them.
  ItemCategories(const std::vector<CategoryColumn>& columns, std::size_t items);

  // The number of categories; 0 if there are no columns.
  std::size_t count() const { return count_; }
  // Of an item, ascending.
  std::span<const std::uint32_t> of(std::size_t item) const {
    return std::span(categories_).subspan(starts_[item], starts_[item + 1] - starts_[item]);
  }

 private:
  std::size_t count_ = 0;
  std::vector<std::uint32_t> categories_;
  std::vector<std::size_t> starts_;  // of each item, and the end
};

}  // namespace linn
