#include "linn/equations/sequence_run.h"

namespace linn {

void TokenSequences::add(const NormalForm& form) {
  const std::size_t begin = tokens.size();
  const auto symbol = [&](Symbol s) { tokens.push_back(static_cast<std::uint32_t>(s)); };
  const bool dnf = form.form == Form::kDnf;
  bool empty_clause = false;
  for (std::size_t i = 0; i < form.clauses(); ++i) empty_clause = empty_clause || form.clause(i).empty();
  if (form.clauses() == 0 || empty_clause) {
    // Without clauses, the expression is the neutral element of the outer connective; an empty clause is the opposite.
    symbol(empty_clause == dnf ? Symbol::kTrue : Symbol::kFalse);
  } else {
    for (std::size_t i = 0; i < form.clauses(); ++i) {
      const auto clause = form.clause(i);
      const bool parentheses = !dnf && clause.size() > 1 && form.clauses() > 1;
      if (i > 0) symbol(dnf ? Symbol::kOr : Symbol::kAnd);
      if (parentheses) symbol(Symbol::kOpening);
      for (std::size_t j = 0; j < clause.size(); ++j) {
        if (j > 0) symbol(dnf ? Symbol::kAnd : Symbol::kOr);
        if (clause[j].negated()) symbol(Symbol::kNot);
        tokens.push_back(kSymbols + clause[j].variable());
      }
      if (parentheses) symbol(Symbol::kClosing);
    }
  }
  lengths.push_back(static_cast<std::uint32_t>(tokens.size() - begin));
}

void SequenceRun::forward(const SequenceNetwork& network, const EmbeddingTable& table, const TokenSequences& sequences,
                          std::span<float> scores, float dropout, Random* random) {
  batch_.assign(sequences.lengths);
  tokens_.resize(batch_.rows());
  batch_.pack<std::uint32_t>(sequences.tokens, tokens_);
  x_.reshape(batch_.rows(), table.width());
  gather_rows({table.row(0), table.rows(), table.width(), table.width()}, tokens_, x_.view());
  dropout_ = Dropout(static_cast<double>(dropout));
  dropout_.forward(x_.view(), random, x_.view(), dropout_cache_);
  scores_.reshape(batch_.sequences(), 1);
  network.forward(batch_, x_.view(), scores_.view(), cache_);
  scatter_rows(scores_.view(), batch_.order(), {scores.data(), scores.size(), 1, 1});
}

void SequenceRun::backward(const SequenceNetwork& network, ParameterGradients& gradients,
                           std::span<const float> d_scores) {
  d_scores_.reshape(batch_.sequences(), 1);
  gather_rows({d_scores.data(), d_scores.size(), 1, 1}, batch_.order(), d_scores_.view());
  dx_.reshape(x_.rows(), x_.cols());
  network.backward(gradients, batch_, x_.view(), d_scores_.view(), dx_.view(), cache_);
  dropout_.backward(dx_.view(), dx_.view(), dropout_cache_);
}

}  // namespace linn
