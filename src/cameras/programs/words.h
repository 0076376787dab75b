#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "cameras/camera_list.h"
#include "cameras/parsing/text_rows.h"
#include "p2mpp/error.h"

namespace p2mpp {

/// Whole numbers and numbers of a text without structure, one after the other: a file of Bundler or VisualSFM. Comments
/// begin with '#'. Methods throw InputError, "{name}:LINE: ...", also where the text ends too early.
class Words {
 public:
  Words(std::string_view text, std::string name) : lines_(text), name_(std::move(name)) {}

  [[nodiscard]] std::string row(std::size_t count);  ///< the next columns as they are written
  [[nodiscard]] double number(const char* what);
  [[nodiscard]] std::vector<double> numbers(const char* what, std::size_t count);
  [[nodiscard]] std::size_t count(const char* what);
  /// The rest of the line, and the whole next one if nothing is left of it.
  [[nodiscard]] std::string_view line();
  [[nodiscard]] bool at_end();
  [[nodiscard]] std::string where() const;

 private:
  void skip_to_word();

  LineReader lines_;
  std::string_view line_;
  std::string name_;
};

/// Points help to find the object, and are not needed. If `read` throws InputError, a note says why, and this returns
/// false.
template <typename Read>
bool read_optional_points(const Read& read, CameraList& list) {
  try {
    list.points = read();
    return true;
  } catch (const InputError& error) {
    list.notes.push_back(std::string("its points are left out: ") + error.what());
    return false;
  }
}

}  // namespace p2mpp
