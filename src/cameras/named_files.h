#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace p2mpp {

/// A text in which letters that differ in case, accent or Unicode's normal form are the same. macOS stores names
/// decomposed (NFD), other systems as they were typed.
[[nodiscard]] std::string folded(std::string_view text);

/// Finds the files that a capture names. People rename, convert, copy and unpack, so a name rarely survives: after the
/// exact file, other forms of the name are tried, one by one, and taken only if a single file has it: another case or
/// normal form, another extension of an image, Windows' separators, the path of another machine, and another folder of
/// the capture. The time for a name depends on the number of files by its logarithm only. Not thread-safe.
class NamedFiles {
 public:
  enum class Kind { kPhotograph, kMask, kPoints };

  /// `folder`: to which names are relative. Files of other forms are looked for below it and below `also`.
  explicit NamedFiles(std::filesystem::path folder, std::vector<std::filesystem::path> also = {});

  /// The file; empty if there is none, or several that are equally likely.
  [[nodiscard]] std::filesystem::path find(const std::string& name, Kind kind = Kind::kPhotograph);

  /// Whether the last find() found another form of the name.
  [[nodiscard]] bool differed() const { return differed_; }

  /// One line for each kind of file that was found by another form of its name: "24 photographs are found by other
  /// forms of their names: 'images/a.jpg' is a.png".
  [[nodiscard]] std::vector<std::string> notes(const std::string& where) const;

  /// The files nearest to a name, for a message: "; the nearest file is input/IMG_1.png". Empty without any image.
  [[nodiscard]] std::string nearest(const std::string& name);

 private:
  /// A file in the words of a comparison.
  struct Entry {
    std::filesystem::path path;
    std::vector<std::string> folders;  ///< below the folder that was listed; folded
    std::string name;                  ///< as it is
    std::string stem;                  ///< folded, without an image's extension
  };
  /// An entry by the hash of its stem and its last folders, of as many as the hash was made of.
  struct Ending {
    std::size_t hash = 0, entry = 0;

    auto operator<=>(const Ending&) const = default;
  };
  struct Form {
    std::size_t count = 0;
    std::string example;
  };

  void list();
  void list_below(const std::filesystem::path& root, const std::filesystem::path& below, int depth);
  [[nodiscard]] const Entry* other_form(const std::string& name, Kind kind);

  std::filesystem::path folder_;
  std::vector<std::filesystem::path> also_;
  bool listed_ = false, differed_ = false;
  std::vector<Entry> entries_;
  std::vector<Ending> endings_;  ///< sorted
  std::map<Kind, Form> forms_;
};

/// Whether a folder's name is that of masks: "masks", "mask_visib", "Alpha", "silhouettes".
[[nodiscard]] bool is_masks_name(std::string_view folder);

/// An image's name without its extension; other names stay as they are ("viff.001" of "viff.001.png").
[[nodiscard]] std::string image_stem(std::string_view name);

}  // namespace p2mpp
