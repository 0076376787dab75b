#pragma once

#include <functional>

namespace p2mpp {

/// Whether work is not wanted any more. Called often, by several threads at once; must not throw.
using StopQuestion = std::function<bool()>;

/// Thrown by work that is given up. It derives from no other exception, so that nothing takes it for a failure of the
/// work.
class Stopped {};

/// While this object exists, the thread's work ends once the question is answered with yes. for_each_task() and
/// for_each_piece() hand the question on to their threads. Scopes may be nested: the inner one's question counts.
class StopScope {
 public:
  /// `question` must outlive this object; null: nothing ends the work.
  explicit StopScope(const StopQuestion* question);
  ~StopScope();
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

 private:
  const StopQuestion* const outer_;
};

/// The question of the innermost scope of this thread, or null.
[[nodiscard]] const StopQuestion* stop_question();

/// Throws Stopped if this thread's work is not wanted any more. Long loops call it, so that no call takes longer than
/// about 50 ms.
void end_if_stopped();

}  // namespace p2mpp
