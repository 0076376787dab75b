#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace p2mpp::pickle {

/// The text encodings of pickles. Each function returns nullopt for invalid text.

/// Decodes Python 2's repr of a str, including its quotes ('\x00\n').
[[nodiscard]] std::optional<std::string> from_repr(std::string_view quoted);

/// Decodes Latin-1 with \uXXXX and \UXXXXXXXX escapes (protocol 0) to UTF-8.
[[nodiscard]] std::optional<std::string> from_raw_unicode_escape(std::string_view text);

/// Converts UTF-8 to Latin-1: Python 3 encodes bytes in this way in protocols 0 to 2.
[[nodiscard]] std::optional<std::string> latin1_from_utf8(std::string_view text);

/// The kinds of objects that a pickle can create. Values are handles of objects in the Heap, so lists may share and
/// contain each other, and nothing is freed recursively.
enum class Kind : std::uint8_t {
  kNone,
  kBool,     ///< number
  kInteger,  ///< number
  kReal,     ///< the value is not stored, because nothing depends on it
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
  std::size_t shape = 0;  ///< index of a tuple of counts into Heap::sequences
  Dtype dtype;
  bool is_fortran_ordered = false;
  std::string_view data;  ///< the size follows from shape and dtype
};

/// Tensor elements, which are a file of the TorchScript archive.
struct TensorStorage {
  Global type = Global::kFloatStorage;
  std::string_view key;  ///< the file's name
};

struct Tensor {
  std::size_t storage = 0;             ///< index into Heap::storages
  std::int64_t offset = 0;             ///< elements
  std::size_t shape = 0, strides = 0;  ///< indices of tuples of counts into Heap::sequences; strides in elements
};

using Values = std::pmr::vector<Value>;

struct Heap {
  explicit Heap(std::pmr::memory_resource* memory)
      : texts(memory),
        decoded(memory),
        sequences(memory),
        dtypes(memory),
        arrays(memory),
        storages(memory),
        tensors(memory) {}

  std::pmr::vector<std::string_view> texts;  ///< into the pickle's bytes or into `decoded`
  std::pmr::deque<std::pmr::string> decoded;
  std::pmr::vector<Values> sequences;
  std::pmr::vector<Dtype> dtypes;
  std::pmr::vector<Array> arrays;
  std::pmr::vector<TensorStorage> storages;
  std::pmr::vector<Tensor> tensors;
};

/// The memory that the objects of a file of this size may take. A limit is needed, because a few bytes can ask for a
/// large object.
[[nodiscard]] inline std::size_t memory_limit(std::size_t bytes) {
  constexpr std::size_t kLeast = 1 << 20, kBytesOfAByte = 4;
  return std::max(kLeast, kBytesOfAByte * bytes);
}

/// Reads a pickle's bytes from front to back. Every method throws InputError naming the file if the bytes end too
/// early.
class ByteCursor {
 public:
  /// `expected` is part of error messages ("a pickle of NumPy arrays"). All arguments must outlive the cursor.
  ByteCursor(std::string_view bytes, const std::string& name, const char* expected)
      : bytes_(bytes), name_(name), expected_(expected) {}

  [[nodiscard]] std::string_view take(std::uint64_t count);
  [[nodiscard]] std::uint64_t unsigned_number(std::size_t byte_count);  ///< little-endian, at most 8 bytes
  [[nodiscard]] std::string_view line();                                ///< up to a newline, which is dropped

  /// Throws InputError("NAME: PROBLEM; expected EXPECTED").
  [[noreturn]] void fail(const std::string& problem) const;

 private:
  std::string_view bytes_;
  const std::string& name_;
  const char* expected_;
  std::size_t offset_ = 0;
};

/// Memory up to a limit. Beyond it, allocating throws InputError naming the file.
class LimitedMemory : public std::pmr::memory_resource {
 public:
  /// The cursor must outlive this object.
  LimitedMemory(const ByteCursor& cursor, std::size_t limit) : cursor_(cursor), limit_(limit) {}

  [[nodiscard]] std::size_t used() const { return used_; }

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override;
  [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }

  const ByteCursor& cursor_;
  std::size_t limit_, used_ = 0;
};

