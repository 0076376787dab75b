#include "io/pickle/pickle_numpy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "base/text.h"
#include "io/pickle/pickle_text.h"

namespace p2mpp::pickle {
namespace {

constexpr std::size_t kMaxDimensions = 64;  ///< NumPy's own limit

constexpr std::array<KnownName, 14> kKnownNames{{
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
  switch (dtype.kind) {
    case 'f':
      return size == 4 || size == 8;
    case 'i':
    case 'u':
      return size == 1 || size == 2 || size == 4 || size == 8;
    case 'b':
      return size == 1;
    default:
      return false;
  }
}

/// "f4" or, with a byte order in front, "<f4".
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

}  // namespace

std::optional<Global> NumpyMachine::resolve(std::string_view module, std::string_view name) const {
  return find_name(kKnownNames, module, name);
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
  array.shape.clear();
  std::uint64_t byte_count = array.dtype.size;
  const std::span<const Value> extents = tuple_of(shape);
  if (extents.size() > kMaxDimensions) cursor_.fail("an array has too many dimensions");
  for (const Value& extent : extents) {
    if (extent.kind != Kind::kInteger || extent.number < 0) cursor_.fail("an array's shape is not a tuple of counts");
    array.shape.push_back(extent.number);
    if (__builtin_mul_overflow(byte_count, static_cast<std::uint64_t>(extent.number), &byte_count)) {
      cursor_.fail("an array's shape is too large");
    }
  }
  if (byte_count != array.data.size()) {
    cursor_.fail(fmt::format("an array has {} bytes where shape and dtype say {}", array.data.size(), byte_count));
  }
  array.is_built = true;
}

/// _codecs.encode(text, 'latin1'): bytes in the protocols that have none.
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

}  // namespace p2mpp::pickle
