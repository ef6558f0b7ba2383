// What is wrong with a request, as a response: application/problem+json (RFC 9457).
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "app/serve/http_message.h"
#include "linn/base/error.h"

namespace linn::app {

class Problem : public std::runtime_error {
 public:
  // `field` is where the mistake is, such as history[3].item; the message does not repeat it.
  Problem(int status, const std::string& message, std::string field = {})
      : std::runtime_error(field.empty() ? message : field + ": " + message),
        status_(status),
        field_(std::move(field)) {}

  // A mistake in the input at a field, with the line and the column where the error has them.
  static Problem at(const std::string& field, const InputError& error) {
    Problem problem(400, error.what(), field);
    problem.line_ = error.place().line;
    problem.column_ = error.place().column;
    return problem;
  }

  Problem&& with_header(std::string name, std::string value) && {
    headers_.emplace_back(std::move(name), std::move(value));
    return std::move(*this);
  }

  int status() const { return status_; }
  HttpResponse response() const;

 private:
  int status_;
  std::string field_;
  std::size_t line_ = 0;
  std::size_t column_ = 0;
  std::vector<std::pair<std::string, std::string>> headers_;
};

}  // namespace linn::app
