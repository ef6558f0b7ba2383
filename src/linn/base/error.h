// Errors that a user can act on.
//
// The library throws and never prints, exits or aborts. There are two kinds: InputError, when what the
// user gave cannot be used (the program ends with status 2), and Failure, when good input could not be
// worked on, such as a full disk (status 1). Our own mistakes are assertions, not errors.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace linn {

// Where in the input something stands. A zero line or column means "not known"; both count from 1, and
// columns count characters, not bytes.
struct Place {
  std::string file;
  std::size_t line = 0;
  std::size_t column = 0;
};

class InputError : public std::runtime_error {
 public:
  explicit InputError(std::string message);
  InputError(std::string message, Place place, std::string source_line = {});

  // The complaint alone, without its place.
  const std::string& message() const { return message_; }
  const Place& place() const { return place_; }

  // The offending line with a caret under the place, ending in a newline; empty where it is not known.
  // A long line is cut to a window around the place.
  std::string excerpt() const;

  // The same complaint, with what the thrower could not know: the file, and the line within it.
  InputError in_file(std::string_view file, std::size_t line) const;
  // Another complaint at the same place.
  InputError with_message(std::string message) const;

 private:
  std::string message_;
  Place place_;
  std::string source_line_;
};

class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace linn
