#include "base/machine/instruction_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "p2mpp/error.h"
#include "p2mpp/instruction_set.h"

namespace p2mpp {
namespace {

TEST(InstructionSets, NamesResolve) {
  ASSERT_FALSE(usable_instruction_sets().empty());
  EXPECT_EQ(usable_instruction_sets().front(), InstructionSet::kPortable);
  for (const InstructionSet set : usable_instruction_sets()) EXPECT_EQ(choose_instruction_set(to_string(set)), set);
  EXPECT_EQ(choose_instruction_set("auto"), usable_instruction_sets().back());
  EXPECT_EQ(choose_instruction_set("amx_emulated"), InstructionSet::kAmxEmulated);
}

TEST(InstructionSets, AutoIsWhatMultipliesBf16Fastest) {
  using enum InstructionSet;
  struct Processor {
    std::vector<InstructionSet> usable;
    bool is_intel;
    InstructionSet chosen;
    bool is_faster;  // than fp32
  };
  for (const Processor& each :
       {Processor{{kPortable}, false, kPortable, false}, Processor{{kPortable, kAvx2, kAvx512}, true, kAvx512, false},
        Processor{{kPortable, kAvx2, kAvx512, kAvx512Bf16}, false, kAvx512Bf16, true},
        Processor{{kPortable, kAvx2, kAvx512, kAvx512Bf16}, true, kAvx512, false},
        Processor{{kPortable, kAvx2, kAvx512, kAvx512Bf16, kAmxBf16}, true, kAmxBf16, true},
        Processor{{kPortable, kNeon}, false, kNeon, false},
        Processor{{kPortable, kNeon, kNeonBf16}, false, kNeonBf16, true}}) {
    const InstructionSet chosen = fastest_for_bf16(each.usable, each.is_intel);
    EXPECT_EQ(chosen, each.chosen);
    EXPECT_EQ(bf16_speed(chosen, each.is_intel).is_faster, each.is_faster) << to_string(chosen);
    EXPECT_FALSE(bf16_speed(chosen, each.is_intel).reason.empty());
  }
  EXPECT_FALSE(bf16_speed(kAvx512Bf16, true).is_faster);
  EXPECT_FALSE(bf16_speed(kAmxEmulated, true).is_faster);
}

TEST(InstructionSets, OthersAreRefused) {
  EXPECT_THROW(static_cast<void>(choose_instruction_set("mmx")), UsageError);
  EXPECT_THROW(static_cast<void>(choose_instruction_set("")), UsageError);
  for (const InstructionSet set :
       {InstructionSet::kAvx512Bf16, InstructionSet::kAmxBf16, InstructionSet::kNeon, InstructionSet::kNeonBf16}) {
    if (std::ranges::find(usable_instruction_sets(), set) != usable_instruction_sets().end()) continue;
    EXPECT_THROW(static_cast<void>(choose_instruction_set(to_string(set))), UsageError);
  }
}

}  // namespace
}  // namespace p2mpp
