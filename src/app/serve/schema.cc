#include "app/serve/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "app/serve/problem.h"
#include "linn/base/options.h"
#include "linn/base/utf8.h"
#include "linn/data/table.h"

namespace linn::app {
namespace {

constexpr std::size_t kMaxShown = 60;  // characters of a word in a message

std::string field_place(const std::string& place, const std::string& name) {
  return place.empty() ? name : place + "." + name;
}

std::string shown(const Json& value) {
  switch (value.type()) {
    case Json::value_t::null:
      return "null";
    case Json::value_t::boolean:
      return value.get<bool>() ? "true" : "false";
    case Json::value_t::string:
      return fmt::format("the text '{}'", printable(value.get_ref<const std::string&>(), kMaxShown));
    case Json::value_t::array:
      return "a list";
    case Json::value_t::object:
      return "an object";
    default:
      return fmt::format("the number {}", value.dump());
  }
}

std::string near_name(const std::string& word, const std::vector<std::string>& known) {
  const std::string near = nearest_word(word, known);
  return near.empty() ? "" : fmt::format(", did you mean '{}'?", near);
}

}  // namespace

Schema Schema::text(std::string help, std::size_t longest) {
  Schema schema(Type::kText, std::move(help));
  schema.most_ = longest;
  return schema;
}

Schema Schema::choice(std::string help, std::vector<std::string> words, std::string initial) {
  Schema schema(Type::kText, std::move(help));
  schema.words_ = std::move(words);
  schema.initial_ = std::move(initial);
  return schema;
}

Schema Schema::whole(std::string help, std::uint64_t least, std::uint64_t most, std::uint64_t initial) {
  Schema schema(Type::kWhole, std::move(help));
  schema.least_ = least;
  schema.most_ = most;
  schema.initial_ = initial;
  return schema;
}

Schema Schema::flag(std::string help, bool initial) {
  Schema schema(Type::kFlag, std::move(help));
  schema.initial_ = initial;
  return schema;
}

Schema Schema::list(std::string help, Schema item, std::size_t longest) {
  Schema schema(Type::kList, std::move(help));
  schema.item_.push_back(std::move(item));
  schema.most_ = longest;
  return schema;
}

Schema Schema::object(std::string help, std::vector<Field> fields) {
  Schema schema(Type::kObject, std::move(help));
  schema.fields_ = std::move(fields);
  return schema;
}

Schema Schema::map(std::string help, Schema item, std::size_t most) {
  Schema schema(Type::kMap, std::move(help));
  schema.item_.push_back(std::move(item));
  schema.most_ = most;
  return schema;
}

Schema Schema::or_null() && {
  nullable_ = true;
  return std::move(*this);
}

Schema Schema::example(Json value) && {
  example_ = std::move(value);
  return std::move(*this);
}

Schema Schema::initially(Json value) && {
  initial_ = std::move(value);
  return std::move(*this);
}

std::string Schema::expected() const {
  std::string text;
  switch (type_) {
    case Type::kText:
      text = words_.empty() ? "text" : fmt::format("one of '{}'", fmt::join(words_, "', '"));
      break;
    case Type::kWhole:
      text = fmt::format("a whole number from {} to {}", least_, most_);
      break;
    case Type::kFlag:
      text = "true or false";
      break;
    case Type::kList:
      text = "a list";
      break;
    case Type::kObject:
    case Type::kMap:
      text = "an object";
      break;
  }
  return nullable_ ? text + " or null" : text;
}

void Schema::check(Json& value, const std::string& place) const {
  const auto refuse = [&] { throw Problem(400, fmt::format("expected {}, not {}", expected(), shown(value)), place); };
  if (value.is_null()) {
    if (!nullable_) refuse();
    return;
  }
  switch (type_) {
    case Type::kText: {
      if (!value.is_string()) refuse();
      const auto& text = value.get_ref<const std::string&>();
      if (!words_.empty()) {
        if (std::ranges::find(words_, text) == words_.end()) {
          throw Problem(400, fmt::format("expected {}, not {}{}", expected(), shown(value), near_name(text, words_)),
                        place);
        }
      } else if (text.size() > most_) {
        throw Problem(400, fmt::format("this text has {} bytes; at most {} are allowed", text.size(), most_), place);
      }
      return;
    }
    case Type::kWhole:
      if (!value.is_number_unsigned() || value.get<std::uint64_t>() < least_ || value.get<std::uint64_t>() > most_) {
        refuse();
      }
      return;
    case Type::kFlag:
      if (!value.is_boolean()) refuse();
      return;
    case Type::kList: {
      if (!value.is_array()) refuse();
      if (value.size() > most_) {
        throw Problem(400, fmt::format("this list has {} entries; at most {} are allowed", value.size(), most_), place);
      }
      std::size_t i = 0;
      for (Json& entry : value) item_[0].check(entry, fmt::format("{}[{}]", place, i++));
      return;
    }
    case Type::kMap:
      if (!value.is_object()) refuse();
      if (value.size() > most_) {
        throw Problem(400, fmt::format("this object has {} names; at most {} are allowed", value.size(), most_), place);
      }
      for (auto& [name, entry] : value.items()) item_[0].check(entry, field_place(place, printable(name, kMaxShown)));
      return;
    case Type::kObject:
      break;
  }
  if (!value.is_object()) refuse();
  for (const auto& [name, entry] : value.items()) {
    if (std::ranges::find(fields_, name, &Field::name) != fields_.end()) continue;
    std::vector<std::string> known;
    for (const Field& field : fields_) known.push_back(field.name);
    throw Problem(400, fmt::format("unknown field '{}'{}", printable(name, kMaxShown), near_name(name, known)), place);
  }
  for (const Field& field : fields_) {
    const auto found = value.find(field.name);
    if (found != value.end()) {
      field.schema.check(*found, field_place(place, field.name));
    } else if (field.required) {
      throw Problem(400, fmt::format("the field '{}' is missing", field.name), place);
    } else {
      value[field.name] = field.schema.initial_;
    }
  }
}

Json Schema::parse(const std::string& text, const std::string& place) const {
  Json value = text;
  if (type_ == Type::kWhole) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size()) value = number;
  } else if (type_ == Type::kFlag) {
    if (text == "true" || text == "false") value = text == "true";
  } else if (type_ == Type::kList) {
    value = Json::array();
    FieldSplitter fields(',');
    try {
      if (!text.empty()) fields.split(text);
    } catch (const InputError& error) {
      throw Problem(400, error.message(), place);
    }
    for (std::size_t i = 0; i < fields.size(); ++i) value.push_back(fields[i]);
  }
  check(value, place);
  return value;
}

