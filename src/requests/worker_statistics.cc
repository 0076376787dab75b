#include "requests/worker_statistics.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "base/numbers/statistics.h"

namespace p2mpp {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kKeptValues = 10'000;

}  // namespace

void RecentValues::add(double value) {
  if (values_.size() < kKeptValues) {
    values_.push_back(value);
  } else {
    values_[next_++ % kKeptValues] = value;
  }
}

Json RecentValues::percentiles() const {
  std::vector<double> ascending = values_;
  std::ranges::sort(ascending);
  return {{"count", ascending.size()},
          {"p50", percentile(ascending, 50)},
          {"p95", percentile(ascending, 95)},
          {"p99", percentile(ascending, 99)}};
}

Json WorkerStatistics::to_json(std::size_t waiting) const {
  Json sizes = Json::object();
  for (const auto& [size, count] : batches) sizes[std::to_string(size)] = count;
  return {{"waiting", waiting},
          {"in_work", in_work()},
          {"accepted", accepted},
          {"done", done},
          {"failed", failed},
          {"refused", refused},
          {"dropped", dropped},
          {"expired", expired},
          {"withdrawn", withdrawn},
          {"batches", sizes},
          {"milliseconds", {{"queued", queued_ms.percentiles()}, {"total", total_ms.percentiles()}}}};
}

}  // namespace p2mpp
