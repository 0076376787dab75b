#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "p2mpp/error.h"

namespace p2mpp {

/// Bytes from outside give a value or an InputError; anything else is a finding. For LLVMFuzzerTestOneInput().
template <typename Parse>
int parse_or_refuse(const std::uint8_t* data, std::size_t size, const Parse& parse) {
  try {
    parse(std::string_view(reinterpret_cast<const char*>(data), size));
  } catch (const InputError&) {
  }
  return 0;
}

}  // namespace p2mpp
