#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "io/pickle_cursor.h"
#include "io/pickle_heap.h"

namespace p2mpp::pickle {

/// Python's pickle machine (protocols 0 to 5) without its power: it builds plain containers,
/// numbers, text and NumPy arrays, and the only names that it resolves are those of NumPy's own
/// array constructors. Nothing is imported or run. Source: CPython, Lib/pickletools.py (what each
/// instruction means).
class Machine {
 public:
  Machine(std::string_view bytes, const std::string& name) : cursor_(bytes, name), encodable_bytes_(2 * bytes.size()) {}

  /// Runs to the end and returns what was pickled. Throws InputError naming the file and what was
  /// refused.
  [[nodiscard]] Value run();

  [[nodiscard]] const Heap& heap() const { return heap_; }

 private:
  // Each of these runs the instruction if it is one of its group.
  bool run_constant(char opcode);
  bool run_text(char opcode);
  bool run_container(char opcode);
  bool run_stack(char opcode);
  bool run_memo(char opcode);
  bool run_object(char opcode);

  void push(Kind kind, std::int64_t number = 0);
  void push_text(Kind kind, std::string_view text);
  void push_decoded(Kind kind, std::optional<std::string> text);
  void push_sequence(Kind kind, std::vector<Value> items);
  void push_integer_line(std::string_view line);
  void push_real_line(std::string_view line);
  void push_long(std::uint64_t byte_count);
  void push_dict(const std::vector<Value>& items);
  void push_global(std::string_view module, std::string_view name);

  Value pop();
  Value& top();
  std::vector<Value> pop_count(std::size_t count);
  std::vector<Value> pop_to_mark();
  std::vector<Value>& top_sequence(Kind kind);
  void append_values(const std::vector<Value>& items);

  void memoize(std::uint64_t key);
  void recall(std::uint64_t key);

  // NumPy's constructors (pickle_numpy.cc).
  void reduce();
  void build();
  Value reconstruct(std::span<const Value> arguments);
  Value make_dtype(std::span<const Value> arguments);
  Value from_buffer(std::span<const Value> arguments);
  Value encode(std::span<const Value> arguments);
  void build_dtype(Dtype& dtype, std::span<const Value> state);
  void build_array(Array& array, std::span<const Value> state);
  void set_array(Array& array, const Value& shape, const Value& dtype, bool is_fortran_ordered, const Value& data);

  [[nodiscard]] bool is_global(const Value& value, Global global) const;
  [[nodiscard]] std::string_view text_of(const Value& value) const;
  [[nodiscard]] std::span<const Value> tuple_of(const Value& value) const;

  Cursor cursor_;
  std::uint64_t encodable_bytes_;  ///< what encode() may still make, so that one text is not
                                   ///< encoded again and again
  Heap heap_;
  std::vector<Value> stack_;
  std::vector<std::size_t> marks_;  ///< heights of the stack
  std::unordered_map<std::uint64_t, Value> memo_;
};

}  // namespace p2mpp::pickle
