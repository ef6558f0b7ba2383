#include "app/serve/problem.h"

#include "linn/base/utf8.h"

namespace linn::app {

std::string_view status_phrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 204:
      return "No Content";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 503:
      return "Service Unavailable";
    default:
      return "Unknown";
  }
}

HttpResponse Problem::response() const {
  constexpr std::size_t kLongest = 1000;
  Json object = {{"type", "about:blank"},
                 {"title", status_phrase(status_)},
                 {"status", status_},
                 {"detail", printable(what(), kLongest)}};
  if (!field_.empty()) object["field"] = field_;
  if (line_ > 0) object["line"] = line_;
  if (column_ > 0) object["column"] = column_;
  return {status_, "application/problem+json", object.dump() + "\n", headers_};
}

}  // namespace linn::app
