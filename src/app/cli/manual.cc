// linn manual: the man page, the Markdown reference and the shell completions, all generated from the options.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>

#include "app/cli/program.h"
#include "app/process/command_line.h"
#include "app/report/markup.h"
#include "linn/base/split.h"
#include "linn/version.h"

namespace linn::app {
namespace {

enum class ManualFormat : std::uint8_t { kMan, kMarkdown, kBash, kZsh };

struct OptionText {
  std::string names;    // "--threads N", or the name of an argument
  std::string longest;  // "--threads"; empty for an argument
  std::string text;     // description
  std::string initial;  // default value
  std::vector<std::string> choices;
  bool file = false;  // takes a file or a folder
  bool required = false;
};

struct CommandText {
  std::string name;  // "linn train equations"
  std::string description;
  std::string footer;
  std::vector<OptionText> arguments, options;
  std::vector<std::string> commands;  // subcommands
};

OptionText text_of(const CLI::Option& option) {
  OptionText text;
  std::string type = option.get_type_name();
  // CLI11 appends the names of checks.
  type.resize(std::min(type.size(), type.find(" in [")));
  if (const std::size_t colon = type.find(':'); colon != std::string::npos && type.find('|') == std::string::npos) {
    type.resize(colon);
  }
  const bool flag = option.get_items_expected_max() == 0;
  if (option.get_positional()) {
    text.names = type.empty() ? option.get_name() : type;
    if (option.get_items_expected_max() > 1) text.names += "...";
  } else {
    for (const std::string& name : option.get_snames()) text.names += fmt::format("-{}, ", name);
    if (!option.get_lnames().empty()) text.longest = "--" + option.get_lnames().front();
    text.names += text.longest;
    if (!flag && !type.empty()) text.names += " " + type;
  }
  text.text = option.get_description();
  text.required = option.get_required();
  text.initial = option.get_default_str();
  // Choices are in lower case; placeholders such as FILE are not.
  const std::vector<std::string_view> words = split(type, '|');
  const bool choice = !flag && words.size() > 1 && std::ranges::all_of(words, [](std::string_view word) {
    return !word.empty() && std::ranges::none_of(word, [](char c) { return c >= 'A' && c <= 'Z'; });
  });
  if (choice) text.choices.assign(words.begin(), words.end());
  text.file = std::ranges::any_of(words, [](std::string_view word) {
    return word.starts_with("FILE") || word.starts_with("DIR") || word.starts_with("RUN") ||
           word.starts_with("REPORT") || word.starts_with("SOURCE");
  });
  return text;
}

void collect(const CLI::App& command, const std::string& above, std::vector<CommandText>& all) {
  CommandText text;
  text.name = above.empty() ? command.get_name() : above + " " + command.get_name();
  text.description = command.get_description();
  if (text.description.ends_with('.')) text.description.pop_back();
  text.footer = command.get_footer();
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty()) continue;  // hidden
    (option->get_positional() ? text.arguments : text.options).push_back(text_of(*option));
  }
  const auto below = command.get_subcommands([](const CLI::App*) { return true; });
  for (const CLI::App* sub : below) text.commands.push_back(sub->get_name());
  const std::string name = text.name;
  all.push_back(std::move(text));
  for (const CLI::App* sub : below) collect(*sub, name, all);
}

std::string usage(const CommandText& command) {
  std::string line = command.name;
  if (!command.commands.empty()) return line + " COMMAND ...";
  for (const OptionText& argument : command.arguments) {
    line += argument.required ? " " + argument.names : fmt::format(" [{}]", argument.names);
  }
  for (const OptionText& option : command.options) {
    if (option.required) line += " " + option.names;
  }
  return line + " [options]";
}

// Whether a command only groups its subcommands.
bool only_groups(const CommandText& command) { return !command.commands.empty() && command.name != "linn"; }

// Escapes backslashes and dashes, and leading dots and quotes, which would start a request.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    if (c == '\n') out += "\\&";
  }
  return "\\&" + out;
}

