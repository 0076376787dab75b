#pragma once

#include <filesystem>
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

/// While this object exists, the thread reads nothing outside a folder: for read_file() and all other functions of
/// base/input_file.h, other paths do not exist, also if a link inside leads to them. for_each_task() and
/// for_each_piece() hand the folder on to their threads. Scopes may be nested: the inner one's folder counts.
class ReadingScope {
 public:
  /// `folder`, as real_path() returns it, must outlive this object; empty: the thread may read everything.
  explicit ReadingScope(const std::filesystem::path& folder);
  ~ReadingScope();
  ReadingScope(const ReadingScope&) = delete;
  ReadingScope& operator=(const ReadingScope&) = delete;

 private:
  const std::filesystem::path* const outer_;
};

/// The folder of the innermost scope of this thread; empty: everything.
[[nodiscard]] const std::filesystem::path& reading_folder();

/// Runs the work in a thread of its own with a lower priority, and waits for it. Other threads of this machine are
/// served first, so large work delays small work less. The thread has the caller's StopScope and ReadingScope. Rethrows
/// the work's exception. (A thread without privileges cannot raise its priority again, therefore a new one each time.)
void run_at_low_priority(const std::function<void()>& work);

}  // namespace p2mpp
