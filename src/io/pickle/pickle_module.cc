#include <array>

#include "io/pickle/pickle_machine.h"
#include "io/pickle/pickle_opcode.h"

namespace p2mpp::pickle {
namespace {

constexpr std::size_t kMaxTensorDimensions = 8;  ///< the network's have up to 4

constexpr std::array<KnownName, 6> kModuleNames{{
    {"torch._utils", "_rebuild_tensor_v2", Global::kRebuildTensor},
    {"collections", "OrderedDict", Global::kOrderedDict},
    {"torch", "FloatStorage", Global::kFloatStorage},
    {"torch", "DoubleStorage", Global::kDoubleStorage},
    {"torch", "HalfStorage", Global::kHalfStorage},
    {"torch", "BFloat16Storage", Global::kBFloat16Storage},
}};

bool is_storage(const Value& value) {
  return value.kind == Kind::kGlobal && value.number >= static_cast<std::int64_t>(Global::kFloatStorage);
}

}  // namespace

std::optional<Global> ModuleMachine::resolve(std::string_view module, std::string_view name) const {
  if (const auto known = find_name(kModuleNames, module, name)) return known;
  if (module == "__torch__" || module.starts_with("__torch__.")) return Global::kModuleClass;
  if (module == "torch.jit._pickle" && name.starts_with("build_")) return Global::kBuildList;
  if (module == "torch" && name.ends_with("Storage")) return Global::kOtherStorage;
  return std::nullopt;
}

void ModuleMachine::reduce() {
  const Value tuple = pop();
  spend(tuple_of(tuple).size());
  const Values arguments(tuple_of(tuple).begin(), tuple_of(tuple).end(), &memory_);
  const Value callable = pop();
  if (is_global(callable, Global::kOrderedDict)) return push_sequence(Kind::kDict, {});
  if (is_global(callable, Global::kRebuildTensor)) return push_tensor(arguments);
  if (!is_global(callable, Global::kBuildList) || arguments.size() != 1) cursor_.fail("calls what is not a function");
  stack_.push_back(arguments.front());
}

void ModuleMachine::build() {
  const Value state = pop();
  const Value object = top();
  if (state.kind != Kind::kDict || object.kind != Kind::kModule) cursor_.fail("a module's state is not a dict");
  spend(heap_.sequences[state.index()].size());
  heap_.sequences[object.index()] = heap_.sequences[state.index()];
}

bool ModuleMachine::run_extension(char opcode) {
  if (opcode == op::kPersistentId) {
    const Value id = pop();
    push_storage(tuple_of(id));
    return true;
  }
  if (opcode != op::kNewObject) return false;
  static_cast<void>(tuple_of(pop()));
  if (!is_global(pop(), Global::kModuleClass)) cursor_.fail("an object is not a module");
  push_sequence(Kind::kModule, {});
  return true;
}

// ('storage', torch.FloatStorage, '12', 'cpu', 432)
void ModuleMachine::push_storage(std::span<const Value> id) {
  if (id.size() != 5 || text_of(id[0]) != "storage" || !is_storage(id[1]))
    cursor_.fail("a tensor's storage is malformed");
  static_cast<void>(count_of(id[4]));
  heap_.storages.push_back({static_cast<Global>(id[1].number), text_of(id[2])});
  push(Kind::kStorage, static_cast<std::int64_t>(heap_.storages.size() - 1));
}

// _rebuild_tensor_v2(storage, offset, shape, strides, requires_grad, hooks)
void ModuleMachine::push_tensor(std::span<const Value> arguments) {
  if (arguments.size() < 4 || arguments[0].kind != Kind::kStorage) cursor_.fail("a tensor is malformed");
  heap_.tensors.push_back(
      {arguments[0].index(), count_of(arguments[1]), counts_of(arguments[2]), counts_of(arguments[3])});
  push(Kind::kTensor, static_cast<std::int64_t>(heap_.tensors.size() - 1));
}

std::int64_t ModuleMachine::count_of(const Value& value) const {
  if (value.kind != Kind::kInteger || value.number < 0) cursor_.fail("a tensor's size is not a count");
  return value.number;
}

std::size_t ModuleMachine::counts_of(const Value& value) const {
  if (tuple_of(value).size() > kMaxTensorDimensions) cursor_.fail("a tensor has too many dimensions");
  for (const Value& each : tuple_of(value)) static_cast<void>(count_of(each));
  return value.index();
}

}  // namespace p2mpp::pickle
