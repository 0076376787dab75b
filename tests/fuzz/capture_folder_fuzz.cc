// A camera file of any program in a request's folder: no photograph, mask or message comes from outside it.
#include <array>
#include <cstdlib>
#include <filesystem>

#include "base/thread_scopes.h"
#include "cameras/mask_files.h"
#include "cameras/read_capture.h"
#include "fuzz/fuzz_target.h"
#include "support/temporary_folder.h"

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPicture(
    "\x89PNG\x0d\x0a\x1a\x0a\x00\x00\x00\x0dIHDR\x00\x00\x00\x02\x00\x00\x00\x02\x08\x02\x00\x00\x00\xfd\xd4\x9as\x00"
    "\x00\x00\x0eIDATx\x9c"
    "c\x10\x00\x03\x06\x08\x05\x00\x05N\x00\xc1\x14\x8a\xa6\xff\x00\x00\x00\x00IEND\xae"
    "B`\x82",
    71);                                        ///< a PNG
constexpr std::string_view kOthers = "secret";  ///< part of every name outside

// By the first byte of the input. COLMAP's other files and BOP's poses are in the folder already.
constexpr std::array kNames = {
    "images.txt",       "images.bin",        "cameras.txt",         "cameras.bin",  "points3D.txt",
    "transforms.json",  "cameras.json",      "cameras.xml",         "cameras.csv",  "a.xmp",
    "cameras.npz",      "a_par.txt",         "sfm_data.json",       "cameras.sfm",  "bundle.out",
    "list.txt",         "scene.nvm",         "reconstruction.json", "a.json",       "metadata.json",
    "poses_bounds.npy", "scene_camera.json", "meta_data.json",      "sfm.json",     "metadata",
    "a.list.txt",       "scene.mvs",         "trajectory.json",     "odometry.csv", "a.pose.txt"};

struct Folders {
  Folders() {
    for (const char* name : {"a.png", "images/b.png", "masks/a.png"}) parent.write(fs::path("own") / name, kPicture);
    for (const char* name : {"secret.png", "images/secret.png", "secret/a.png", "masks/secret.png", "list.txt"}) {
      parent.write(name, kPicture);
    }
    parent.write("own/cameras.txt", "1 PINHOLE 2 2 3 3 1 1\n");
    parent.write("own/images.txt", "1 1 0 0 0 0 0 4 1 a.png\n\n2 1 0 0 0 0 0 4 1 b.png\n\n");
    parent.write("own/scene_gt.json", R"({"0": [{"cam_R_m2c": [1,0,0,0,1,0,0,0,1], "cam_t_m2c": [0,0,4]}]})");
    fs::create_directory_symlink("../secret", own / "link");
  }
  p2mpp::TemporaryFolder parent;
  fs::path own = fs::canonical(parent.path()) / "own";
};

void check_inside(const fs::path& own, const fs::path& file) {
  if (file.empty()) return;
  const fs::path real = fs::canonical(file);
  if (std::mismatch(own.begin(), own.end(), real.begin(), real.end()).first != own.end()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static const Folders folders;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const fs::path file = folders.own / kNames[data[0] % kNames.size()];
  const std::string before = fs::exists(file) ? p2mpp::slurp(file) : "";
  folders.parent.write(fs::path("own") / file.filename(), bytes);
  const p2mpp::ReadingScope scope(folders.own);
  const auto check_words = [&](std::string_view words) {
    const bool is_own = bytes.find(kOthers) != std::string_view::npos;
    if (!is_own && words.find(kOthers) != std::string_view::npos) std::abort();
  };
  for (const fs::path& path : {file, folders.own}) {
    try {
      p2mpp::Capture capture = p2mpp::read_capture(path);
      p2mpp::use_masks_beside(capture);
      for (const p2mpp::Photograph& photograph : capture.photographs) {
        check_inside(folders.own, photograph.image);
        check_inside(folders.own, photograph.mask);
      }
      for (const std::string& note : capture.notes) check_words(note);
    } catch (const p2mpp::InputError& error) {
      check_words(error.what());
    }
  }
  fs::remove(file);
  if (!before.empty()) folders.parent.write(fs::path("own") / file.filename(), before);
  return 0;
}