std::string man_page(const std::vector<CommandText>& commands) {
  std::string page = fmt::format(".TH LINN 1 \"\" \"linn {}\" \"User Commands\"\n.ad l\n", kVersion);
  auto out = std::back_inserter(page);
  fmt::format_to(out, ".SH NAME\nlinn \\- neural networks that reason\n.SH SYNOPSIS\n.B linn\nCOMMAND [options]\n");
  fmt::format_to(out, ".SH DESCRIPTION\n{}.\n", roff(commands.front().description));
  for (const CommandText& command : commands) {
    if (only_groups(command)) continue;
    fmt::format_to(out, ".SH {}\n{}\n.PP\n.B {}\n", roff(command.name.substr(command.name.find(' ') + 1)),
                   roff(command.description), roff(usage(command)));
    for (const auto* list : {&command.arguments, &command.options}) {
      for (const OptionText& option : *list) {
        fmt::format_to(out, ".TP\n.B {}\n{}", roff(option.names), roff(option.text));
        if (!option.initial.empty()) fmt::format_to(out, " (default: {})", roff(option.initial));
        if (option.required) page += " (required)";
        page += '\n';
      }
    }
    if (!command.footer.empty()) fmt::format_to(out, ".PP\n.nf\n{}\n.fi\n", roff(command.footer));
  }
  page +=
      ".SH EXIT STATUS\n0: success; 1: the work failed or was stopped; 2: wrong usage or invalid input.\n"
      ".SH SEE ALSO\nThe folder doc/linn of the installation, or docs in the sources.\n";
  return page;
}

std::string markdown(const std::vector<CommandText>& commands) {
  std::string page =
      "# Every command and option\n\nGenerated by `linn manual --format markdown`; a test checks that it is up to "
      "date.\n";
  auto out = std::back_inserter(page);
  for (const CommandText& command : commands) {
    if (only_groups(command)) continue;
    fmt::format_to(out, "\n## {}\n\n{}.\n\n    {}\n\n| | | default |\n| --- | --- | --- |\n", command.name,
                   command.description, usage(command));
    for (const auto* list : {&command.arguments, &command.options}) {
      for (const OptionText& option : *list) {
        const std::string initial = option.initial.empty() ? "" : fmt::format("`{}`", option.initial);
        fmt::format_to(out, "| `{}` | {} | {} |\n", markdown_cell(option.names), markdown_cell(option.text),
                       option.required ? "required" : initial);
      }
    }
    if (!command.footer.empty()) fmt::format_to(out, "\n```text\n{}\n```\n", command.footer);
  }
  return page;
}

// A word that may come next on the command line, and its description.
struct Suggestion {
  std::string word, text;
};

std::vector<Suggestion> suggestions(const CommandText& command, const std::vector<CommandText>& all) {
  std::vector<Suggestion> list;
  for (const std::string& name : command.commands) {
    const auto below = std::ranges::find(all, command.name + " " + name, &CommandText::name);
    list.push_back({name, below->description});
  }
  for (const OptionText& option : command.options) list.push_back({option.longest, option.text});
  for (const OptionText& argument : command.arguments) {
    for (const std::string& choice : argument.choices) list.push_back({choice, argument.text});
  }
  return list;
}

// The part that is the same for all shells: given $command and $before, the word before the one to complete, it sets
// `words` to a list that list_of formats, and `files` where a file may follow.
template <typename ListOf>
std::string completion_cases(const std::vector<CommandText>& commands, ListOf list_of) {
  std::string script = "  case \"$command $before\" in\n";
  auto out = std::back_inserter(script);
  for (const CommandText& command : commands) {
    for (const OptionText& option : command.options) {
      const std::string place = shell_quoted(command.name + " " + option.longest);
      if (!option.choices.empty()) {
        std::vector<Suggestion> choices;
        for (const std::string& choice : option.choices) choices.push_back({choice, ""});
        fmt::format_to(out, "    {}) words={} ;;\n", place, list_of(choices));
      } else if (option.file) {
        fmt::format_to(out, "    {}) files=yes ;;\n", place);
      }
    }
  }
  script += "    *)\n      case \"$command\" in\n";
  for (const CommandText& command : commands) {
    fmt::format_to(out, "        {}) words={}{} ;;\n", shell_quoted(command.name),
                   list_of(suggestions(command, commands)),
                   std::ranges::any_of(command.arguments, &OptionText::file) ? " files=yes" : "");
  }
  return script + "      esac ;;\n  esac\n";
}

