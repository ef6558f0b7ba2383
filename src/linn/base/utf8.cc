#include "linn/base/utf8.h"

namespace linn {

std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;

  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return 0;
  }
  // The second byte rules out overlong forms (E0, F0), surrogates (ED) and code points beyond U+10FFFF (F4).
  if (lead == 0xE0 && byte(1) < 0xA0) return 0;
  if (lead == 0xED && byte(1) > 0x9F) return 0;
  if (lead == 0xF0 && byte(1) < 0x90) return 0;
  if (lead == 0xF4 && byte(1) > 0x8F) return 0;
  return length;
}

bool is_valid_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::size_t count_characters(std::string_view text) {
  std::size_t count = 0;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    text.remove_prefix(length == 0 ? 1 : length);
    ++count;
  }
  return count;
}

std::string utf8_from_latin1(std::string_view text) {
  if (is_valid_utf8(text)) return std::string(text);
  std::string utf8;
  utf8.reserve(text.size() + text.size() / 8);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      utf8 += c;
    } else {
      utf8 += static_cast<char>(0xC0U | (byte >> 6U));
      utf8 += static_cast<char>(0x80U | (byte & 0x3FU));
    }
  }
  return utf8;
}

std::string printable(std::string_view text, std::size_t most_characters) {
  const auto is_control = [](std::string_view c) {
    const auto last = static_cast<unsigned char>(c.back());
    return c.size() == 1 ? last < 0x20 || last == 0x7F : c.starts_with('\xC2') && last < 0xA0;
  };
  std::string shown;
  for (std::size_t i = 0; i < most_characters && !text.empty(); ++i) {
    const std::size_t length = utf8_length(text);
    const std::string_view character = text.substr(0, length == 0 ? 1 : length);
    if (character == "\t") {
      shown += ' ';
    } else if (length == 0 || is_control(character)) {
      shown += '?';
    } else {
      shown += character;
    }
    text.remove_prefix(character.size());
  }
  return shown;
}

}  // namespace linn
