// Turns results into table cells, curves and heat maps.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/evaluate/cooccurrence_of_run.h"
#include "app/report/document.h"
#include "linn/metrics/paired_test.h"

namespace linn::app {

// The mean over seeds beside the paper's figure.
TableCell cell_of(const std::vector<double>& runs, std::optional<Estimate> paper = std::nullopt);

// The median over seeds, without an error. For times: the mean would be skewed by runs that shared their core.
TableCell median_cell_of(std::vector<double> runs, std::optional<Estimate> paper = std::nullopt);

enum class Better : std::uint8_t { kHigher, kLower };
// Emphasises the best value of a column that has several.
void emphasize_best(Table& table, std::size_t column, Better better);

// Whether a model is significantly better than another (p < 0.05), as the paper marks it: for equations over the seeds
// that both have, for recommenders over users. False if there are too few values.
bool better_over_seeds(const std::map<std::uint64_t, double>& a, const std::map<std::uint64_t, double>& b,
                       Better better);
bool better_over_users(const std::vector<std::vector<double>>& a, const std::vector<std::vector<double>>& b);
// The lead over users; every run has one value per user. Throws Failure if the runs have different users. There must
// be at least one run of each.
PairedTest lead_over_users(const std::vector<std::vector<double>>& a, const std::vector<std::vector<double>>& b);

// A curve of means over seeds with their errors. On a logarithmic axis, a weight of 0 is placed left of the others.
struct SweepPoint {
  double weight = 0.0;
  std::vector<double> runs;
};
Series sweep_series(const std::string& name, const std::vector<SweepPoint>& points);
// The same on a linear axis.
Series mean_series(const std::string& name, const std::vector<SweepPoint>& points);
PlotAxis weight_axis(const std::string& label, const std::vector<double>& weights);

// One row per law of audit_laws(), with its two sides as the first cell; a line separates the laws never taught.
std::vector<Table::Row> law_rows();

// Rows are labelled with the name of the item and its number of users.
HeatMap heat_map(const RunCooccurrence& result);

// A curve over epochs, which count from 1.
Series epoch_series(const std::string& name, std::vector<double> values);

}  // namespace linn::app
