#pragma once

#include <memory>

#include "server/http.h"

namespace p2mpp {

class MeshApi;

/// A request for a mesh. Throws Refusal: what is wrong with its head, or 429 if the queue is full.
[[nodiscard]] std::unique_ptr<Exchange> mesh_exchange(MeshApi& api, const RequestHead& head);

/// A request for a check. Throws Refusal for what is wrong with its head.
[[nodiscard]] std::unique_ptr<Exchange> check_exchange(MeshApi& api, const RequestHead& head);

}  // namespace p2mpp
