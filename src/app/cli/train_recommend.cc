// linn train recommend: learning from likes and dislikes into a run folder.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "app/cli/program.h"
#include "app/cli/progress.h"
#include "app/cli/recommend_runs.h"
#include "app/cli/runs.h"
#include "app/cli/settings.h"
#include "app/cli/training_runs.h"
#include "linn/base/context.h"
#include "linn/base/error.h"
#include "linn/base/file.h"
#include "linn/model/options_json.h"
#include "linn/recommend/protocol/train_ranking.h"

namespace linn::app {
namespace {

struct TrainRecommend {
  std::string data;
  std::string out;
  RecommenderKind model = RecommenderKind::kLinn;
  RecommendPreset preset = RecommendPreset::kBest;
  std::string config;                 // a file of settings
  std::vector<std::string> settings;  // KEY=VALUE
  // Settings that have options of their own.
  std::string form, order, dislikes, label_noise, ensemble, epochs, patience;
  bool resume = false;
  bool force = false;
  std::size_t threads = 0;
  bool configured = false;  // anything was given that a run's configuration holds too
};

// Everything that was set, in order.
std::vector<std::pair<std::string, std::string>> settings_of(const TrainRecommend& train, const SettingCheck& check) {
  std::vector<std::pair<std::string, std::string>> settings;
  if (!train.config.empty()) settings = read_settings(train.config, check);
  for (const std::string& setting : train.settings) settings.push_back(split_setting(setting));
  const auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) settings.emplace_back(key, value);
  };
  add("form", train.form);
  add("clause_order", train.order);
  add("dislikes", train.dislikes);
  add("ensemble", train.ensemble);
  add("epochs", train.epochs);
  add("patience", train.patience);
  for (auto& setting : label_noise_settings(train.label_noise)) settings.push_back(std::move(setting));
  return settings;
}

// A setting of another model is known, but not for this one.
void check_setting(const OptionTable<RecommendOptions>& table, RecommenderKind model, const std::string& key) {
  if (table.find(key) != nullptr) return;
  for (const RecommenderName& name : recommender_names()) {
    if (recommend_option_table(name.kind).find(key) != nullptr) {
      throw InputError(fmt::format("the model {} has no setting '{}'; {} has", word_of(model), key, name.word));
    }
  }
}

// The preset, then what was set.
RecommendOptions options_of(const TrainRecommend& train, RatingCounts counts) {
  const auto table = recommend_option_table(train.model);
  const auto settings =
      settings_of(train, [&, scratch = RecommendOptions()](const auto& key, const auto& value) mutable {
        check_setting(table, train.model, key);
        table.set(scratch, key, value);
      });
  for (const auto& [key, value] : settings) check_setting(table, train.model, key);
  return changed_preset(train.preset, train.model, counts, settings);
}

Json config_of(const TrainRecommend& train, const RecommendOptions& options, std::uint64_t seed) {
  return {{"task", "recommend"},
          {"model", word_of(train.model)},
          {"data", absolute_name(train.data)},
          {"seed", seed},
          {"options", options_object(recommend_option_table(train.model), options)}};
}

RecommendOptions options_of_run(const TrainRecommend& train, const Json& config) {
  RecommendOptions options = recommend_preset(RecommendPreset::kBest, train.model, {});
  const auto table = recommend_option_table(train.model);
  settings_from_json(table, config.at("options"), options);
  if (!train.epochs.empty()) table.set(options, "epochs", train.epochs);
  if (!train.patience.empty()) table.set(options, "patience", train.patience);
  return options;
}

// What an earlier run is gone on with, as far as the command line does not say it.
std::optional<Json> read_resumed(TrainRecommend& train, std::uint64_t& seed) {
  if (!train.resume || !RunFolder::exists(train.out)) return std::nullopt;
  const RunFolder run = RunFolder::open(train.out);
  Json config = read_config(run);
  require_task(config, "recommend", run);
  if (train.data.empty()) train.data = config["data"].get<std::string>();
  if (!train.configured) {
    seed = config["seed"].get<std::uint64_t>();
    for (const RecommenderName& name : recommender_names()) {
      if (name.word == config["model"].get<std::string>()) train.model = name.kind;
    }
  }
  return config;
}

