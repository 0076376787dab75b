#pragma once

#include <string>

#include "p2mpp/error.h"

namespace p2mpp {

/// Returns what the call returns. If the call throws an InputError, throws one whose message begins with `prefix`.
template <typename Call>
decltype(auto) with_prefix(const std::string& prefix, const Call& call) {
  try {
    return call();
  } catch (const InputError& error) {
    throw InputError(prefix + error.what());
  }
}

}  // namespace p2mpp
