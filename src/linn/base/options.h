// A table of a struct's options: names, ranges, help, and conversion from and to text.
//
//   struct Tea { double minutes = 3; bool milk = false; };
//   OptionTable<Tea> table;
//   table.number("minutes", "How long it draws", 1, 10, [](auto& tea) -> auto& { return tea.minutes; });
//   table.flag("milk", "With milk", [](auto& tea) -> auto& { return tea.milk; });
//   table.set(tea, "minutes", "4.5");
//
// The command line, help and stored configurations are derived from the table. The default of an option is the
// initialiser of its member and is stated nowhere else.
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

template <class Struct>
class OptionTable {
 public:
  struct Option {
    std::string name;
    std::string help;
    OptionType type = OptionType::kNumber;
    std::string range;  // for display: "0 to 1", "relu|tanh"
    std::function<void(Struct&, std::string_view)> set;
    std::function<std::string(const Struct&)> get;
  };

  // `member` takes the struct, const or not, and returns a reference to its member.
  template <class Member>
  void number(std::string name, std::string help, double least, double most, Member member) {
    using Value = std::remove_cvref_t<decltype(member(std::declval<Struct&>()))>;
    static_assert(std::is_floating_point_v<Value>);
    add(
        std::move(name), std::move(help), OptionType::kNumber,
        options_detail::number_text(least) + " to " + options_detail::number_text(most),
        [least, most, member](Struct& s, std::string_view option, std::string_view text) {
          member(s) = static_cast<Value>(options_detail::parse_number(option, text, least, most));
        },
        [member](const Struct& s) { return options_detail::number_text(member(s)); });
  }

  template <class Member>
  void integer(std::string name, std::string help, std::uint64_t least, std::uint64_t most, Member member) {
    using Value = std::remove_cvref_t<decltype(member(std::declval<Struct&>()))>;
    static_assert(std::is_integral_v<Value>);
    add(
        std::move(name), std::move(help), OptionType::kInteger, std::to_string(least) + " to " + std::to_string(most),
        [least, most, member](Struct& s, std::string_view option, std::string_view text) {
          member(s) = static_cast<Value>(options_detail::parse_integer(option, text, least, most));
        },
        [member](const Struct& s) { return std::to_string(member(s)); });
  }

  template <class Member>
  void flag(std::string name, std::string help, Member member) {
    add(
        std::move(name), std::move(help), OptionType::kFlag, "true|false",
        [member](Struct& s, std::string_view option, std::string_view text) {
          member(s) = options_detail::parse_flag(option, text);
        },
        [member](const Struct& s) { return std::string(member(s) ? "true" : "false"); });
  }

  template <class Enum, class Member>
  void choice(std::string name, std::string help, std::vector<std::pair<std::string, Enum>> words, Member member) {
    std::string range;
    for (const auto& [word, value] : words) range += (range.empty() ? "" : "|") + word;
    add(
        std::move(name), std::move(help), OptionType::kChoice, range,
        [words, member](Struct& s, std::string_view option, std::string_view text) {
          std::vector<std::string> known;
          for (const auto& [word, value] : words) {
            if (word == text) {
              member(s) = value;
              return;
            }
            known.push_back(word);
          }
          options_detail::refuse_choice(option, text, known);
        },
        [words, member](const Struct& s) {
          for (const auto& [word, value] : words) {
            if (value == member(s)) return word;
          }
          return std::string();
        });
  }

  const std::vector<Option>& options() const { return options_; }

  const Option* find(std::string_view name) const {
    for (const Option& option : options_) {
      if (option.name == name) return &option;
    }
    return nullptr;
  }

  // Throws InputError for an unknown name, suggesting the closest, and for an invalid value.
  void set(Struct& s, std::string_view name, std::string_view text) const {
    if (const Option* option = find(name)) {
      option->set(s, text);
      return;
    }
    std::vector<std::string> known;
    for (const Option& option : options_) known.push_back(option.name);
    options_detail::refuse_name(name, known);
  }

 private:
  template <class Set, class Get>
  void add(std::string name, std::string help, OptionType type, std::string range, Set set, Get get) {
    Option option;
    option.set = [set, name](Struct& s, std::string_view text) { set(s, name, text); };
    option.get = get;
    option.name = std::move(name);
    option.help = std::move(help);
    option.type = type;
    option.range = std::move(range);
    options_.push_back(std::move(option));
  }

  std::vector<Option> options_;
};

}  // namespace linn
