#pragma once

#include <stdexcept>
#include <string>

namespace p2mpp {

/// Base of every exception that the library throws on purpose. what() is one line that names the file or value, says
/// what is wrong with it and what was expected. Thrown as itself where the machine failed (a full disk, a device gone).
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Options that contradict each other or name something that does not exist. Exit code 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// Bytes from outside (an image, a list, a model, a mesh) that are missing or not what they should be. Exit code 3.
class InputError : public Error {
 public:
  using Error::Error;
};

}  // namespace p2mpp
