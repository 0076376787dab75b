#include "emulation/runtime.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace p2mpp::emulation {
namespace {

constexpr std::size_t kHeaderBytes = 256;  // the size precedes a piece of memory, a guard follows it
constexpr int kPoison = 0xff;

struct Graph : DeviceGraph {
  std::shared_ptr<const Schedule> work;
};

// `time` is set when the event is first passed. `stream` and `position` are where it was last recorded outside a graph.
struct Mark : DeviceEvent {
  std::chrono::steady_clock::time_point time;
  std::shared_ptr<Streams> streams;
  std::size_t stream = 0, position = 0;
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

// On a device, freeing memory waits for all work; host memory is freed at once. No code should rely on either.
void Runtime::check_idle() noexcept {
  if (streams_->live().is_done()) return;
  std::fputs("memory is released while work is queued\n", stderr);
  std::abort();
}

void* Runtime::allocate(std::size_t bytes) {
  if (bytes > free_bytes_) throw OutOfDeviceMemory("the emulated device has no memory left");
  void* memory = allocate_guarded(bytes);
  free_bytes_ -= bytes;
  return memory;
}
void Runtime::release(void* memory) noexcept {
  check_idle();
  free_bytes_ += release_guarded(memory);
}
void* Runtime::allocate_pinned(std::size_t bytes) { return allocate_guarded(bytes); }
void Runtime::release_pinned(void* memory) noexcept {
  check_idle();
  release_guarded(memory);
}

void Runtime::copy_to_device(void* to, const void* from, std::size_t bytes, DeviceStream stream) {
  Stream::of(stream).add([=] { std::memcpy(to, from, bytes); });
}
void Runtime::copy_to_host(void* to, const void* from, std::size_t bytes, DeviceStream stream) {
  Stream::of(stream).add([=] { std::memcpy(to, from, bytes); });
}
void Runtime::copy_on_device(void* to, const void* from, std::size_t bytes, DeviceStream stream) {
  Stream::of(stream).add([=] { std::memcpy(to, from, bytes); });
}

void Runtime::wait_for(DeviceStream waiting, DeviceStream other) {
  streams_->wait_for(Stream::of(waiting).index, Stream::of(other).index);
}

// All work that precedes the event is executed when the waiting stream reaches this step, at the latest.
void Runtime::wait_for(DeviceStream waiting, const DeviceEvent& event) {
  const auto& there = static_cast<const Mark&>(event);
  Stream::of(waiting).add([streams = there.streams, stream = there.stream, position = there.position] {
    streams->live().run_until(stream, position);
  });
}

void Runtime::synchronize(DeviceStream stream) {
  const std::size_t index = Stream::of(stream).index;
  streams_->live().run_until(index, streams_->live().added(index));
}

void Runtime::begin_recording() { streams_->begin_recording(); }

std::unique_ptr<DeviceGraph> Runtime::end_recording() {
  auto graph = std::make_unique<Graph>();
  graph->work = std::make_shared<const Schedule>(streams_->end_recording());
  return graph;
}

void Runtime::launch(const DeviceGraph& graph, DeviceStream stream) {
  Stream::of(stream).add([recorded = static_cast<const Graph&>(graph).work] {
    Schedule work = *recorded;
    work.run_all();
  });
}

std::unique_ptr<DeviceEvent> Runtime::make_event() {
  auto event = std::make_unique<Mark>();
  event->streams = streams_;
  return event;
}

void Runtime::record(DeviceEvent& event, DeviceStream stream) {
  auto& here = static_cast<Mark&>(event);
  const std::size_t index = Stream::of(stream).index;
  if (!streams_->records(index)) {
    here.stream = index;
    here.position = streams_->live().added(index) + 1;
  }
  streams_->add(index, [&here] { here.time = std::chrono::steady_clock::now(); });
}

void Runtime::wait(const DeviceEvent& event) {
  const auto& here = static_cast<const Mark&>(event);
  streams_->live().run_until(here.stream, here.position);
}

double Runtime::milliseconds_between(const DeviceEvent& begin, const DeviceEvent& end) {
  return std::chrono::duration<double, std::milli>(time_of(end) - time_of(begin)).count();
}

std::chrono::steady_clock::time_point Runtime::time_of(const DeviceEvent& event) {
  const auto& here = static_cast<const Mark&>(event);
  if (here.time == std::chrono::steady_clock::time_point())
    throw Error("the emulation: the event has not been recorded yet");
  return here.time;
}

void Runtime::check_launch(int status, const char* kernel) const {
  if (status != 0)
    throw Error(std::string(kernel) + ": the emulation cannot launch it (" + std::to_string(status) + ")");
}

}  // namespace p2mpp::emulation
