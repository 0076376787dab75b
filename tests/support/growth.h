#pragma once

#include <time.h>

#include <algorithm>
#include <ctime>
#include <functional>
#include <limits>

namespace p2mpp {

/// Processor time of this thread in seconds.
inline double seconds_of(const std::function<void()>& work) {
  timespec begin{}, end{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  work();
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
  return static_cast<double>(end.tv_sec - begin.tv_sec) + 1e-9 * static_cast<double>(end.tv_nsec - begin.tv_nsec);
}

/// Processor time of all threads so far in seconds: that of the clock depends on what else the machine does.
inline double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// How many times longer the second work takes: the least of a few tries, because others use the machine, too.
/// `enough`: less than that needs no further try.
inline double growth(const std::function<void()>& few, const std::function<void()>& many, double enough = 15) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 4 && !(least < enough); ++i) least = std::min(least, seconds_of(many) / seconds_of(few));
  return least;
}

}  // namespace p2mpp
