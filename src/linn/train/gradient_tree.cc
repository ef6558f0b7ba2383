#include "linn/train/gradient_tree.h"

#include <algorithm>
#include <bit>
#include <cassert>

#include "linn/kernels/elementwise.h"

namespace linn {
namespace {

// Sizes of tasks.
constexpr std::size_t kSlice = 8192;  // numbers
constexpr std::size_t kRows = 128;

constexpr std::size_t kBits = 64;

void find_subtrees(std::size_t begin, std::size_t end, Subtree tree, std::vector<Subtree>& found) {
  if (tree.end <= begin || tree.begin >= end) return;
  if (begin <= tree.begin && tree.end <= end) {
    found.push_back(tree);
    return;
  }
  const std::size_t middle = (tree.begin + tree.end) / 2;
  find_subtrees(begin, end, {tree.begin, middle}, found);
  find_subtrees(begin, end, {middle, tree.end}, found);
}

// Returns the place of the sum over the tree.
std::uint32_t find_additions(Subtree tree, std::span<const Subtree> parts, std::vector<Addition>& order) {
  const auto part = std::ranges::lower_bound(parts, tree.begin, {}, &Subtree::begin);
  assert(part != parts.end() && part->begin == tree.begin);
  const auto place = static_cast<std::uint32_t>(part - parts.begin());
  if (*part == tree) return place;
  const std::size_t middle = (tree.begin + tree.end) / 2;
  const std::uint32_t left = find_additions({tree.begin, middle}, parts, order);
  const std::uint32_t right = find_additions({middle, tree.end}, parts, order);
  order.push_back({left, right});
  return place;
}

// The additions that remain where some lists are absent, each with the place where a sum has moved instead.
std::vector<Addition> additions_of_present(std::span<const Addition> order, std::vector<std::uint32_t>& place,
                                           const std::vector<bool>& present) {
  constexpr std::uint32_t kNone = ~std::uint32_t{0};
  place.resize(present.size());
  for (std::uint32_t i = 0; i < place.size(); ++i) place[i] = present[i] ? i : kNone;
  std::vector<Addition> own;
  for (const auto [into, added] : order) {
    if (place[added] == kNone) continue;
    if (place[into] == kNone) {
      place[into] = place[added];
    } else {
      own.push_back({place[into], place[added]});
    }
  }
  return own;
}

}  // namespace

std::vector<Subtree> whole_subtrees(std::size_t begin, std::size_t end, std::size_t count) {
  assert(std::has_single_bit(count) && end <= count);
  std::vector<Subtree> found;
  find_subtrees(begin, end, {0, count}, found);
  return found;
}

std::vector<Addition> additions_to(Subtree all, std::span<const Subtree> parts) {
  std::vector<Addition> order;
  find_additions(all, parts, order);
  return order;
}

float* add_up(std::span<const Addition> order, std::span<float* const> lists, std::size_t size, ThreadPool& pool) {
  std::vector<bool> present;
  for (const float* list : lists) present.push_back(list != nullptr);
  std::vector<std::uint32_t> place;
  const std::vector<Addition> own = additions_of_present(order, place, present);
  if (!own.empty()) {
    pool.run((size + kSlice - 1) / kSlice, [&](std::size_t slice, std::size_t) {
      const std::size_t begin = slice * kSlice;
      for (const auto [into, added] : own) {
        axpy(std::min(kSlice, size - begin), 1.0F, lists[added] + begin, lists[into] + begin);
      }
    });
  }
  return place[0] < lists.size() ? lists[place[0]] : nullptr;
}

double* add_up(std::span<const Addition> order, std::span<double* const> lists, std::size_t size) {
  std::vector<bool> present;
  for (const double* list : lists) present.push_back(list != nullptr);
  std::vector<std::uint32_t> place;
  for (const auto [into, added] : additions_of_present(order, place, present)) {
    for (std::size_t i = 0; i < size; ++i) lists[into][i] += lists[added][i];
  }
  return place[0] < lists.size() ? lists[place[0]] : nullptr;
}

void mark_rows(std::span<const std::uint32_t> rows, std::vector<std::uint64_t>& bits) {
  for (const std::uint32_t row : rows) bits[row / kBits] |= std::uint64_t{1} << (row % kBits);
}

void list_rows(std::span<const std::uint64_t> bits, std::vector<std::uint32_t>& rows) {
  rows.clear();
  for (std::size_t i = 0; i < bits.size(); ++i) {
    for (std::uint64_t word = bits[i]; word != 0; word &= word - 1) {
      rows.push_back(static_cast<std::uint32_t>(i * kBits + static_cast<std::size_t>(std::countr_zero(word))));
    }
  }
}

void RowSum::run(std::span<const Addition> order, std::span<const RowPart> parts, std::size_t table_rows,
                 std::size_t width, RowGradient& sum, ThreadPool& pool) {
  touched_.assign((table_rows + kBits - 1) / kBits, 0);
  for (const RowPart& part : parts) mark_rows(part.rows, touched_);
  list_rows(touched_, sum.rows);
  sum.values.reshape(sum.rows.size() * width);
  scratch_.resize(pool.threads());
  pool.run((sum.rows.size() + kRows - 1) / kRows, [&](std::size_t block, std::size_t thread) {
    Scratch& s = scratch_[thread];
    s.sums.reshape(parts.size() * width);
    s.place.resize(parts.size());
    s.next.resize(parts.size());
    const std::size_t begin = block * kRows;
    const std::size_t end = std::min(begin + kRows, sum.rows.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto& rows = parts[i].rows;
      s.next[i] = static_cast<std::size_t>(std::ranges::lower_bound(rows, sum.rows[begin]) - rows.begin());
    }
    for (std::size_t at = begin; at < end; ++at) {
      for (std::size_t i = 0; i < parts.size(); ++i) {
        const bool touches = s.next[i] < parts[i].rows.size() && parts[i].rows[s.next[i]] == sum.rows[at];
        s.place[i] = touches ? parts[i].values + s.next[i]++ * width : nullptr;
      }
      for (const auto [into, added] : order) {
        if (s.place[added] == nullptr) continue;
        if (s.place[into] == nullptr) {
          s.place[into] = s.place[added];
          continue;
        }
        // A sum in the place of `added` is not needed there any more, so one in that of `into` may have come from it.
        float* const own = s.sums.data() + into * width;
        if (s.place[into] != own) std::copy_n(s.place[into], width, own);
        axpy(width, 1.0F, s.place[added], own);
        s.place[into] = own;
      }
      std::copy_n(s.place[0], width, sum.values.data() + at * width);
    }
  });
}

}  // namespace linn
