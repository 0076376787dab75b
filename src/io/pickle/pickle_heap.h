#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace p2mpp::pickle {

/// What a pickle can make here. Values are small handles; what they name lives in the Heap, so that
/// lists may share and contain each other and nothing is ever freed recursively.
enum class Kind : std::uint8_t {
  kNone,
  kBool,     ///< number
  kInteger,  ///< number
  kReal,     ///< not kept: nothing depends on it
  kBytes,    ///< index into Heap::texts; Python 2's str too
  kUnicode,  ///< index into Heap::texts, UTF-8
  kTuple,    ///< index into Heap::sequences
  kList,     ///< index into Heap::sequences
  kDict,     ///< index into Heap::sequences: key, value, key, value, in order
  kGlobal,   ///< number: a Global
  kDtype,    ///< index into Heap::dtypes
  kArray,    ///< index into Heap::arrays
  kModule,   ///< index into Heap::sequences: attributes as in a dict
  kStorage,  ///< index into Heap::storages
  kTensor,   ///< index into Heap::tensors
};

struct Value {
  Kind kind = Kind::kNone;
  std::int64_t number = 0;
  [[nodiscard]] std::size_t index() const { return static_cast<std::size_t>(number); }
};

/// The importable names that a pickle of arrays or a TorchScript module needs.
enum class Global : std::uint8_t {
  kReconstruct,
  kNdarray,
  kDtype,
  kScalar,
  kFromBuffer,
  kEncode,
  kBytes,
  kModuleClass,
  kBuildList,
  kOrderedDict,
  kRebuildTensor,
  kFloatStorage,
  kDoubleStorage,
  kHalfStorage,
  kBFloat16Storage,
  kOtherStorage,
};

/// NumPy's description of an element: kind as in dtype.kind, bytes, and '<', '>' or '|'.
struct Dtype {
  char kind = 'f';
  std::size_t size = 4;
  char byte_order = '<';
};

struct Array {
  bool is_built = false;  ///< false between _reconstruct() and its state
  std::vector<std::int64_t> shape;
  Dtype dtype;
  bool is_fortran_ordered = false;
  std::string_view data;  ///< as many bytes as shape and dtype say
};

/// Elements that lie in a file of their own in a TorchScript archive.
struct Storage {
  Global type = Global::kFloatStorage;
  std::string_view key;  ///< the file's name
};

struct Tensor {
  std::size_t storage = 0;  ///< index into Heap::storages
  std::int64_t offset = 0;  ///< elements
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;  ///< elements
};

struct Heap {
  std::vector<std::string_view> texts;  ///< into the pickle's bytes or into `decoded`
  std::deque<std::string> decoded;
  std::vector<std::vector<Value>> sequences;
  std::vector<Dtype> dtypes;
  std::vector<Array> arrays;
  std::vector<Storage> storages;
  std::vector<Tensor> tensors;
};

}  // namespace p2mpp::pickle
