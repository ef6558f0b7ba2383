// The calls of python/bench/speed.py from C++: one call for each line of standard input, whose seconds are printed.
//
//   core_calls recommend MODEL HISTORIES    top 10 for the histories in a file: the number of histories, their starts
//   and
//                                           the end (int64), and per event twice the place of the item plus liked
//                                           (uint32)
//   core_calls truth_of MODEL EXPRESSIONS   the truths of the lines of a file
#include <linn/linn.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

namespace {

template <class Call>
void time_calls(const Call& call) {
  std::puts("ready");
  std::fflush(stdout);
  for (std::string line; std::getline(std::cin, line);) {
    const auto start = std::chrono::steady_clock::now();
    call();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    std::printf("%.9f\n", seconds.count());
    std::fflush(stdout);
  }
}

template <class T>
std::vector<T> read(std::ifstream& file, std::size_t count) {
  std::vector<T> values(count);
  file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(count * sizeof(T)));
  return values;
}

void recommend(const std::string& model, const std::string& path) {
  const linn::Recommender recommender = linn::Recommender::load(model);
  std::ifstream file(path, std::ios::binary);
  const auto number = static_cast<std::size_t>(read<std::int64_t>(file, 1)[0]);
  const auto starts = read<std::int64_t>(file, number + 1);
  std::vector<std::uint32_t> items = read<std::uint32_t>(file, static_cast<std::size_t>(starts.back()));
  std::vector<std::uint8_t> liked(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    liked[i] = items[i] & 1U;
    items[i] >>= 1U;
  }
  time_calls([&] {
    std::vector<std::int64_t> best(number * 10);
    std::vector<double> scores(number * 10);
    recommender.recommend({.starts = starts, .items = items, .liked = liked, .count = 10}, best, scores);
  });
}

void truth_of(const std::string& model, const std::string& path) {
  const linn::Reasoner reasoner = linn::Reasoner::load(model);
  std::ifstream file(path);
  std::vector<std::string> expressions;
  for (std::string line; std::getline(file, line);) expressions.push_back(line);
  time_calls([&] { reasoner.truth_of(expressions); });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::string what = argv[1];
  what == "truth_of" ? truth_of(argv[2], argv[3]) : recommend(argv[2], argv[3]);
}
