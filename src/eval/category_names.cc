#include "eval/category_names.h"

#include <algorithm>
#include <array>
#include <utility>

namespace p2mpp {
namespace {

// The categories of ShapeNetCore, in order of their synsets, and that of objects without one.
constexpr std::array<std::pair<std::string_view, std::string_view>, 56> kNames = {{
    {"00000000", "other"},
    {"02691156", "aeroplane"},
    {"02747177", "bin"},
    {"02773838", "bag"},
    {"02801938", "basket"},
    {"02808440", "bathtub"},
    {"02818832", "bed"},
    {"02828884", "bench"},
    {"02843684", "birdhouse"},
    {"02871439", "bookshelf"},
    {"02876657", "bottle"},
    {"02880940", "bowl"},
    {"02924116", "bus"},
    {"02933112", "cabinet"},
    {"02942699", "camera"},
    {"02946921", "can"},
    {"02954340", "cap"},
    {"02958343", "car"},
    {"02992529", "mobile phone"},
    {"03001627", "chair"},
    {"03046257", "clock"},
    {"03085013", "keyboard"},
    {"03207941", "dishwasher"},
    {"03211117", "monitor"},
    {"03261776", "earphone"},
    {"03325088", "tap"},
    {"03337140", "file cabinet"},
    {"03467517", "guitar"},
    {"03513137", "helmet"},
    {"03593526", "jar"},
    {"03624134", "knife"},
    {"03636649", "lamp"},
    {"03642806", "laptop"},
    {"03691459", "loudspeaker"},
    {"03710193", "mailbox"},
    {"03759954", "microphone"},
    {"03761084", "microwave oven"},
    {"03790512", "motorbike"},
    {"03797390", "mug"},
    {"03928116", "piano"},
    {"03938244", "pillow"},
    {"03948459", "pistol"},
    {"03991062", "flowerpot"},
    {"04004475", "printer"},
    {"04074963", "remote control"},
    {"04090263", "rifle"},
    {"04099429", "rocket"},
    {"04225987", "skateboard"},
    {"04256520", "sofa"},
    {"04330267", "stove"},
    {"04379243", "table"},
    {"04401088", "telephone"},
    {"04460130", "tower"},
    {"04468005", "train"},
    {"04530566", "boat"},
    {"04554684", "washing machine"},
}};
static_assert(std::ranges::is_sorted(kNames, {}, [](const auto& each) { return each.first; }));

}  // namespace

std::string category_name(std::string_view category) {
  const auto found = std::ranges::lower_bound(kNames, category, {}, [](const auto& each) { return each.first; });
  return std::string(found != kNames.end() && found->first == category ? found->second : category);
}

}  // namespace p2mpp
