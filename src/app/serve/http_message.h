// A request and a response, as the service sees them: free of sockets and of the library that reads them.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "linn/base/json.h"

namespace linn::app {

struct HttpRequest {
  std::string method;  // in upper case
  std::string target;  // path and query, as sent
  std::string body;
  std::string host;  // the headers that the service looks at; empty if absent
  std::string authorization;
  std::string content_type;
  std::string if_none_match;
  std::string origin;
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers = {};

  static HttpResponse json(const Json& object) { return {200, "application/json", object.dump() + "\n"}; }
};

// Takes the answer to a request, once, on any thread.
using Respond = std::function<void(HttpResponse)>;

std::string_view status_phrase(int status);

}  // namespace linn::app
