#include "io/pickle/pickle.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <optional>
#include <utility>

#include "base/input_file.h"
#include "base/text.h"
#include "io/pickle/pickle_machine.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace pickle {
namespace {

constexpr std::size_t kMaxDimensions = 64;  ///< NumPy's own limit

constexpr std::array<KnownName, 14> kArrayNames{{
    {"numpy.core.multiarray", "_reconstruct", Global::kReconstruct},
    {"numpy._core.multiarray", "_reconstruct", Global::kReconstruct},
    {"numpy.core.multiarray", "scalar", Global::kScalar},
    {"numpy._core.multiarray", "scalar", Global::kScalar},
    {"numpy.core.numeric", "_frombuffer", Global::kFromBuffer},
    {"numpy._core.numeric", "_frombuffer", Global::kFromBuffer},
    {"numpy.core.multiarray", "ndarray", Global::kNdarray},
    {"numpy._core.multiarray", "ndarray", Global::kNdarray},
    {"numpy", "ndarray", Global::kNdarray},
    {"numpy.core.multiarray", "dtype", Global::kDtype},
    {"numpy", "dtype", Global::kDtype},
    {"_codecs", "encode", Global::kEncode},
    {"__builtin__", "bytes", Global::kBytes},
    {"builtins", "bytes", Global::kBytes},
}};

bool is_supported(const Dtype& dtype) {
  const std::size_t size = dtype.size;
  if (dtype.kind == 'f') return size == 4 || size == 8;
  if (dtype.kind == 'i' || dtype.kind == 'u') return size == 1 || size == 2 || size == 4 || size == 8;
  return dtype.kind == 'b' && size == 1;
}

/// "f4" or, with a byte order, "<f4".
std::optional<Dtype> parse_dtype(std::string_view text) {
  Dtype dtype;
  if (text.starts_with('<') || text.starts_with('>') || text.starts_with('|')) {
    dtype.byte_order = text.front();
    text.remove_prefix(1);
  }
  if (text.size() < 2) return std::nullopt;
  dtype.kind = text.front();
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), dtype.size);
  if (error != std::errc() || end != text.data() + text.size() || !is_supported(dtype)) return std::nullopt;
  return dtype;
}

bool is_flag(const Value& value) { return value.kind == Kind::kBool || value.kind == Kind::kInteger; }

/// The machine for NumPy arrays. It resolves the names of NumPy's array constructors only.
class NumpyMachine : public Machine {
 public:
  NumpyMachine(std::string_view bytes, const std::string& name)
      : Machine(bytes, name, "a pickle of NumPy arrays", memory_limit(bytes.size())),
        encodable_bytes_(2 * bytes.size()) {}

 private:
  [[nodiscard]] std::optional<Global> resolve(std::string_view module, std::string_view name) const override;
  void reduce() override;
  void build() override;

  Value reconstruct(std::span<const Value> arguments);
  Value make_dtype(std::span<const Value> arguments);
  Value from_buffer(std::span<const Value> arguments);
  Value encode(std::span<const Value> arguments);
  void build_dtype(Dtype& dtype, std::span<const Value> state);
  void build_array(Array& array, std::span<const Value> state);
  void set_array(Array& array, const Value& shape, const Value& dtype, bool is_fortran_ordered, const Value& data);

  std::uint64_t encodable_bytes_;  ///< remaining budget of encode(), so that a text cannot be encoded arbitrarily often
};

std::optional<Global> NumpyMachine::resolve(std::string_view module, std::string_view name) const {
  return find_name(kArrayNames, module, name);
}

void NumpyMachine::reduce() {
  const std::span<const Value> arguments = tuple_of(pop());
  const Value callable = pop();
  if (callable.kind != Kind::kGlobal) cursor_.fail("calls what is not a function");
  switch (static_cast<Global>(callable.number)) {
    case Global::kReconstruct:
      stack_.push_back(reconstruct(arguments));
      return;
    case Global::kDtype:
      stack_.push_back(make_dtype(arguments));
      return;
    case Global::kFromBuffer:
      stack_.push_back(from_buffer(arguments));
      return;
    case Global::kEncode:
      stack_.push_back(encode(arguments));
      return;
    case Global::kScalar:
      push(Kind::kReal);
      return;
    case Global::kBytes:
      if (!arguments.empty()) cursor_.fail("calls bytes with arguments");
      return push_text(Kind::kBytes, {});
    default:
      cursor_.fail("calls numpy.ndarray");
  }
}

void NumpyMachine::build() {
  const std::span<const Value> state = tuple_of(pop());
  const Value object = top();
  if (object.kind == Kind::kDtype) {
    build_dtype(heap_.dtypes[object.index()], state);
  } else if (object.kind == Kind::kArray) {
    build_array(heap_.arrays[object.index()], state);
  } else {
    cursor_.fail("sets the state of what is neither an array nor a dtype");
  }
}

/// _reconstruct(ndarray, (0,), b'b'): an empty array, to be filled by its state.
Value NumpyMachine::reconstruct(std::span<const Value> arguments) {
  if (arguments.size() != 3 || !is_global(arguments[0], Global::kNdarray)) {
    cursor_.fail("reconstructs what is not a numpy.ndarray");
  }
  heap_.arrays.emplace_back();
  return {Kind::kArray, static_cast<std::int64_t>(heap_.arrays.size() - 1)};
}

/// dtype('f4', False, True).
Value NumpyMachine::make_dtype(std::span<const Value> arguments) {
  if (arguments.empty()) cursor_.fail("a dtype without a name");
  const std::string_view text = text_of(arguments[0]);
  const std::optional<Dtype> dtype = parse_dtype(text);
  if (!dtype)
    cursor_.fail(fmt::format("holds elements of dtype '{}', not numbers of 1 to 8 bytes", printable(text, 40)));
  heap_.dtypes.push_back(*dtype);
  return {Kind::kDtype, static_cast<std::int64_t>(heap_.dtypes.size() - 1)};
}

