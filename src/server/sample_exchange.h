#pragma once

#include <memory>

#include "server/http.h"

namespace p2mpp {

class MeshApi;

/// A request for a mesh. Throws Refusal if its head is invalid, and with status 429 if the queue is full.
[[nodiscard]] std::unique_ptr<Exchange> mesh_exchange(MeshApi& api, const RequestHead& head);

/// A request for a check. Throws Refusal if its head is invalid.
[[nodiscard]] std::unique_ptr<Exchange> check_exchange(MeshApi& api, const RequestHead& head);

}  // namespace p2mpp
