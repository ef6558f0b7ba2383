// The little of UTF-8 that parsing and error messages need.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace linn {

// The number of bytes of the valid UTF-8 character that starts the text; 0 if there is none (overlong
// forms, surrogates and numbers beyond Unicode are not valid).
std::size_t utf8_length(std::string_view text);

bool is_valid_utf8(std::string_view text);

// The number of characters; a byte that is not part of a valid character counts as one.
std::size_t count_characters(std::string_view text);

// The same characters as UTF-8. A text that is valid UTF-8 already is left as it is: Latin-1 with letters beyond ASCII
// hardly ever is, and files that are said to be Latin-1 often have been converted by somebody.
std::string utf8_from_latin1(std::string_view text);

// The first characters of the text, fit for a message: a tab becomes a space, and '?' stands for any other
// control character and for a byte that is not part of a valid character.
std::string printable(std::string_view text, std::size_t most_characters);

}  // namespace linn
