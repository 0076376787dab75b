#pragma once

namespace p2mpp {

/// 1e9 bytes a second that so many threads copy in this machine's memory, read and written both counted; the best of a
/// few rounds over arrays that no cache holds. Takes about half a second.
[[nodiscard]] double measure_copied_gb_per_s(int threads);

}  // namespace p2mpp
