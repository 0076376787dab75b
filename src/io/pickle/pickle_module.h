#pragma once

#include "io/pickle/pickle_machine.h"

namespace p2mpp::pickle {

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