TrainingReport train_by_epochs(const TrainRecommend& train, const RecommendOptions& options, const Histories& histories,
                               const Catalogue& catalogue, const std::optional<Json>& resumed, const Program& program,
                               Context& context) {
  ProgressLine line(program.quiet);
  watch(context, line);
  const auto model = make_ranking_model(train.model, options, histories, context);
  if (training_examples(histories).empty()) {
    throw InputError("there are no likes to train on that have an earlier rating of the same user",
                     Place{train.data, 0, 0});
  }
  RunFolder folder =
      resumed ? RunFolder::resume(train.out)
              : RunFolder::create(train.out, config_of(train, options, context.seed()).dump(2) + "\n", train.force);
  if (resumed) keep_changes(folder, *resumed, options_object(recommend_option_table(train.model), options));
  return train_ranking(*model, histories, catalogue, options, context, folder);
}

void run(const TrainRecommend& given, Program& program) {
  TrainRecommend train = given;
  std::uint64_t seed = program.seed;
  const std::optional<Json> resumed = read_resumed(train, seed);
  if (train.data.empty()) throw InputError("--data is required");
  const bool by_epochs = trains_by_epochs(train.model);

  const InteractionData data = read_interaction_folder(train.data);
  const RatingCounts counts = {data.train.size() + data.validation.size() + data.test.size(), data.users.size()};
  if (data.train.empty()) throw InputError("there is nothing to train on", Place{train.data, 0, 0});
  if (resumed && train.configured) check_same(*resumed, config_of(train, options_of(train, counts), seed));
  const RecommendOptions options = resumed ? options_of_run(train, *resumed) : options_of(train, counts);
  const Histories histories(data);
  const Catalogue catalogue = {data.users, data.items, data.titles};

  Context context(seed, train.threads);
  TrainingReport report;
  if (by_epochs) {
    report = train_by_epochs(train, options, histories, catalogue, resumed, program, context);
  } else {
    report = fit_at_once(
        {train.out, resumed.has_value(), train.force}, config_of(train, options, seed).dump(2) + "\n",
        [&] { return fit_recommender(train.model, options, histories, context); },
        [&](const RankingModel& model, const auto& path, const std::string& config) {
          model.save(path, catalogue, {{"config", config}});
        });
  }

  const LoadedRankingModel best = load_recommender(RunFolder::open(train.out).model_path());
  const CandidateOptions question = {100, options.candidate_seed};
  const auto ranked = [&](Split split) {
    return rank_held_out(*best.model, histories, Candidates(histories, split, question), histories.users(),
                         context.pool());
  };
  const std::vector<Ranking> test = ranked(Split::kTest);
  const std::vector<Ranking> validation = ranked(Split::kValidation);
  const std::vector<std::size_t> ks = ranks_to_cut_at({});
  if (report.interrupted) program.status = 1;
  if (program.json) {
    Json object = to_json(test, ks, question.count);
    object["validation"] = to_json(validation, ks, question.count);
    add_report(object, report);
    print_json(object);
    return;
  }
  fmt::print("{}\n", to_text(report, by_epochs));
  if (!validation.empty()) fmt::print("validation  {}\n", to_text(validation, ks));
  if (!test.empty()) fmt::print("test        {}\n", to_text(test, ks));
}

