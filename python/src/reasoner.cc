// normalize, KnowledgeBase and Reasoner.
#include <linn/linn.h>

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>

#include "binding.h"
#include "learning.h"

namespace linn::python {
namespace {

// A knowledge base that may be used by several Python threads, but not changed while something learns from it.
class SharedKnowledge {
 public:
  template <class Change>
  auto change(const Change& change) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) throw Failure("the knowledge base is being learned from");
    return change(knowledge_);
  }

  template <class Read>
  auto read(const Read& read) {
    const std::lock_guard lock(mutex_);
    return read(static_cast<const KnowledgeBase&>(knowledge_));
  }

 private:
  std::mutex mutex_;
  KnowledgeBase knowledge_;
};

using KnowledgePointer = std::shared_ptr<SharedKnowledge>;

// Python's handle: what learns shares the knowledge, even if it outlives the handle.
struct KnowledgeHandle {
  KnowledgePointer knowledge = std::make_shared<SharedKnowledge>();
};

std::shared_ptr<Reasoner> learn(const KnowledgeHandle& handle, const nb::dict& request) {
  return run_learning<std::shared_ptr<Reasoner>>(
      learn_request(request), [knowledge = handle.knowledge](const LearnOptions& options) {
        return knowledge->read([&](const KnowledgeBase& equations) {
          return std::make_shared<Reasoner>(Reasoner::learn(equations, options));
        });
      });
}

std::shared_ptr<Reasoner> learn_folder(const std::string& data, const nb::dict& request) {
  return run_learning<std::shared_ptr<Reasoner>>(learn_request(request), [data](const LearnOptions& options) {
    return std::make_shared<Reasoner>(Reasoner::learn_folder(data, options));
  });
}

std::shared_ptr<Reasoner> infer(const KnowledgeHandle& handle, double label_noise, std::uint64_t seed) {
  return ask_alone([knowledge = handle.knowledge, label_noise, seed](const std::atomic<bool>* stop) {
    return knowledge->read([&](const KnowledgeBase& equations) {
      return std::make_shared<Reasoner>(Reasoner::infer(equations, label_noise, seed, stop));
    });
  });
}

// An expression of n characters has at most n / 2 literals, and its normal form at most 2^(n / 2) clauses: a short one
// is soon answered, and a thread for it would take longer.
constexpr std::size_t kShort = 32;

std::string normal_form(const std::string& expression, const std::string& form) {
  if (expression.size() <= kShort) {
    const nb::gil_scoped_release release;
    return normalize(expression, form);
  }
  return ask_alone([=](const std::atomic<bool>*) { return normalize(expression, form); });
}

double truth_of(const std::shared_ptr<Reasoner>& reasoner, const std::string& expression) {
  if (expression.size() <= kShort) {
    const nb::gil_scoped_release release;
    return reasoner->truth_of(expression);
  }
  return ask_alone([=](const std::atomic<bool>*) { return reasoner->truth_of(expression); });
}

Array<double> truths_of(const std::shared_ptr<Reasoner>& reasoner, std::vector<std::string> expressions,
                        std::size_t threads) {
  return to_array(ask_alone([reasoner, expressions = std::move(expressions), threads](const std::atomic<bool>* stop) {
    return reasoner->truth_of(expressions, threads, stop);
  }));
}

nb::list audit(const std::shared_ptr<Reasoner>& reasoner, std::vector<std::string> expressions, std::size_t cases,
               std::uint64_t seed, std::size_t threads) {
  const auto laws =
      ask_alone([reasoner, expressions = std::move(expressions), cases, seed, threads](const std::atomic<bool>* stop) {
        return reasoner->audit(expressions, cases, seed, threads, stop);
      });
  const auto to_tuple = [](const Reasoner::Law::Figures& figures) {
    return nb::make_tuple(figures.cases, figures.similarity, figures.agreement, figures.difference);
  };
  nb::list list;
  for (const Reasoner::Law& law : laws) {
    list.append(nb::make_tuple(law.name, law.left, law.right, law.differ, law.taught, to_tuple(law.variables),
                               to_tuple(law.expressions)));
  }
  return list;
}

std::pair<std::vector<std::string>, Array<double>> variables(const Reasoner& reasoner) {
  std::vector<std::string> names;
  std::vector<double> truths;
  {
    const nb::gil_scoped_release release;
    for (const Reasoner::Variable& variable : reasoner.variables()) {
      names.push_back(variable.name);
      truths.push_back(variable.truth);
    }
  }
  return {std::move(names), to_array(std::move(truths))};
}

}  // namespace

void add_reasoner(nb::module_& module) {
  module.def("normalize", &normal_form);

  nb::class_<KnowledgeHandle>(module, "KnowledgeBase")
      .def(nb::init<>())
      .def("add",
           [](const KnowledgeHandle& self, const std::string& equation) {
             self.knowledge->change([&](KnowledgeBase& knowledge) { knowledge.add(equation); });
           })
      .def("add_truth",
           [](const KnowledgeHandle& self, const std::string& expression, double truth) {
             self.knowledge->change([&](KnowledgeBase& knowledge) { knowledge.add(expression, truth); });
           })
      .def("add_file",
           [](const KnowledgeHandle& self, const std::string& path) {
             const nb::gil_scoped_release release;
             self.knowledge->change([&](KnowledgeBase& knowledge) { knowledge.add_file(path); });
           })
      .def("size",
           [](const KnowledgeHandle& self) {
             const nb::gil_scoped_release release;
             return self.knowledge->read([](const KnowledgeBase& knowledge) { return knowledge.size(); });
           })
      .def("variables", [](const KnowledgeHandle& self) {
        const nb::gil_scoped_release release;
        return self.knowledge->read([](const KnowledgeBase& knowledge) { return knowledge.variables(); });
      });

  nb::class_<Reasoner>(module, "Reasoner")
      .def_static("learn", &learn)
      .def_static("learn_folder", &learn_folder)
      .def_static("infer", &infer)
      .def_static("load",
                  [](const std::string& path) {
                    const nb::gil_scoped_release release;
                    return std::make_shared<Reasoner>(Reasoner::load(path));
                  })
      .def("save",
           [](const Reasoner& self, const std::string& path) {
             const nb::gil_scoped_release release;
             self.save(path);
           })
      .def("truth_of", &truth_of)
      .def("truths_of", &truths_of)
      .def("variables", &variables)
      .def("audit", &audit)
      .def("vectors",
           [](const Reasoner& self) {
             const std::span<const float> values = self.vectors();
             const std::size_t width = self.width();
             const std::size_t rows = width == 0 ? 0 : values.size() / width;
             return to_array(std::vector<float>(values.begin(), values.end()), {rows, width});
           })
      .def("clauses_of",
           [](const Reasoner& self, const std::vector<std::string>& expressions) {
             Reasoner::Clauses clauses;
             {
               const nb::gil_scoped_release release;
               clauses = self.clauses_of(expressions);
             }
             return nb::make_tuple(clauses.disjunctive, to_array(std::move(clauses.expressions)),
                                   to_array(std::move(clauses.clauses)), to_array(std::move(clauses.literals)));
           })
      .def("training", [](const Reasoner& self) { return to_dict(self.training()); });
}

}  // namespace linn::python
