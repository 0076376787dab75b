#include "io/pickle/pickle_machine.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "base/little_endian.h"
#include "base/text.h"
#include "io/pickle/pickle_opcode.h"
#include "p2mpp/error.h"

namespace p2mpp::pickle {
namespace {

constexpr std::size_t kMaxOperations = 1 << 20;
constexpr std::uint64_t kMaxProtocol = 5;

template <typename T>
std::optional<T> parse_whole(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

void* LimitedMemory::do_allocate(std::size_t bytes, std::size_t alignment) {
  if (bytes > limit_ - used_) cursor_.fail("its objects take more memory than a file of this size may");
  void* const memory = std::pmr::new_delete_resource()->allocate(bytes, alignment);
  used_ += bytes;
  return memory;
}

void LimitedMemory::do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) {
  std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
  used_ -= bytes;
}

std::optional<Global> find_name(std::span<const KnownName> names, std::string_view module, std::string_view name) {
  for (const KnownName& known : names) {
    if (known.module == module && known.name == name) return known.global;
  }
  return std::nullopt;
}

Value Machine::run() {
  for (std::size_t operation = 0; operation < kMaxOperations; ++operation) {
    const char opcode = cursor_.take(1).front();
    if (opcode == op::kStop) return pop();
    const bool known = run_constant(opcode) || run_text(opcode) || run_container(opcode) || run_stack(opcode) ||
                       run_memo(opcode) || run_object(opcode) || run_extension(opcode);
    if (!known) cursor_.fail(fmt::format("instruction 0x{:02x} is refused", static_cast<unsigned char>(opcode)));
  }
  cursor_.fail(fmt::format("has more than {} instructions", kMaxOperations));
}

bool Machine::run_constant(char opcode) {
  switch (opcode) {
    case op::kNone:
      push(Kind::kNone);
      return true;
    case op::kTrue:
      push(Kind::kBool, 1);
      return true;
    case op::kFalse:
      push(Kind::kBool, 0);
      return true;
    case op::kIntLine:
      push_integer_line(cursor_.line());
      return true;
    case op::kLongLine:
      push_integer_line(cursor_.line());
      return true;
    case op::kInt1:
      push(Kind::kInteger, static_cast<std::int64_t>(cursor_.unsigned_number(1)));
      return true;
    case op::kInt2:
      push(Kind::kInteger, static_cast<std::int64_t>(cursor_.unsigned_number(2)));
      return true;
    case op::kInt4:
      push(Kind::kInteger, static_cast<std::int32_t>(cursor_.unsigned_number(4)));
      return true;
    case op::kLong1:
      push_long(cursor_.unsigned_number(1));
      return true;
    case op::kLong4:
      push_long(cursor_.unsigned_number(4));
      return true;
    case op::kRealLine:
      push_real_line(cursor_.line());
      return true;
    case op::kReal8:
      static_cast<void>(cursor_.take(8));
      push(Kind::kReal);
      return true;
    default:
      return false;
  }
}

bool Machine::run_text(char opcode) {
  switch (opcode) {
    case op::kReprLine:
      push_decoded(Kind::kBytes, from_repr(cursor_.line()));
      return true;
    case op::kString1:
    case op::kBytes1:
      push_text(Kind::kBytes, cursor_.take(cursor_.unsigned_number(1)));
      return true;
    case op::kString4:
    case op::kBytes4:
      push_text(Kind::kBytes, cursor_.take(cursor_.unsigned_number(4)));
      return true;
    case op::kBytes8:
    case op::kByteArray8:
      push_text(Kind::kBytes, cursor_.take(cursor_.unsigned_number(8)));
      return true;
    case op::kUnicodeLine:
      push_decoded(Kind::kUnicode, from_raw_unicode_escape(cursor_.line()));
      return true;
    case op::kUnicode1:
      push_text(Kind::kUnicode, cursor_.take(cursor_.unsigned_number(1)));
      return true;
    case op::kUnicode4:
      push_text(Kind::kUnicode, cursor_.take(cursor_.unsigned_number(4)));
      return true;
    case op::kUnicode8:
      push_text(Kind::kUnicode, cursor_.take(cursor_.unsigned_number(8)));
      return true;
    default:
      return false;
  }
}

bool Machine::run_container(char opcode) {
  switch (opcode) {
    case op::kEmptyTuple:
      push_sequence(Kind::kTuple, {});
      return true;
    case op::kTuple1:
      push_sequence(Kind::kTuple, pop_count(1));
      return true;
    case op::kTuple2:
      push_sequence(Kind::kTuple, pop_count(2));
      return true;
    case op::kTuple3:
      push_sequence(Kind::kTuple, pop_count(3));
      return true;
    case op::kTuple:
      push_sequence(Kind::kTuple, pop_to_mark());
      return true;
    case op::kEmptyList:
      push_sequence(Kind::kList, {});
      return true;
    case op::kList:
      push_sequence(Kind::kList, pop_to_mark());
      return true;
    case op::kEmptyDict:
      push_sequence(Kind::kDict, {});
      return true;
    case op::kDict:
      push_dict(pop_to_mark());
      return true;
    case op::kAppend: {
      const Value item = pop();
      top_sequence(Kind::kList).push_back(item);
      return true;
    }
    case op::kAppends: {
      const Values items = pop_to_mark();
      Values& list = top_sequence(Kind::kList);
      list.insert(list.end(), items.begin(), items.end());
      return true;
    }
    case op::kSetItem:
      append_items(pop_count(2));
      return true;
    case op::kSetItems:
      append_items(pop_to_mark());
      return true;
    default:
      return false;
  }
}

bool Machine::run_stack(char opcode) {
  switch (opcode) {
    case op::kProtocol:
      if (cursor_.unsigned_number(1) > kMaxProtocol) cursor_.fail("has a protocol newer than 5");
      return true;
    case op::kFrame:
      static_cast<void>(cursor_.unsigned_number(8));
      return true;
    case op::kMark:
      marks_.push_back(stack_.size());
      return true;
    case op::kPop:
      static_cast<void>(pop());
      return true;
    case op::kPopMark:
      static_cast<void>(pop_to_mark());
      return true;
    case op::kDuplicate:
      stack_.push_back(top());
      return true;
    default:
      return false;
  }
}

bool Machine::run_memo(char opcode) {
  switch (opcode) {
    case op::kPutLine:
    case op::kGetLine: {
      const std::optional<std::uint64_t> key = parse_whole<std::uint64_t>(cursor_.line());
      if (!key) cursor_.fail("a memo key is not a number");
      if (opcode == op::kPutLine) {
        memoize(*key);
      } else {
        recall(*key);
      }
      return true;
    }
    case op::kPut1:
      memoize(cursor_.unsigned_number(1));
      return true;
    case op::kPut4:
      memoize(cursor_.unsigned_number(4));
      return true;
    case op::kMemoize:
      memoize(memo_.size());
      return true;
    case op::kGet1:
      recall(cursor_.unsigned_number(1));
      return true;
    case op::kGet4:
      recall(cursor_.unsigned_number(4));
      return true;
    default:
      return false;
  }
}

bool Machine::run_object(char opcode) {
  switch (opcode) {
    case op::kGlobalLines: {
      const std::string_view module = cursor_.line();
      push_global(module, cursor_.line());
      return true;
    }
    case op::kStackGlobal: {
      const Values names = pop_count(2);
      push_global(text_of(names[0]), text_of(names[1]));
      return true;
    }
    case op::kReduce:
      reduce();
      return true;
    case op::kBuild:
      build();
      return true;
    default:
      return false;
  }
}

bool Machine::run_extension(char /*opcode*/) { return false; }

void Machine::push_global(std::string_view module, std::string_view name) {
  const std::optional<Global> global = resolve(module, name);
  if (!global) cursor_.fail(fmt::format("names {}.{}, which is refused", printable(module, 80), printable(name, 80)));
  push(Kind::kGlobal, static_cast<std::int64_t>(*global));
}

void Machine::push(Kind kind, std::int64_t number) { stack_.push_back({kind, number}); }

void Machine::push_text(Kind kind, std::string_view text) {
  push(kind, static_cast<std::int64_t>(heap_.texts.size()));
  heap_.texts.push_back(text);
}

void Machine::push_decoded(Kind kind, std::optional<std::string> text) {
  if (!text) cursor_.fail("a text is not valid");
  push_text(kind, heap_.decoded.emplace_back(*text));
}

void Machine::push_sequence(Kind kind, Values items) {
  push(kind, static_cast<std::int64_t>(heap_.sequences.size()));
  heap_.sequences.push_back(std::move(items));
}

void Machine::spend(std::size_t copied_items) {
  copied_items_ += copied_items;
  if (copied_items_ > kMaxOperations) cursor_.fail("copies the same objects again and again");
}

/// Python 2 writes booleans as 00 and 01 and long integers with an L.
void Machine::push_integer_line(std::string_view line) {
  if (line == "00" || line == "01") return push(Kind::kBool, line == "01");
  if (line.ends_with('L')) line.remove_suffix(1);
  const std::optional<std::int64_t> number = parse_whole<std::int64_t>(line);
  if (!number) cursor_.fail(fmt::format("'{}' is not an integer of 64 bits", printable(line, 40)));
  push(Kind::kInteger, *number);
}

void Machine::push_real_line(std::string_view line) {
  if (!parse_whole<double>(line)) cursor_.fail(fmt::format("'{}' is not a number", printable(line, 40)));
  push(Kind::kReal);
}

/// Two's complement, little-endian, sign in the highest bit of the last byte.
void Machine::push_long(std::uint64_t byte_count) {
  if (byte_count > 8) cursor_.fail("an integer has more than 64 bits");
  if (byte_count == 0) return push(Kind::kInteger, 0);
  const std::uint64_t value = cursor_.unsigned_number(byte_count);
  const std::uint64_t unused_bits = 64 - 8 * byte_count;
  push(Kind::kInteger, static_cast<std::int64_t>(value << unused_bits) >> unused_bits);
}

void Machine::push_dict(const Values& items) {
  push_sequence(Kind::kDict, {});
  append_items(items);
}

void Machine::append_items(const Values& items) {
  if (items.size() % 2 != 0) cursor_.fail("a dict has a key without a value");
  Values& dict = top_sequence(Kind::kDict);
  dict.insert(dict.end(), items.begin(), items.end());
}

Value Machine::pop() {
  const Value value = top();
  stack_.pop_back();
  return value;
}

Value& Machine::top() {
  if (stack_.size() <= (marks_.empty() ? 0 : marks_.back())) cursor_.fail("its stack is empty where a value is needed");
  return stack_.back();
}

Values Machine::pop_count(std::size_t count) {
  Values items(count, &memory_);
  for (std::size_t i = count; i-- > 0;) items[i] = pop();
  return items;
}

Values Machine::pop_to_mark() {
  if (marks_.empty()) cursor_.fail("a mark is missing");
  const auto first = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
  Values items(first, stack_.end(), &memory_);
  stack_.erase(first, stack_.end());
  marks_.pop_back();
  return items;
}

Values& Machine::top_sequence(Kind kind) {
  if (top().kind != kind) cursor_.fail("an item is added to what is not a container");
  return heap_.sequences[top().index()];
}

void Machine::memoize(std::uint64_t key) { memo_.insert_or_assign(key, top()); }

void Machine::recall(std::uint64_t key) {
  const auto found = memo_.find(key);
  if (found == memo_.end()) cursor_.fail(fmt::format("memo {} is missing", key));
  stack_.push_back(found->second);
}

bool Machine::is_global(const Value& value, Global global) const {
  return value.kind == Kind::kGlobal && value.number == static_cast<std::int64_t>(global);
}

std::string_view Machine::text_of(const Value& value) const {
  if (value.kind != Kind::kBytes && value.kind != Kind::kUnicode)
    cursor_.fail("a text is expected where there is none");
  return heap_.texts[value.index()];
}

std::span<const Value> Machine::tuple_of(const Value& value) const {
  if (value.kind != Kind::kTuple) cursor_.fail("a tuple is expected where there is none");
  return heap_.sequences[value.index()];
}

std::string_view ByteCursor::take(std::uint64_t count) {
  if (count > bytes_.size() - offset_) fail("is cut off");
  const std::string_view taken = bytes_.substr(offset_, count);
  offset_ += count;
  return taken;
}

std::uint64_t ByteCursor::unsigned_number(std::size_t byte_count) { return little_endian(take(byte_count)); }

std::string_view ByteCursor::line() {
  const std::size_t end = bytes_.find('\n', offset_);
  if (end == std::string_view::npos) fail("is cut off");
  const std::string_view text = bytes_.substr(offset_, end - offset_);
  offset_ = end + 1;
  return text;
}

void ByteCursor::fail(const std::string& problem) const {
  throw InputError(fmt::format("{}: {}; expected {}", name_, problem, expected_));
}

}  // namespace p2mpp::pickle
