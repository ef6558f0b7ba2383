// A million literals and a hundred thousand levels: nothing may recurse or take quadratic time.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "linn/logic/evaluate.h"
#include "linn/logic/normal_form.h"
#include "linn/logic/parse.h"
#include "linn/logic/print.h"

namespace linn {
namespace {

// Builds with a sanitizer are ten times slower.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSlowBuild = true;
#elif defined(__has_feature)
constexpr bool kSlowBuild = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool kSlowBuild = false;
#endif
constexpr std::size_t kLiterals = kSlowBuild ? 100'000 : 1'000'000;
constexpr std::size_t kDepth = 100'000;

// Runs on a stack that recursion over the depth would exhaust many times over.
void with_small_stack(const std::function<void()>& work) {
  constexpr std::size_t kStack = std::size_t{512} << 10U;
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, kStack), 0);
  pthread_t thread{};
  const auto run = [](void* argument) -> void* {
    try {
      (*static_cast<const std::function<void()>*>(argument))();
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, const_cast<std::function<void()>*>(&work)), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

std::string joined(std::size_t count, std::string_view separator, const std::function<std::string(std::size_t)>& part) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) text += separator;
    text += part(i);
  }
  return text;
}

std::string repeated(std::string_view part, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += part;
  return text;
}

// Parses, prints, evaluates with every variable true, and checks that the negation normal form agrees.
Expr survives(ExpressionPool& pool, const std::string& text) {
  const Expr e = parse_expression(pool, text);
  EXPECT_EQ(parse_expression(pool, to_string(pool, e)), e);
  EXPECT_EQ(parse_expression(pool, to_string(pool, e, Notation::kUnicode)), e);
  const std::vector<std::uint8_t> values(pool.variables().size(), 1);
  EXPECT_EQ(evaluate(pool, to_negation_normal_form(pool, e), values), evaluate(pool, e, values));
  return e;
}

std::string variable(std::size_t i) { return fmt::format("x{}", i); }

TEST(LargeExpressions, OneChain) {
  for (const bool conjunction : {true, false}) {
    ExpressionPool pool;
    const auto literal = [](std::size_t i) {
      const std::size_t v = i * 7919 % (kLiterals / 10 * 9 + 1);
      return fmt::format("{}x{}", v % 3 == 0 ? "!" : "", v);
    };
    const Expr e = survives(pool, joined(kLiterals, conjunction ? "&" : "|", literal));
    const NormalForm dnf = normalize(pool, e, Form::kDnf);
    const NormalForm cnf = normalize(pool, e, Form::kCnf);
    EXPECT_EQ(dnf.literals.size(), kLiterals / 10 * 9 + 1);
    EXPECT_EQ(conjunction ? dnf.clauses() : cnf.clauses(), 1U);
    EXPECT_EQ(conjunction ? cnf.clauses() : dnf.clauses(), dnf.literals.size());
  }
}

