#include "linn/recommend/protocol/history_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "linn/base/error.h"
#include "linn/base/options.h"
#include "linn/base/utf8.h"

namespace linn {
namespace {

constexpr std::string_view kSpaces = " \t";
constexpr std::size_t kMaxShown = 100;  // characters of a name in a message

// Reads the text item by item.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) { skip_spaces(); }

  bool at_end() const { return at_ == text_.size(); }

  // '+', '-', or 0 if there is no sign.
  char sign() {
    if (at_end() || (text_[at_] != '+' && text_[at_] != '-')) return 0;
    const char sign = text_[at_++];
    skip_spaces();
    return sign;
  }

  std::string name() {
    start_ = at_;
    std::string name = !at_end() && text_[at_] == '"' ? quoted() : bare();
    if (name.empty()) fail("expected an item");
    return name;
  }

  // The comma between two items. A list must not end with one.
  void separator() {
    skip_spaces();
    if (at_end()) return;
    start_ = at_;
    if (text_[at_] != ',') fail("expected a comma");
    ++at_;
    skip_spaces();
    start_ = at_;
    if (at_end()) fail("expected an item");
  }

  // Reports an error at the last name.
  [[noreturn]] void fail(const std::string& message) const {
    throw InputError(message, Place{"", 0, 1 + count_characters(text_.substr(0, start_))}, std::string(text_));
  }

 private:
  void skip_spaces() { at_ = std::min(text_.find_first_not_of(kSpaces, at_), text_.size()); }

  std::string bare() {
    const std::size_t end = std::min(text_.find(',', at_), text_.size());
    std::string_view name = text_.substr(at_, end - at_);
    at_ = end;
    name = name.substr(0, name.find_last_not_of(kSpaces) + 1);
    return std::string(name);
  }

  std::string quoted() {
    std::string name;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '"') {
        if (text_.substr(at_ + 1, 1) != "\"") {
          ++at_;
          return name;
        }
        ++at_;
      }
      name += text_[at_];
    }
    fail("this quote is never closed");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t start_ = 0;  // where the last name starts
};

std::optional<ItemId> find_item(const Reader& reader, const ItemFinder& items, const std::string& name) {
  try {
    return items.find(name);
  } catch (const InputError& error) {
    reader.fail(error.message());
  }
}

}  // namespace

ItemFinder::ItemFinder(const Catalogue& catalogue) : catalogue_(catalogue) {
  for (ItemId item = 0; item < catalogue.titles.size(); ++item) {
    if (!catalogue.titles[item].empty()) by_title_[catalogue.titles[item]].push_back(item);
  }
}

std::optional<ItemId> ItemFinder::find(std::string_view name) const {
  if (const auto item = catalogue_.items.find(name)) return item;
  const auto found = by_title_.find(name);
  if (found == by_title_.end()) return std::nullopt;
  const std::vector<ItemId>& items = found->second;
  if (items.size() > 1) {
    throw InputError(fmt::format("{} items have the title '{}', such as {} and {}: use the identifier instead",
                                 items.size(), name, catalogue_.items.name(items[0]), catalogue_.items.name(items[1])));
  }
  return items[0];
}

std::string ItemFinder::unknown(std::string_view name) const {
  std::vector<std::string> known = catalogue_.items.names();
  for (const auto& [title, items] : by_title_) known.emplace_back(title);
  std::ranges::sort(known);  // the order of an unordered_map differs between platforms
  const std::string near = nearest_word(name, known);
  return fmt::format("the model does not know the item '{}'{}", printable(name, kMaxShown),
                     near.empty() ? "" : fmt::format(", did you mean '{}'?", near));
}

std::vector<std::pair<std::string, bool>> history_names(std::string_view text) {
  std::vector<std::pair<std::string, bool>> names;
  for (Reader reader(text); !reader.at_end(); reader.separator()) {
    const bool liked = reader.sign() != '-';
    names.emplace_back(reader.name(), liked);
  }
  return names;
}

ParsedHistory parse_history(std::string_view text, const ItemFinder& items, UnknownItems unknown) {
  ParsedHistory history;
  std::unordered_set<ItemId> seen;
  for (Reader reader(text); !reader.at_end(); reader.separator()) {
    const bool liked = reader.sign() != '-';
    const std::string name = reader.name();
    const auto item = find_item(reader, items, name);
    if (!item) {
      if (unknown == UnknownItems::kRefuse) reader.fail(items.unknown(name));
      history.skipped.push_back(printable(name, kMaxShown));
    } else if (seen.insert(*item).second) {
      history.events.push_back({*item, liked});
    }
  }
  return history;
}

std::vector<ItemId> parse_items(std::string_view text, const ItemFinder& items) {
  std::vector<ItemId> list;
  for (Reader reader(text); !reader.at_end(); reader.separator()) {
    const std::string name = reader.name();
    const auto item = find_item(reader, items, name);
    if (!item) reader.fail(items.unknown(name));
    if (std::ranges::find(list, *item) != list.end()) reader.fail(fmt::format("'{}' is listed twice", name));
    list.push_back(*item);
  }
  return list;
}

}  // namespace linn
