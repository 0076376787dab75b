#include <ATen/Parallel.h>
#include <ATen/core/List.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/cpu/Utils.h>
#include <ATen/ops/rand.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "backends/torchscript/library.h"
#include "base/numbers/median.h"

namespace p2mpp::torchscript {
namespace {

using Seconds = std::chrono::duration<double>;

constexpr std::int64_t kRows = 256 * 43;
constexpr std::int64_t kColumnsIn = 192;
constexpr std::int64_t kColumnsOut = 2 * 192;
constexpr double kFlop = 2.0 * kRows * kColumnsIn * kColumnsOut;

constexpr Seconds kWarmup{0.03};
// The best round counts. Rounds are separated by a rest because LibTorch's threads may share a core just after they
// start.
constexpr Seconds kMeasured{0.06};
constexpr Seconds kRest{0.02};
constexpr int kRounds = 6;
constexpr std::size_t kFewestCalls = 5;

// x [rows,in] times a weight [out,in] that is packed once into the layout of oneDNN's kernels.
class PackedLinear {
 public:
  // Throws c10::Error if LibTorch was built without oneDNN.
  explicit PackedLinear(const at::Tensor& weight) : linear_(find_operator("mkldnn::_linear_pointwise")) {
    const auto reorder = find_operator("mkldnn::_reorder_linear_weight")
                             .typed<at::Tensor(const at::Tensor&, std::optional<std::int64_t>)>();
    weight_ = reorder.call(weight, kRows);
  }

  at::Tensor operator()(const at::Tensor& x) const {
    using Signature =
        at::Tensor(const at::Tensor&, const at::Tensor&, const std::optional<at::Tensor>&, std::string_view,
                   c10::List<std::optional<at::Scalar>>, std::optional<std::string_view>);
    const c10::List<std::optional<at::Scalar>> no_scalars;
    return linear_.typed<Signature>().call(x, weight_, std::nullopt, "none", no_scalars, std::nullopt);
  }

 private:
  static c10::OperatorHandle find_operator(const char* name) {
    return c10::Dispatcher::singleton().findSchemaOrThrow(name, "");
  }

  c10::OperatorHandle linear_;
  at::Tensor weight_;
};

bool has_instructions(Precision precision) {
  if (precision == Precision::kFp32) return true;
  if (precision != Precision::kBf16) return false;
  const auto capabilities = at::cpu::get_cpu_capabilities();
  const auto has = [&](const char* name) {
    const auto found = capabilities.find(name);
    return found != capabilities.end() && found->second.toBool();
  };
  return has("avx512_bf16") || has("amx_bf16");
}

template <typename Action>
Seconds time_of(const Action& action) {
  const auto begin = std::chrono::steady_clock::now();
  action();
  return std::chrono::steady_clock::now() - begin;
}

// The median of calls that together take kMeasured.
template <typename Action>
Seconds median_time(const Action& action) {
  for (Seconds warm{0}; warm < kWarmup;) warm += time_of(action);
  std::vector<Seconds> times;
  for (Seconds sum{0}; sum < kMeasured || times.size() < kFewestCalls; sum += times.back()) {
    times.push_back(time_of(action));
  }
  return upper_median(std::move(times));
}

}  // namespace

double packed_gemm_gflops(Precision precision, int threads) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (!has_instructions(precision)) return kNone;
  const c10::InferenceMode inference;
  at::set_num_threads(threads);
  const at::ScalarType type = precision == Precision::kBf16 ? at::kBFloat16 : at::kFloat;
  try {
    const at::Tensor x = at::rand({kRows, kColumnsIn}).to(type);
    const PackedLinear multiply(at::rand({kColumnsOut, kColumnsIn}).to(type));
    Seconds best = Seconds::max();
    for (int round = 0; round < kRounds; ++round) {
      best = std::min(best, median_time([&] { static_cast<void>(multiply(x)); }));
      std::this_thread::sleep_for(kRest);
    }
    return 1e-9 * kFlop / best.count();
  } catch (const c10::Error&) {
    return kNone;
  }
}

}  // namespace p2mpp::torchscript