// Cases over "$command WORD" that follow the words to the subcommand they name.
std::string command_cases(const std::vector<CommandText>& commands) {
  std::string script;
  for (const CommandText& command : commands) {
    if (command.name != "linn") script += fmt::format("      {0}) command={0} ;;\n", shell_quoted(command.name));
  }
  return script;
}

std::string bash_completion(const std::vector<CommandText>& commands) {
  const auto list_of = [](const std::vector<Suggestion>& list) {
    std::string words;
    for (const Suggestion& one : list) words += (words.empty() ? "" : " ") + one.word;
    return shell_quoted(words);
  };
  return "# bash completion for linn.\n"
         "_linn() {\n"
         "  local word=\"${COMP_WORDS[COMP_CWORD]}\" before=\"${COMP_WORDS[COMP_CWORD-1]}\" command=linn i\n"
         "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
         "    case \"$command ${COMP_WORDS[i]}\" in\n" +
         command_cases(commands) + "    esac\n  done\n  local words='' files=no\n" +
         completion_cases(commands, list_of) +
         "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
         "  if [[ $files == yes && $word != -* ]]; then\n"
         "    compopt -o filenames 2>/dev/null\n"
         "    mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- \"$word\")\n"
         "  fi\n"
         "}\n"
         "complete -F _linn linn\n";
}

std::string zsh_completion(const std::vector<CommandText>& commands) {
  // WORD:TEXT, with colons in the word escaped.
  const auto list_of = [](const std::vector<Suggestion>& list) {
    std::string words = "(";
    for (const Suggestion& one : list) {
      std::string word;
      for (const char c : one.word) word += c == ':' ? std::string("\\:") : std::string(1, c);
      words += (words.size() == 1 ? "" : " ") + shell_quoted(one.text.empty() ? word : word + ":" + one.text);
    }
    return words + ")";
  };
  return "#compdef linn\n"
         "_linn() {\n"
         "  local command=linn before=\"${words[CURRENT-1]}\" files=no i\n"
         "  for ((i = 2; i < CURRENT; i++)); do\n"
         "    case \"$command ${words[i]}\" in\n" +
         command_cases(commands) + "    esac\n  done\n  local word=\"${words[CURRENT]}\"\n  local -a words=()\n" +
         completion_cases(commands, list_of) +
         "  (( $#words )) && _describe linn words\n"
         "  if [[ $files == yes && $word != -* ]]; then _files; fi\n"
         "}\n"
         "if [[ $funcstack[1] == _linn ]]; then _linn \"$@\"; else compdef _linn linn; fi\n";
}

}  // namespace

void add_manual_command(CLI::App& app, Program& program) {
  CLI::App* manual = app.add_subcommand("manual", "Print the man page, the Markdown reference or shell completions");
  auto format = std::make_shared<ManualFormat>(ManualFormat::kMan);
  add_choice<ManualFormat>(*manual, "--format", *format,
                           {{"man", ManualFormat::kMan},
                            {"markdown", ManualFormat::kMarkdown},
                            {"bash-completion", ManualFormat::kBash},
                            {"zsh-completion", ManualFormat::kZsh}},
                           "The format");
  run_if_chosen(*manual, program, [format, &app] {
    std::vector<CommandText> commands;
    collect(app, "", commands);
    fmt::print("{}", *format == ManualFormat::kMan        ? man_page(commands)
                     : *format == ManualFormat::kMarkdown ? markdown(commands)
                     : *format == ManualFormat::kBash     ? bash_completion(commands)
                                                          : zsh_completion(commands));
  });
}

}  // namespace linn::app
