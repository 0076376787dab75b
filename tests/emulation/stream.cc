#include "emulation/stream.h"

#include <algorithm>
#include <random>

namespace p2mpp::emulation {
namespace {

StreamOrder chosen_order = StreamOrder::kAtOnce;

std::size_t random_below(std::size_t end) {
  static thread_local std::mt19937 random(1);
  return random() % end;
}

}  // namespace

void set_stream_order(StreamOrder order) { chosen_order = order; }

void Schedule::add(std::size_t stream, Step step) { queues_[stream].left.push_back({std::move(step), 0, 0}); }

void Schedule::wait_for(std::size_t waiting, std::size_t other) {
  queues_[waiting].left.push_back({nullptr, other, added(other)});
}

bool Schedule::is_done() const {
  return std::ranges::all_of(queues_, [](const Queue& queue) { return queue.left.empty(); });
}

bool Schedule::ends_in(std::size_t stream) const {
  std::array<std::size_t, kStreamCount> awaited{};
  for (const Entry& entry : queues_[stream].left) {
    if (!entry.step) awaited[entry.other] = std::max(awaited[entry.other], entry.count);
  }
  for (std::size_t other = 0; other < queues_.size(); ++other) {
    if (other != stream && awaited[other] < added(other)) return false;
  }
  return true;
}

// Runs the first remaining step, unless it has to wait.
bool Schedule::advance(std::size_t stream) {
  Queue& queue = queues_[stream];
  if (queue.left.empty()) return false;
  const Entry entry = queue.left.front();
  if (!entry.step && queues_[entry.other].done < entry.count) return false;
  queue.left.pop_front();
  ++queue.done;  // a step that throws counts as done
  if (entry.step) entry.step();
  return true;
}

void Schedule::run_until(std::size_t stream, std::size_t count) {
  while (queues_[stream].done < count) {
    if (chosen_order == StreamOrder::kShuffled) {
      static_cast<void>(advance(random_below(queues_.size())));
    } else if (!advance(stream)) {
      const Entry& waiting = queues_[stream].left.front();
      run_until(waiting.other, waiting.count);
    }
  }
}

void Schedule::run_all() {
  for (std::size_t stream = 0; stream < queues_.size(); ++stream) run_until(stream, added(stream));
}

void Schedule::run_meanwhile(std::size_t stream) {
  if (chosen_order == StreamOrder::kAtOnce) run_until(stream, added(stream));
  if (chosen_order != StreamOrder::kShuffled) return;
  for (std::size_t steps = random_below(3); steps > 0; --steps) {
    static_cast<void>(advance(random_below(queues_.size())));
  }
}

void Streams::add(std::size_t stream, Schedule::Step step) {
  if (records_[stream]) return recorded_.add(stream, std::move(step));
  live_.add(stream, std::move(step));
  live_.run_meanwhile(stream);
}

void Streams::wait_for(std::size_t waiting, std::size_t other) {
  if (records_[waiting] && !records_[other])
    throw Error("the emulation: a recorded stream waits for one that is not recorded");
  records_[waiting] = records_[other];
  if (records_[other]) return recorded_.wait_for(waiting, other);
  live_.wait_for(waiting, other);
  live_.run_meanwhile(waiting);
}

void Streams::begin_recording() {
  recorded_ = {};
  records_[kComputeStream] = true;
}

Schedule Streams::end_recording() {
  records_.fill(false);
  if (!recorded_.ends_in(kComputeStream))
    throw Error("the emulation: a recorded stream does not join the compute stream");
  return std::move(recorded_);
}

}  // namespace p2mpp::emulation
