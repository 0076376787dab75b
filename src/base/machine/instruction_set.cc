#include "base/machine/instruction_set.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <vector>

#if defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr std::array kSets = {InstructionSet::kPortable,   InstructionSet::kAvx2,       InstructionSet::kAvx512,
                              InstructionSet::kAvx512Bf16, InstructionSet::kAmxBf16,    InstructionSet::kNeon,
                              InstructionSet::kNeonBf16,   InstructionSet::kAmxEmulated};

bool usable(InstructionSet set) {
#if defined(__x86_64__)
  // These also check whether the operating system saves the registers.
  switch (set) {
    case InstructionSet::kPortable:
      return true;
    case InstructionSet::kAvx2:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    case InstructionSet::kAvx512:
      return usable(InstructionSet::kAvx2) && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    case InstructionSet::kAvx512Bf16:
      return usable(InstructionSet::kAvx512) && __builtin_cpu_supports("avx512bf16");
    case InstructionSet::kAmxBf16:
      return usable(InstructionSet::kAvx512Bf16) && amx_bf16_obstacle().empty();
    default:
      return false;
  }
#elif defined(__aarch64__)
  if (set == InstructionSet::kNeonBf16) return (getauxval(AT_HWCAP2) & HWCAP2_BF16) != 0;
  return set == InstructionSet::kPortable || set == InstructionSet::kNeon;
#else
  return set == InstructionSet::kPortable;
#endif
}

bool is_intel_processor() {
#if defined(__x86_64__)
  return __builtin_cpu_is("intel") != 0;
#else
  return false;
#endif
}

}  // namespace

std::string_view to_string(InstructionSet set) {
  constexpr std::array<std::string_view, 8> kNames = {"portable", "avx2", "avx512",    "avx512_bf16",
                                                      "amx_bf16", "neon", "neon_bf16", "amx_emulated"};
  return kNames[static_cast<std::size_t>(set)];
}

std::span<const InstructionSet> usable_instruction_sets() {
  static const std::vector<InstructionSet> sets = [] {
    std::vector<InstructionSet> found;
    std::ranges::copy_if(kSets, std::back_inserter(found), usable);
    return found;
  }();
  return sets;
}

InstructionSet fastest_for_bf16(std::span<const InstructionSet> usable, bool is_intel) {
  const bool is_slower = is_intel && usable.back() == InstructionSet::kAvx512Bf16;
  return is_slower ? InstructionSet::kAvx512 : usable.back();
}

Bf16Speed bf16_speed(InstructionSet set, bool is_intel) {
  switch (set) {
    case InstructionSet::kAmxBf16:
      return {true, "AMX multiplies tiles of bf16"};
    case InstructionSet::kNeonBf16:
      return {true, "BFMMLA multiplies matrices of bf16"};
    case InstructionSet::kAmxEmulated:
      return {false, "the tiles of AMX are emulated"};
    case InstructionSet::kAvx512Bf16:
      if (!is_intel) return {true, "AVX-512 BF16 multiplies pairs of bf16"};
      return {false, fmt::format("AVX-512 BF16 is slow on Intel's processors, and {}", amx_bf16_obstacle())};
    default:
      return {false, fmt::format("{} has no products of bf16", to_string(set))};
  }
}

Bf16Speed bf16_speed(InstructionSet set) { return bf16_speed(set, is_intel_processor()); }

InstructionSet choose_instruction_set(std::string_view text, Products products) {
  const auto sets = usable_instruction_sets();
  if (text == "auto") {
    return products == Products::kBf16 ? fastest_for_bf16(sets, is_intel_processor()) : sets.back();
  }
  if (text == to_string(InstructionSet::kAmxEmulated)) return InstructionSet::kAmxEmulated;
  const auto named = [&](InstructionSet set) { return to_string(set) == text; };
  if (const auto found = std::ranges::find_if(sets, named); found != sets.end()) return *found;
  std::vector<std::string_view> names{"auto"};
  for (const InstructionSet set : sets) names.push_back(to_string(set));
  const bool exists = std::ranges::any_of(kSets, named);
  throw UsageError(fmt::format("instruction_set {}: {}; expected {}", text,
                               exists ? "this processor does not have it" : "no such instruction set",
                               fmt::join(names, ", ")));
}

}  // namespace p2mpp
