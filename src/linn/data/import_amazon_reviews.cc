// Imports Amazon reviews, one JSON object per line. Only the values that are asked for are kept, and no document is
// built: most of a line is the text of the review.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "linn/base/utf8.h"
#include "linn/data/import_readers.h"
#include "linn/data/nearest_column.h"

namespace linn {
namespace {

using Json = nlohmann::json;

class ReviewHandler final : public nlohmann::json_sax<Json> {
 public:
  explicit ReviewHandler(const ReviewKeys& keys) : keys_(keys) {}

  std::optional<std::string> user, item, title;
  std::optional<double> rating;
  std::optional<Moment> time;
  std::array<bool, kRatingFields> seen{};  // whether there is such a key, whatever its value
  std::string problem;                     // why the text is not a valid review
  std::size_t problem_at = 0;              // byte position, counting from 1

  bool null() override { return other(); }
  bool boolean(bool) override { return other(); }
  bool number_integer(number_integer_t value) override { return number(static_cast<double>(value), value); }
  bool number_unsigned(number_unsigned_t value) override {
    if (value > INT64_MAX) return number_float(static_cast<double>(value), {});
    return number(static_cast<double>(value), static_cast<std::int64_t>(value));
  }
  bool number_float(number_float_t value, const string_t&) override {
    if (wanted(kRating)) return set(rating, value);
    if (wanted(kTime)) time = moment_of(value);
    return other();
  }
  bool string(string_t& value) override {
    if (wanted(kUser)) return set(user, std::move(value));
    if (wanted(kItem)) return set(item, std::move(value));
    if (wanted(kTitle)) return set(title, std::move(value));
    if (wanted(kTime)) time = parse_moment(value);
    return other();
  }
  bool binary(binary_t&) override { return other(); }
  bool start_object(std::size_t) override { return open(); }
  bool key(string_t& value) override {
    if (depth_ != 1) return true;
    key_ = std::move(value);
    for (std::size_t field = 0; field < keys_.size(); ++field) seen[field] = seen[field] || key_ == keys_[field];
    return true;
  }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override {
    if (depth_ == 0) return other();
    return open();
  }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t position, const std::string&, const Json::exception& error) override {
    problem_at = position;
    // Removes the name of the exception and the line number, which is always 1.
    std::string_view what = error.what();
    const std::size_t colon = what.find(": ");
    if (colon != std::string_view::npos) what.remove_prefix(colon + 2);
    problem = fmt::format("expected a review as a JSON object: {}", printable(what, 200));
    return false;
  }

 private:
  using enum RatingField;

  bool wanted(RatingField field) const {
    const std::string& key = keys_[static_cast<std::size_t>(field)];
    return depth_ == 1 && !key.empty() && key_ == key;
  }

  template <class Value, class Given>
  bool set(std::optional<Value>& value, Given&& given) {
    value = std::forward<Given>(given);
    return true;
  }

  bool number(double value, std::int64_t whole) {
    if (wanted(kRating)) return set(rating, value);
    if (wanted(kTime)) time = Moment{whole, 0};
    return other();
  }

  // A value that is not needed, which is allowed inside an object.
  bool other() {
    if (depth_ > 0) return true;
    problem = "expected a review as a JSON object, found another value";
    problem_at = 1;
    return false;
  }
  bool open() {
    ++depth_;
    return true;
  }
  bool close() {
    --depth_;
    return true;
  }

  const ReviewKeys& keys_;
  std::size_t depth_ = 0;
  std::string key_;
};

// The names of the first values of an object.
class KeyCollector final : public nlohmann::json_sax<Json> {
 public:
  std::vector<std::string> keys;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return ++depth_ > 0; }
  bool key(string_t& value) override {
    constexpr std::size_t kMost = 100;
    if (depth_ == 1) keys.push_back(printable(value, kMost));
    return keys.size() < kMost;
  }
  bool end_object() override { return depth_-- > 0; }
  bool start_array(std::size_t) override { return ++depth_ > 0; }
  bool end_array() override { return depth_-- > 0; }
  bool parse_error(std::size_t, const std::string&, const Json::exception&) override { return false; }

 private:
  std::size_t depth_ = 0;
};

// The key of the review that is most likely meant for the field.
std::string nearest_key(std::string_view line, const ReviewKeys& keys, RatingField field) {
  KeyCollector collector;
  Json::sax_parse(line.begin(), line.end(), &collector);
  std::vector<bool> taken;
  for (const std::string& key : collector.keys) taken.push_back(std::ranges::find(keys, key) != keys.end());
  return nearest_column(collector.keys, taken, field, {});
}

// The column of a byte; both count from 1.
std::size_t column_of(std::string_view line, std::size_t byte) {
  return count_characters(line.substr(0, std::max<std::size_t>(byte, 1) - 1)) + 1;
}

void read_review(const LineReader& lines, std::string_view line, const ReviewKeys& keys, RatingRows& rows) {
  using enum RatingField;
  const auto error_at = [&](std::size_t column, std::string message) {
    return InputError(std::move(message), Place{lines.path().string(), lines.line_number(), column}, std::string(line));
  };
  ReviewHandler review(keys);
  if (!Json::sax_parse(line.begin(), line.end(), &review)) {
    throw error_at(column_of(line, review.problem_at), review.problem);
  }
  const auto need = [&](bool there, RatingField field, std::string_view what) {
    if (there) return;
    const auto place = static_cast<std::size_t>(field);
    const InputError error = error_at(0, fmt::format("the review has no '{}' that is {}", keys[place], what));
    if (review.seen[place]) throw error;
    throw MissingColumn(error, field, nearest_key(line, keys, field));
  };
  need(review.user.has_value(), kUser, "a string");
  need(review.item.has_value(), kItem, "a string");
  need(review.rating.has_value(), kRating, "a number");
  need(review.time.has_value(), kTime, "a number or a date");
  try {
    if (review.title) RatingRows::check_title(*review.title);
    const ItemId item = rows.add(*review.user, *review.item, *review.rating, *review.time);
    if (review.title) rows.set_title(item, *review.title);
  } catch (const RatingError& error) {
    throw error_at(0, error.message);
  }
}

}  // namespace

void read_amazon_reviews(const ImportFile& file, const ReviewKeys& keys, RatingRows& rows, BadRows& bad) {
  LineReader lines = open_lines(file);
  std::string_view line;
  while (lines.next(line)) {
    if (line.find_first_not_of(" \t") == std::string_view::npos) continue;
    try {
      read_review(lines, line, keys, rows);
    } catch (const MissingColumn& error) {
      if (bad.tolerates_none()) throw;
      bad.add(error);
    } catch (const InputError& error) {
      bad.add(error);
    }
  }
}

}  // namespace linn
