#pragma once

namespace p2mpp {

/// Memory bandwidth of copying with this number of threads, in 1e9 bytes per second, counting reads and writes. This is
/// the best of a few rounds over arrays that are larger than the caches. Takes about half a second.
[[nodiscard]] double measure_copied_gb_per_s(int threads);

}  // namespace p2mpp
