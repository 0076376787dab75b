#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "io/pickle/pickle_cursor.h"
#include "io/pickle/pickle_heap.h"

namespace p2mpp::pickle {

/// A name that a pickle may import.
struct KnownName {
  std::string_view module;
  std::string_view name;
  Global global;
};

/// Nothing where it is not among them.
[[nodiscard]] std::optional<Global> find_name(std::span<const KnownName> names, std::string_view module,
                                              std::string_view name);

/// Python's pickle machine (protocols 0 to 5) without its power: it builds plain containers, numbers and text; what
/// else there may be, and the few names that it resolves, a derived machine says. Nothing is imported or run.
/// Source: CPython, Lib/pickletools.py (what each instruction means).
class Machine {
 public:
  virtual ~Machine() = default;

  /// Runs to the end and returns what was pickled. Throws InputError naming the file and what was
  /// refused.
  [[nodiscard]] Value run();

  [[nodiscard]] const Heap& heap() const { return heap_; }

 protected:
  Machine(std::string_view bytes, const std::string& name, const char* expected) : cursor_(bytes, name, expected) {}

  // What a derived machine knows: each is called with the operands on the stack and leaves the result there.
  virtual void reduce() = 0;
  virtual void build() = 0;
  virtual bool run_extension(char opcode);  ///< false: not one of its instructions

  /// Nothing: the name is refused.
  [[nodiscard]] virtual std::optional<Global> resolve(std::string_view module, std::string_view name) const = 0;

  void push(Kind kind, std::int64_t number = 0);
  void push_text(Kind kind, std::string_view text);
  void push_decoded(Kind kind, std::optional<std::string> text);
  void push_sequence(Kind kind, std::vector<Value> items);
  Value pop();
  Value& top();

  [[nodiscard]] bool is_global(const Value& value, Global global) const;
  [[nodiscard]] std::string_view text_of(const Value& value) const;
  [[nodiscard]] std::span<const Value> tuple_of(const Value& value) const;

  Cursor cursor_;
  Heap heap_;
  std::vector<Value> stack_;

 private:
  // Each of these runs the instruction if it is one of its group.
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
  void push_dict(const std::vector<Value>& items);
  std::vector<Value> pop_count(std::size_t count);
  std::vector<Value> pop_to_mark();
  std::vector<Value>& top_sequence(Kind kind);
  void append_items(const std::vector<Value>& items);

  void memoize(std::uint64_t key);
  void recall(std::uint64_t key);

  std::vector<std::size_t> marks_;  ///< heights of the stack
  std::unordered_map<std::uint64_t, Value> memo_;
};

}  // namespace p2mpp::pickle
