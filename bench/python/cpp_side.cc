// The C++ calls that speed.py compares the Python ones with: reads what to do from standard input, a word and a line
// at a time, and answers with the seconds that it took, and those of processor time, summed over all threads.
//
//   histories FILE     numbers as text: how many histories, where each starts and the last ends, the items
//   expressions FILE   one a line
//   recommend          the ten best items for each history
//   truths             how true each expression is
#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <fstream>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "linn/linn.h"

namespace {

struct Taken {
  double seconds = 0.0;
  double processor = 0.0;
};

Taken taken_by(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  const std::clock_t worked = std::clock();
  work();
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(),
          static_cast<double>(std::clock() - worked) / CLOCKS_PER_SEC};
}

int run(const char* recommender_run, const char* reasoner_run) {
  const linn::Recommender recommender = linn::Recommender::load(recommender_run);
  const linn::Reasoner reasoner = linn::Reasoner::load(reasoner_run);
  std::vector<std::int64_t> starts;
  std::vector<std::uint32_t> items;
  std::vector<std::string> expressions;
  for (std::string word, file; std::cin >> word;) {
    Taken taken;
    if (word == "histories") {
      std::cin >> file;
      std::ifstream in(file);
      std::size_t count = 0;
      in >> count;
      starts.resize(count + 1);
      for (std::int64_t& start : starts) in >> start;
      items.resize(static_cast<std::size_t>(starts.back()));
      for (std::uint32_t& item : items) in >> item;
    } else if (word == "expressions") {
      std::cin >> file;
      std::ifstream in(file);
      expressions.clear();
      for (std::string line; std::getline(in, line);) expressions.push_back(line);
    } else if (word == "recommend") {
      std::vector<std::int64_t> best((starts.size() - 1) * 10);
      std::vector<double> scores(best.size());
      taken = taken_by([&] { recommender.recommend({.starts = starts, .items = items}, best, scores); });
    } else if (word == "truths") {
      taken = taken_by([&] { reasoner.truth_of(expressions); });
    } else {
      fmt::print(stderr, "cpp_side: unknown word '{}'\n", word);
      return 2;
    }
    fmt::print("{:.6f} {:.6f}\n", taken.seconds, taken.processor);
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: cpp_side RECOMMENDER-RUN REASONER-RUN\n");
    return 2;
  }
  return run(argv[1], argv[2]);
}
