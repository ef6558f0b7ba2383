// Learns from a few equations and answers a question that none of them contains.
//
//   knowledge [EXPRESSION]
#include <linn/linn.h>

#include <iostream>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  try {
    linn::KnowledgeBase knowledge;
    for (const char* equation :
         {"rain & !umbrella -> wet = T", "rain = T", "umbrella = F", "wet <-> !dry = T", "sprinkler & grass -> wet = T",
          "sun & rain -> rainbow = T", "sun = T", "night & sun = F", "cold | sun = T", "wet & wind -> cold = T"}) {
      knowledge.add(equation);
    }

    // With so few equations, exact inference is the right tool: it is fast and needs no training.
    const linn::Reasoner exact = linn::Reasoner::infer(knowledge);
    // A network learns in the same way from ten equations or from ten thousand. Ten are easy, so one network (the
    // default is an ensemble) with short pretraining is enough.
    const linn::Reasoner network = linn::Reasoner::learn(
        knowledge, {.settings = {{"ensemble", 1}, {"pretrain_steps", 1500}, {"epochs", 40}}, .seed = 1});

    const std::string question = argc > 1 ? argv[1] : "wet & !dry";
    const double inferred = exact.truth_of(question);
    const double learned = network.truth_of(question);
    std::cout << question << ": exact " << inferred << ", network " << learned << '\n';

    // Many questions at once are answered on all cores.
    const std::vector<std::string> questions = {"rain", "umbrella", "wet | night"};
    const std::vector<double> truths = network.truth_of(questions);
    for (std::size_t i = 0; i < questions.size(); ++i) std::cout << questions[i] << ": " << truths[i] << '\n';
  } catch (const linn::InputError& error) {  // says what was expected, and where
    std::cerr << error.what() << '\n' << error.excerpt();
    return 2;
  }
}
