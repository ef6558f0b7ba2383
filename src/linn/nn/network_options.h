// The shape of a network: everything about it except the learned numbers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "linn/plan/plan.h"

namespace linn {

enum class Activation : std::uint8_t { kRelu, kLeakyRelu, kTanh };

// The part of a module after its first layer; head.h says how to add another.
enum class Structure : std::uint8_t {
  kMlp,           // hidden layers and an output layer, as in the paper
  kResidual,      // the same plus the mean of the operands (for NOT: minus the operand)
  kLeftResidual,  // gates: the same plus the left operand, with the length bounded; for long chains
  kProduct,       // gates: (P a) * (Q b), element by element, without hidden layers
  kMlpProduct,    // gates: the sum of mlp and product
};

enum class SimilarityKind : std::uint8_t { kCosine, kDot, kMlp };

struct ModuleOptions {
  std::size_t hidden = 0;  // width of the hidden layers; 0: as wide as the vectors
  std::size_t depth = 1;   // hidden layers
  bool output_bias = false;
  Activation activation = Activation::kRelu;
  Structure structure = Structure::kMlp;
};

struct NetworkOptions {
  std::size_t width = 64;  // of the vectors
  ModuleOptions gate;      // AND and OR
  ModuleOptions negation;  // NOT
  // Where AND or OR has another structure than gate.structure.
  std::optional<Structure> and_structure;
  std::optional<Structure> or_structure;
  float length_bound = 0.0F;  // left_residual: the greatest length of its results; 0: sqrt(width)
  SimilarityKind similarity = SimilarityKind::kCosine;
  float alpha = 10.0F;  // cosine: its scale before the sigmoid

  // 2d -> d -> d without an output bias (section 3.4 of the paper).
  static NetworkOptions paper(std::size_t width = 64);
  // 2d -> 2d -> d with biases on both layers (the authors' program).
  static NetworkOptions authors(std::size_t width = 64);

  Structure structure(Gate kind) const {
    return (kind == Gate::kAnd ? and_structure : or_structure).value_or(gate.structure);
  }
  // The width of the first hidden layer of AND or OR; 0: it has none.
  std::size_t gate_hidden(Gate kind) const {
    if (structure(kind) == Structure::kProduct) return 0;
    return gate.hidden == 0 ? width : gate.hidden;
  }
  std::size_t negation_hidden() const { return negation.hidden == 0 ? width : negation.hidden; }
};

// The ten laws in the order of spec and paper (Table 1).
inline constexpr std::size_t kLaws = 10;
enum Law : std::uint8_t {
  kNegation,        // NOT(w) differs from w, also for T
  kDoubleNegation,  // NOT(NOT(w)) = w
  kAndIdentity,     // w AND T = w
  kAndAnnihilator,  // w AND F = F
  kAndIdempotence,  // w AND w = w
  kAndComplement,   // w AND NOT(w) = F
  kOrIdentity,      // w OR F = w
  kOrAnnihilator,   // w OR T = T
  kOrIdempotence,   // w OR w = w
  kOrComplement,    // w OR NOT(w) = T
};

// The terms of the loss besides the task, applied to every vector w in the batch.
struct RegularizerOptions {
  std::array<float, kLaws> laws = {};  // weight of each law; the paper's lambda_l on all of them
  bool count_occurrences = false;      // weight a vector by its occurrences (authors) or count it once (paper)
  float law_share = 1.0F;              // below 1: laws on a random share of the vectors, scaled up
  float length = 0.0F;                 // weight of the length term
  bool squared_length = true;          // the squared norm (paper) or the plain norm (authors)

  // The weight of a vector with so many occurrences in the batch. With none (a variable hidden by its negation) it
  // takes no part in laws or length.
  float weight(std::uint32_t occurrences) const {
    return occurrences == 0 ? 0.0F : count_occurrences ? static_cast<float>(occurrences) : 1.0F;
  }

  bool any_law() const {
    for (const float weight : laws) {
      if (weight != 0.0F) return true;
    }
    return false;
  }
  // Sampled laws project the vectors they need; laws on every vector use the projections of the forward pass.
  bool samples_laws() const { return law_share < 1.0F && any_law(); }
  void set_laws(float weight) { laws.fill(weight); }
};

}  // namespace linn
