#include "emulation/block.h"

#include <setjmp.h>
#include <ucontext.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <vector>

#include "emulation/fault.h"
#include "emulation/warpgroup.h"

namespace p2mpp::emulation {
namespace {

using Work = std::function<void()>;

constexpr std::size_t kStackBytes = 128 * 1024;
constexpr std::size_t kGuardBytes = 256;
constexpr int kPoison = 0xff;  // NaN as a float

enum class State { kReady, kWaiting, kFinished };

struct Fiber {
  State state = State::kReady;
  bool started = false;
  int barriers = 0;               // number of barriers it has arrived at
  std::function<bool()> resumes;  // if set, the fiber is ready only when this returns true
  ucontext_t context{};
  jmp_buf resume{};
  std::unique_ptr<unsigned char[]> stack = std::make_unique_for_overwrite<unsigned char[]>(kStackBytes);
};

struct Warp {
  WarpPointers pointers{};
  int arrived = 0;
  std::vector<Work> open_group;
  std::deque<std::vector<Work>> groups;
};

struct Barrier {
  std::vector<int> waiting;
};

/// A barrier that counts arrivals and bytes. Its state is kept outside the eight bytes in shared memory, whose format
/// is up to the device.
struct PhaseBarrier {
  std::uint16_t arrivals, missing, phase;
  std::int32_t missing_bytes;
};

Order chosen_order = Order::kForward;

class Block {
 public:
  void start(const Grid& new_grid, const std::function<void()>& new_body, int new_x, int new_y);
  /// Gives the threads up to `turns` turns; stops earlier if all are finished or wait for other blocks. Returns whether
  /// any ran.
  bool run_threads(std::size_t turns);
  void finish() const;

  const Grid* grid = nullptr;
  const std::function<void()>* body = nullptr;
  int x = 0;
  int y = 0;
  int running = 0;
  std::vector<unsigned char> shared;
  jmp_buf scheduler{};

  Fiber& self() { return fibers_[static_cast<std::size_t>(running)]; }
  void yield();
  void arrive_at_barrier(int id, int threads);
  void arrive_in_warp(void* mine, const std::function<void(const WarpPointers&)>& all);
  void wait_until(std::function<bool()> condition);
  Warp& warp() { return warps_[static_cast<std::size_t>(running / kWarpThreads)]; }

  std::map<void*, PhaseBarrier> phase_barriers;
  std::deque<Work> copies;  // asynchronous copies in flight

 private:
  [[nodiscard]] bool may_resume(const Fiber& fiber) const;
  void resume(int thread);
  void check_guard() const;

