#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <map>
#include <optional>
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
  [[nodiscard]] std::vector<std::string> notes(const std::string& name, std::size_t used) const {
    const std::size_t total = used + refused_ + without_pose_;
    if (used == 0 && without_pose_ > refused_) {
      throw InputError(fmt::format(
          "{}: no camera has a pose (of {}); expected aligned photographs: align them, then export the poses, too",
          name, total));
    }
    if (used == 0 && refused_ > 0) throw InputError(first_);
    std::vector<std::string> lines;
    if (without_pose_ > 0) {
      lines.push_back(fmt::format("{} of {} photographs have no pose and are left out", without_pose_, total));
    }
    if (refused_ > 0) lines.push_back(fmt::format("{} of {} photographs are left out: {}", refused_, total, first_));
    return lines;
  }

 private:
  std::size_t refused_ = 0, without_pose_ = 0;
  std::string first_;
};

/// Values that many photographs name, such as a lens, by their id. Each is parsed once, also one that is refused.
template <typename Value>
class ParsedOnce {
 public:
  /// The value, by `parse()` if it is new. Throws InputError as parse() did.
  template <typename Parse>
  const Value& get(const std::string& id, const Parse& parse) {
    const auto [found, is_new] = entries_.try_emplace(id);
    Entry& entry = found->second;
    if (is_new) {
      try {
        entry.value = parse();
      } catch (const InputError& error) {
        entry.refusal = error.what();
      }
    }
    if (!entry.value) throw InputError(entry.refusal);
    return *entry.value;
  }

 private:
  struct Entry {
    std::optional<Value> value;
    std::string refusal;
  };
  std::map<std::string, Entry> entries_;
};

}  // namespace p2mpp
