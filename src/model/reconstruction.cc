#include "p2mpp/reconstruction.h"

#include <numeric>

namespace p2mpp {

std::string_view to_string(Part part) {
  constexpr std::array<std::string_view, kPartCount> kNames = {"read", "preprocess", "copy_in", "cnn1",     "gcn",
                                                               "cnn2", "projection", "drb",     "copy_out", "write"};
  return kNames[static_cast<std::size_t>(part)];
}

PartTimes& PartTimes::operator+=(const PartTimes& other) {
  for (std::size_t i = 0; i < kPartCount; ++i) milliseconds[i] += other.milliseconds[i];
  return *this;
}

PartTimes& PartTimes::operator/=(double divisor) {
  for (double& value : milliseconds) value /= divisor;
  return *this;
}

double PartTimes::total() const { return std::accumulate(milliseconds.begin(), milliseconds.end(), 0.0); }

}  // namespace p2mpp
