#include "app/report/cells.h"

#include <fmt/format.h>

#include <algorithm>

#include "linn/base/error.h"
#include "linn/metrics/median.h"
#include "linn/model/audit.h"

namespace linn::app {
namespace {

constexpr double kSignificance = 0.05;

// The position of a weight on a logarithmic axis, given the smallest positive weight.
double place_of(double weight, double smallest) { return weight > 0.0 ? weight : smallest / 10.0; }

double smallest_of(const std::vector<double>& weights) {
  double smallest = 1.0;
  for (const double weight : weights) {
    if (weight > 0.0) smallest = std::min(smallest, weight);
  }
  return smallest;
}

}  // namespace

TableCell cell_of(const std::vector<double>& runs, std::optional<Estimate> paper) {
  TableCell cell;
  cell.ours = estimate(runs);
  cell.runs = runs.size();
  cell.paper = paper;
  return cell;
}

TableCell median_cell_of(std::vector<double> runs, std::optional<Estimate> paper) {
  TableCell cell = cell_of({}, paper);
  cell.runs = runs.size();
  if (!runs.empty()) cell.ours = Estimate{median(std::move(runs))};
  return cell;
}

void emphasize_best(Table& table, std::size_t column, Better better) {
  TableCell* best = nullptr;
  std::size_t rivals = 0;
  for (Table::Row& row : table.rows) {
    TableCell& cell = row.cells[column];
    if (!cell.ours) continue;
    ++rivals;
    const bool ahead = best == nullptr || (better == Better::kHigher ? cell.ours->mean > best->ours->mean
                                                                     : cell.ours->mean < best->ours->mean);
    if (ahead) best = &cell;
  }
  if (rivals > 1) best->best = true;
}

bool better_over_seeds(const std::map<std::uint64_t, double>& a, const std::map<std::uint64_t, double>& b,
                       Better better) {
  std::vector<double> differences;
  for (const auto& [seed, value] : a) {
    if (const auto found = b.find(seed); found != b.end()) differences.push_back(value - found->second);
  }
  if (differences.size() < 2) return false;
  const PairedTest test = test_differences(differences);
  return test.p < kSignificance && (better == Better::kHigher ? test.difference > 0.0 : test.difference < 0.0);
}

PairedTest lead_over_users(const std::vector<std::vector<double>>& a, const std::vector<std::vector<double>>& b) {
  for (const auto* runs : {&a, &b}) {
    for (const auto& run : *runs) {
      if (run.size() != a.front().size()) throw Failure("the runs were evaluated on different users");
    }
  }
  return seeds_and_users_test(a, b).over_users;
}

bool better_over_users(const std::vector<std::vector<double>>& a, const std::vector<std::vector<double>>& b) {
  if (a.empty() || b.empty()) return false;
  const PairedTest test = lead_over_users(a, b);
  return test.p < kSignificance && test.difference > 0.0;
}

Series mean_series(const std::string& name, const std::vector<SweepPoint>& points) {
  Series series;
  series.name = name;
  bool errors = true;
  for (const SweepPoint& point : points) {
    const auto mean = estimate(point.runs);
    if (!mean) continue;
    series.x.push_back(point.weight);
    series.y.push_back(mean->mean);
    errors = errors && mean->error.has_value();
    series.error.push_back(mean->error.value_or(0.0));
  }
  if (!errors) series.error.clear();
  return series;
}

Series sweep_series(const std::string& name, const std::vector<SweepPoint>& points) {
  std::vector<double> weights;
  for (const SweepPoint& point : points) weights.push_back(point.weight);
  const double smallest = smallest_of(weights);
  Series series = mean_series(name, points);
  for (double& weight : series.x) weight = place_of(weight, smallest);
  return series;
}

PlotAxis weight_axis(const std::string& label, const std::vector<double>& weights) {
  PlotAxis axis;
  axis.label = label;
  axis.logarithmic = true;
  const double smallest = smallest_of(weights);
  double greatest = smallest;
  for (const double weight : weights) {
    axis.ticks.emplace_back(place_of(weight, smallest), fmt::format("{:g}", weight));
    greatest = std::max(greatest, weight);
  }
  axis.low = smallest / 20.0;
  axis.high = greatest * 2.0;
  return axis;
}

std::vector<Table::Row> law_rows() {
  std::vector<Table::Row> rows;
  bool taught = true;
  for (const AuditLaw& law : audit_laws()) {
    Table::Row row;
    row.name = law.name;
    row.rule_above = taught && !law.taught;
    taught = law.taught;
    TableCell sides;
    sides.text = fmt::format("{} {} {}", law.left, law.differ ? "≠" : "=", law.right);
    row.cells.push_back(sides);
    rows.push_back(std::move(row));
  }
  return rows;
}

HeatMap heat_map(const RunCooccurrence& result) {
  HeatMap map;
  for (const RunCooccurrence::Item& item : result.items) {
    map.labels.push_back(fmt::format("{} ({})", item.name(), item.users));
  }
  map.values = result.values;
  return map;
}

Series epoch_series(const std::string& name, std::vector<double> values) {
  Series series;
  series.name = name;
  for (std::size_t i = 0; i < values.size(); ++i) series.x.push_back(static_cast<double>(i + 1));
  series.y = std::move(values);
  return series;
}

}  // namespace linn::app
