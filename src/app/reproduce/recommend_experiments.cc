// Table 3, Table 4, Figure 4, Table 5 and Figure 5 of the paper: recommendation.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "app/report/cells.h"
#include "app/reproduce/experiment.h"
#include "app/reproduce/recommend_trainings.h"
#include "linn/data/interactions.h"

namespace linn::app {
namespace {

struct RecommendSet {
  std::string_view folder;
  const char* name;
};
constexpr std::array<RecommendSet, 2> kSets = {{{kMovieLens, "ML-100k"}, {kElectronics, "Amazon Electronics"}}};

// Table 3.

void report_table_3(const ExperimentResults& results, ReportSection& section) {
  Table table;
  table.corner = "data";
  table.columns = {{"users", 0, ""}, {"items", 0, ""}, {"likes", 0, ""}, {"dislikes", 0, ""}};
  constexpr std::array<std::array<double, 4>, 2> kPaper = {
      {{943, 1682, 55375, 44625}, {192403, 63001, 1356067, 333121}}};
  for (std::size_t i = 0; i < kSets.size(); ++i) {
    Table::Row row;
    row.name = kSets[i].name;
    std::array<std::vector<double>, 4> ours;
    if (results.setup().has(kSets[i].folder)) {
      const InteractionData data = read_interaction_folder(results.setup().data / kSets[i].folder);
      std::array<double, 2> ratings = {};  // dislikes, likes
      for (const auto* part : {&data.train, &data.validation, &data.test}) {
        for (const Interaction& interaction : *part) ratings[interaction.liked ? 1 : 0] += 1.0;
      }
      ours = {{{static_cast<double>(data.users.size())},
               {static_cast<double>(data.items.size())},
               {ratings[1]},
               {ratings[0]}}};
    }
    for (std::size_t k = 0; k < ours.size(); ++k) row.cells.push_back(cell_of(ours[k], Estimate{kPaper[i][k]}));
    table.rows.push_back(std::move(row));
  }
  section.add_table(table);
}

// Table 4.

struct RecommendRow {
  const char* name;
  const char* model;
  // nDCG@10, Hit@1 and seconds per epoch on each set.
  std::array<std::array<Estimate, 3>, 2> paper;
  bool rule_above = false;
};
const std::array<RecommendRow, 7> kTable4 = {
    {{"BPRMF",
      "bprmf",
      {{{{{0.3664, 0.0017}, {0.1537, 0.0036}, {4.9}}}, {{{0.3514, 0.0002}, {0.1951, 0.0004}, {112.1}}}}}},
     {"SVD++",
      "svdpp",
      {{{{{0.3675, 0.0024}, {0.1556, 0.0044}, {30.4}}}, {{{0.3582, 0.0004}, {0.1930, 0.0006}, {469.3}}}}}},
     {"STAMP",
      "stamp",
      {{{{{0.3943, 0.0016}, {0.1706, 0.0022}, {8.3}}}, {{{0.3954, 0.0003}, {0.2215, 0.0003}, {352.7}}}}}},
     {"GRU4Rec",
      "gru4rec",
      {{{{{0.3973, 0.0016}, {0.1745, 0.0038}, {7.1}}}, {{{0.4029, 0.0009}, {0.2262, 0.0009}, {225.0}}}}},
      true},
     {"NARM",
      "narm",
      {{{{{0.4022, 0.0015}, {0.1771, 0.0016}, {9.6}}}, {{{0.4051, 0.0006}, {0.2292, 0.0005}, {268.8}}}}}},
     {"LINN−R_l",
      "linn-rl",
      {{{{{0.4022, 0.0027}, {0.1783, 0.0043}, {20.7}}}, {{{0.4152, 0.0014}, {0.2396, 0.0019}, {498.0}}}}},
      true},
     {"LINN",
      "linn",
      {{{{{0.4064, 0.0015, true}, {0.1850, 0.0053, true}, {30.7}}},
        {{{0.4191, 0.0012, true}, {0.2438, 0.0014, true}, {754.9}}}}}}}};

constexpr std::array<const char*, 2> kMeasures = {"ndcg@10", "hit@1"};

void plan_table_4(const ReproduceSetup& setup, ExperimentJobs& jobs) {
  for (const RecommendSet& set : kSets) {
    for (const RecommendRow& row : kTable4) jobs.add(recommend_training(setup, set.folder, row.model, "paper"));
  }
}

// Marks the result of a training that is better over users than every rival, once all have been run.
void mark_if_ahead(const ExperimentResults& results, const Training& training, const std::vector<Training>& rivals,
                   std::string_view measure, TableCell& cell) {
  if (!cell.ours) return;
  const auto ours = results.user_figures(training, measure);
  cell.ours->marked = std::ranges::all_of(
      rivals, [&](const Training& rival) { return better_over_users(ours, results.user_figures(rival, measure)); });
}

struct RankingRow {
  const char* name;
  std::array<Training, kSets.size()> trainings;
  std::array<std::vector<Estimate>, kSets.size()> paper;  // for each measure
  bool rule_above = false;
};
struct RankingColumn {
  const char* name;
  const char* pointer;
  int digits;
  bool is_time = false;
};

// One group of columns per data set. Row `linn` is marked where it is better than all rows of other models.
Table ranking_table(const ExperimentResults& results, const std::vector<RankingRow>& rows,
                    const std::vector<RankingColumn>& columns, std::size_t linn) {
  Table table;
  table.corner = "model";
  for (const RecommendSet& set : kSets) {
    for (const RankingColumn& column : columns) table.columns.push_back({column.name, column.digits, set.name});
  }
  for (const RankingRow& entry : rows) {
    Table::Row row;
    row.name = entry.name;
    row.rule_above = entry.rule_above;
    for (std::size_t s = 0; s < kSets.size(); ++s) {
      for (std::size_t c = 0; c < columns.size(); ++c) {
        const auto runs = results.figures(entry.trainings[s], columns[c].pointer);
        row.cells.push_back(columns[c].is_time ? median_cell_of(runs, entry.paper[s][c])
                                               : cell_of(runs, entry.paper[s][c]));
      }
    }
    table.rows.push_back(std::move(row));
  }
  for (std::size_t s = 0; s < kSets.size(); ++s) {
    std::vector<Training> rivals;
    for (const RankingRow& row : rows) {
      if (row.trainings[s].model != "linn") rivals.push_back(row.trainings[s]);
    }
    for (std::size_t m = 0; m < kMeasures.size(); ++m) {
      const std::size_t column = s * columns.size() + m;
      mark_if_ahead(results, rows[linn].trainings[s], rivals, kMeasures[m], table.rows[linn].cells[column]);
      emphasize_best(table, column, Better::kHigher);
    }
  }
  return table;
}

void report_table_4(const ExperimentResults& results, ReportSection& section) {
  section.add_text(
      "The held-out like of each user is ranked among 100 items that the user never liked. All models use the loss, "
      "the sampling and the early stopping of the paper (preset paper). s/epoch is the median over seeds on one core, "
      "with other runs on the other cores; the paper's times are from a GTX 1080 Ti.");
  std::vector<RankingRow> rows;
  for (const RecommendRow& entry : kTable4) {
    RankingRow row = {entry.name, {}, {}, entry.rule_above};
    for (std::size_t s = 0; s < kSets.size(); ++s) {
      row.trainings[s] = recommend_training(results.setup(), kSets[s].folder, entry.model, "paper");
      row.paper[s].assign(entry.paper[s].begin(), entry.paper[s].end());
    }
    rows.push_back(std::move(row));
  }
  Table table = ranking_table(
      results, rows, {{"nDCG@10", "/ndcg@10", 4}, {"Hit@1", "/hit@1", 4}, {"s/epoch", "/seconds_per_epoch", 1, true}},
      rows.size() - 1);
  table.note =
      "* significantly better than every other model (p < 0.05, paired over users; the values of a user are averaged "
      "over the seeds).";
  section.add_table(table);
}

// Figure 4.

std::vector<double> recommend_weights(bool quick) {
  if (quick) return {0.0, 1e-6};
  return {0.0, 1e-6, 1e-5, 1e-4, 1e-3};
}

// The laws are applied to a share of the vectors: the expected loss is the same, and a run takes a sixth of the time.
Training recommend_weight_training(const ReproduceSetup& setup, double weight) {
  if (weight == 0.0) return recommend_training(setup, kMovieLens, "linn-rl", "paper");
  Training training =
      recommend_training(setup, kMovieLens, "linn", "paper", {fmt::format("laws={:g}", weight), "law_share=0.05"});
  training.cost /= 6.0;
  return training;
}

void plan_figure_4(const ReproduceSetup& setup, ExperimentJobs& jobs) {
  for (const double weight : recommend_weights(setup.quick)) jobs.add(recommend_weight_training(setup, weight));
}

void report_figure_4(const ExperimentResults& results, ReportSection& section) {
  section.add_text(
      "Ranking on ML-100k against the weight λ of the laws (otherwise preset paper); λ = 0 is LINN−R_l. The laws are "
      "applied to a random 5 % of the vectors and scaled up. Error bars are standard errors over seeds.");
  const auto weights = recommend_weights(results.setup().quick);
  for (const auto& [pointer, name] : {std::pair("/ndcg@10", "nDCG@10"), std::pair("/hit@1", "Hit@1")}) {
    Plot plot;
    plot.width = 460;
    plot.height = 340;
    plot.x = weight_axis("weight of the laws, λ", weights);
    plot.y.label = name;
    std::vector<SweepPoint> points;
    for (const double weight : weights) {
      points.push_back({weight, results.figures(recommend_weight_training(results.setup(), weight), pointer)});
    }
    plot.series.push_back(sweep_series("", points));
    section.add_figure(std::move(plot), fmt::format("{} against the weight of the laws", name), name, true);
  }
}

// Table 5.

struct DislikesRow {
  const char* name;
  const char* model;
  const char* dislikes;  // the setting; empty: that of the preset
  std::array<std::array<Estimate, 2>, 2> paper;
  bool rule_above = false;
};
const std::array<DislikesRow, 14> kTable5 = {
    {{"STAMP", "stamp", "", {{{{{0.3943}, {0.1706}}}, {{{0.3954}, {0.2215}}}}}},
     {"… with −v", "stamp", "minus", {{{{{0.3757}, {0.1651}}}, {{{0.3901}, {0.2171}}}}}},
     {"… with v⁻", "stamp", "embedding", {{{{{0.3803}, {0.1646}}}, {{{0.3936}, {0.2186}}}}}},
     {"… with g(v)", "stamp", "network", {{{{{0.3745}, {0.1618}}}, {{{0.3899}, {0.2173}}}}}},
     {"GRU4Rec", "gru4rec", "", {{{{{0.3973}, {0.1745}}}, {{{0.4029}, {0.2262}}}}}, true},
     {"… with −v", "gru4rec", "minus", {{{{{0.3909}, {0.1741}}}, {{{0.3924}, {0.2187}}}}}},
     {"… with v⁻", "gru4rec", "embedding", {{{{{0.4006}, {0.1794}}}, {{{0.4050}, {0.2286}}}}}},
     {"… with g(v)", "gru4rec", "network", {{{{{0.3843}, {0.1681}}}, {{{0.3946}, {0.2206}}}}}},
     {"NARM", "narm", "", {{{{{0.4022}, {0.1771}}}, {{{0.4051}, {0.2292}}}}}, true},
     {"… with −v", "narm", "minus", {{{{{0.3917}, {0.1762}}}, {{{0.3978}, {0.2234}}}}}},
     {"… with v⁻", "narm", "embedding", {{{{{0.3964}, {0.1807}}}, {{{0.4029}, {0.2262}}}}}},
     {"… with g(v)", "narm", "network", {{{{{0.3842}, {0.1743}}}, {{{0.3942}, {0.2206}}}}}},
     {"LINN",
      "linn",
      "",
      {{{{{0.4064, {}, true}, {0.1850, {}, true}}}, {{{0.4191, {}, true}, {0.2438, {}, true}}}}},
      true},
     {"without dislikes", "linn", "none", {{{{{0.3990}, {0.1822}}}, {{{0.4172}, {0.2433}}}}}}}};

Training dislikes_training(const ReproduceSetup& setup, std::string_view set, const DislikesRow& row) {
  std::vector<std::string> settings;
  if (*row.dislikes != '\0') settings.push_back(fmt::format("dislikes={}", row.dislikes));
  return recommend_training(setup, set, row.model, "paper", settings);
}

void plan_table_5(const ReproduceSetup& setup, ExperimentJobs& jobs) {
  for (const RecommendSet& set : kSets) {
    for (const DislikesRow& row : kTable5) jobs.add(dislikes_training(setup, set.folder, row));
  }
}

void report_table_5(const ExperimentResults& results, ReportSection& section) {
  section.add_text(
      "How disliked items in a history are encoded: left out, the negative of the vector, a second vector per item, a "
      "two-layer network over the vector; for LINN, the negated literal.");
  std::vector<RankingRow> rows;
  for (const DislikesRow& entry : kTable5) {
    RankingRow row = {entry.name, {}, {}, entry.rule_above};
    for (std::size_t s = 0; s < kSets.size(); ++s) {
      row.trainings[s] = dislikes_training(results.setup(), kSets[s].folder, entry);
      row.paper[s].assign(entry.paper[s].begin(), entry.paper[s].end());
    }
    rows.push_back(std::move(row));
  }
  // The last two rows are LINN and LINN without dislikes.
  Table table = ranking_table(results, rows, {{"nDCG@10", "/ndcg@10", 4}, {"Hit@1", "/hit@1", 4}}, rows.size() - 2);
  table.note = "* significantly better than every baseline (p < 0.05, paired over users).";
  section.add_table(table);
}

// Figure 5.

void plan_figure_5(const ReproduceSetup& setup, ExperimentJobs& jobs) {
  jobs.add(recommend_training(setup, kMovieLens, "linn", "paper"));
}

void report_figure_5(const ExperimentResults& results, ReportSection& section) {
  section.add_text(
      "How true LINN considers it that a user likes both of two items, Sim(v_i ∧ v_j, T), for nine items of ML-100k "
      "from popular to rare: three rated by over 30 users, three by 5 to 30, three by fewer than 5.");
  const auto& output =
      results.output(recommend_training(results.setup(), kMovieLens, "linn", "paper"), 1, Printed::kCooccur);
  if (!output.is_object()) {
    section.add_text("Not run.");
    return;
  }
  const RunCooccurrence cooccurrence = cooccurrence_from_json(output);
  section.add_figure(heat_map(cooccurrence), "Heat map of the similarity of conjunctions of items with true",
                     "Rows are the first operand; columns, with the numbers of the rows, the second. In brackets: how "
                     "many users rated the item in training.");
  section.add_text(
      fmt::format("The laws do not require AND to be symmetric. Over random pairs, Sim(v_i ∧ v_j, T) and "
                  "Sim(v_j ∧ v_i, T) differ by {:.3f} on average.",
                  cooccurrence.mean_asymmetry));
}

constexpr std::array<Experiment, 5> kExperiments = {{
    {"table-3", "Table 3: the data", plan_nothing, report_table_3},
    {"table-4", "Table 4: recommendation", plan_table_4, report_table_4},
    {"figure-4", "Figure 4: the weight of the laws, recommendation", plan_figure_4, report_figure_4},
    {"table-5", "Table 5: dislikes in histories", plan_table_5, report_table_5},
    {"figure-5", "Figure 5: items liked together", plan_figure_5, report_figure_5},
}};

}  // namespace

std::span<const Experiment> recommend_experiments() { return kExperiments; }

}  // namespace linn::app
