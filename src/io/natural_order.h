#pragma once

#include <string_view>

namespace p2mpp {

/// Whether `a` sorts before `b` when runs of digits compare as numbers: plane2 before plane10. A
/// strict weak order; names that differ in leading zeros only are told apart by these.
[[nodiscard]] bool natural_less(std::string_view a, std::string_view b);

}  // namespace p2mpp
