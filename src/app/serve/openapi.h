// The table of routes as OpenAPI 3.1.
#pragma once

#include <vector>

#include "app/serve/routes.h"

namespace linn::app {

// `secured`: requests need a token.
Json openapi(const std::vector<Route>& routes, bool secured);

}  // namespace linn::app
