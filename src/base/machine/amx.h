#pragma once

#include <string_view>

namespace p2mpp {

/// Why this process cannot multiply tiles of bf16 with AMX (one clause); empty if it can. The first call asks the
/// kernel for the permission, which holds for all threads of the process, and tries one product.
[[nodiscard]] std::string_view amx_bf16_obstacle();

}  // namespace p2mpp
