#include "ops/cuda/emulation/block.h"

#include <setjmp.h>
#include <ucontext.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

namespace p2mpp::emulation {
namespace {

constexpr std::size_t kStackBytes = 128 * 1024;
constexpr std::size_t kGuardBytes = 256;
constexpr int kPoison = 0xff;  // as a float, NaN

enum class State { kReady, kWaiting, kFinished };

struct Fiber {
  State state = State::kReady;
  bool started = false;
  ucontext_t context{};
  jmp_buf resume{};
  std::unique_ptr<unsigned char[]> stack = std::make_unique<unsigned char[]>(kStackBytes);
};

struct Warp {
  WarpPointers pointers{};
  int arrived = 0;
};

struct Barrier {
  std::vector<int> waiting;
};

Order chosen_order = Order::kForward;

class Block {
 public:
  void run(const Grid& grid, const std::function<void()>& body);

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

 private:
  void run_block();
  void resume(int thread);
  void check_guard() const;

  std::vector<Fiber> fibers_;
  std::vector<Warp> warps_;
  std::map<int, Barrier> barriers_;
  std::mt19937 random_{1};
};

Block& block() {
  static thread_local Block current;
  return current;
}

void enter() {
  Block& current = block();
  (*current.body)();
  current.self().state = State::kFinished;
  _longjmp(current.scheduler, 1);
}

void Block::run(const Grid& new_grid, const std::function<void()>& new_body) {
  grid = &new_grid;
  body = &new_body;
  fibers_.resize(std::max(fibers_.size(), static_cast<std::size_t>(grid->threads)));
  for (y = 0; y < grid->blocks_y; ++y) {
    for (x = 0; x < grid->blocks_x; ++x) run_block();
  }
}

// Not inlined: what is set before _setjmp() and changed after it would be lost.
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

void Block::run_block() {
  shared.assign(grid->shared_bytes + kGuardBytes, static_cast<unsigned char>(kPoison));
  warps_.assign(static_cast<std::size_t>((grid->threads + kWarpThreads - 1) / kWarpThreads), {});
  barriers_.clear();
  std::vector<int> order(static_cast<std::size_t>(grid->threads));
  std::iota(order.begin(), order.end(), 0);
  if (chosen_order == Order::kBackward) std::ranges::reverse(order);
  if (chosen_order == Order::kShuffled) std::ranges::shuffle(order, random_);
  for (const int thread : order) {
    Fiber& fiber = fibers_[static_cast<std::size_t>(thread)];
    fiber.state = State::kReady;
    fiber.started = false;
  }
  for (bool progress = true; progress;) {
    progress = false;
    for (const int thread : order) {
      if (fibers_[static_cast<std::size_t>(thread)].state != State::kReady) continue;
      resume(thread);
      progress = true;
    }
  }
  for (const int thread : order) {
    if (fibers_[static_cast<std::size_t>(thread)].state != State::kFinished) {
      throw std::logic_error("thread " + std::to_string(thread) + " waits for threads that never come");
    }
  }
  check_guard();
}

void Block::check_guard() const {
  const auto guard = shared.begin() + static_cast<std::ptrdiff_t>(grid->shared_bytes);
  if (!std::all_of(guard, shared.end(), [](unsigned char byte) { return byte == kPoison; })) {
    throw std::logic_error("a kernel wrote beyond its shared memory");
  }
}

void Block::arrive_at_barrier(int id, int threads) {
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

}  // namespace

void set_order(Order order) { chosen_order = order; }

void run(const Grid& grid, const std::function<void()>& body) { block().run(grid, body); }

int thread_index() { return block().running; }
int block_x() { return block().x; }
int block_y() { return block().y; }
int block_threads() { return block().grid->threads; }
unsigned char* shared_memory() { return block().shared.data(); }

void wait_at_barrier(int id, int threads) { block().arrive_at_barrier(id, threads); }

void wait_for_warp(void* mine, const std::function<void(const WarpPointers&)>& all) {
  block().arrive_in_warp(mine, all);
}

}  // namespace p2mpp::emulation
