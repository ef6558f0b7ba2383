#include "linn/recommend/protocol/recommend_options.h"

#include <array>
#include <cassert>

#include "linn/base/error.h"
#include "linn/nn/network_option_table.h"
#include "linn/optim/optimizer_option_table.h"
#include "linn/train/logic_option_table.h"

namespace linn {
namespace {

using Kind = RecommenderKind;
using Table = OptionTable<RecommendOptions>;

constexpr std::array<RecommenderName, 11> kNames = {{{Kind::kLinn, "linn"},
                                                     {Kind::kLinnWithoutLaws, "linn-rl"},
                                                     {Kind::kBprmf, "bprmf"},
                                                     {Kind::kSvdpp, "svdpp"},
                                                     {Kind::kStamp, "stamp"},
                                                     {Kind::kGru4rec, "gru4rec"},
                                                     {Kind::kNarm, "narm"},
                                                     {Kind::kSasrec, "sasrec"},
                                                     {Kind::kEase, "ease"},
                                                     {Kind::kItemKnn, "itemknn"},
                                                     {Kind::kPopularity, "popularity"}}};

// The paper's smaller set has 100,000 ratings, the larger 1,689,188.
constexpr std::size_t kSmallSet = 500'000;
// From so many ratings a user on, users have vectors: with 106 (ML-100k) models rank better for it, with 39 (Amazon
// video games) neither better nor worse, with 9 (generated users) worse.
constexpr std::size_t kRatingsForAVector = 50;
constexpr double kWeightNorm = 1e-4;  // lambda_Theta, from the authors' commands

// What each baseline does best with, by nDCG@10 on ML-100k's validation data under the loss of `best`; found by a
// search of the same effort for each (docs/recommendation.md).
struct BaselineSettings {
  Kind kind;
  double learning_rate;
  double weight_decay;
  float dropout;
  std::size_t history;
};
constexpr std::array<BaselineSettings, 6> kBestBaselines = {{{Kind::kBprmf, 2e-3, 1e-3, 0.2F, 0},
                                                             {Kind::kSvdpp, 2e-3, 1e-5, 0.5F, 20},
                                                             {Kind::kStamp, 2e-3, 1e-5, 0.5F, 10},
                                                             {Kind::kGru4rec, 2e-3, 1e-6, 0.2F, 20},
                                                             {Kind::kNarm, 2e-3, 1e-6, 0.2F, 20},
                                                             {Kind::kSasrec, 2e-3, 1e-6, 0.2F, 20}}};

void leave_out_laws(RecommendOptions& options) {
  options.law_weight = 0.0F;
  options.pretrain.steps = 0;  // it would teach the laws
}

void add_history_length(Table& table) {
  table.integer(
      "history", "Events of a history that are read, the last ones; 0: all", 0, 100'000,
      [](auto& o) -> auto& { return o.history; });
}

void add_dislikes(Table& table, std::vector<std::pair<std::string, DislikeMode>> words) {
  table.choice<DislikeMode>(
      "dislikes", "What becomes of the disliked items of a history", std::move(words),
      [](auto& o) -> auto& { return o.dislikes; });
}

void add_training_options(Table& table) {
  table.choice<RankingLoss>(
      "loss", "Pairs of a liked item and a negative, or the liked item among its negatives",
      {{"bpr", RankingLoss::kBpr}, {"softmax", RankingLoss::kSoftmax}}, [](auto& o) -> auto& { return o.loss; });
  table.integer(
      "negatives", "Sampled items for each liked one", 1, 10'000, [](auto& o) -> auto& { return o.negatives; });
  table.number(
      "flip_rate", "Share of likes expected to be wrong", 0.0, 0.49, [](auto& o) -> auto& { return o.flip_rate; });
  table.flag(
      "learn_flip_rate", "Estimate that share after every epoch, beginning with flip_rate",
      [](auto& o) -> auto& { return o.learn_flip_rate; });
  table.integer(
      "ensemble", "Models that are trained, and answer as their mean", 1, 1000,
      [](auto& o) -> auto& { return o.ensemble; });
  table.integer(
      "batch", "Liked items in a batch", 1, 1'000'000, [](auto& o) -> auto& { return o.batch; });
  table.integer(
      "epochs", "Epochs at most", 0, 1'000'000, [](auto& o) -> auto& { return o.epochs; });
  table.integer(
      "patience", "Epochs without a better one before training stops", 1, 1'000'000,
      [](auto& o) -> auto& { return o.patience; });
  table.number(
      "dropout", "Share of a vector's numbers dropped as it enters the model", 0.0, 0.95,
      [](auto& o) -> auto& { return o.dropout; });
  table.number(
      "average", "Decay of an average of the weights over the epochs, which answers in their place; 0: none", 0.0,
      0.999, [](auto& o) -> auto& { return o.average; });
  table.number(
      "init", "Deviation of the initial values", 1e-6, 10.0, [](auto& o) -> auto& { return o.init; });
  add_optimizer_options(
      table, [](auto& o) -> auto& { return o.optimizer; });
}

void add_linn_options(Table& table) {
  table.choice<RecommendForm>(
      "form", "How a history is joined with an item",
      {{"dnf", RecommendForm::kDnf}, {"factored", RecommendForm::kFactored}}, [](auto& o) -> auto& { return o.form; });
  table.integer(
      "clause_order", "History items that a clause may join with an item", 1, 2,
      [](auto& o) -> auto& { return o.clause_order; });
  table.choice<BprOn>(
      "bpr_on", "What the loss on pairs compares", {{"similarity", BprOn::kSimilarity}, {"score", BprOn::kScore}},
      [](auto& o) -> auto& { return o.bpr_on; });
  table.flag(
      "user_vectors", "Users known from training have a vector in their history",
      [](auto& o) -> auto& { return o.user_vectors; });
  add_logic_training_options(table);
  add_network_options(
      table, [](auto& o) -> auto& { return o.network; });
}

}  // namespace

std::span<const RecommenderName> recommender_names() { return kNames; }

std::string_view word_of(RecommenderKind kind) {
  for (const RecommenderName& name : kNames) {
    if (name.kind == kind) return name.word;
  }
  assert(false);
  return {};
}

bool trains_by_epochs(RecommenderKind kind) {
  return kind != Kind::kEase && kind != Kind::kItemKnn && kind != Kind::kPopularity;
}

RecommendOptions recommend_preset(RecommendPreset preset, RecommenderKind kind, RatingCounts counts,
                                  std::size_t width) {
  const std::size_t d = width == 0 ? 64 : width;
  const bool small = counts.ratings <= kSmallSet;
  RecommendOptions options;
  options.law_weight = small ? 1e-6F : 1e-5F;
  options.length_weight = small ? 1e-4F : 1e-6F;
  options.optimizer.clip_value = 10.0;
  switch (preset) {
    case RecommendPreset::kPaper:
      options.network = NetworkOptions::paper(d);
      // A term lambda ||Theta||^2 of the loss has the gradient 2 lambda Theta.
      options.optimizer.weight_decay = 2.0 * kWeightNorm;
      options.dropout = 0.2F;
      // The text has the loss on Sim. That ends where popular items have Sim = 1 and all others 0, without an order
      // among them; the program behind the paper's figures compares scores.
      options.bpr_on = BprOn::kScore;
      // The text takes operands in random order in the laws alone, and histories in the order of time.
      options.random_order = false;
      options.patience = 20;
      break;
    case RecommendPreset::kAuthors:
      options.network = NetworkOptions::authors(d);
      options.form = RecommendForm::kFactored;
      options.random_order = false;  // the oldest first
      options.bpr_on = BprOn::kScore;
      options.squared_length = false;
      options.count_occurrences = true;
      options.optimizer.weight_decay = kWeightNorm;
      options.optimizer.decay_biases = false;
      options.dropout = is_linn(kind) ? 0.0F : 0.2F;  // theirs has none in LINN
      options.patience = 20;
      break;
    case RecommendPreset::kBest:
      // The loss that a model is ranked by in the end has one liked item among many others.
      options.network = NetworkOptions::authors(d);
      options.loss = RankingLoss::kSoftmax;
      options.negatives = is_linn(kind) ? 10 : 30;  // more were worth a longer training only to those that are quick
      options.random_order = false;                 // oldest first: what came last says most
      options.law_share = 0.01F;
      options.average = 0.8;  // single epochs differ more than models do
      options.patience = 20;  // LINN has been seen to rise again after ten epochs of falling
      // A user's vector holds what the last events do not say, where there is enough to learn it from.
      options.user_vectors = is_linn(kind) && counts.users > 0 && counts.ratings >= kRatingsForAVector * counts.users;
      options.dropout = 0.4F;
      options.optimizer.weight_decay = 1e-4;
      options.optimizer.decay_biases = false;
      for (const BaselineSettings& best : kBestBaselines) {
        if (best.kind != kind) continue;
        options.optimizer.learning_rate = best.learning_rate;
        options.optimizer.weight_decay = best.weight_decay;
        options.dropout = best.dropout;
        options.history = best.history;
      }
      break;
  }
  if (kind == Kind::kLinnWithoutLaws) leave_out_laws(options);
  if (!is_linn(kind)) options.dislikes = DislikeMode::kNone;
  // SVD++ reads the whole history by its definition; `best` has found that its end is enough. The other two are what
  // did best on ML-100k's validation data.
  if (kind == Kind::kSvdpp && preset != RecommendPreset::kBest) options.history = 0;
  if (kind == Kind::kEase) options.history = 0;
  if (kind == Kind::kItemKnn) options.history = 20;
  return options;
}

RecommendOptions changed_preset(RecommendPreset preset, RecommenderKind kind, RatingCounts counts,
                                std::span<const std::pair<std::string, std::string>> settings) {
  const auto table = recommend_option_table(kind);
  RecommendOptions probe;
  std::size_t width = 0;
  for (const auto& [key, value] : settings) {
    table.set(probe, key, value);  // the check of names and values comes first
    if (key == "d") width = probe.network.width;
  }
  RecommendOptions options = recommend_preset(preset, kind, counts, width);
  for (const auto& [key, value] : settings) table.set(options, key, value);
  if (kind == Kind::kLinnWithoutLaws && (options.law_weight != 0.0F || options.pretrain.steps != 0)) {
    throw InputError("linn-rl is LINN without laws: laws and pretrain_steps must be 0");
  }
  return options;
}

OptionTable<RecommendOptions> recommend_option_table(RecommenderKind kind) {
  Table table;
  if (is_linn(kind)) {
    add_history_length(table);
    add_dislikes(table, {{"logic", DislikeMode::kLogic}, {"none", DislikeMode::kNone}});
    add_linn_options(table);
    add_training_options(table);
  } else if (trains_by_epochs(kind)) {
    if (kind != Kind::kBprmf) {
      add_history_length(table);
      add_dislikes(table, {{"minus", DislikeMode::kMinus},
                           {"embedding", DislikeMode::kEmbedding},
                           {"network", DislikeMode::kNetwork},
                           {"none", DislikeMode::kNone}});
    }
    table.integer(
        "d", "Width of the vectors", 1, 4096, [](auto& o) -> auto& { return o.network.width; });
    if (kind == Kind::kSasrec) {
      table.integer(
          "blocks", "Blocks of attention", 1, 64, [](auto& o) -> auto& { return o.blocks; });
      table.integer(
          "heads", "Heads of each block; d must be a multiple", 1, 64, [](auto& o) -> auto& { return o.heads; });
    }
    add_training_options(table);
  } else if (kind == Kind::kItemKnn) {
    add_history_length(table);
    add_dislikes(table, {{"minus", DislikeMode::kMinus}, {"none", DislikeMode::kNone}});
    table.integer(
        "neighbours", "Items that each item is compared with, the nearest ones", 1, 100'000,
        [](auto& o) -> auto& { return o.neighbours; });
    table.number(
        "shrinkage", "How much similarities of items with few likes are held back", 0.0, 1e6,
        [](auto& o) -> auto& { return o.shrinkage; });
  } else if (kind == Kind::kEase) {
    add_history_length(table);
    table.number(
        "ridge", "Weight of the squared norm of the item weights", 1e-6, 1e9, [](auto& o) -> auto& { return o.ridge; });
  }
  table.integer(
      "candidate_seed", "Seed of the items among which a held-out one is ranked", 0, ~std::uint64_t{0},
      [](auto& o) -> auto& { return o.candidate_seed; });
  return table;
}

}  // namespace linn
