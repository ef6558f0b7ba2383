// Learns from the likes and dislikes of a film club, and advises somebody who has just joined.
#include <cstdio>
#include <random>
#include <string>

#include "linn/base/error.h"
#include "linn/linn.h"

int main() {
  // Half of the members like science fiction and dislike musicals, the others the other way round.
  const char* films[2][6] = {{"Alien", "Blade Runner", "Solaris", "Contact", "Gattaca", "Arrival"},
                             {"Grease", "Cabaret", "Chicago", "Evita", "Hair", "Annie"}};
  std::mt19937 random(7);
  linn::Ratings ratings;
  for (int member = 0; member < 300; ++member) {
    const std::string name = "member " + std::to_string(member);
    const int taste = member % 2;
    for (int event = 0; event < 9; ++event) {
      const bool likes = random() % 3 != 0;
      const char* film = films[likes ? taste : 1 - taste][random() % 6];
      if (likes) {
        ratings.like(name, film);
      } else {
        ratings.dislike(name, film);
      }
    }
  }
  try {
    const linn::Adviser adviser =
        linn::Adviser::learn(ratings, {.settings = {{"epochs", "30"}, {"negatives", "3"}}, .seed = 1});
    for (const char* history : {"+Alien,+Solaris,-Grease", "-Alien,+Cabaret"}) {
      std::printf("%s\n", history);
      for (const linn::Advice& advice : adviser.recommend(history, 3)) {
        std::printf("  %-14s %s\n", advice.item.c_str(), advice.words.c_str());
      }
    }
  } catch (const linn::InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
  return 0;
}
