// JSON for everything that reads or writes it: objects keep the order of their keys.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace linn {

using Json = nlohmann::ordered_json;

}  // namespace linn

// Compiled once, in json.cc, instead of in every file that uses them: most of the time such a file takes goes there.
extern template class nlohmann::basic_json<nlohmann::ordered_map>;
extern template class nlohmann::detail::serializer<linn::Json>;
extern template class nlohmann::detail::lexer<linn::Json,
                                              nlohmann::detail::iterator_input_adapter<std::string::const_iterator>>;
extern template class nlohmann::detail::parser<linn::Json,
                                               nlohmann::detail::iterator_input_adapter<std::string::const_iterator>>;
