#include "backends/cuda/self_check/device_arrays.h"

#include <cmath>
#include <cstring>
#include <memory>

#include "backends/cuda/pass_order.h"

namespace p2mpp {
namespace {

float as_is(float value) { return value; }
float through_bf16(float value) { return float_from(bfloat16_from(value)); }
float through_fp16(float value) { return float_from(float16_from(value)); }

Arithmetic of_memory(Arithmetic arithmetic) { return arithmetic == Arithmetic::kFp8 ? Arithmetic::kBf16 : arithmetic; }

}  // namespace

float* DeviceArrays::make(std::size_t count) { return upload(std::vector<float>(count, NAN)); }

std::vector<float> DeviceArrays::download(const float* from, std::size_t count) const {
  std::vector<float> values(count);
  runtime_->copy_to_host(values.data(), from, count * sizeof(float), stream());
  runtime_->synchronize(stream());
  return values;
}

void DeviceArrays::run_in_order(const std::function<void()>& queue) const {
  /// The event may only be destroyed when no later pass can wait for it.
  struct End {
    explicit End(DeviceRuntime& of) : runtime(of), event(of.make_event()) {}
    End(const End&) = delete;
    End& operator=(const End&) = delete;
    ~End() {
      try {
        runtime.synchronize(runtime.stream(kComputeStream));
      } catch (const Error&) {  // a failed device has passed everything
      }
      runtime.pass_order().forget(*event);
    }

    DeviceRuntime& runtime;
    std::unique_ptr<DeviceEvent> event;
  };
  const End end(*runtime_);
  runtime_->pass_order().queue(*runtime_, *end.event, queue);
}

OperandArray::OperandArray(DeviceArrays& arrays, Arithmetic arithmetic, const std::vector<float>& values)
    : arrays_(&arrays), arithmetic_(of_memory(arithmetic)), count_(values.size()) {
  std::vector<float> words = rounded(values, rounding_in_memory(arithmetic_));
  for (std::size_t i = 0; is_half() && i < count_; ++i) {
    const std::uint16_t half = arithmetic_ == Arithmetic::kFp16 ? static_cast<std::uint16_t>(float16_from(values[i]))
                                                                : static_cast<std::uint16_t>(bfloat16_from(values[i]));
    std::memcpy(reinterpret_cast<std::byte*>(words.data()) + sizeof half * i, &half, sizeof half);
  }
  if (is_half()) words.resize((count_ + 1) / 2);
  words_ = arrays.upload(words);
}

std::vector<float> OperandArray::download() const {
  std::vector<float> words = arrays_->download(words_, is_half() ? (count_ + 1) / 2 : count_);
  if (!is_half()) return words;
  std::vector<float> values(count_);
  for (std::size_t i = 0; i < count_; ++i) {
    std::uint16_t half = 0;
    std::memcpy(&half, reinterpret_cast<const std::byte*>(words.data()) + sizeof half * i, sizeof half);
    values[i] = arithmetic_ == Arithmetic::kFp16 ? float_from(static_cast<Float16>(half))
                                                 : float_from(static_cast<Bfloat16>(half));
  }
  return values;
}

Rounding rounding_in_memory(Arithmetic arithmetic) {
  if (arithmetic == Arithmetic::kTf32) return round_to_tf32;
  if (arithmetic == Arithmetic::kFp16) return through_fp16;
  return arithmetic == Arithmetic::kBf16 || arithmetic == Arithmetic::kFp8 ? through_bf16 : as_is;
}

std::vector<float> padded_rows(std::span<const float> values, std::size_t from, std::size_t to) {
  std::vector<float> result(values.size() / from * to);
  for (std::size_t i = 0; i < values.size(); ++i) result[i / from * to + i % from] = values[i];
  return result;
}

std::vector<float> without_padding(std::span<const float> values, std::size_t padded_width, std::size_t width) {
  std::vector<float> result;
  result.reserve(values.size() / padded_width * width);
  for (std::size_t row = 0; row < values.size(); row += padded_width) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(row);
    result.insert(result.end(), first, first + static_cast<std::ptrdiff_t>(width));
  }
  return result;
}

}  // namespace p2mpp
