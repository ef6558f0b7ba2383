// The options of a model whose struct the caller does not know: listed, read and written by name.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "linn/base/options.h"

namespace linn {

class Settings {
 public:
  virtual ~Settings() = default;
  virtual std::unique_ptr<Settings> clone() const = 0;

  // In the order of their table.
  virtual std::vector<OptionInfo> list() const = 0;
  virtual bool has(std::string_view name) const = 0;
  // Both throw InputError for an unknown name; set() also for a value that does not fit.
  virtual std::string get(std::string_view name) const = 0;
  virtual void set(std::string_view name, std::string_view text) = 0;

  // Every option with its value, in order.
  std::vector<std::pair<std::string, std::string>> values() const {
    std::vector<std::pair<std::string, std::string>> all;
    for (const OptionInfo& option : list()) all.emplace_back(option.name, get(option.name));
    return all;
  }
};

// The options themselves with their table.
template <class Options>
class SettingsOf : public Settings {
 public:
  SettingsOf(Options values, OptionTable<Options> table) : options(std::move(values)), table_(std::move(table)) {}

  std::unique_ptr<Settings> clone() const override { return std::make_unique<SettingsOf>(*this); }
  std::vector<OptionInfo> list() const override { return {table_.options().begin(), table_.options().end()}; }
  bool has(std::string_view name) const override { return table_.find(name) != nullptr; }
  std::string get(std::string_view name) const override { return table_.require(name).get(options); }
  void set(std::string_view name, std::string_view text) override { table_.set(options, name, text); }

  Options options;

 private:
  OptionTable<Options> table_;
};

}  // namespace linn
