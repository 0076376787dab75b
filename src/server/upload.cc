#include "server/upload.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/text.h"
#include "p2mpp/error.h"
#include "server/http.h"
#include "server/http_status.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;

constexpr std::array kImageExtensions = {".png", ".jpg", ".jpeg", ".webp"};
constexpr const char* kCameraRows = "cameras.txt";
constexpr std::array kCameraNames = {"cameras.json",  "transforms.json",     kCameraRows,    "cameras.bin",
                                     "images.txt",    "images.bin",          "points3D.txt", "points3D.bin",
                                     "sfm_data.json", "reconstruction.json", "list.txt",     "metadata.json"};
constexpr std::array kAlone = {"cameras.json", "transforms.json"};
/// Of other programs, whose files have any name.
constexpr std::array kCameraExtensions = {".xml", ".csv", ".nvm", ".sfm", ".out", ".npz", ".npy"};
constexpr const char* kExpectedCameras =
    "cameras.json, transforms.json, cameras.txt, or the files of COLMAP or another program";
constexpr const char* kMasksFolder = "masks";

void check_name(const std::string& field, const std::string& name) {
  if (const char* const problem = describe_upload_name(name); problem != nullptr) {
    throw InputError(fmt::format("{}: the file's name '{}' {}; expected a plain name such as front.png", field,
                                 printable(name, 60), problem));
  }
}

void check_image_name(const std::string& field, const std::string& name) {
  check_name(field, name);
  if (std::ranges::count(kImageExtensions, lower_extension(name)) > 0) return;
  throw InputError(fmt::format("{}: {}: the name is not an image's; expected one that ends in {}", field,
                               printable(name, 60), fmt::join(kImageExtensions, ", ")));
}

// For the system's reason.
[[noreturn]] void refuse_to_store(const std::string& name) {
  const std::string reason = std::generic_category().message(errno);
  throw Refusal(http_status::kNoRoom, fmt::format("{}: cannot be stored: {}", printable(name), reason));
}

}  // namespace

const char* describe_upload_name(const std::string& name) {
  if (name.empty()) return "is missing";
  if (name.size() > Upload::kMaxNameLength) return "has more than 200 bytes";
  if (name.find_first_of("/\\") != std::string::npos) return "has a slash in it";
  if (name.front() == '.') return "begins with '.'";
  if (printable(name, name.size()) != name) return "has characters that cannot be shown";
  return nullptr;
}

void Upload::begin_part(const PartHead& head) {
  field_ = head.name;
  part_bytes_ = 0;
  if (field_ == "image") {
    check_image_name(field_, head.filename);
    if (++images_ > kMaxImages) throw InputError(fmt::format("image: there are more than {}", kMaxImages));
    open_file(head, {});
  } else if (field_ == "mask") {
    check_image_name(field_, head.filename);
    if (++masks_ > kMaxImages) throw InputError(fmt::format("mask: there are more than {}", kMaxImages));
    open_file(head, kMasksFolder);
  } else if (field_ == "cameras") {
    check_cameras_name(head.filename);
    open_file(head, {});
    cameras_.insert(head.filename);
  } else if (field_ == "request") {
    if (has_request_) throw InputError("request: appears twice");
    has_request_ = true;
  } else {
    throw InputError(
        fmt::format("'{}': no such part; expected image, mask, cameras or request", printable(field_, 40)));
  }
}

void Upload::check_cameras_name(const std::string& name) const {
  check_name("cameras", name);
  const bool is_alone =
      std::ranges::any_of(kAlone, [&](const char* alone) { return name == alone || cameras_.contains(alone); });
  if (!cameras_.empty() && is_alone) throw InputError("cameras: appears twice; expected one file");
  if (cameras_.size() >= kMaxCameraFiles) {
    throw InputError(fmt::format("cameras: there are more than {} files", kMaxCameraFiles));
  }
  const bool is_known =
      std::ranges::count(kCameraNames, name) > 0 || std::ranges::count(kCameraExtensions, lower_extension(name)) > 0;
  if (is_known) return;
  throw InputError(fmt::format("cameras: the file's name is '{}'; expected {}", printable(name, 60), kExpectedCameras));
}

void Upload::open_file(const PartHead& head, const fs::path& subfolder) {
  const fs::path folder = folder_.input() / subfolder;
  std::error_code ignored;
  fs::create_directory(folder, ignored);
  path_ = folder / head.filename;
  // O_EXCL: no part replaces another one, or follows a link.
  file_ = FileDescriptor(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (file_) return;
  if (errno == EEXIST) {
    throw InputError(fmt::format("{}: {} appears twice; expected each name once", head.name, printable(head.filename)));
  }
  refuse_to_store(head.filename);
}

void Upload::part_bytes(std::string_view bytes) {
  part_bytes_ += bytes.size();
  if (field_ == "request") {
    if (part_bytes_ > kMaxRequestText) {
      throw InputError(fmt::format("request: has more than {} bytes", kMaxRequestText));
    }
    request_text_.append(bytes);
    return;
  }
  if (field_ == "cameras" && part_bytes_ > kMaxCameraBytes) {
    throw InputError(fmt::format("cameras: has more than {} bytes", kMaxCameraBytes));
  }
  if (!folder_.reserve(bytes.size())) {
    throw Refusal(http_status::kNoRoom, "the server has no room for further files now; try again later");
  }
  if (file_.write_all(bytes)) return;
  refuse_to_store(path_.filename().string());
}

void Upload::end_part() {
  file_.close();
  if (field_ != "image" && field_ != "mask") return;
  try {
    total_.add(path_);
  } catch (const TooManyPixels& error) {
    throw Refusal(http_status::kTooLarge, error.what());
  }
}

WorkerRequest Upload::request() const {
  const std::string text = request_text_.empty() ? "{}" : request_text_;
  WorkerRequest request;
  try {
    request = parse_remote_request(parse_request_line(text), false);
  } catch (const InputError& error) {
    throw InputError(fmt::format("request: {}", error.what()));
  }
  if (images_ < kMinViews)
    throw InputError(fmt::format("image: there are {}; expected at least {}", images_, kMinViews));
  if (cameras_.empty() && !request.turntable) {
    throw InputError(
        fmt::format("cameras: is missing; expected {}, or \"turntable\" in the request", kExpectedCameras));
  }
  if (!cameras_.empty() && request.turntable) {
    throw InputError("cameras: a turntable has no such file; expected one of the two");
  }
  if (masks_ > 0 && cameras_.size() == 1 && cameras_.contains(kCameraRows)) {
    throw InputError("mask: images with cameras.txt have their masks in their alpha; expected no masks");
  }
  if (request.id.empty()) request.id = "mesh";
  request.pixels = total_.pixels();
  request.sample = folder_.input();
  request.output = folder_.output();
  return request;
}

}  // namespace p2mpp
