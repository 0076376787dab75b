#include "server/check_runner.h"

#include <utility>

namespace p2mpp {

CheckRunner::CheckRunner(std::size_t most_waiting)
    : waiting_(most_waiting), thread_([this] {
        while (const auto run = waiting_.pop()) (*run)();
      }) {}

CheckRunner::~CheckRunner() { waiting_.abandon(); }

bool CheckRunner::add(std::function<void()> run) { return waiting_.try_push(std::move(run)); }

}  // namespace p2mpp
