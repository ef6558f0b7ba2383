#include "app/serve/strict_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "app/serve/problem.h"
#include "linn/base/utf8.h"

namespace linn::app {
namespace {

constexpr std::size_t kMaxDepth = 16;
constexpr std::size_t kMaxNames = 1000;  // of one object: looking for a name takes time that grows with their number
constexpr std::size_t kMaxShown = 60;

// Builds the value and stops at the first mistake.
class Builder : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    Json& object = *stack_.back();
    if (object.contains(name)) return fail(fmt::format("the name '{}' occurs twice", printable(name, kMaxShown)));
    if (object.size() == kMaxNames) return fail(fmt::format("an object has more than {} names", kMaxNames));
    name_ = std::move(name);
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& reason) override {
    position_ = position;
    constexpr int kOutOfRange = 406;
    return fail(reason.id == kOutOfRange ? "this number is too large" : "this is not JSON");
  }

  Json root;
  std::string error;
  std::size_t position_ = 0;  // from 1, after the last byte that was read; 0: unknown

 private:
  bool fail(std::string message) {
    error = std::move(message);
    return false;
  }

  Json* place(Json value) {
    if (stack_.empty()) {
      root = std::move(value);
      return &root;
    }
    Json& parent = *stack_.back();
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    return &(parent[name_] = std::move(value));
  }

  bool add(Json value) {
    place(std::move(value));
    return true;
  }

  bool open(Json value) {
    if (stack_.size() == kMaxDepth) return fail(fmt::format("nested deeper than {} levels", kMaxDepth));
    stack_.push_back(place(std::move(value)));
    return true;
  }

  bool close() {
    stack_.pop_back();
    return true;
  }

  std::vector<Json*> stack_;  // an open value does not move until it is closed
  std::string name_;
};

}  // namespace

Json parse_body(const std::string& text) {
  Builder builder;
  // The parser would take it for the end.
  if (text.find('\0') != std::string::npos) throw Problem(400, "the body: this is not JSON: it has a zero byte");
  if (Json::sax_parse(text, &builder)) return std::move(builder.root);
  if (builder.position_ == 0) throw Problem(400, "the body: " + builder.error);
  const std::string_view before = std::string_view(text).substr(0, builder.position_ - 1);
  const std::size_t line = 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t column = 1 + count_characters(before.substr(before.rfind('\n') + 1));
  const InputError placed(builder.error, Place{"", line, column});
  throw Problem::at("", placed);
}

}  // namespace linn::app