Json Schema::to_json() const {
  Json schema = Json::object();
  const auto set_type = [&](const char* type) {
    if (nullable_) {
      schema["type"] = {type, "null"};
    } else {
      schema["type"] = type;
    }
  };
  switch (type_) {
    case Type::kText:
      set_type("string");
      if (words_.empty()) {
        schema["maxLength"] = most_;
      } else {
        schema["enum"] = words_;
      }
      break;
    case Type::kWhole:
      set_type("integer");
      schema["minimum"] = least_;
      schema["maximum"] = most_;
      break;
    case Type::kFlag:
      set_type("boolean");
      break;
    case Type::kList:
      set_type("array");
      schema["items"] = item_[0].to_json();
      schema["maxItems"] = most_;
      break;
    case Type::kMap:
      set_type("object");
      schema["additionalProperties"] = item_[0].to_json();
      schema["maxProperties"] = most_;
      break;
    case Type::kObject: {
      set_type("object");
      Json properties = Json::object();
      Json needed = Json::array();
      for (const Field& field : fields_) {
        properties[field.name] = field.schema.to_json();
        if (field.required) needed.push_back(field.name);
      }
      schema["properties"] = std::move(properties);
      if (!needed.empty()) schema["required"] = std::move(needed);
      schema["additionalProperties"] = false;
      break;
    }
  }
  if (!help_.empty()) schema["description"] = help_;
  if (!initial_.is_null()) schema["default"] = initial_;
  if (!example_.is_null()) schema["example"] = example_;
  return schema;
}

}  // namespace linn::app
