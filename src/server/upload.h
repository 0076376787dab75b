#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>

#include "base/file_descriptor.h"
#include "io/image/pixel_budget.h"
#include "requests/worker_request.h"
#include "server/multipart.h"
#include "server/spool.h"

namespace p2mpp {

/// What a body brings: a sample with its cameras, or photographs without.
enum class UploadKind { kSample, kPhotographs };

/// Makes a sample's folder of the parts of a body:
///   image    a PNG, JPEG, WebP or BMP file; 2 to kMaxImages of them
///   mask     the mask of an image: a file of its name, with any extension of an image; for transforms.json and
///            turntables, and where cameras.json names it
///   cameras  cameras.json, transforms.json or cameras.txt, or the files of a capture: COLMAP's, or another program's;
///            not with a turntable
///   capture  instead of these: a ZIP archive of a folder that `predict` takes, see check_capture_archive()
///   request  optional: parse_remote_request()'s JSON
/// Photographs alone are kFewestPhotographs images at least, which may be HEIC, with or without masks. They have
/// neither cameras nor a turntable, and each must be of one of these types, whatever its name says: other programs read
/// them, and some read more. Files have plain names. Throws InputError (one clause) for anything else.
class Upload : public PartReceiver {
 public:
  static constexpr std::size_t kMaxImages = 256;
  static constexpr std::size_t kFewestPhotographs = 5;
  static constexpr std::size_t kMaxNameLength = 200;  ///< bytes
  static constexpr std::uint64_t kMaxCameraBytes = std::uint64_t{16} << 20;
  static constexpr std::size_t kMaxCameraFiles = kMaxImages;             ///< some programs write one for each image
  static constexpr std::size_t kMaxRequestText = std::size_t{64} << 10;  ///< bytes

  /// Writes into folder.input(), which must outlive this object. All images together may have most_pixels.
  /// The files of an archive may have most_unpacked bytes.
  Upload(SpoolFolder& folder, std::size_t most_pixels, std::uint64_t most_unpacked,
         UploadKind kind = UploadKind::kSample)
      : folder_(folder), total_(most_pixels), most_unpacked_(most_unpacked), kind_(kind) {}

  void begin_part(const PartHead& head) override;
  /// Throws Refusal if the spool is full or cannot be written.
  void part_bytes(std::string_view bytes) override;
  /// Throws Refusal if the images have too many pixels together.
  void end_part() override;

  /// The request for the sample, once all parts are there. Throws InputError if something is missing.
  [[nodiscard]] WorkerRequest request() const;
  [[nodiscard]] std::size_t images() const { return images_; }

 private:
  void open_file(const PartHead& head, const std::filesystem::path& subfolder);
  void check_photograph_name(const std::string& name) const;
  void check_cameras_name(const std::string& name) const;
  void count_pixels();
  void end_capture();
  void check_parts(const WorkerRequest& request) const;
  void check_photographs(const WorkerRequest& request) const;

  SpoolFolder& folder_;
  PixelTotal total_;
  const std::uint64_t most_unpacked_;
  const UploadKind kind_;
  std::string field_;             ///< of the part in progress
  FileDescriptor file_;           ///< the same, if it is a file
  std::filesystem::path path_;    ///< the same
  std::uint64_t part_bytes_ = 0;  ///< the same
  std::size_t images_ = 0, masks_ = 0;
  std::set<std::string> cameras_;  ///< their names
  bool has_request_ = false, has_capture_ = false;
  std::string request_text_;
};

}  // namespace p2mpp
