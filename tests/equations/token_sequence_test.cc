#include <gtest/gtest.h>

#include <string>

#include "linn/base/random.h"
#include "linn/equations/sequence_run.h"
#include "linn/logic/parse.h"
#include "linn/logic/print.h"
#include "nn/random_network.h"

namespace linn {
namespace {

// A sequence as text, with variables as numbers.
std::string text_of(const TokenSequences& sequences, std::size_t begin, std::size_t length) {
  std::string text;
  for (std::size_t i = begin; i < begin + length; ++i) {
    const std::uint32_t token = sequences.tokens[i];
    text += token < kSymbols ? std::string(1, "TF~^v()"[token]) : std::to_string(token - kSymbols);
  }
  return text;
}

std::string tokens_of(const std::string& expression, Form form) {
  ExpressionPool pool;
  for (int i = 0; i < 10; ++i) pool.variable(std::to_string(i));
  TokenSequences sequences;
  sequences.add(clauses_as_written(pool, parse_expression(pool, expression), form));
  return text_of(sequences, 0, sequences.lengths[0]);
}

TEST(TokenSequence, IsTheTextOfTheNormalForm) {
  EXPECT_EQ(tokens_of("~3^2v~1", Form::kDnf), "~3^2v~1");
  EXPECT_EQ(tokens_of("7", Form::kDnf), "7");
  EXPECT_EQ(tokens_of("(3|~2)^1^(4|5)", Form::kCnf), "(3v~2)^1^(4v5)");
  EXPECT_EQ(tokens_of("3|~2", Form::kCnf), "3v~2");
  EXPECT_EQ(tokens_of("T", Form::kDnf), "T");
  EXPECT_EQ(tokens_of("F", Form::kDnf), "F");
  EXPECT_EQ(tokens_of("T", Form::kCnf), "T");
  EXPECT_EQ(tokens_of("F", Form::kCnf), "F");
}

TEST(TokenSequence, AgreesWithThePrinterOnRandomForms) {
  Random random(1);
  ExpressionPool pool;
  for (int i = 0; i < 200; ++i) pool.variable(std::to_string(i));
  TokenSequences sequences;
  std::size_t begin = 0;
  for (int round = 0; round < 20; ++round) {
    for (const NormalForm& form : random_forms(random, {.constants = 0.0})) {
      sequences.add(form);
      EXPECT_EQ(text_of(sequences, begin, sequences.lengths.back()), to_string(pool, form, Notation::kAuthors));
      begin += sequences.lengths.back();
    }
  }
  EXPECT_EQ(begin, sequences.tokens.size());
}

}  // namespace
}  // namespace linn
