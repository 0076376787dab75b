#pragma once

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>

#include "p2mpp/error.h"

namespace p2mpp {

inline std::size_t below(std::mt19937& random, std::size_t end) {
  return std::uniform_int_distribution<std::size_t>(0, end - 1)(random);
}

/// One to four random changes: a flipped bit, a byte set to an extreme, bytes cut out, doubled, or
/// cut off.
inline std::string mutated(std::string bytes, std::mt19937& random) {
  for (std::size_t change = below(random, 4) + 1; change > 0 && bytes.size() > 1; --change) {
    const std::size_t at = below(random, bytes.size());
    const std::size_t length = std::min(below(random, 16) + 1, bytes.size() - at);
    switch (below(random, 6)) {
      case 0:
      case 1:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(random, 8)));
        break;
      case 2:
        bytes[at] = "\0\xff\x7f\x80(0"[below(random, 6)];
        break;
      case 3:
        bytes.erase(at, length);
        break;
      case 4:
        bytes.insert(at, bytes.substr(at, length));
        break;
      default:
        bytes.resize(at);
        break;
    }
  }
  return bytes;
}

/// Runs an action on many mutations of some bytes: it must return or throw InputError. How often it
/// returned.
template <typename Action>
int survive_mutations(const std::string& bytes, int count, unsigned seed, const Action& action) {
  std::mt19937 random(seed);
  int returned = 0;
  for (int i = 0; i < count; ++i) {
    try {
      action(mutated(bytes, random));
      ++returned;
    } catch (const InputError&) {
    }
  }
  return returned;
}

}  // namespace p2mpp
