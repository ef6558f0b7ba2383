// linn serve: the service and its page.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "app/cli/program.h"
#include "app/serve/http_server.h"
#include "app/serve/service.h"
#include "linn/base/error.h"
#include "linn/base/file.h"

namespace linn::app {
namespace {

struct Serve {
  ServeOptions options;
  std::vector<std::string> runs;
  std::string token_file;
};

// NAME=RUN, or a run that is named after its folder.
NamedRun named_run(const std::string& text) {
  const std::size_t equals = text.find('=');
  NamedRun named{"", text};
  if (equals != std::string::npos && !std::filesystem::exists(text)) {
    named = {text.substr(0, equals), text.substr(equals + 1)};
    if (named.name.empty()) throw InputError(fmt::format("expected NAME=RUN, not '{}'", text));
  } else {
    named.name = std::filesystem::path(absolute_name(text)).filename().string();
  }
  if (named.name.empty() || named.name == "." || named.name == ".." || named.name.find('/') != std::string::npos) {
    throw InputError(fmt::format("'{}' cannot be the name of a model; write NAME={}", named.name, named.run));
  }
  return named;
}

std::vector<NamedRun> named_runs(const std::vector<std::string>& texts) {
  std::vector<NamedRun> runs;
  for (const std::string& text : texts) {
    NamedRun run = named_run(text);
    const auto same = std::ranges::find(runs, run.name, &NamedRun::name);
    if (same != runs.end()) {
      throw InputError(fmt::format("two runs have the name '{}': {} and {}; write NAME=RUN for one of them", run.name,
                                   same->run, run.run));
    }
    runs.push_back(std::move(run));
  }
  return runs;
}

std::string read_token(const std::string& file) {
  std::string token = read_file(file);
  while (!token.empty() && (token.back() == '\n' || token.back() == '\r')) token.pop_back();
  constexpr std::size_t kShortest = 16;
  const auto is_plain = [](char c) { return c > ' ' && c <= '~'; };
  if (token.size() < kShortest || !std::ranges::all_of(token, is_plain)) {
    throw InputError(fmt::format("expected a token of at least {} printable characters without spaces", kShortest),
                     Place{file, 0, 0});
  }
  return token;
}

// Browsers send SCHEME://HOST[:PORT], in lower case and without a path.
void check_origin(const std::string& origin) {
  if (origin.empty() || origin == "*") return;
  const std::size_t host = origin.find("://");
  const bool is_origin = host != std::string::npos && host > 0 && host + 3 < origin.size() &&
                         origin.find_first_of("/ ?#", host + 3) == std::string::npos &&
                         std::ranges::none_of(origin, [](char c) { return c >= 'A' && c <= 'Z'; });
  if (is_origin) return;
  throw InputError(fmt::format(
      "--cors needs an origin such as https://example.org, in lower case and without a path, or *, not '{}'", origin));
}

void run(const Serve& serve, const Program& program) {
  ServeOptions options = serve.options;
  options.quiet = program.quiet;
  options.runs = named_runs(serve.runs);
  if (!serve.token_file.empty()) options.token = read_token(serve.token_file);
  check_origin(options.cors);
  if (!is_loopback(options.host) && options.token.empty()) {
    throw InputError(
        fmt::format("--host {} can be reached by other machines, which would all be answered; "
                    "--token-file FILE asks them for a token",
                    options.host));
  }
  Service service(std::move(options));
  HttpServer server(service);
  service.load();
  fmt::print(stderr, "listening on {}\n", server.url());
  server.wait();
}

}  // namespace

void add_serve_command(CLI::App& app, Program& program) {
  CLI::App* command = app.add_subcommand("serve", "Answer requests over HTTP, and show a page, with trained runs");
  auto serve = std::make_shared<Serve>();
  ServeOptions& options = serve->options;
  ServeLimits& limits = options.limits;
  command->add_option("runs", serve->runs, "The runs; without NAME, each is named after its folder")
      ->type_name("[NAME=]RUN")
      ->required();
  command->add_option("--host", options.host, "The address to listen on; one that other machines reach needs a token")
      ->type_name("ADDRESS")
      ->capture_default_str();
  add_whole_number(*command, "--port", options.port, "The port; 0: a free one", 0, 65'535);
  add_threads_option(*command, options.threads);
  command->add_option("--token-file", serve->token_file, "A file with a token that every request must show")
      ->type_name("FILE");
  command->add_option("--cors", options.cors, "An origin whose pages may ask, such as https://example.org; * for all")
      ->type_name("ORIGIN");
  command->add_flag("--watch", options.watch, "Load a run again whenever its training has found a better model");
  constexpr std::uint64_t kMost = 1'000'000'000;
  constexpr std::uint64_t kMostSeconds = 86'400;
  add_whole_number(*command, "--max-body", limits.body, "Largest body of a request, in bytes", 1, kMost);
  add_whole_number(*command, "--max-header", limits.header, "Largest header of a request, in bytes", 256, 1'048'576);
  add_whole_number(*command, "--max-list", limits.list, "Longest list in a request, and most results", 1, 1'000'000);
  add_whole_number(*command, "--max-expression", limits.expression, "Longest expression, in bytes", 1, kMost);
  add_whole_number(*command, "--max-literals", limits.literals, "Most literals in the normal form of an expression", 1,
                   4'000'000);
  add_whole_number(*command, "--max-reasons", limits.reasons, "Most reasons in an answer: items times events", 1,
                   kMost);
  add_whole_number(*command, "--max-connections", limits.connections, "Connections at a time", 1, 1'000'000);
  add_whole_number(*command, "--request-seconds", limits.request_seconds, "Longest time to answer", 1, kMostSeconds);
  add_whole_number(*command, "--header-seconds", limits.header_seconds, "Longest time to send a header", 1,
                   kMostSeconds);
  add_whole_number(*command, "--body-seconds", limits.body_seconds, "Longest time to send a body", 1, kMostSeconds);
  add_whole_number(*command, "--write-seconds", limits.write_seconds, "Longest time to take a part of an answer", 1,
                   kMostSeconds);
  add_whole_number(*command, "--idle-seconds", limits.idle_seconds, "Longest time between requests of a connection", 1,
                   kMostSeconds);
  add_quiet_option(*command, program);
  command->footer(
      "The page is at the address that is printed once all models are loaded; docs/serve.md describes the requests.\n"
      "SIGTERM and Ctrl-C finish what is under way.");
  run_if_chosen(*command, program, [serve, &program] { run(*serve, program); });
}

}  // namespace linn::app
