#include "linn/equations/sequence_network.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "layers/layer_test.h"
#include "linn/equations/sequence_run.h"
#include "linn/equations/sequence_step.h"

namespace linn {
namespace {

constexpr SequenceKind kKinds[] = {SequenceKind::kBiRnn, SequenceKind::kBiLstm, SequenceKind::kCnn};
constexpr std::size_t kTokens = 12;

SequenceNetworkOptions small(SequenceKind kind) {
  SequenceNetworkOptions options;
  options.kind = kind;
  options.width = 5;
  options.hidden = 4;
  options.widest = 3;
  return options;
}

TokenSequences some_sequences() {
  TokenSequences sequences;
  Random random(4);
  for (const std::uint32_t length : {3U, 1U, 7U, 2U, 3U}) {
    sequences.lengths.push_back(length);
    for (std::uint32_t i = 0; i < length; ++i) sequences.tokens.push_back(std::uint32_t(random.below(kTokens)));
  }
  return sequences;
}

EmbeddingTable some_table(std::size_t width) {
  EmbeddingTable table("tokens", kTokens, width);
  Random random(5);
  table.initialize_normal(random, 1.0F);
  return table;
}

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

Vector add(Vector a, const Vector& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}

// The last state of one direction, by the formulas in rnn.h and lstm.h.
Vector naive_direction(const ParameterSet& parameters, const std::string& name, bool lstm, std::size_t size,
                       const std::vector<Vector>& elements) {
  Vector h(size, 0.0), c(size, 0.0);
  for (const Vector& x : elements) {
    const Vector a =
        add(naive_linear(x, named(parameters, name + ".weight_ih"), named_row(parameters, name + ".bias_ih")),
            naive_linear(h, named(parameters, name + ".weight_hh"), named_row(parameters, name + ".bias_hh")));
    for (std::size_t j = 0; j < size; ++j) {
      if (!lstm) {
        h[j] = std::tanh(a[j]);
        continue;
      }
      c[j] = logistic(a[size + j]) * c[j] + logistic(a[j]) * std::tanh(a[2 * size + j]);
      h[j] = logistic(a[3 * size + j]) * std::tanh(c[j]);
    }
  }
  return h;
}

Vector naive_state(const ParameterSet& parameters, const SequenceNetworkOptions& options,
                   std::vector<Vector> elements) {
  Vector state;
  if (options.kind != SequenceKind::kCnn) {
    const bool lstm = options.kind == SequenceKind::kBiLstm;
    const std::string name = lstm ? "lstm" : "rnn";
    state = naive_direction(parameters, name + ".forward", lstm, options.hidden, elements);
    std::ranges::reverse(elements);
    const Vector back = naive_direction(parameters, name + ".reverse", lstm, options.hidden, elements);
    state.insert(state.end(), back.begin(), back.end());
    return state;
  }
  for (std::size_t width = 2; width <= options.widest; ++width) {
    const std::string name = fmt::format("convolution{}", width);
    while (elements.size() < width) elements.emplace_back(options.width, 0.0);
    Vector features(options.hidden, 0.0);
    for (std::size_t p = 0; p + width <= elements.size(); ++p) {
      Vector window;
      for (std::size_t k = 0; k < width; ++k)
        window.insert(window.end(), elements[p + k].begin(), elements[p + k].end());
      const Vector response =
          naive_linear(window, named(parameters, name + ".weight"), named_row(parameters, name + ".bias"));
      for (std::size_t f = 0; f < features.size(); ++f) features[f] = std::max(features[f], response[f]);
    }
    state.insert(state.end(), features.begin(), features.end());
  }
  return state;
}

double naive_score(const SequenceNetwork& network, const EmbeddingTable& table, std::span<const std::uint32_t> tokens) {
  const ParameterSet& parameters = network.parameters();
  std::vector<Vector> elements;
  for (const std::uint32_t token : tokens) elements.emplace_back(table.row(token), table.row(token) + table.width());
  const Vector state = naive_state(parameters, network.options(), elements);
  Vector hidden =
      naive_linear(state, named(parameters, "score.hidden.weight"), named_row(parameters, "score.hidden.bias"));
  for (double& value : hidden) value = std::max(value, 0.0);
  return naive_linear(hidden, named(parameters, "score.out.weight"), named_row(parameters, "score.out.bias"))[0];
}

TEST(SequenceNetwork, ScoresLikeTheNaiveImplementation) {
  for (const SequenceKind kind : kKinds) {
    SequenceNetwork network(small(kind));
    draw_parameters(network.parameters());
    const EmbeddingTable table = some_table(network.options().width);
    const TokenSequences sequences = some_sequences();
    std::vector<float> scores(sequences.size());
    SequenceRun run;
    run.forward(network, table, sequences, scores);
    std::size_t begin = 0;
    for (std::size_t i = 0; i < sequences.size(); ++i) {
      const auto tokens = std::span(sequences.tokens).subspan(begin, sequences.lengths[i]);
      EXPECT_NEAR(scores[i], naive_score(network, table, tokens), kClose) << sequence_kind_name(kind) << " " << i;
      // A sequence on its own gets the same bits.
      TokenSequences alone;
      alone.tokens.assign(tokens.begin(), tokens.end());
      alone.lengths.push_back(sequences.lengths[i]);
      float score = 0.0F;
      SequenceRun().forward(network, table, alone, {&score, 1});
      EXPECT_EQ(score, scores[i]);
      begin += tokens.size();
    }
  }
}

TEST(SequenceNetwork, GradientsMatchFiniteDifferences) {
  for (const SequenceKind kind : kKinds) {
    SequenceNetwork network(small(kind));
    ParameterSet& parameters = network.parameters();
    draw_parameters(parameters);
    EmbeddingTable table = some_table(network.options().width);
    const TokenSequences sequences = some_sequences();
    const Matrix d_scores = random_matrix(sequences.size(), 1, 6);
    std::vector<float> scores(sequences.size());
    SequenceRun run;
    const auto loss = [&] {
      Random random(8);  // the same dropout each time
      run.forward(network, table, sequences, scores, 0.3F, &random);
      return weighted_sum(scores, d_scores.span());
    };
    loss();
    ParameterGradients parameter_gradients(parameters);
    run.backward(network, parameter_gradients, d_scores.span());
    const GradientCheckOptions options = {.step = 2e-3, .kinks = 0.3};
    RowGradients gradients;
    gradients.add(run.tokens(), run.token_gradients());
    gradients.merge();
    std::vector<float> d_table(kTokens * table.width());
    for (std::size_t i = 0; i < gradients.rows().size(); ++i) {
      std::copy_n(gradients.values().row(i), table.width(), d_table.begin() + gradients.rows()[i] * table.width());
    }
    EXPECT_TRUE(gradient_matches(table.values(), d_table, loss, options)) << sequence_kind_name(kind);
    expect_parameter_gradients(parameters, parameter_gradients, loss, options);
  }
}

std::vector<NormalForm> some_forms() {
  std::vector<NormalForm> forms;
  Random random(7);
  for (int i = 0; i < 40; ++i) {
    NormalForm form;
    for (std::uint64_t clauses = 1 + random.below(3); clauses > 0; --clauses) {
      std::vector<Literal> clause;
      for (std::uint64_t literals = 1 + random.below(3); literals > 0; --literals) {
        clause.push_back(Literal::of(VariableId(random.below(kTokens - kSymbols)), random.chance(0.5)));
      }
      form.add_clause(clause);
    }
    forms.push_back(form);
  }
  return forms;
}

TEST(SequenceStep, DoesNotDependOnTheNumberOfThreads) {
  for (const SequenceKind kind : kKinds) {
    const std::vector<NormalForm> forms = some_forms();
    std::vector<std::vector<float>> results;
    for (const std::size_t threads : {1, 2, 3}) {
      ThreadPool pool(threads);
      SequenceNetwork network(small(kind));
      draw_parameters(network.parameters());
      EmbeddingTable table = some_table(network.options().width);
      Optimizer optimizer({}, network.parameters(), {&table});
      SequenceStep step(network, table, optimizer, pool, 0.2F, 0.0);
      Random random(2);
      std::vector<float> labels(forms.size());
      std::vector<std::uint32_t> rows(forms.size());
      for (std::uint32_t i = 0; i < rows.size(); ++i) {
        rows[i] = i;
        labels[i] = static_cast<float>(i % 2);
      }
      std::vector<float> losses;
      // One batch is smaller than the number of parts.
      for (const std::size_t size : {40, 3, 40}) {
        losses.push_back(float(step.run(forms, std::span(rows).first(size), labels, random)));
      }
      optimizer.flush(pool);
      results.push_back(joined({losses, network.parameters().values(), table.values()}));
    }
    EXPECT_EQ(results[0], results[1]);
    EXPECT_EQ(results[0], results[2]);
  }
}

TEST(SequenceStep, PartsAndShardsAddUpToTheWholeBatch) {
  for (const SequenceKind kind : kKinds) {
    const std::vector<NormalForm> forms = some_forms();
    ThreadPool pool(2);
    SequenceNetwork network(small(kind));
    draw_parameters(network.parameters());
    EmbeddingTable table = some_table(network.options().width);
    const std::vector<float> before = values_of(network.parameters().values());

    TokenSequences all;
    for (const NormalForm& form : forms) all.add(form);
    std::vector<float> scores(forms.size()), d_scores(forms.size());
    SequenceRun run;
    ParameterGradients whole(network.parameters());
    run.forward(network, table, all, scores);
    double loss = 0.0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const double p = logistic(scores[i]);
      loss -= std::log(p);
      d_scores[i] = static_cast<float>(p - 1.0);
    }
    run.backward(network, whole, d_scores);

    // One step of SGD with the learning rate 1 reveals the gradient.
    OptimizerOptions options;
    options.kind = OptimizerKind::kSgd;
    options.learning_rate = 1.0;
    std::vector<std::uint32_t> rows(forms.size());
    for (std::uint32_t i = 0; i < rows.size(); ++i) rows[i] = i;
    const std::vector<float> labels(forms.size(), 1.0F);
    const std::vector<float> tokens = values_of(table.values());
    std::vector<float> table_after;
    for (const std::size_t count : {1, 4, 64}) {  // shards
      std::ranges::copy(before, network.parameters().values().begin());
      std::ranges::copy(tokens, table.values().begin());
      Optimizer optimizer(options, network.parameters(), {&table});
      Random random(1);
      double step_loss = 0.0;
      if (count == 1) {
        step_loss = SequenceStep(network, table, optimizer, pool, 0.0F, 0.0).run(forms, rows, labels, random);
        table_after = values_of(table.values());
      } else {
        LoneProcess alone;
        Shards shards(count, alone, pool);
        ShardedSequenceStep step(network, table, optimizer, shards, 0.0F, 0.0);
        step_loss = step.run(forms, rows, labels, random);
      }
      EXPECT_NEAR(step_loss, loss, 1e-4 * loss);
      for (std::size_t i = 0; i < before.size(); ++i) {
        const float gradient = before[i] - network.parameters().values()[i];
        EXPECT_NEAR(gradient, whole.values()[i], 2e-4 * (1 + std::abs(whole.values()[i]))) << i;
      }
      for (std::size_t i = 0; i < tokens.size(); ++i) EXPECT_NEAR(table.values()[i], table_after[i], 2e-4) << i;
    }
  }
}

}  // namespace
}  // namespace linn
