#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "cameras/capture.h"

namespace p2mpp {

/// The masks of a folder by the names of photographs. It is listed once, and only if a mask has another form of a name.
class MaskFolder {
 public:
  /// Of these photographs, which must outlive this object. `has_photographs`: the folder is that of the photographs,
  /// too; only names with a word such as "mask" are masks there.
  MaskFolder(std::filesystem::path folder, std::span<const Photograph> photographs, bool has_photographs = false)
      : folder_(std::move(folder)), photographs_(photographs), has_photographs_(has_photographs) {}

  /// The mask of a photograph: its name with any extension that is an image's, with the folders of the photograph's
  /// name or without, or with ".png" after the whole name (COLMAP's way). Else the only file whose name is that up to
  /// case, Unicode's normal form, "mask" and "alpha" before or after it ("NAME_mask.png"), or what most files of the
  /// folder have before and after the photographs' names ("NAME-removebg-preview.png"). If all names of photographs and
  /// masks are numbers, and as many: the one with the same number (000.png of 000000.png). nullopt if there is none.
  [[nodiscard]] std::optional<std::filesystem::path> find(const Photograph& photograph);

  [[nodiscard]] const std::filesystem::path& path() const { return folder_; }

 private:
  void list();

  std::filesystem::path folder_;
  std::span<const Photograph> photographs_;
  bool has_photographs_;
  bool listed_ = false;
  std::multimap<std::string, std::filesystem::path> by_stem_;  ///< folded
  std::map<std::string, std::filesystem::path> by_number_;     ///< without leading zeros
};

/// Gives each photograph its mask of a folder. Throws InputError naming the folder and a photograph if one has none, or
/// if two photographs would have the same.
void use_masks_in(const std::filesystem::path& folder, Capture& capture);

/// The same for photographs whose capture names no mask, with the folder in which the most of them have one: a folder
/// of masks (masks/, mask/, Alpha/, ...) where the photographs are or beside their folder in the capture, or that
/// folder itself (NAME_mask.png). Notes what was used, or what was found and why it does not fit. Throws as
/// use_masks_in() if only some photographs have one.
void use_masks_beside(Capture& capture);

/// One line if the first mask's size is no multiple of its photograph's: one of them may have been cropped. Else empty.
/// Precondition: the capture has photographs.
[[nodiscard]] std::string sizes_of_masks(const Capture& capture);

}  // namespace p2mpp
