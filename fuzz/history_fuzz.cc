// Histories as text: whatever parses must print and parse to the same events.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "linn/base/error.h"
#include "linn/recommend/protocol/history_text.h"

namespace {

linn::Catalogue catalogue() {
  linn::Catalogue made;
  for (const char* item : {"50", "181", "+1", "-1", "a,b", "say \"yes\"", " space "}) made.items.intern(item);
  made.titles = {"Star Wars (1977)", "Twice", "Twice", "", "-", "Größe", "x"};
  return made;
}

std::string quoted(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) {
    text += c;
    if (c == '"') text += c;
  }
  return text + '"';
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const linn::Catalogue items = catalogue();
  const linn::ItemFinder finder(items);
  for (const auto unknown : {linn::UnknownItems::kRefuse, linn::UnknownItems::kSkip}) {
    try {
      const linn::ParsedHistory history = linn::parse_history(text, finder, unknown);
      std::string printed;
      for (const linn::Event& event : history.events) {
        printed += (printed.empty() ? "" : ",") + std::string(event.liked ? "+" : "-");
        printed += quoted(items.items.name(event.item));
      }
      if (linn::parse_history(printed, finder, linn::UnknownItems::kRefuse).events != history.events) std::abort();
    } catch (const linn::InputError& error) {
      static_cast<void>(error.excerpt());
    }
  }
  return 0;
}
