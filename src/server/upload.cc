#include "server/upload.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "base/input_file.h"
#include "base/text.h"
#include "io/capture_archive.h"
#include "io/image/image_file.h"
#include "io/image/image_folder.h"
#include "p2mpp/error.h"
#include "requests/request_queue.h"
#include "server/http.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;

constexpr std::array kAlone = {"cameras.json", "transforms.json"};
/// Programs' files have any name.
constexpr std::array kCameraExtensions = {".json", ".txt", ".bin", ".xml", ".csv", ".nvm", ".sfm",
                                          ".mvs",  ".out", ".npz", ".npy", ".log", ".xmp", ".lst"};
std::string expected_cameras() {
  return fmt::format("cameras.json, transforms.json, cameras.txt, or a program's files ({})",
                     fmt::join(kCameraExtensions, ", "));
}
/// Images that p2mpp-photos reads, but p2mpp does not.
constexpr std::array kPhoneExtensions = {".heic", ".heif"};
constexpr const char* kMasksFolder = "masks";
constexpr const char* kArchive = "capture.zip";
constexpr const char* kUnpacked = "capture";

void check_name(const std::string& field, const std::string& name) {
  const auto refuse_if = [&](bool is_bad, const char* why) {
    if (!is_bad) return;
    throw InputError(fmt::format("{}: the file's name '{}' {}; expected a plain name such as front.png", field,
                                 printable(name, 60), why));
  };
  refuse_if(name.empty(), "is missing");
  refuse_if(name.size() > Upload::kMaxNameLength, "has more than 200 bytes");
  refuse_if(name.find_first_of("/\\") != std::string::npos, "has a slash in it");
  refuse_if(name.front() == '.', "begins with '.'");
  refuse_if(printable(name, name.size()) != name, "has characters that cannot be shown");
}

void check_image_name(const std::string& field, const std::string& name) {
  check_name(field, name);
  if (has_image_extension(name)) return;
  throw InputError(fmt::format("{}: {}: the name is not an image's; expected one that ends in {}", field,
                               printable(name, 60), fmt::join(kImageExtensions, ", ")));
}

[[noreturn]] void refuse_without_room() {
  throw Refusal(http_status::kNoRoom,
                "the server has no room for further files from this address now; try again later");
}

// For the system's reason.
[[noreturn]] void refuse_to_store(const std::string& name) {
  const std::string reason = std::generic_category().message(errno);
  throw Refusal(http_status::kNoRoom, fmt::format("{}: cannot be stored: {}", printable(name), reason));
}

}  // namespace

void Upload::begin_part(const PartHead& head) {
  field_ = head.name;
  part_bytes_ = 0;
  if (field_ == "image") {
    check_photograph_name(head.filename);
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
  } else if (field_ == "capture") {
    check_name(field_, head.filename);
    if (std::exchange(has_capture_, true)) throw InputError("capture: appears twice");
    open_file({.name = field_, .filename = kArchive}, {});
  } else if (field_ == "request") {
    if (has_request_) throw InputError("request: appears twice");
    has_request_ = true;
  } else {
    throw InputError(
        fmt::format("'{}': no such part; expected image, mask, cameras, capture or request", printable(field_, 40)));
  }
}

void Upload::check_photograph_name(const std::string& name) const {
  const bool may_be_phones = kind_ == UploadKind::kPhotographs;
  if (!may_be_phones || std::ranges::count(kPhoneExtensions, lower_extension(name)) == 0) {
    return check_image_name(field_, name);
  }
  check_name(field_, name);
}

void Upload::check_cameras_name(const std::string& name) const {
  check_name("cameras", name);
  const bool is_alone =
      std::ranges::any_of(kAlone, [&](const char* alone) { return name == alone || cameras_.contains(alone); });
  if (!cameras_.empty() && is_alone) throw InputError("cameras: appears twice; expected one file");
  if (cameras_.size() >= kMaxCameraFiles) {
    throw InputError(fmt::format("cameras: there are more than {} files", kMaxCameraFiles));
  }
  if (std::ranges::count(kCameraExtensions, lower_extension(name)) > 0) return;
  throw InputError(
      fmt::format("cameras: the file's name is '{}'; expected {}", printable(name, 60), expected_cameras()));
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
  if (!folder_.reserve(bytes.size())) refuse_without_room();
  if (file_.write_all(bytes)) return;
  refuse_to_store(path_.filename().string());
}

