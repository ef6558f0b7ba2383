// Learns from ten equations and says how true an expression is that none of them has.
#include <cstdio>
#include <string>

#include "linn/base/error.h"
#include "linn/linn.h"
#include "linn/version.h"

int main(int argc, char** argv) {
  const char* question = argc > 1 ? argv[1] : "wet & !dry";
  try {
    linn::KnowledgeBase knowledge;
    for (const char* equation :
         {"rain & !umbrella -> wet = T", "rain = T", "umbrella = F", "wet <-> !dry = T", "sprinkler & grass -> wet = T",
          "sun & rain -> rainbow = T", "sun = T", "night & sun = F", "cold | sun = T", "wet & wind -> cold = T"}) {
      knowledge.add(equation);
    }
    // A shorter school than usual: nothing here is hard.
    const linn::Reasoner reasoner = linn::Reasoner::learn(
        knowledge, {.settings = {{"pretrain_steps", "1500"}, {"epochs", "40"}, {"ensemble", "1"}}, .seed = 1});
    std::printf("linn %s learned from %zu equations\n", std::string(linn::kVersion).c_str(), knowledge.size());
    std::printf("%s: %.3f\n", question, reasoner.truth_of(question));
    for (const auto& [name, truth] : reasoner.variables()) std::printf("  %-10s %.3f\n", name.c_str(), truth);
  } catch (const linn::InputError& error) {
    std::fprintf(stderr, "%s\n%s", error.what(), error.excerpt().c_str());
    return 2;
  }
  return 0;
}