/// A name that a pickle may import.
struct KnownName {
  std::string_view module;
  std::string_view name;
  Global global;
};

/// The name's Global; nullopt if it is not in the list.
[[nodiscard]] std::optional<Global> find_name(std::span<const KnownName> names, std::string_view module,
                                              std::string_view name);

/// A restricted pickle machine (protocols 0 to 5). It builds plain containers, numbers and text; derived machines add
/// objects and the few names that they resolve. Nothing is imported or executed.
/// Source of the instructions: CPython, Lib/pickletools.py.
class Machine {
 public:
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  virtual ~Machine() = default;

  /// Runs to the end and returns the pickled object. Throws InputError naming the file and what was refused.
  [[nodiscard]] Value run();

  [[nodiscard]] const Heap& heap() const { return heap_; }
  [[nodiscard]] std::size_t used_memory() const { return memory_.used(); }

 protected:
  /// `memory_limit`: in bytes, of all objects.
  Machine(std::string_view bytes, const std::string& name, const char* expected, std::size_t memory_limit)
      : cursor_(bytes, name, expected), memory_(cursor_, memory_limit) {}

  // The derived machine's instructions. Operands are on the stack, and the result is left there.
  virtual void reduce() = 0;
  virtual void build() = 0;
  virtual bool run_extension(char opcode);  ///< false: unknown instruction

  /// nullopt: the name is refused.
  [[nodiscard]] virtual std::optional<Global> resolve(std::string_view module, std::string_view name) const = 0;

  void push(Kind kind, std::int64_t number = 0);
  void push_text(Kind kind, std::string_view text);
  void push_decoded(Kind kind, std::optional<std::string> text);
  void push_sequence(Kind kind, Values items);
  void spend(std::size_t copied_items);  ///< before objects in the heap are copied: a few bytes can do so very often
  Value pop();
  Value& top();

  [[nodiscard]] bool is_global(const Value& value, Global global) const;
  [[nodiscard]] std::string_view text_of(const Value& value) const;
  [[nodiscard]] std::span<const Value> tuple_of(const Value& value) const;

  ByteCursor cursor_;
  LimitedMemory memory_;
  Heap heap_{&memory_};
  Values stack_{&memory_};

 private:
  // Each function runs the instruction if it belongs to its group; otherwise it returns false.
  bool run_constant(char opcode);
  bool run_text(char opcode);
  bool run_container(char opcode);
  bool run_stack(char opcode);
  bool run_memo(char opcode);
  bool run_object(char opcode);

  void push_global(std::string_view module, std::string_view name);
  void push_integer_line(std::string_view line);
  void push_real_line(std::string_view line);
  void push_long(std::uint64_t byte_count);
  void push_dict(const Values& items);
  Values pop_count(std::size_t count);
  Values pop_to_mark();
  Values& top_sequence(Kind kind);
  void append_items(const Values& items);

  void memoize(std::uint64_t key);
  void recall(std::uint64_t key);

  std::size_t copied_items_ = 0;
  std::pmr::vector<std::size_t> marks_{&memory_};  ///< heights of the stack
  std::pmr::unordered_map<std::uint64_t, Value> memo_{&memory_};
};

/// The machine for data.pkl of a TorchScript archive. A module is represented by its attributes, a tensor by the place
/// of its elements. No class is looked up and no method is run. Source of the format: PyTorch,
/// torch/csrc/jit/serialization/pickler.cpp.
class ModuleMachine : public Machine {
 public:
  ModuleMachine(std::string_view bytes, const std::string& name, std::size_t memory_limit)
      : Machine(bytes, name, "a TorchScript archive of this network", memory_limit) {}

 private:
  [[nodiscard]] std::optional<Global> resolve(std::string_view module, std::string_view name) const override;
  void reduce() override;
  void build() override;
  bool run_extension(char opcode) override;

  void push_storage(std::span<const Value> id);
  void push_tensor(std::span<const Value> arguments);
  [[nodiscard]] std::int64_t count_of(const Value& value) const;
  [[nodiscard]] std::size_t counts_of(const Value& value) const;
};

}  // namespace p2mpp::pickle
