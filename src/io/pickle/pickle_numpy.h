#pragma once

#include "io/pickle/pickle_machine.h"

namespace p2mpp::pickle {

/// The machine for NumPy arrays: the only names that it resolves are those of NumPy's own array constructors.
class NumpyMachine : public Machine {
 public:
  NumpyMachine(std::string_view bytes, const std::string& name)
      : Machine(bytes, name, "a pickle of NumPy arrays"), encodable_bytes_(2 * bytes.size()) {}

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

  std::uint64_t encodable_bytes_;  ///< what encode() may still make, so that one text is not encoded again and again
};

}  // namespace p2mpp::pickle
