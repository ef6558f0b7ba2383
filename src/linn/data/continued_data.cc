#include "linn/data/continued_data.h"

#include <algorithm>
#include <utility>

namespace linn {
namespace {

void append(EquationList& list, const EquationList& more) {
  for (std::size_t i = 0; i < more.size(); ++i) list.add(more.expressions[i], more.labels[i]);
}

// Columns of the same name continue each other; what is said of an item later counts.
void continue_categories(std::vector<CategoryColumn>& columns, const std::vector<CategoryColumn>& later,
                         const std::vector<ItemId>& number_of, std::size_t items) {
  for (const CategoryColumn& column : later) {
    auto own = std::ranges::find(columns, column.name, &CategoryColumn::name);
    if (own == columns.end()) own = columns.insert(own, {column.name, {}});
    own->values.resize(items);
    for (ItemId item = 0; item < column.values.size(); ++item) {
      if (!column.values[item].empty()) own->values[number_of[item]] = column.values[item];
    }
  }
  for (CategoryColumn& column : columns) column.values.resize(items);
}

}  // namespace

InteractionData continue_data(InteractionData earlier, const InteractionData& later) {
  InteractionData data = std::move(earlier);
  for (auto* part : {&data.validation, &data.test}) {
    data.train.insert(data.train.end(), part->begin(), part->end());
    part->clear();
  }
  data.earlier = data.train.size();

  std::vector<UserId> users;
  std::vector<ItemId> items;
  for (UserId user = 0; user < later.users.size(); ++user) users.push_back(data.users.intern(later.users.name(user)));
  for (ItemId item = 0; item < later.items.size(); ++item) items.push_back(data.items.intern(later.items.name(item)));
  const auto add = [&](const std::vector<Interaction>& rows, std::vector<Interaction>& part) {
    for (const Interaction& row : rows) part.push_back({users[row.user], items[row.item], row.liked, row.time});
  };
  add(later.train, data.train);
  add(later.validation, data.validation);
  add(later.test, data.test);

  continue_categories(data.categories, later.categories, items, data.items.size());
  if (!later.titles.empty()) data.titles.resize(data.items.size());
  for (ItemId item = 0; item < later.titles.size(); ++item) {
    if (!later.titles[item].empty()) data.titles[items[item]] = later.titles[item];
  }
  if (!data.titles.empty()) data.titles.resize(data.items.size());
  return data;
}

EquationData continue_data(EquationData earlier, EquationData later) {
  EquationData data = std::move(earlier);
  data.pool = std::move(later.pool);
  data.earlier = data.train.size();
  append(data.train, later.train);
  append(data.validation, later.validation);
  append(data.test, later.test);
  data.unsplit = data.unsplit && later.unsplit;
  if (later.truth) {
    if (!data.truth) data.truth.emplace();
    data.truth->resize(std::max(data.truth->size(), later.truth->size()));
    for (std::size_t i = 0; i < later.truth->size(); ++i) {
      if ((*later.truth)[i]) (*data.truth)[i] = (*later.truth)[i];
    }
  }
  return data;
}

}  // namespace linn
