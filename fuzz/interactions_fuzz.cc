// Interaction folders and all import formats: for any bytes, the readers return valid data or throw an InputError whose
// position is within the text.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "linn/base/error.h"
#include "linn/data/import.h"
#include "linn/data/interactions.h"
#include "linn/data/table.h"

namespace {

template <class Read>
void attempt(std::string_view text, Read read) {
  try {
    read();
  } catch (const linn::InputError& error) {
    const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
    if (error.place().line > lines) std::abort();
    // Latin-1 text has more bytes as UTF-8, but not more characters.
    if (error.place().column > text.size() + 1) std::abort();
    if (error.message().empty()) std::abort();
    static_cast<void>(error.excerpt());
  }
}

void check(const linn::InteractionData& data) {
  if (!data.titles.empty() && data.titles.size() != data.items.size()) std::abort();
  for (const auto* part : {&data.train, &data.validation, &data.test}) {
    for (const linn::Interaction& row : *part) {
      if (row.user >= data.users.size() || row.item >= data.items.size()) std::abort();
    }
  }
}

void import_as(linn::ImportFormat format, std::string_view ratings, std::string_view titles, std::size_t skip_bad) {
  linn::ImportFiles files{{"ratings", ratings}, linn::ImportFile{"titles", titles}};
  linn::ImportOptions options;
  options.skip_bad = skip_bad;
  const linn::ImportResult result = linn::import_interactions(format, files, options);
  check(result.data);
  const std::size_t rows = result.data.train.size() + result.data.validation.size() + result.data.test.size();
  if (rows == 0 || rows != result.likes + result.dislikes) std::abort();
  if (result.skipped > skip_bad) std::abort();
}

}  // namespace

// The text up to the first zero byte is the ratings, the rest the titles.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  attempt(text, [&] {
    linn::InteractionData data;
    linn::TableReader table(text, "train.tsv");
    linn::read_interactions(table, data, data.train);
    check(data);
  });
  attempt(text, [&] {
    linn::InteractionData data;
    linn::TableReader table(text, "items.tsv");
    linn::read_titles(table, data);
    check(data);
  });
  const std::size_t cut = std::min(text.find('\0'), text.size());
  const std::string_view ratings = text.substr(0, cut);
  const std::string_view titles = text.substr(std::min(cut + 1, text.size()));
  using enum linn::ImportFormat;
  for (const auto format : {kMovielens100k, kMovielens1m, kMovielensCsv, kAmazonJson, kAmazonCsv, kRecbole, kCsv}) {
    for (const std::size_t skip_bad : {0, 1'000'000}) {
      attempt(text, [&] { import_as(format, ratings, titles, skip_bad); });
    }
  }
  return 0;
}
