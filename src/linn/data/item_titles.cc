#include "linn/data/item_titles.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace linn {
namespace {

constexpr std::array<std::string_view, 64> kAdjectives = {
    "Amber",    "Ancient",  "Autumn",   "Blue",     "Bold",    "Bright",    "Broken",  "Calm",
    "Clever",   "Cold",     "Copper",   "Crimson",  "Curious", "Dancing",   "Dark",    "Distant",
    "Early",    "Empty",    "Endless",  "Faithful", "Fallen",  "First",     "Foreign", "Forgotten",
    "Frozen",   "Gentle",   "Gilded",   "Golden",   "Green",   "Grey",      "Hidden",  "Hollow",
    "Honest",   "Hungry",   "Idle",     "Iron",     "Ivory",   "Jolly",     "Last",    "Little",
    "Lonely",   "Long",     "Lost",     "Lucky",    "Merry",   "Northern",  "Paper",   "Patient",
    "Purple",   "Quiet",    "Restless", "Scarlet",  "Secret",  "Seventh",   "Silent",  "Silver",
    "Sleeping", "Southern", "Stolen",   "Strange",  "Velvet",  "Wandering", "White",   "Winter"};

constexpr std::array<std::string_view, 64> kNouns = {
    "Anchor",  "Atlas",    "Balloon", "Bell",     "Bridge",   "Candle",     "Castle",    "Circus",
    "Clock",   "Comet",    "Compass", "Crossing", "Daughter", "Detective",  "Door",      "Dragon",
    "Engine",  "Farewell", "Ferry",   "Fiddler",  "Forest",   "Fountain",   "Fox",       "Garden",
    "Ghost",   "Harbour",  "Harvest", "Heart",    "Horizon",  "House",      "Island",    "Journey",
    "Key",     "King",     "Lake",    "Lantern",  "Letter",   "Lighthouse", "Lion",      "Machine",
    "Map",     "Market",   "Melody",  "Mirror",   "Mountain", "Neighbour",  "Night",     "Ocean",
    "Orchard", "Painter",  "Pilot",   "Promise",  "Queen",    "Railway",    "River",     "Road",
    "Sailor",  "Shadow",   "Song",    "Station",  "Storm",    "Summer",     "Traveller", "Window"};

}  // namespace

std::string generated_title(std::size_t number) {
  constexpr std::size_t kWords = kAdjectives.size();
  static_assert(kNouns.size() == kWords);
  // Both words change from one number to the next, and every pair occurs once before any repeats.
  const std::size_t round = number / (kWords * kWords);
  const std::string_view adjective = kAdjectives[number % kWords];
  const std::string_view noun = kNouns[(number / kWords + number) % kWords];
  if (round == 0) return fmt::format("The {} {}", adjective, noun);
  return fmt::format("The {} {} {}", adjective, noun, round + 1);
}

}  // namespace linn
