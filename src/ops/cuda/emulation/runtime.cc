#include "ops/cuda/emulation/runtime.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace p2mpp::emulation {
namespace {

constexpr std::size_t kHeaderBytes = 256;  // before a piece of memory: its size; after it: the guard
constexpr int kPoison = 0xff;

struct Graph : DeviceGraph {
  Stream::Work work;
};

struct Mark : DeviceMark {
  std::chrono::steady_clock::time_point moment;
};

void* allocate_guarded(std::size_t bytes) {
  const std::size_t rounded = (bytes + kHeaderBytes - 1) / kHeaderBytes * kHeaderBytes;
  auto* memory = static_cast<unsigned char*>(std::aligned_alloc(kHeaderBytes, rounded + 2 * kHeaderBytes));
  if (memory == nullptr) throw OutOfDeviceMemory("the host has no memory left for the emulation");
  std::memset(memory, kPoison, rounded + 2 * kHeaderBytes);
  std::memcpy(memory, &bytes, sizeof bytes);
  return memory + kHeaderBytes;
}

std::size_t release_guarded(void* memory) {
  auto* begin = static_cast<unsigned char*>(memory) - kHeaderBytes;
  std::size_t bytes = 0;
  std::memcpy(&bytes, begin, sizeof bytes);
  const unsigned char* guard = begin + kHeaderBytes + bytes;
  if (!std::all_of(guard, guard + kHeaderBytes, [](unsigned char byte) { return byte == kPoison; })) {
    std::fputs("a kernel wrote beyond its memory\n", stderr);
    std::abort();
  }
  std::free(begin);
  return bytes;
}

}  // namespace

void* Runtime::allocate(std::size_t bytes) {
  if (bytes > free_bytes_) throw OutOfDeviceMemory("the emulated device has no memory left");
  void* memory = allocate_guarded(bytes);
  free_bytes_ -= bytes;
  return memory;
}
void Runtime::release(void* memory) noexcept { free_bytes_ += release_guarded(memory); }
void* Runtime::allocate_pinned(std::size_t bytes) { return allocate_guarded(bytes); }
void Runtime::release_pinned(void* memory) noexcept { release_guarded(memory); }

void Runtime::copy_to_device(void* to, const void* from, std::size_t bytes, DeviceStream stream) {
  Stream::of(stream).add([=] { std::memcpy(to, from, bytes); });
}
void Runtime::copy_to_host(void* to, const void* from, std::size_t bytes, DeviceStream stream) {
  Stream::of(stream).add([=] { std::memcpy(to, from, bytes); });
}

// Work is done in the order in which it is queued, so that nothing has to wait. A stream that waits for one that is
// recorded is recorded, too.
void Runtime::wait_for(DeviceStream waiting, DeviceStream other) {
  if (Stream::of(other).records()) Stream::of(waiting).record_into(&recorded_);
}

void Runtime::begin_recording() {
  recorded_.clear();
  streams_[0].record_into(&recorded_);
}

std::unique_ptr<DeviceGraph> Runtime::end_recording() {
  for (Stream& each : streams_) each.record_into(nullptr);
  auto graph = std::make_unique<Graph>();
  graph->work.swap(recorded_);
  return graph;
}

void Runtime::launch(const DeviceGraph& graph, DeviceStream /*stream*/) {
  for (const auto& work : static_cast<const Graph&>(graph).work) work();
}

std::unique_ptr<DeviceMark> Runtime::make_mark() { return std::make_unique<Mark>(); }

void Runtime::record(DeviceMark& mark, DeviceStream stream) {
  Stream::of(stream).add([&mark] { static_cast<Mark&>(mark).moment = std::chrono::steady_clock::now(); });
}

double Runtime::milliseconds_between(const DeviceMark& begin, const DeviceMark& end) {
  const auto duration = static_cast<const Mark&>(end).moment - static_cast<const Mark&>(begin).moment;
  return std::chrono::duration<double, std::milli>(duration).count();
}

void Runtime::check_launch(int status, const char* kernel) const {
  if (status != 0)
    throw Error(std::string(kernel) + ": the emulation cannot launch it (" + std::to_string(status) + ")");
}

}  // namespace p2mpp::emulation
