// JSON whose objects keep the order of their keys.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace linn {

using Json = nlohmann::ordered_json;

// Parses a file that anybody may have made. The result is discarded (is_discarded()) unless the text is JSON and within
// bounds that no file of ours exceeds: deep nesting overflows the stack where values are copied, many keys in one
// object take quadratic time, since objects keep their order, and many small values far more memory than their text.
Json parse_json(const std::string& text);

}  // namespace linn

// Instantiated once, in json.cc: it dominates the compile time of every file that includes it.
extern template class nlohmann::basic_json<nlohmann::ordered_map>;
extern template class nlohmann::detail::serializer<linn::Json>;
extern template class nlohmann::detail::lexer<linn::Json,
                                              nlohmann::detail::iterator_input_adapter<std::string::const_iterator>>;
extern template class nlohmann::detail::parser<linn::Json,
                                               nlohmann::detail::iterator_input_adapter<std::string::const_iterator>>;