  std::vector<Fiber> fibers_;
  std::vector<int> order_;
  std::vector<Warp> warps_;
  std::map<int, Barrier> barriers_;
  std::mt19937 random_{1};
};

thread_local Block* active = nullptr;

Block& block() { return *active; }

// A fiber runs one body after the other: making its context anew takes system calls, which cost more than most bodies.
void enter() {
  while (true) {
    Block& current = block();
    (*current.body)();
    current.self().state = State::kFinished;
    current.yield();
  }
}

// Not inlined: local variables modified between _setjmp() and _longjmp() would be lost.
__attribute__((noinline)) void Block::resume(int thread) {
  running = thread;
  if (_setjmp(scheduler) != 0) return;
  Fiber& fiber = self();
  if (fiber.started) _longjmp(fiber.resume, 1);
  fiber.started = true;
  getcontext(&fiber.context);
  fiber.context.uc_stack.ss_sp = fiber.stack.get();
  fiber.context.uc_stack.ss_size = kStackBytes;
  fiber.context.uc_link = nullptr;
  makecontext(&fiber.context, enter, 0);
  setcontext(&fiber.context);
}

__attribute__((noinline)) void Block::yield() {
  if (_setjmp(self().resume) == 0) _longjmp(scheduler, 1);
}

void Block::start(const Grid& new_grid, const std::function<void()>& new_body, int new_x, int new_y) {
  grid = &new_grid;
  body = &new_body;
  x = new_x;
  y = new_y;
  const auto threads = static_cast<std::size_t>(grid->threads);
  fibers_.resize(std::max(fibers_.size(), threads));
  shared.assign(grid->shared_bytes + kGuardBytes, static_cast<unsigned char>(kPoison));
  warps_.assign((threads + kWarpThreads - 1) / kWarpThreads, {});
  barriers_.clear();
  phase_barriers.clear();
  copies.clear();
  order_.resize(threads);
  std::iota(order_.begin(), order_.end(), 0);
  if (chosen_order == Order::kBackward) std::ranges::reverse(order_);
  if (chosen_order == Order::kShuffled) std::ranges::shuffle(order_, random_);
  for (std::size_t i = 0; i < threads; ++i) {
    Fiber& fiber = fibers_[i];
    fiber.started = fiber.started && fiber.state == State::kFinished;  // not one that waited forever
    fiber.state = State::kReady;
    fiber.barriers = 0;
    fiber.resumes = nullptr;
  }
}

void Block::finish() const {
  for (const int thread : order_) {
    if (fibers_[static_cast<std::size_t>(thread)].state != State::kFinished) {
      throw std::logic_error("thread " + std::to_string(thread) + " waits forever");
    }
  }
  check_guard();
}

bool Block::may_resume(const Fiber& fiber) const {
  return fiber.state == State::kReady && (fiber.resumes == nullptr || fiber.resumes());
}

bool Block::run_threads(std::size_t turns) {
  active = this;
  bool ran = false;
  for (bool progress = true; progress && turns > 0; ran = ran || progress) {
    progress = false;
    for (const int thread : order_) {
      if (turns == 0) break;
      if (!may_resume(fibers_[static_cast<std::size_t>(thread)])) continue;
      resume(thread);
      progress = true;
      --turns;
    }
    if (!progress && !copies.empty()) {
      copies.front()();
      copies.pop_front();
      progress = true;
    }
  }
  return ran;
}

void Block::check_guard() const {
  const auto guard = shared.begin() + static_cast<std::ptrdiff_t>(grid->shared_bytes);
  if (!std::all_of(guard, shared.end(), [](unsigned char byte) { return byte == kPoison; })) {
    throw std::logic_error("a kernel wrote beyond its shared memory");
  }
}

void Block::arrive_at_barrier(int id, int threads) {
  if (self().barriers++ == chosen_fault_index && has_fault(Fault::kBarrierSkipped)) return;
  Barrier& barrier = barriers_[id];
  barrier.waiting.push_back(running);
  if (static_cast<int>(barrier.waiting.size()) < threads) {
    self().state = State::kWaiting;
    yield();
    return;
  }
  for (const int thread : barrier.waiting) fibers_[static_cast<std::size_t>(thread)].state = State::kReady;
  barrier.waiting.clear();
}

void Block::arrive_in_warp(void* mine, const std::function<void(const WarpPointers&)>& all) {
  const int first = running / kWarpThreads * kWarpThreads;
  Warp& warp = warps_[static_cast<std::size_t>(running / kWarpThreads)];
  warp.pointers[static_cast<std::size_t>(running - first)] = mine;
  if (++warp.arrived < kWarpThreads) {
    self().state = State::kWaiting;
    yield();
    return;
  }
  warp.arrived = 0;
  all(warp.pointers);
  for (int lane = 0; lane < kWarpThreads; ++lane) {
    fibers_[static_cast<std::size_t>(first + lane)].state = State::kReady;
  }
}

void Block::wait_until(std::function<bool()> condition) {
  if (condition()) return;
  self().resumes = std::move(condition);
  yield();
  self().resumes = nullptr;
}

/// Finds the barrier at `at`, which the kernel must have initialised, and applies `change`. Ends the phase if it is
/// complete.
template <class Change>
void change_barrier(void* at, const Change& change) {
  const auto found = block().phase_barriers.find(at);
  if (found == block().phase_barriers.end()) {
    std::fputs("a thread arrived at a barrier that was not initialised\n", stderr);
    std::abort();
  }
  PhaseBarrier& barrier = found->second;
  change(barrier);
  if (barrier.missing > 0 || barrier.missing_bytes != 0) return;
  barrier.missing = barrier.arrivals;
  barrier.phase ^= 1U;
}

}  // namespace

std::size_t shared_bytes() { return block().grid->shared_bytes; }

void make_phase_barrier(void* at, int arrivals) {
  const auto count = static_cast<std::uint16_t>(arrivals);
  if (reinterpret_cast<std::uintptr_t>(at) % 8 != 0) std::abort();
  std::memset(at, 0, 8);
  block().phase_barriers[at] = {.arrivals = count, .missing = count, .phase = 0, .missing_bytes = 0};
}

void arrive(void* at, int expected_bytes) {
  change_barrier(at, [expected_bytes](PhaseBarrier& barrier) {
    barrier.missing_bytes += expected_bytes;
    --barrier.missing;
  });
}

void wait_for_phase(void* at, int parity) {
  block().wait_until([at, parity] {
    const auto found = block().phase_barriers.find(at);
    return found != block().phase_barriers.end() && found->second.phase != parity;
  });
}

void copy_in_bulk(void* to, const void* from, int bytes, void* barrier) {
  const auto misaligned = reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from);
  if ((misaligned | static_cast<std::uintptr_t>(bytes)) % 16 != 0) std::abort();
  const auto announce = [=] { change_barrier(barrier, [bytes](PhaseBarrier& each) { each.missing_bytes -= bytes; }); };
  const bool late = has_fault(Fault::kCopyArrivesLate);
  const auto copy = [=] {
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
    if (!late) announce();
  };
  if (late) announce();
  if (chosen_order == Order::kForward && !late) return copy();
  block().copies.emplace_back(copy);
}