std::string all_settings_help() {
  std::string text =
      "Settings for --set, by model, with what they are in the preset best, and in the others where that\n"
      "differs (for the 100,000 ratings of ML-100k):\n";
  const auto add = [&](const char* models, RecommenderKind kind) {
    constexpr RatingCounts kCounts = {100'000, 943};
    const auto preset = [&](RecommendPreset p) { return recommend_preset(p, kind, kCounts); };
    text += fmt::format(
        "{}\n{}", models,
        settings_help(recommend_option_table(kind), {preset(RecommendPreset::kBest), preset(RecommendPreset::kPaper),
                                                     preset(RecommendPreset::kAuthors)}));
  };
  add("linn (and linn-rl, with laws 0)", RecommenderKind::kLinn);
  add("bprmf", RecommenderKind::kBprmf);
  add("svdpp", RecommenderKind::kSvdpp);
  add("stamp", RecommenderKind::kStamp);
  add("gru4rec", RecommenderKind::kGru4rec);
  add("narm", RecommenderKind::kNarm);
  add("sasrec", RecommenderKind::kSasrec);
  add("itemknn", RecommenderKind::kItemKnn);
  add("ease", RecommenderKind::kEase);
  add("popularity", RecommenderKind::kPopularity);
  return text;
}

}  // namespace

void add_train_recommend_command(CLI::App& train, Program& program) {
  CLI::App* recommend = train.add_subcommand("recommend", "Learn from likes and dislikes what to recommend");
  auto options = std::make_shared<TrainRecommend>();
  recommend->add_option("--data", options->data, "A data folder with train, validation and test")->type_name("DIR");
  recommend->add_option("--out", options->out, "The run folder")->type_name("RUN")->required();
  std::vector<Choice<RecommenderKind>> models;
  for (const RecommenderName& name : recommender_names()) models.push_back({name.word, name.kind});
  add_choice<RecommenderKind>(*recommend, "--model", options->model, models, "What is trained");
  add_choice<RecommendPreset>(
      *recommend, "--preset", options->preset,
      {{"best", RecommendPreset::kBest}, {"paper", RecommendPreset::kPaper}, {"authors", RecommendPreset::kAuthors}},
      "Settings to start from");
  recommend
      ->add_option("--config", options->config,
                   "Settings from a file: lines KEY = VALUE, or the config.json of a run; --set overrides it")
      ->type_name("FILE");
  recommend->add_option("--set", options->settings, "Change a setting of the preset; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  recommend->add_option("--form", options->form, "LINN: how a history is joined with an item")
      ->type_name("dnf|factored");
  recommend->add_option("--order", options->order, "LINN: history items that a clause may join with an item")
      ->type_name("1|2");
  recommend->add_option("--dislikes", options->dislikes, "What becomes of the disliked items of a history")
      ->type_name("logic|minus|embedding|network|none");
  recommend
      ->add_option("--label-noise", options->label_noise,
                   "Share of likes expected to be wrong; auto: estimated. For models trained by epochs")
      ->type_name("P|auto");
  recommend
      ->add_option("--ensemble", options->ensemble,
                   "Models that are trained, and answer as their mean. For models trained by epochs")
      ->type_name("K");
  recommend->add_option("--epochs", options->epochs, "Epochs at most")->type_name("N");
  recommend->add_option("--patience", options->patience, "Epochs without a better one before training stops")
      ->type_name("N");
  CLI::Option* resume = recommend->add_flag("--resume", options->resume, "Go on where an earlier run was stopped");
  recommend->add_flag("--force", options->force, "Replace a run that is in the folder already")->excludes(resume);
  add_threads_option(*recommend, options->threads);
  add_seed_option(*recommend, program);
  add_quiet_option(*recommend, program);
  add_json_option(*recommend, program);
  recommend->footer(all_settings_help());
  recommend->callback([recommend, options, &program] {
    for (const char* name : {"--data", "--model", "--preset", "--config", "--set", "--form", "--order", "--dislikes",
                             "--label-noise", "--ensemble", "--seed"}) {
      options->configured = options->configured || recommend->count(name) > 0;
    }
    program.run = [options, &program] { run(*options, program); };
  });
}

}  // namespace linn::app
