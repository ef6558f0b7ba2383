#include "linn/base/json.h"

using StringAdapter = nlohmann::detail::iterator_input_adapter<std::string::const_iterator>;

template class nlohmann::basic_json<nlohmann::ordered_map>;
template class nlohmann::detail::serializer<linn::Json>;
template class nlohmann::detail::lexer<linn::Json, StringAdapter>;
template class nlohmann::detail::parser<linn::Json, StringAdapter>;