void queue_product(std::function<void()> product) {
  if (chosen_order == Order::kForward && !has_fault(Fault::kProductsNotWaited)) return product();
  block().warp().open_group.push_back(std::move(product));
}

void end_group() {
  Warp& warp = block().warp();
  warp.groups.push_back(std::move(warp.open_group));
  warp.open_group.clear();
}

void wait_for_groups(std::size_t remaining) {
  if (has_fault(Fault::kProductsNotWaited)) ++remaining;
  auto& groups = block().warp().groups;
  for (; groups.size() > remaining; groups.pop_front()) {
    for (const Work& product : groups.front()) product();
  }
}

void set_order(Order order) { chosen_order = order; }

/// Runs blocks that synchronise with each other. Each block runs as far as it can before the next one; with kShuffled,
/// in a new order each round, and sometimes only part of the way.
void run_together(std::span<const std::unique_ptr<Block>> blocks, std::size_t threads) {
  static thread_local std::mt19937 random(1);
  std::vector<Block*> order;
  for (const auto& each : blocks) order.push_back(each.get());
  if (chosen_order == Order::kBackward) std::ranges::reverse(order);
  for (bool progress = true; progress;) {
    progress = false;
    if (chosen_order == Order::kShuffled) std::ranges::shuffle(order, random);
    for (Block* each : order) {
      const std::size_t turns = chosen_order == Order::kShuffled ? 1 + random() % (2 * threads) : SIZE_MAX;
      progress = each->run_threads(turns) || progress;
    }
  }
}

void run(const Grid& grid, const std::function<void()>& body) {
  static thread_local std::vector<std::unique_ptr<Block>> blocks;
  const int all = grid.blocks_x * grid.blocks_y;
  const int at_once = grid.cooperative ? all : 1;
  while (static_cast<int>(blocks.size()) < at_once) blocks.push_back(std::make_unique<Block>());
  const std::span running(blocks.data(), static_cast<std::size_t>(at_once));
  for (int first = 0; first < all; first += at_once) {
    int index = first;
    for (const auto& each : running) {
      each->start(grid, body, index % grid.blocks_x, index / grid.blocks_x);
      ++index;
    }
    run_together(running, static_cast<std::size_t>(grid.threads));
    for (const auto& each : running) each->finish();
  }
}

int thread_index() { return block().running; }
int block_x() { return block().x; }
int block_y() { return block().y; }
int block_threads() { return block().grid->threads; }
unsigned char* shared_memory() { return block().shared.data(); }

void wait_at_barrier(int id, int threads) { block().arrive_at_barrier(id, threads); }

void wait_until(std::function<bool()> condition) { block().wait_until(std::move(condition)); }

void wait_for_warp(void* mine, const std::function<void(const WarpPointers&)>& all) {
  block().arrive_in_warp(mine, all);
}

}  // namespace p2mpp::emulation
