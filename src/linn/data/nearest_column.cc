#include "linn/data/nearest_column.h"

#include <algorithm>
#include <cstddef>

namespace linn {
namespace {

// The length of the longest common subsequence, regardless of case.
std::size_t common_letters(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  std::vector<std::size_t> row(b.size() + 1);  // of the beginning of a, with each beginning of b
  for (const char letter : a) {
    std::size_t diagonal = 0;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t above = row[j + 1];
      row[j + 1] = lower(letter) == lower(b[j]) ? diagonal + 1 : std::max(above, row[j]);
      diagonal = above;
    }
  }
  return row.back();
}

// Words for what a column holds, which headers are compared with. They are no names that are read without being given.
std::vector<std::string_view> words_for(RatingField field) {
  switch (field) {
    case RatingField::kUser:
      return {"user", "customer", "client", "member", "account", "person", "visitor", "reader", "who"};
    case RatingField::kItem:
      return {"item", "product", "article", "movie", "film", "book", "song", "track", "sku", "what"};
    case RatingField::kRating:
      return {"rating", "score", "stars", "grade", "vote", "value", "label", "quantity", "count"};
    case RatingField::kTime:
      return {"time", "date", "when", "created", "at"};
    case RatingField::kTitle:
      return {"title", "name", "description"};
  }
  return {};
}

// How much a column resembles the most similar of the names, from 0 to 1.
double likeness(std::string_view column, std::span<const std::string_view> names) {
  double best = 0.0;
  for (const std::string_view name : names) {
    const double shared = 2.0 * static_cast<double>(common_letters(column, name));
    best = std::max(best, shared / static_cast<double>(column.size() + name.size()));
  }
  return best;
}

}  // namespace

std::string_view untyped(std::string_view name) {
  for (const std::string_view type : {":token_seq", ":token", ":float_seq", ":float"}) {
    if (name.ends_with(type)) return name.substr(0, name.size() - type.size());
  }
  return name;
}

std::string nearest_column(std::span<const std::string> columns, const std::vector<bool>& taken, RatingField field,
                           std::span<const std::string_view> usual) {
  std::string nearest;
  double best = 0.0;
  constexpr std::size_t kLongest = 100;  // characters of a header
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string_view column = untyped(columns[i]);
    if (taken[i] || column.empty() || column.size() > kLongest) continue;
    const double here = std::max(likeness(column, words_for(field)), likeness(column, usual));
    bool elsewhere = false;  // whether it rather means another field
    for (std::size_t other = 0; other < kRatingFields; ++other) {
      elsewhere = elsewhere || likeness(column, words_for(static_cast<RatingField>(other))) > here;
    }
    if (elsewhere || here <= best) continue;
    best = here;
    nearest = columns[i];
  }
  return nearest;
}

}  // namespace linn