/// (3, '<', None, None, None, -1, -1, 0): version, byte order, subarray, names, fields, ...
void NumpyMachine::build_dtype(Dtype& dtype, std::span<const Value> state) {
  if (state.size() < 5) cursor_.fail("a dtype's state is too short");
  const bool has_parts =
      std::any_of(state.begin() + 2, state.begin() + 5, [](const Value& part) { return part.kind != Kind::kNone; });
  const std::string_view order = text_of(state[1]);
  if (has_parts || (order != "<" && order != ">" && order != "|" && order != "=")) {
    cursor_.fail("a dtype has fields or an unknown byte order");
  }
  dtype.byte_order = order == ">" ? '>' : '<';
}

/// (1, shape, dtype, is_fortran_ordered, bytes); NumPy before 1.0 left out the version.
void NumpyMachine::build_array(Array& array, std::span<const Value> state) {
  if (state.size() == 5) state = state.subspan(1);
  if (state.size() != 4 || !is_flag(state[2])) cursor_.fail("an array's state is not NumPy's");
  set_array(array, state[0], state[1], state[2].number != 0, state[3]);
}

/// _frombuffer(bytes, dtype, shape, 'C'): protocol 5.
Value NumpyMachine::from_buffer(std::span<const Value> arguments) {
  if (arguments.size() != 4) cursor_.fail("_frombuffer has not four arguments");
  const std::string_view order = text_of(arguments[3]);
  if (order != "C" && order != "F") cursor_.fail("an array is ordered neither 'C' nor 'F'");
  Array array;
  set_array(array, arguments[2], arguments[1], order == "F", arguments[0]);
  heap_.arrays.push_back(std::move(array));
  return {Kind::kArray, static_cast<std::int64_t>(heap_.arrays.size() - 1)};
}

void NumpyMachine::set_array(Array& array, const Value& shape, const Value& dtype, bool is_fortran_ordered,
                             const Value& data) {
  if (dtype.kind != Kind::kDtype || data.kind != Kind::kBytes) cursor_.fail("an array without dtype or bytes");
  array.dtype = heap_.dtypes[dtype.index()];
  array.data = heap_.texts[data.index()];
  array.is_fortran_ordered = is_fortran_ordered;
  array.shape = shape.index();
  std::uint64_t byte_count = array.dtype.size;
  const std::span<const Value> extents = tuple_of(shape);
  if (extents.size() > kMaxDimensions) cursor_.fail("an array has too many dimensions");
  for (const Value& extent : extents) {
    if (extent.kind != Kind::kInteger || extent.number < 0) cursor_.fail("an array's shape is not a tuple of counts");
    if (__builtin_mul_overflow(byte_count, static_cast<std::uint64_t>(extent.number), &byte_count)) {
      cursor_.fail("an array's shape is too large");
    }
  }
  if (byte_count != array.data.size()) {
    cursor_.fail(fmt::format("an array has {} bytes where shape and dtype say {}", array.data.size(), byte_count));
  }
  array.is_built = true;
}

/// _codecs.encode(text, 'latin1'): bytes in protocols without an instruction for them.
Value NumpyMachine::encode(std::span<const Value> arguments) {
  if (arguments.size() != 2 || arguments[0].kind != Kind::kUnicode)
    cursor_.fail("_codecs.encode of what is not a text");
  const std::string_view encoding = text_of(arguments[1]);
  if (encoding != "latin1" && encoding != "latin-1") cursor_.fail("_codecs.encode to another encoding than latin1");
  const std::string_view text = text_of(arguments[0]);
  if (text.size() > encodable_bytes_) cursor_.fail("encodes the same text again and again");
  encodable_bytes_ -= text.size();
  push_decoded(Kind::kBytes, latin1_from_utf8(text));
  return pop();
}

constexpr std::size_t kMaxElementBytes = 8;

template <typename T>
double decode_as(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return static_cast<double>(value);
}

/// Decodes an element in native byte order.
double decode(const Dtype& dtype, const char* bytes) {
  const bool is_signed = dtype.kind == 'i';
  if (dtype.kind == 'f') return dtype.size == 4 ? decode_as<float>(bytes) : decode_as<double>(bytes);
  if (dtype.size == 1) return is_signed ? decode_as<std::int8_t>(bytes) : decode_as<std::uint8_t>(bytes);
  if (dtype.size == 2) return is_signed ? decode_as<std::int16_t>(bytes) : decode_as<std::uint16_t>(bytes);
  if (dtype.size == 4) return is_signed ? decode_as<std::int32_t>(bytes) : decode_as<std::uint32_t>(bytes);
  return is_signed ? decode_as<std::int64_t>(bytes) : decode_as<std::uint64_t>(bytes);
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

/// Converts column-major to row-major order.
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

/// Visits the pickled objects in order. A few bytes can name the same object arbitrarily often, so the walk ends after
/// more items and elements than the file has bytes.
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
      const Values& items = heap_.sequences[value.index()];
      spend(items.size());
      waiting.insert(waiting.end(), items.rbegin(), items.rend());
    }
    if (arrays_.empty()) fail("holds no NumPy array");
    return std::move(arrays_);
  }

 private:
  void take(const Array& array) {
    if (!array.is_built) fail("holds an array without contents");
    spend(array.data.size() / array.dtype.size + heap_.sequences[array.shape].size());
    PickledArray result{{}, decode_all(array)};
    for (const Value& extent : heap_.sequences[array.shape]) result.shape.push_back(extent.number);
    if (array.is_fortran_ordered) result.values = row_major(result.values, result.shape);
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
