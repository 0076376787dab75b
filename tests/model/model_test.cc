#include "model/model.h"

#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "base/input_file.h"
#include "model/network_weights.h"
#include "p2mpp/error.h"
#include "support/temporary_folder.h"

namespace p2mpp {
namespace {

const std::filesystem::path kTiny = std::filesystem::path(P2MPP_TEST_MODELS) / "tiny-clean";

// tiny-clean in a folder that no other test opens files in.
void copy_tiny(const TemporaryFolder& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(kTiny)) {
    std::filesystem::copy(entry.path(), folder.path() / entry.path().filename());
  }
}

// How often any process opens each file of a folder while something runs: name to number.
template <class Action>
std::map<std::string, int> openings_in(const std::filesystem::path& folder, const Action& action) {
  const int watch = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  EXPECT_GE(::inotify_add_watch(watch, folder.c_str(), IN_OPEN), 0);
  action();
  std::map<std::string, int> openings;
  alignas(inotify_event) std::array<char, 1 << 16> buffer{};
  const ssize_t filled = ::read(watch, buffer.data(), buffer.size());
  for (ssize_t at = 0; at < filled;) {
    const auto* event = reinterpret_cast<const inotify_event*>(buffer.data() + at);
    if (event->len > 0 && (event->mask & IN_ISDIR) == 0) ++openings[event->name];
    at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
  }
  ::close(watch);
  return openings;
}

// So the parsed bytes are the hashed ones, even if a file is replaced meanwhile.
TEST(LoadModel, OpensEveryFileOnce) {
  const TemporaryFolder folder;
  copy_tiny(folder);
  const auto openings = openings_in(folder.path(), [&] { static_cast<void>(load_model(folder.path())); });
  const std::map<std::string, int> once = {
      {"local_graph.json", 1}, {"model.json", 1}, {"stage1.pt", 1}, {"stage2.pt", 1}, {"template.obj", 1}};
  EXPECT_EQ(openings, once);
}

TEST(LoadModel, RefusesATemplateOfOtherFaces) {
  const TemporaryFolder folder;
  copy_tiny(folder);
  auto document = nlohmann::json::parse(read_file(folder.path() / "model.json"));
  ASSERT_TRUE(document["sizes"].contains("faces"));
  document["sizes"]["faces"] = {1, 2, 3};
  folder.write("model.json", document.dump());
  EXPECT_REFUSED(load_model(folder.path()), "triangles; expected 1, 2, 3 (\"faces\" in model.json)");
}

TEST(StageWeights, HaveTheSizesThatModelJsonSays) {
  struct WrongSize {
    void (*change)(NetworkSizes& sizes);
    int stage;
    const char* message;
  };
  const Model good = load_model(kTiny);
  for (const int stage : {1, 2}) EXPECT_NO_THROW(StageWeights(good, stage));
  for (const WrongSize& wrong : std::initializer_list<WrongSize>{
           {[](NetworkSizes& sizes) { sizes.hidden = 9; }, 1, "expected 9 (\"hidden\" in model.json)"},
           {[](NetworkSizes& sizes) { sizes.drb_hidden = 7; }, 2, "expected 7 (\"drb_hidden\""},
           {[](NetworkSizes& sizes) { ++sizes.stage1_cnn.channels[3]; }, 1, "stage1.pt: its convolution 3 "},
           {[](NetworkSizes& sizes) { sizes.stage2_cnn.kernels[7] = 5; }, 2, "stage2.pt: its convolution 7 "},
           {[](NetworkSizes& sizes) { ++sizes.gcn_layers[0]; }, 1, "does not have the layers"}}) {
    Model model = load_model(kTiny);
    wrong.change(model.info.sizes);
    EXPECT_REFUSED(StageWeights(model, wrong.stage), wrong.message);
  }
}

}  // namespace
}  // namespace p2mpp
