// Speed of reading, printing and normalising expressions, on one core.
//
// What to hold: reading text in the authors' form at 50 MB/s, and reading and normalising the 30,000
// expressions of the large equation set (read_and_normalize) within 0.1 s.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "linn/base/random.h"
#include "linn/logic/normal_form.h"
#include "linn/logic/parse.h"
#include "linn/logic/print.h"

namespace linn {
namespace {

constexpr std::size_t kExpressions = 30'000;
constexpr std::uint64_t kVariables = 10'000;

// Like the paper's data: 1 to 5 clauses of 1 to 5 literals.
std::vector<std::string> authors_texts() {
  Random random(1);
  std::vector<std::string> texts(kExpressions);
  for (std::string& text : texts) {
    for (auto clauses = random.between(1, 5), i = std::int64_t{0}; i < clauses; ++i) {
      for (auto literals = random.between(1, 5), j = std::int64_t{0}; j < literals; ++j) {
        const char* separator = j > 0 ? "^" : i > 0 ? "v" : "";
        text += fmt::format("{}{}{}", separator, random.chance(0.5) ? "~" : "", 1 + random.below(kVariables));
      }
    }
  }
  return texts;
}

std::int64_t total_bytes(const std::vector<std::string>& texts) {
  std::size_t bytes = 0;
  for (const std::string& text : texts) bytes += text.size();
  return static_cast<std::int64_t>(bytes);
}

std::vector<Expr> parse_all(ExpressionPool& pool, const std::vector<std::string>& texts) {
  std::vector<Expr> expressions;
  expressions.reserve(texts.size());
  for (const std::string& text : texts) expressions.push_back(parse_expression(pool, text));
  return expressions;
}

void parse_authors_form(benchmark::State& state) {
  const auto texts = authors_texts();
  while (state.KeepRunning()) {
    ExpressionPool pool;
    benchmark::DoNotOptimize(parse_all(pool, texts));
  }
  state.SetBytesProcessed(state.iterations() * total_bytes(texts));
}
BENCHMARK(parse_authors_form)->Unit(benchmark::kMillisecond);

void parse_ascii(benchmark::State& state) {
  ExpressionPool source;
  std::vector<std::string> texts;
  for (const Expr e : parse_all(source, authors_texts())) texts.push_back(to_string(source, e));
  while (state.KeepRunning()) {
    ExpressionPool pool;
    benchmark::DoNotOptimize(parse_all(pool, texts));
  }
  state.SetBytesProcessed(state.iterations() * total_bytes(texts));
}
BENCHMARK(parse_ascii)->Unit(benchmark::kMillisecond);

void parse_million_literals(benchmark::State& state) {
  std::string text;
  for (int i = 0; i < 1'000'000; ++i)
    text += fmt::format("{}x{}", i == 0 ? "" : i % 5 == 0 ? " | " : " & ", i % 100'003);
  while (state.KeepRunning()) {
    ExpressionPool pool;
    benchmark::DoNotOptimize(parse_expression(pool, text));
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(parse_million_literals)->Unit(benchmark::kMillisecond);

void print(benchmark::State& state) {
  ExpressionPool pool;
  const auto expressions = parse_all(pool, authors_texts());
  const auto notation = static_cast<Notation>(state.range(0));
  std::size_t bytes = 0;
  while (state.KeepRunning()) {
    for (const Expr e : expressions) bytes += to_string(pool, e, notation).size();
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
}
BENCHMARK(print)->ArgName("notation")->Arg(0)->Arg(2)->Unit(benchmark::kMillisecond);

void normalize_to_dnf(benchmark::State& state) {
  ExpressionPool pool;
  const auto expressions = parse_all(pool, authors_texts());
  while (state.KeepRunning()) {
    Normalizer normalizer(pool);
    for (const Expr e : expressions) benchmark::DoNotOptimize(normalizer.normalize(e, Form::kDnf));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(expressions.size()));
}
BENCHMARK(normalize_to_dnf)->Unit(benchmark::kMillisecond);

// What a data set costs before training starts.
void read_and_normalize(benchmark::State& state) {
  const auto texts = authors_texts();
  while (state.KeepRunning()) {
    ExpressionPool pool;
    Normalizer normalizer(pool);
    for (const Expr e : parse_all(pool, texts)) benchmark::DoNotOptimize(normalizer.normalize(e, Form::kDnf));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(texts.size()));
}
BENCHMARK(read_and_normalize)->Unit(benchmark::kMillisecond);

// Distributing: a DNF of up to three clauses of up to three literals has a CNF of up to 27 clauses.
void normalize_to_cnf(benchmark::State& state) {
  Random random(1);
  ExpressionPool pool;
  std::vector<Expr> expressions;
  for (std::size_t n = 0; n < 3'000; ++n) {
    std::vector<Expr> clauses;
    for (auto i = random.between(1, 3); i > 0; --i) {
      std::vector<Expr> literals;
      for (auto j = random.between(1, 3); j > 0; --j) {
        const Expr variable = pool.variable(fmt::format("{}", random.below(1'000)));
        literals.push_back(random.chance(0.5) ? variable : pool.negation(variable));
      }
      clauses.push_back(pool.conjunction(literals));
    }
    expressions.push_back(pool.disjunction(clauses));
  }
  while (state.KeepRunning()) {
    Normalizer normalizer(pool);
    for (const Expr e : expressions) benchmark::DoNotOptimize(normalizer.normalize(e, Form::kCnf));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(expressions.size()));
}
BENCHMARK(normalize_to_cnf)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace linn
