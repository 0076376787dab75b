#pragma once

#include <cstddef>
#include <functional>

// The features that Hopper adds to a thread block: barriers that count arrivals and bytes, asynchronous copies, and
// asynchronous products. With Order::kForward copies and products complete at once; otherwise as late as their
// definition allows, so a kernel that does not wait for them reads the old contents.

namespace p2mpp::emulation {

[[nodiscard]] std::size_t shared_bytes();

/// Initialises a barrier in eight bytes of shared memory.
void make_phase_barrier(void* at, int arrivals);
/// Arrives once and adds `expected_bytes` to the bytes that the current phase waits for.
void arrive(void* at, int expected_bytes);
/// Lets other threads run until the phase of this parity has ended.
void wait_for_phase(void* at, int parity);
/// Copies asynchronously, then reports the bytes to the barrier.
void copy_in_bulk(void* to, const void* from, int bytes, void* barrier);

// These act on the running thread's warp; call them once per warp, not per lane.

/// Adds a product to the open group.
void queue_product(std::function<void()> product);
void end_group();
/// Computes all closed groups except the last `remaining`.
void wait_for_groups(std::size_t remaining);

}  // namespace p2mpp::emulation
