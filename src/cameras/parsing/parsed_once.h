#pragma once

#include <map>
#include <optional>
#include <string>

#include "p2mpp/error.h"

namespace p2mpp {

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