TEST(LargeExpressions, ManyClauses) {
  ExpressionPool pool;
  std::uint64_t state = 1;
  const auto random = [&](std::size_t bound) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::size_t>(state >> 33U) % bound;
  };
  const auto clause = [&](std::size_t) {
    return joined(5, "^", [&](std::size_t) { return fmt::format("{}{}", random(2) == 0 ? "~" : "", random(10'000)); });
  };
  const Expr e = survives(pool, joined(kLiterals / 5, "v", clause));
  const NormalForm dnf = normalize(pool, e, Form::kDnf);
  EXPECT_GT(dnf.clauses(), kLiterals / 6);
  EXPECT_EQ(normalize(pool, parse_expression(pool, to_string(pool, dnf)), Form::kDnf), dnf);

  // A few clauses, repeated.
  const Expr few = parse_expression(
      pool, joined(kLiterals / 2, " | ", [](std::size_t i) { return fmt::format("x{} & y{}", i % 10, i % 7); }));
  EXPECT_EQ(normalize(pool, few, Form::kDnf).clauses(), 70U);
}

TEST(LargeExpressions, ManySmallProducts) {
  // Each is distributed separately; none may cost the size of the whole.
  ExpressionPool pool;
  const Expr e = survives(pool, joined(kLiterals / 20, " | ", [](std::size_t i) {
                            return fmt::format("c{} & (a{} | b{} & d{} | c{})", i, i, i, i, i + 1);
                          }));
  EXPECT_GE(normalize(pool, e, Form::kDnf).clauses(), 3 * (kLiterals / 20));
}

TEST(LargeExpressions, Parentheses) {
  with_small_stack([] {
    ExpressionPool pool;
    const Expr e = survives(pool, repeated("(", kDepth) + "a" + repeated(")", kDepth));
    EXPECT_EQ(e, pool.variable("a"));
  });
}

TEST(LargeExpressions, Negations) {
  with_small_stack([] {
    ExpressionPool pool;
    const Expr e = survives(pool, repeated("!", kDepth) + "a");
    EXPECT_EQ(to_string(pool, normalize(pool, e, Form::kDnf)), "a");
    const Expr nested = survives(pool, repeated("not (", kDepth + 1) + "a" + repeated(")", kDepth + 1));
    EXPECT_EQ(to_string(pool, normalize(pool, nested, Form::kCnf)), "!a");
  });
}

TEST(LargeExpressions, Implications) {
  with_small_stack([] {
    ExpressionPool pool;
    const Expr flat = survives(pool, joined(kDepth, " -> ", variable));
    EXPECT_EQ(normalize(pool, flat, Form::kDnf).clauses(), kDepth);
    EXPECT_EQ(normalize(pool, flat, Form::kCnf).clauses(), 1U);
    const Expr right = survives(pool, joined(kDepth, " -> (", variable) + repeated(")", kDepth - 1));
    EXPECT_EQ(normalize(pool, right, Form::kDnf), normalize(pool, flat, Form::kDnf));
  });
}

TEST(LargeExpressions, NestedChains) {
  with_small_stack([] {
    ExpressionPool pool;
    const std::string close = repeated(")", kDepth - 1);
    const Expr right = survives(pool, joined(kDepth, " & (", variable) + close);
    EXPECT_EQ(normalize(pool, right, Form::kDnf).clauses(), 1U);
    EXPECT_EQ(normalize(pool, right, Form::kCnf).clauses(), kDepth);
    const Expr left = survives(pool, repeated("(", kDepth - 1) + joined(kDepth, ") | ", variable));
    EXPECT_EQ(normalize(pool, left, Form::kDnf).clauses(), kDepth);
    // x0 & !(!x1 | !(x2 & ...: every level negates the one below it, and all of it is one conjunction.
    const auto turning = [](std::size_t i) {
      return i % 2 == 0 ? fmt::format("x{} & ", i) : fmt::format("!x{} | ", i);
    };
    const Expr turned = survives(pool, joined(kDepth, "!(", turning) + "F" + close);
    EXPECT_EQ(normalize(pool, turned, Form::kDnf), normalize(pool, right, Form::kDnf));
  });
}

TEST(LargeExpressions, AlternatingChainsThatSimplify) {
  with_small_stack([] {
    ExpressionPool pool;
    std::string text = "b";
    text =
        joined(kDepth, "", [](std::size_t i) { return i % 2 == 0 ? "a & (" : "a | ("; }) + "b" + repeated(")", kDepth);
    const Expr e = survives(pool, text);
    EXPECT_EQ(to_string(pool, normalize(pool, e, Form::kDnf)), "a");
    EXPECT_EQ(to_string(pool, normalize(pool, e, Form::kCnf)), "a");
    const Expr exclusive = survives(pool, joined(kDepth / 4, " xor ", [](std::size_t i) { return variable(i % 3); }));
    EXPECT_GT(normalize(pool, exclusive, Form::kDnf).clauses(), 0U);
    const Expr equal = survives(pool, joined(kDepth / 4, " <-> ", [](std::size_t i) { return variable(i % 3); }));
    EXPECT_GT(normalize(pool, equal, Form::kCnf).clauses(), 0U);
  });
}

}  // namespace
}  // namespace linn
