// Learns what the members of a film club like, and recommends films to newcomers, with reasons.
#include <linn/linn.h>

#include <iostream>
#include <random>
#include <string>
#include <vector>

// Half of the members like science fiction and dislike musicals; the others, the other way round.
linn::Interactions film_club() {
  const std::vector<std::string> films[2] = {{"Alien", "Blade Runner", "Solaris", "Contact", "Gattaca", "Arrival"},
                                             {"Grease", "Cabaret", "Chicago", "Evita", "Hair", "Annie"}};
  std::mt19937 random(7);
  linn::Interactions ratings;
  for (unsigned member = 0; member < 300; ++member) {
    const std::string name = "member " + std::to_string(member);
    const unsigned taste = member % 2;
    for (int event = 0; event < 9; ++event) {
      const bool liked = random() % 3 != 0;
      ratings.add(name, films[liked ? taste : 1 - taste][random() % 6], liked);
    }
  }
  return ratings;
}

int main() {
  try {
    linn::LearnOptions options;
    options.settings = {{"epochs", 30}};
    options.seed = 1;
    options.progress = [](const linn::TrainingProgress& progress) {
      std::cerr << '\r' << progress.stage << ' ' << 100 * progress.done / progress.total << " %" << std::flush;
      return true;  // false would cancel
    };
    const linn::Recommender recommender = linn::Recommender::learn(film_club(), options);
    std::cerr << '\n';
    std::cout << "nDCG@10 on held-out likes: " << recommender.training().validation.at("ndcg@10") << '\n';
    recommender.save("films.safetensors");  // linn::Recommender::load("films.safetensors") brings it back

    // Newcomers were not there in training; what counts is the history. Many queries are answered on all cores.
    const std::vector<linn::RecommendationQuery> queries = {
        {.history = linn::History{{"Alien"}, {"Solaris"}, {"Grease", false}}, .count = 3},
        {.history = linn::parse_history("-Alien,+Cabaret"), .count = 3, .exclude = {"Hair"}}};
    const auto answers = recommender.recommend(queries);
    for (std::size_t i = 0; i < queries.size(); ++i) {
      std::cout << "Newcomer " << i + 1 << '\n';
      for (const linn::Recommendation& film : answers[i]) std::cout << "  " << film.item << "  " << film.words << '\n';
    }

    // The score of a film is a base plus the share of each event of the history.
    const linn::Recommendation contact = recommender.explain(queries[0], "Contact");
    std::cout << "Contact for newcomer 1: " << contact.score << '\n';
    for (const auto& reason : contact.because) {
      std::cout << "  " << (reason.liked ? "liked " : "disliked ") << reason.item << ": " << *reason.share << '\n';
    }
  } catch (const linn::InputError& error) {
    std::cerr << error.what() << '\n' << error.excerpt();
    return 2;
  }
}
