#include "linn/base/process_group.h"

#include <exception>

#include "linn/base/error.h"

namespace linn {
namespace {

// What begins a text that was made, or stands for an error.
constexpr char kMade = 'm';
constexpr char kInputError = 'i';
constexpr char kFailure = 'f';

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// An error with its place and its line, so that it can be shown like the original.
std::string packed(const InputError& error) {
  const Place& place = error.place();
  std::string text(1, kInputError);
  for (const std::string& part :
       {error.message(), place.file, std::to_string(place.line), std::to_string(place.column), error.source_line()}) {
    text += part;
    text += '\0';
  }
  return text;
}

[[noreturn]] void throw_packed(std::string_view text) {
  if (text.front() == kFailure) throw Failure(std::string(text.substr(1)));
  std::vector<std::string> parts;
  for (std::size_t begin = 1; begin < text.size();) {
    const std::size_t end = text.find('\0', begin);
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  throw InputError(parts.at(0), Place{parts.at(1), std::stoull(parts.at(2)), std::stoull(parts.at(3))}, parts.at(4));
}

std::string made_or_error(const std::function<std::string()>& make) {
  try {
    return kMade + make();
  } catch (const InputError& error) {
    return packed(error);
  } catch (const std::exception& error) {
    return kFailure + std::string(error.what());
  }
}

}  // namespace

std::vector<std::string> gather(ProcessGroup& processes, std::string_view own) {
  const std::vector<std::span<const std::byte>> to(processes.size(), bytes_of(own));
  std::vector<ProcessGroup::Message> from(processes.size());
  processes.exchange(to, from);
  std::vector<std::string> all;
  for (std::size_t q = 0; q < from.size(); ++q) {
    if (q == processes.rank()) {
      all.emplace_back(own);
    } else {
      all.emplace_back(reinterpret_cast<const char*>(from[q].data()), from[q].size());
    }
  }
  return all;
}

std::string from_first(ProcessGroup& processes, const std::function<std::string()>& make) {
  if (processes.size() == 1) return make();
  const std::string text = gather(processes, processes.is_first() ? made_or_error(make) : std::string())[0];
  if (text.front() != kMade) throw_packed(text);
  return text.substr(1);
}

std::vector<std::string> gather_results(ProcessGroup& processes, const std::function<std::string()>& make) {
  if (processes.size() == 1) return {make()};
  std::vector<std::string> all = gather(processes, made_or_error(make));
  for (std::string& text : all) {
    if (text.front() != kMade) throw_packed(text);
    text.erase(0, 1);
  }
  return all;
}

}  // namespace linn
