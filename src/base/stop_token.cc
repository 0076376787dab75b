#include "base/stop_token.h"

namespace p2mpp {
namespace {

thread_local const StopQuestion* question_of_thread = nullptr;

}  // namespace

StopScope::StopScope(const StopQuestion* question) : outer_(question_of_thread) { question_of_thread = question; }

StopScope::~StopScope() { question_of_thread = outer_; }

const StopQuestion* stop_question() { return question_of_thread; }

void end_if_stopped() {
  if (question_of_thread != nullptr && (*question_of_thread)()) throw Stopped();
}

}  // namespace p2mpp
