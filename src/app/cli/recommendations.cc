#include "app/cli/recommendations.h"

#include <fmt/format.h>

#include "linn/base/error.h"
#include "linn/base/logistic.h"
#include "linn/base/utf8.h"

namespace linn::app {
namespace {

// Reasons that are said in words.
constexpr std::size_t kReasonsInWords = 3;

}  // namespace

void add_query_options(CLI::App& command, QueryOptions& options) {
  CLI::Option* history =
      command
          .add_option("--history", options.history,
                      "Likes and dislikes, oldest first, such as \"+50,-181\"; items by identifier or by title, in "
                      "double quotes where that holds a comma; empty: a newcomer")
          ->type_name("HISTORY");
  command.parse_complete_callback([history, &options] { options.history_given = history->count() > 0; });
  command.add_option("--user", options.user, "A user; without --history, with the history that the data has")
      ->type_name("USER");
  command.add_option("--data", options.data, "Other data than the run was trained on, for --user")->type_name("DIR");
  add_choice<UnknownItems>(command, "--unknown", options.unknown,
                           {{"refuse", UnknownItems::kRefuse}, {"skip", UnknownItems::kSkip}},
                           "What becomes of items that the model does not know");
}

Answerer::Answerer(const std::string& run, std::size_t threads)
    : run_(run), finder_(catalogue()), threads_(threads), is_linn_(run_.loaded.kind->scores_are_logits()) {}

NamedQuery Answerer::find(const QueryOptions& options) const {
  if (options.history_given || options.user.empty()) {
    if (!options.history_given) throw InputError("--history or --user is required");
    if (!options.data.empty()) throw InputError("--data is for --user without --history");
    return find(options.history, options.user, options.unknown);
  }
  if (options.unknown != UnknownItems::kRefuse) throw InputError("--unknown is for items of --history");
  RankingQuestion question;
  question.data = options.data;
  const FittedData fitted = read_for_run(question, run_, true);
  const auto user = fitted.data.users.find(options.user);
  if (!user) throw InputError(fmt::format("the data has no user '{}'", options.user));
  const Histories histories(fitted.data);
  const auto events = histories.events(*user);
  NamedQuery someone;
  someone.name = options.user;
  if (*user < fitted.known_users) someone.user = *user;
  someone.history.assign(events.begin(), events.end());
  return someone;
}

NamedQuery Answerer::find(std::string_view history, std::string_view user, UnknownItems unknown) const {
  ParsedHistory parsed = parse_history(history, finder_, unknown);
  constexpr std::size_t kShown = 200;  // characters of a name that no catalogue has vouched for
  return {printable(user, kShown), user.empty() ? std::nullopt : catalogue().users.find(user), std::move(parsed.events),
          std::move(parsed.skipped)};
}

void Answerer::remark_skipped(const NamedQuery& someone, const Program& program) {
  if (someone.skipped.empty() || program.quiet) return;
  std::string names;
  for (const std::string& name : someone.skipped) names += (names.empty() ? "'" : ", '") + name + "'";
  fmt::print(stderr, "linn: skipped what the model does not know: {}\n", names);
}

std::string Answerer::title(ItemId item) const {
  const auto& titles = catalogue().titles;
  return item < titles.size() ? titles[item] : std::string();
}

const std::string& Answerer::name(ItemId item) const {
  const auto& titles = catalogue().titles;
  return item < titles.size() && !titles[item].empty() ? titles[item] : catalogue().items.name(item);
}

std::string Answerer::long_name(ItemId item) const {
  const std::string& identifier = catalogue().items.name(item);
  return name(item) == identifier ? identifier : fmt::format("{} [{}]", name(item), identifier);
}

std::string Answerer::score_text(float score) const {
  return fmt::format("{:.4f}", is_linn_ ? logistic(score) : score);
}

Json Answerer::item_json(ItemId item, float score) const {
  Json entry = {{"item", catalogue().items.name(item)}, {"title", title(item)}, {"score", score}};
  if (is_linn_) entry["probability"] = logistic(score);
  return entry;
}

Json Answerer::because_json(const Explanation& explanation) const {
  Json list = Json::array();
  for (const Reason& reason : explanation.reasons) {
    const ItemId item = reason.event.item;
    list.push_back({{"item", catalogue().items.name(item)},
                    {"title", title(item)},
                    {"liked", reason.event.liked},
                    {"weight", or_null(reason.weight)},
                    {"effect", reason.effect},
                    {"drop", reason.drop}});
  }
  return list;
}

std::string Answerer::words(const Explanation& explanation) const {
  return in_words(explanation, kReasonsInWords, [&](ItemId item) { return name(item); });
}

}  // namespace linn::app
