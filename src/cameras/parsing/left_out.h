#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "p2mpp/error.h"

namespace p2mpp {

/// The photographs of a file that cannot be used. One bad record refuses no other.
class LeftOut {
 public:
  /// Reads the record of a photograph. If it throws InputError, the photograph is left out, and this returns false.
  template <typename Read>
  bool read(const Read& read_record) {
    try {
      read_record();
      return true;
    } catch (const InputError& error) {
      refuse(error.what());
      return false;
    }
  }

  void refuse(const std::string& why) {
    if (refused_++ == 0) first_ = why;
  }
  void without_pose() { ++without_pose_; }

  /// One line for each reason. Throws InputError with the main one if no photograph is left: `used` is 0. `name`: the
  /// file's.
  [[nodiscard]] std::vector<std::string> notes(const std::string& name, std::size_t used) const;

 private:
  std::size_t refused_ = 0, without_pose_ = 0;
  std::string first_;
};

}  // namespace p2mpp
