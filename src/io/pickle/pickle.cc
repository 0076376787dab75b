#include "io/pickle/pickle.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "base/input_file.h"
#include "base/text.h"
#include "io/pickle/pickle_numpy.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace pickle {
namespace {

constexpr std::size_t kMaxElementBytes = 8;

template <typename T>
double decode_as(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return static_cast<double>(value);
}

/// Decodes an element whose bytes are in this machine's order.
double decode(const Dtype& dtype, const char* bytes) {
  const bool is_signed = dtype.kind == 'i';
  if (dtype.kind == 'f') return dtype.size == 4 ? decode_as<float>(bytes) : decode_as<double>(bytes);
  switch (dtype.size) {
    case 1:
      return is_signed ? decode_as<std::int8_t>(bytes) : decode_as<std::uint8_t>(bytes);
    case 2:
      return is_signed ? decode_as<std::int16_t>(bytes) : decode_as<std::uint16_t>(bytes);
    case 4:
      return is_signed ? decode_as<std::int32_t>(bytes) : decode_as<std::uint32_t>(bytes);
    default:
      return is_signed ? decode_as<std::int64_t>(bytes) : decode_as<std::uint64_t>(bytes);
  }
}

std::vector<double> decode_all(const Array& array) {
  const std::endian order = array.dtype.byte_order == '>' ? std::endian::big : std::endian::little;
  std::vector<double> values;
  values.reserve(array.data.size() / array.dtype.size);
  for (std::size_t at = 0; at < array.data.size(); at += array.dtype.size) {
    char element[kMaxElementBytes];
    const char* const first = array.data.data() + at;
    if (order == std::endian::native) {
      std::copy_n(first, array.dtype.size, element);
    } else {
      std::reverse_copy(first, first + array.dtype.size, element);
    }
    values.push_back(decode(array.dtype, element));
  }
  return values;
}

/// From the order in which the first index runs fastest to the one in which the last does.
std::vector<double> row_major(const std::vector<double>& values, const std::vector<std::int64_t>& shape) {
  if (values.empty()) return {};
  std::vector<double> result;
  result.reserve(values.size());
  std::vector<std::int64_t> index(shape.size(), 0);
  std::vector<std::int64_t> stride(shape.size(), 1);
  for (std::size_t axis = 1; axis < shape.size(); ++axis) stride[axis] = stride[axis - 1] * shape[axis - 1];
  std::int64_t at = 0;
  while (result.size() < values.size()) {
    result.push_back(values[static_cast<std::size_t>(at)]);
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      at += stride[axis];
      if (++index[axis] < shape[axis]) break;
      at -= stride[axis] * shape[axis];
      index[axis] = 0;
    }
  }
  return result;
}

/// Walks through what was pickled, in order. A few bytes can name the same object again and again:
/// the walk ends where it has met more items and elements than the file has bytes.
class Collector {
 public:
  Collector(const Heap& heap, std::size_t byte_count, const std::string& name)
      : heap_(heap), budget_(byte_count), name_(name) {}

  std::vector<PickledArray> collect(const Value& root) {
    std::vector<Value> waiting{root};
    while (!waiting.empty()) {
      const Value value = waiting.back();
      waiting.pop_back();
      if (value.kind == Kind::kArray) take(heap_.arrays[value.index()]);
      if (value.kind != Kind::kTuple && value.kind != Kind::kList && value.kind != Kind::kDict) continue;
      const std::vector<Value>& items = heap_.sequences[value.index()];
      spend(items.size());
      waiting.insert(waiting.end(), items.rbegin(), items.rend());
    }
    if (arrays_.empty()) fail("holds no NumPy array");
    return std::move(arrays_);
  }

 private:
  void take(const Array& array) {
    if (!array.is_built) fail("holds an array without contents");
    spend(array.data.size() / array.dtype.size);
    PickledArray result{array.shape, decode_all(array)};
    if (array.is_fortran_ordered) result.values = row_major(result.values, array.shape);
    arrays_.push_back(std::move(result));
  }

  void spend(std::size_t count) {
    if (count > budget_) fail("names the same objects again and again");
    budget_ -= count;
  }

  [[noreturn]] void fail(const char* problem) const {
    throw InputError(fmt::format("{}: {}; expected a pickle of NumPy arrays", name_, problem));
  }

  const Heap& heap_;
  std::size_t budget_;
  const std::string& name_;
  std::vector<PickledArray> arrays_;
};

}  // namespace
}  // namespace pickle

std::vector<PickledArray> parse_pickled_arrays(std::string_view bytes, const std::string& name) {
  pickle::NumpyMachine machine(bytes, name);
  const pickle::Value root = machine.run();
  return pickle::Collector(machine.heap(), bytes.size(), name).collect(root);
}

std::vector<PickledArray> read_pickled_arrays(const std::filesystem::path& path) {
  return parse_pickled_arrays(read_file(path), display(path));
}

}  // namespace p2mpp
