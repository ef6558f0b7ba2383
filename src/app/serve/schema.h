// What a field of a request may be: checked when a request comes in, and written into /openapi.json.
//
//   const Schema event = Schema::object({required("item", Schema::text("An item")), {"liked", Schema::flag("…",
//   true)}}); event.check(body, "history[3]");   // throws Problem: history[3].item: expected text, not a number
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "linn/base/json.h"

namespace linn::app {

class Schema {
 public:
  struct Field;

  static Schema text(std::string help, std::size_t longest);
  static Schema choice(std::string help, std::vector<std::string> words, std::string initial);
  static Schema whole(std::string help, std::uint64_t least, std::uint64_t most, std::uint64_t initial);
  static Schema flag(std::string help, bool initial);
  static Schema list(std::string help, Schema item, std::size_t longest);
  static Schema object(std::string help, std::vector<Field> fields);
  // Any names, each with such a value.
  static Schema map(std::string help, Schema item, std::size_t most);

  // null is allowed too.
  Schema or_null() &&;
  Schema example(Json value) &&;
  // What an absent field counts as; without one, null.
  Schema initially(Json value) &&;

  // Adds the initial values of absent fields. Throws Problem 400 with the place of the first mistake, such as
  // history[3].item; `place` is that of the value itself.
  void check(Json& value, const std::string& place = {}) const;

  // The value of a parameter in a path or a query; a list is separated by commas, with quotes around what has some.
  Json parse(const std::string& text, const std::string& place) const;

  // As JSON Schema, in OpenAPI 3.1.
  Json to_json() const;

  const std::vector<Field>& fields() const { return fields_; }
  const std::string& help() const { return help_; }
  bool is_list() const { return type_ == Type::kList; }

 private:
  enum class Type : std::uint8_t { kText, kWhole, kFlag, kList, kObject, kMap };

  Schema(Type type, std::string help) : type_(type), help_(std::move(help)) {}
  std::string expected() const;

  Type type_;
  std::string help_;
  bool nullable_ = false;
  Json initial_ = {};        // null: none
  Json example_ = {};        // null: none
  std::uint64_t least_ = 0;  // of a number; of the length of a text or list, or the number of names, for most_
  std::uint64_t most_ = 0;
  std::vector<std::string> words_;  // of a choice
  std::vector<Schema> item_;        // one, of a list or map
  std::vector<Field> fields_;       // of an object
};

struct Schema::Field {
  std::string name;
  Schema schema;
  bool required = false;
};

inline Schema::Field required(std::string name, Schema schema) { return {std::move(name), std::move(schema), true}; }

}  // namespace linn::app
