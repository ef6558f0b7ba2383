// JSON whose objects keep the order of their keys.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace linn {

using Json = nlohmann::ordered_json;

}  // namespace linn

// Instantiated once, in json.cc: it dominates the compile time of every file that includes it.
extern template class nlohmann::basic_json<nlohmann::ordered_map>;
extern template class nlohmann::detail::serializer<linn::Json>;
extern template class nlohmann::detail::lexer<linn::Json,
                                              nlohmann::detail::iterator_input_adapter<std::string::const_iterator>>;
extern template class nlohmann::detail::parser<linn::Json,
                                               nlohmann::detail::iterator_input_adapter<std::string::const_iterator>>;
