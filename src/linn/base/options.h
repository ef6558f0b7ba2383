// One table for the options of a struct: names, ranges, help, reading and writing as text.
//
//   struct Tea { double minutes = 3; bool milk = false; };
//   OptionTable<Tea> table;
//   table.number("minutes", "How long it draws", 1, 10, &Tea::minutes);
//   table.flag("milk", "With milk", &Tea::milk);
//   table.set(tea, "minutes", "4.5");
//
// The command line, the help and stored configurations all come from the table. A default is the initial value of the
// struct's member and is written nowhere else.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace linn {

enum class OptionType : std::uint8_t { kNumber, kInteger, kFlag, kChoice };

namespace options_detail {

// All of these throw InputError naming the option.
double parse_number(std::string_view option, std::string_view text, double least, double most);
std::uint64_t parse_integer(std::string_view option, std::string_view text, std::uint64_t least, std::uint64_t most);
bool parse_flag(std::string_view option, std::string_view text);
[[noreturn]] void refuse_choice(std::string_view option, std::string_view text, const std::vector<std::string>& words);
[[noreturn]] void refuse_name(std::string_view name, const std::vector<std::string>& known);
// The shortest text that parses to the same number.
std::string number_text(double value);
std::string number_text(float value);

}  // namespace options_detail

// The known word closest to `word` by edit distance, or an empty string if none is close.
std::string nearest_word(std::string_view word, const std::vector<std::string>& known);

// An option as people see it.
struct OptionInfo {
  std::string name;
  std::string help;
  OptionType type = OptionType::kNumber;
  std::string range;  // "0 to 1", "relu|tanh"
};

template <class Struct>
class OptionTable {
 public:
  struct Option : OptionInfo {
    std::function<void(Struct&, std::string_view)> set;
    std::function<std::string(const Struct&)> get;
  };

  // `member` is a pointer to a data member.
  template <class Member>
  void number(std::string name, std::string help, double least, double most, Member member) {
    using Value = std::remove_cvref_t<decltype(std::invoke(member, std::declval<Struct&>()))>;
    static_assert(std::is_floating_point_v<Value>);
    add(
        {name, std::move(help), OptionType::kNumber,
         options_detail::number_text(least) + " to " + options_detail::number_text(most)},
        [=](Struct& s, std::string_view text) {
          std::invoke(member, s) = static_cast<Value>(options_detail::parse_number(name, text, least, most));
        },
        [=](const Struct& s) { return options_detail::number_text(std::invoke(member, s)); });
  }

  template <class Member>
  void integer(std::string name, std::string help, std::uint64_t least, std::uint64_t most, Member member) {
    using Value = std::remove_cvref_t<decltype(std::invoke(member, std::declval<Struct&>()))>;
    static_assert(std::is_integral_v<Value>);
    add(
        {name, std::move(help), OptionType::kInteger, std::to_string(least) + " to " + std::to_string(most)},
        [=](Struct& s, std::string_view text) {
          std::invoke(member, s) = static_cast<Value>(options_detail::parse_integer(name, text, least, most));
        },
        [=](const Struct& s) { return std::to_string(std::invoke(member, s)); });
  }

  template <class Member>
  void flag(std::string name, std::string help, Member member) {
    add(
        {name, std::move(help), OptionType::kFlag, "true|false"},
        [=](Struct& s, std::string_view text) { std::invoke(member, s) = options_detail::parse_flag(name, text); },
        [=](const Struct& s) { return std::string(std::invoke(member, s) ? "true" : "false"); });
  }

  template <class Enum, class Member>
  void choice(std::string name, std::string help, std::vector<std::pair<std::string, Enum>> words, Member member) {
    std::vector<std::string> known;
    std::string range;
    for (const auto& [word, value] : words) {
      known.push_back(word);
      range += (range.empty() ? "" : "|") + word;
    }
    add(
        {name, std::move(help), OptionType::kChoice, range},
        [=](Struct& s, std::string_view text) {
          for (const auto& [word, value] : words) {
            if (word == text) {
              std::invoke(member, s) = value;
              return;
            }
          }
          options_detail::refuse_choice(name, text, known);
        },
        [=](const Struct& s) {
          for (const auto& [word, value] : words) {
            if (value == std::invoke(member, s)) return word;
          }
          return std::string();
        });
  }

  // All options of a part of the struct: a member, or a base.
  template <class Part>
  void include(const OptionTable<Part>& part, Part Struct::*member) {
    include_through(
        part, [member](auto& s) -> auto& { return s.*member; });
  }
  template <class Part>
  void include(const OptionTable<Part>& part) {
    static_assert(std::is_base_of_v<Part, Struct>);
    include_through(
        part, [](auto& s) -> auto& { return s; });
  }

  // `old_name` is still read, as another name of an option, but nowhere shown or written.
  void alias(std::string old_name, std::string name) { aliases_.emplace_back(std::move(old_name), std::move(name)); }

  const std::vector<Option>& options() const { return options_; }
  const std::vector<std::pair<std::string, std::string>>& aliases() const { return aliases_; }

  const Option* find(std::string_view name) const {
    for (const auto& [old_name, current] : aliases_) {
      if (old_name == name) name = current;
    }
    for (const Option& option : options_) {
      if (option.name == name) return &option;
    }
    return nullptr;
  }

  // Throws InputError for an unknown name, suggesting the closest.
  const Option& require(std::string_view name) const {
    if (const Option* option = find(name)) return *option;
    std::vector<std::string> known;
    for (const Option& option : options_) known.push_back(option.name);
    options_detail::refuse_name(name, known);
  }
  // Likewise, and for an invalid value.
  void set(Struct& s, std::string_view name, std::string_view text) const { require(name).set(s, text); }

 private:
  template <class Set, class Get>
  void add(OptionInfo info, Set set, Get get) {
    options_.push_back({std::move(info), std::move(set), std::move(get)});
  }

  template <class Part, class Access>
  void include_through(const OptionTable<Part>& part, Access access) {
    for (const auto& option : part.options()) {
      add(
          static_cast<const OptionInfo&>(option),
          [access, set = option.set](Struct& s, std::string_view text) { set(access(s), text); },
          [access, get = option.get](const Struct& s) { return get(access(s)); });
    }
    for (const auto& [old_name, name] : part.aliases()) alias(old_name, name);
  }

  std::vector<Option> options_;
  std::vector<std::pair<std::string, std::string>> aliases_;
};

}  // namespace linn
