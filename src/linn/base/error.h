// Errors that a user can act on.
//
// The library throws; it never prints, exits or aborts. InputError means that the input cannot be used (the program
// exits with status 2); Failure means that valid input could not be processed, for example because the disk is full
// (status 1). Programming errors are caught by assertions.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

#include "linn/base/export.h"

namespace linn {

// A position in the input. Lines and columns count from 1, and 0 means unknown; columns count characters, not bytes.
struct Place {
  std::string file;
  std::size_t line = 0;
  std::size_t column = 0;
};

class LINN_EXPORT InputError : public std::runtime_error {
 public:
  explicit InputError(std::string message);
  InputError(std::string message, Place place, std::string source_line = {});

  // The message without its position.
  const std::string& message() const { return message_; }
  const Place& place() const { return place_; }
  // The offending line; empty if unknown.
  const std::string& source_line() const { return source_line_; }

  // The offending line with a caret below the column, ending in a newline; empty if either is unknown. A long line is
  // cut to a window around the column.
  std::string excerpt() const;

  // The same error with what the thrower could not know: the file and the line within it.
  InputError in_file(std::string_view file, std::size_t line) const;
  // A different message at the same position.
  InputError with_message(std::string message) const;

 private:
  std::string message_;
  Place place_;
  std::string source_line_;
};

class LINN_EXPORT Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A call was ended before it was done, because its caller asked for that.
class LINN_EXPORT Interrupted : public Failure {
 public:
  Interrupted() : Failure("interrupted") {}
};

// Training produced values that are not finite: these settings do not work on these data.
class LINN_EXPORT Divergence : public Failure {
 public:
  using Failure::Failure;
};

}  // namespace linn
