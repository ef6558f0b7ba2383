#include "app/bench/exchange_speed.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <limits>
#include <string>
#include <vector>

#include "linn/metrics/median.h"

namespace linn::app {

namespace {

// The two rounds of a step, with so many bytes to the others together, between processes that are ready: the least
// time, since other work on the machines can only add to it.
double measure_transfer(std::uint64_t bytes, std::size_t rounds, ProcessGroup& processes) {
  const std::vector<std::byte> letter(bytes / 2 / (processes.size() - 1));
  const std::vector<std::span<const std::byte>> to(processes.size(), letter);
  std::vector<ProcessGroup::Message> from(processes.size());
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < rounds; ++i) {
    gather(processes, {});
    const auto before = std::chrono::steady_clock::now();
    processes.exchange(to, from);
    processes.exchange(to, from);
    least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count());
  }
  return least;
}

}  // namespace

std::size_t shards_for(const ProcessGroup& processes) { return std::bit_ceil(processes.size()); }

ExchangeResult measure_exchange(const std::function<std::size_t()>& step, const Shards& shards, double seconds,
                                ProcessGroup& processes) {
  ExchangeResult result;
  std::vector<double> times;
  std::vector<double> exchange_times;
  const auto run = [&](std::size_t steps) {
    times.clear();
    exchange_times.clear();
    for (std::size_t i = 0; i < steps; ++i) {
      const auto before = std::chrono::steady_clock::now();
      result.rows = std::max(result.rows, step());
      times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count());
      exchange_times.push_back(shards.exchange_seconds());
      result.sent = std::max(result.sent, shards.sent());
      result.received = std::max(result.received, shards.received());
    }
  };
  constexpr std::size_t kFirst = 4;  // which allocate
  run(kFirst);
  // All must make as many steps as the first one finds time for.
  const std::string steps = from_first(processes, [&] {
    return std::to_string(std::clamp<std::size_t>(static_cast<std::size_t>(seconds / times.back()), kFirst, 10'000));
  });
  run(std::stoull(steps));
  constexpr std::size_t kRounds = 60;
  result.transfer_seconds = measure_transfer(result.sent, kRounds, processes);
  result.seconds = median(std::move(times));
  result.exchange_seconds = median(std::move(exchange_times));
  return result;
}

}  // namespace linn::app
