// The routes, group by group. What they are given must outlive them.
#pragma once

#include <vector>

#include "app/serve/background.h"
#include "app/serve/model_shelf.h"
#include "app/serve/routes.h"
#include "app/serve/serve_options.h"

namespace linn::app {

void add_model_routes(const ModelShelf& shelf, Background& background, std::vector<Route>& routes);
void add_recommend_routes(const ServeLimits& limits, std::vector<Route>& routes);
void add_equation_routes(const ServeLimits& limits, std::vector<Route>& routes);

// The parameters q, limit and offset of a search.
std::vector<Schema::Field> search_parameters(const std::string& what, const ServeLimits& limits);

}  // namespace linn::app
