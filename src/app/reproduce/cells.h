// How results become cells of tables and points of curves.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/report/document.h"
#include "app/reproduce/experiment.h"
#include "linn/metrics/paired_test.h"

namespace linn::app {

// The mean over seeds beside the paper's figure.
TableCell cell_of(const std::vector<double>& runs, std::optional<Estimate> paper = std::nullopt);

// The median over seeds, without an error. For times: a run that had to share its core says nothing about the model.
TableCell median_cell_of(std::vector<double> runs, std::optional<Estimate> paper = std::nullopt);

// Emphasises the best of a column that has several figures.
enum class Better : std::uint8_t { kHigher, kLower };
void emphasize_best(Table& table, std::size_t column, Better better);

// Whether a model is better than another beyond chance (p < 0.05), as the paper marks it: for equations over the seeds
// that both have, for recommenders over users. Never with too little to tell.
bool better_over_seeds(const std::map<std::uint64_t, double>& a, const std::map<std::uint64_t, double>& b,
                       Better better);
bool better_over_users(const std::vector<std::vector<double>>& a, const std::vector<std::vector<double>>& b);
// How far ahead over users, each run a value for every user. Throws Failure where the runs have different users. There
// must be a run of each.
PairedTest lead_over_users(const std::vector<std::vector<double>>& a, const std::vector<std::vector<double>>& b);

// A curve of means over seeds with their errors. A weight of 0 has a place of its own on a logarithmic axis.
struct SweepPoint {
  double weight = 0.0;
  std::vector<double> runs;
};
Series sweep_series(const std::string& name, const std::vector<SweepPoint>& points);
// The same over an axis that is not logarithmic.
Series mean_series(const std::string& name, const std::vector<SweepPoint>& points);
PlotAxis weight_axis(const std::string& label, const std::vector<double>& weights);

// A row for each law that `linn audit` printed, with its two sides as the first cell; a line parts those never taught.
std::vector<Table::Row> law_rows(const Json& audit);

// The heat map that `linn cooccur` printed, with titles where the items have them.
HeatPlot cooccurrence_plot(const Json& map);

// A curve over epochs, from 1.
Series epoch_series(const std::string& name, std::vector<double> values);

}  // namespace linn::app