void Upload::end_part() {
  file_.close();
  if (field_ == "capture") return end_capture();
  if (field_ != "image" && field_ != "mask") return;
  try {
    count_pixels();
  } catch (const TooManyPixels& error) {
    throw Refusal(http_status::kTooLarge, error.what());
  }
}

void Upload::count_pixels() {
  if (kind_ == UploadKind::kSample) return total_.add(path_);
  const MappedFile file(path_);
  const std::string name = path_.filename().string();
  const bool may_be_phones = field_ == "image";
  total_.add(name, may_be_phones ? photograph_size(file.bytes(), name) : image_size(file.bytes(), name));
}

// It is unpacked when it is its turn; its files have room now.
void Upload::end_capture() {
  std::uint64_t bytes = 0;
  try {
    bytes = check_capture_archive(path_, {.bytes = most_unpacked_});
  } catch (const InputError& error) {
    throw InputError(fmt::format("capture: {} (a ZIP archive of a capture's folder)", error.what()));
  }
  if (!folder_.reserve(bytes)) refuse_without_room();
}

void Upload::check_photographs(const WorkerRequest& request) const {
  for (const auto& distance : request.known_distances) {
    for (std::size_t i = 0; i < 4; ++i) {
      const std::string name = distance[i].substr(0, distance[i].rfind(':'));
      if (name.find('/') == std::string::npos && may_exist(folder_.input() / name)) continue;
      throw InputError(
          fmt::format("request: \"known_distances\": {} is no photograph that was sent", printable(name, 60)));
    }
  }
  if (has_capture_ || !cameras_.empty() || request.source.is_turntable) {
    throw InputError("photographs: have neither cameras nor a turntable; with them, expected a request to /v1/meshes");
  }
  if (images_ >= kFewestPhotographs) return;
  throw InputError(fmt::format("image: there are {}; expected at least {} photographs, better 20 to 40", images_,
                               kFewestPhotographs));
}

void Upload::check_parts(const WorkerRequest& request) const {
  if (kind_ == UploadKind::kPhotographs) return check_photographs(request);
  if (!request.known_distances.empty() || !request.printed_bar.empty()) {
    throw InputError("request: \"known_distances\" and \"printed_bar\" belong to photographs without cameras");
  }
  if (has_capture_) {
    if (images_ + masks_ + cameras_.size() == 0) return;
    throw InputError("capture: is a whole capture; expected no parts image, mask and cameras beside it");
  }
  if (images_ < kMinViews)
    throw InputError(fmt::format("image: there are {}; expected at least {}, or a capture", images_, kMinViews));
  if (cameras_.empty() && !request.source.is_turntable) {
    throw InputError(
        fmt::format("cameras: is missing; expected {}, or \"turntable\" in the request", expected_cameras()));
  }
  if (!cameras_.empty() && request.source.is_turntable) {
    throw InputError("cameras: a turntable has no such file; expected one of the two");
  }
  if (masks_ > 0 && cameras_.size() == 1 && cameras_.contains("cameras.txt")) {
    throw InputError("mask: images with cameras.txt have their masks in their alpha; expected no masks");
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
  check_parts(request);
  if (request.id.empty()) request.id = "mesh";
  request.pixels = has_capture_ ? kMostPixelsOfLight + 1 : total_.pixels();  // of an archive they are not known yet
  request.sample = has_capture_ ? folder_.input() / kUnpacked : folder_.input();
  if (has_capture_) request.archive = folder_.input() / kArchive;
  request.output = folder_.output();
  return request;
}

}  // namespace p2mpp
