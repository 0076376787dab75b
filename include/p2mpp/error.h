#pragma once

#include <stdexcept>
#include <string>

#include "p2mpp/export.h"

namespace p2mpp {

/// Base of every exception that the library throws on purpose. what() is one line: the file or value, the problem, and
/// the expected value. Error itself is thrown if the machine failed (a full disk, a lost device).
class P2MPP_EXPORT Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Options that contradict each other or name something that does not exist. Exit code 2.
class P2MPP_EXPORT UsageError : public Error {
 public:
  using Error::Error;
};

/// Input (an image, a list, a model, a mesh) that is missing or malformed. Exit code 3.
class P2MPP_EXPORT InputError : public Error {
 public:
  using Error::Error;
};

}  // namespace p2mpp
