// The parts of UTF-8 that parsing and error messages need.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace linn {

// The length in bytes of the valid UTF-8 character at the start of the text; 0 if it is invalid (overlong forms,
// surrogates and code points beyond Unicode are).
std::size_t utf8_length(std::string_view text);

bool is_valid_utf8(std::string_view text);

// The number of characters; a byte outside any valid character counts as one.
std::size_t count_characters(std::string_view text);

// Converts Latin-1 to UTF-8. Text that is already valid UTF-8 is returned unchanged: Latin-1 text beyond ASCII is
// almost never valid UTF-8, and files labelled Latin-1 have often been converted.
std::string utf8_from_latin1(std::string_view text);

// The first characters of the text, made printable: a tab becomes a space; other control characters and invalid bytes
// become '?'.
std::string printable(std::string_view text, std::size_t most_characters);

}  // namespace linn
