#include "linn/data/item_categories.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace linn {
namespace {

// Calls `use` for every value.
template <class Use>
void for_each_value(std::string_view values, Use use) {
  while (!values.empty()) {
    const std::size_t end = std::min(values.find('|'), values.size());
    if (end > 0) use(values.substr(0, end));
    values.remove_prefix(std::min(end + 1, values.size()));
  }
}

}  // namespace

ItemCategories::ItemCategories(const std::vector<CategoryColumn>& columns, std::size_t items) {
  std::vector<std::map<std::string_view, std::uint32_t>> known(columns.size());  // ordered: values may collide
  starts_.push_back(0);
  for (std::size_t item = 0; item < items; ++item) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      for_each_value(columns[i].values[item], [&](std::string_view value) {
        const auto [category, is_new] = known[i].try_emplace(value, static_cast<std::uint32_t>(count_));
        if (is_new) ++count_;
        categories_.push_back(category->second);
      });
    }
    const auto first = categories_.begin() + static_cast<std::ptrdiff_t>(starts_.back());
    std::sort(first, categories_.end());
    categories_.erase(std::unique(first, categories_.end()), categories_.end());
    starts_.push_back(categories_.size());
  }
}

}  // namespace linn
