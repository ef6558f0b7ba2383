#include "app/process/command_line.h"

#include "linn/version.h"

namespace linn::app {

std::string program_name() { return "linn " + std::string(kVersion) + " (" + std::string(kCommit) + ")"; }

std::string shell_quoted(std::string_view text) {
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'') {
      word += "'\\''";
    } else {
      word += c;
    }
  }
  return word + '\'';
}

std::string command_line(const std::vector<std::string>& arguments) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=,+:";
  std::string line = "linn";
  for (const std::string& word : arguments) {
    const bool plain = !word.empty() && word.find_first_not_of(kPlain) == std::string::npos;
    line += ' ';
    line += plain ? word : shell_quoted(word);
  }
  return line;
}

}  // namespace linn::app
