// The table of routes as OpenAPI 3.1.
#pragma once

#include <string>
#include <vector>

#include "app/serve/routes.h"

namespace linn::app {

// `models`: their names. `secured`: requests need a token.
Json openapi(const std::vector<Route>& routes, const std::vector<std::string>& models, bool secured);

}  // namespace linn::app
