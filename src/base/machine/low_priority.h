#pragma once

#include <functional>

namespace p2mpp {

/// Runs the work in a thread of its own with a lower priority, and waits for it. Other threads of this machine are
/// served first, so large work delays small work less. The thread has the caller's StopScope and ReadingScope. Rethrows
/// the work's exception. (A thread without privileges cannot raise its priority again, therefore a new one each time.)
void run_at_low_priority(const std::function<void()>& work);

}  // namespace p2mpp
