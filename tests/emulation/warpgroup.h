#pragma once

#include <cstddef>
#include <functional>

// What Hopper adds to a block of threads, from its definition: barriers that count arrivals and bytes, copies that run
// by themselves, and products that are computed later. With Order::kForward both are done at once; with the others as
// late as the definition allows: a kernel that does not wait for them then reads what was there before.

namespace p2mpp::emulation {

[[nodiscard]] std::size_t shared_bytes();

/// A barrier in eight bytes of shared memory.
void make_phase_barrier(void* at, int arrivals);
/// One arrival, that expects so many bytes to come in this phase.
void arrive(void* at, int expected_bytes);
/// Lets others run until the phase of this parity has ended.
void wait_for_phase(void* at, int parity);
/// Copies, and then brings the bytes to the barrier.
void copy_in_bulk(void* to, const void* from, int bytes, void* barrier);

// For the warp of the running thread, once for all lanes:

/// Adds a product to the group that is open.
void queue_product(std::function<void()> product);
void end_group();
/// Computes all closed groups but the last ones.
void wait_for_groups(std::size_t remaining);

}  // namespace p2mpp::emulation
