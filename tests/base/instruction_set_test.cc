#include "base/machine/instruction_set.h"

#include <gtest/gtest.h>

#include "p2mpp/error.h"
#include "p2mpp/instruction_set.h"

namespace p2mpp {
namespace {

TEST(InstructionSets, NamesResolve) {
  ASSERT_FALSE(usable_instruction_sets().empty());
  EXPECT_EQ(usable_instruction_sets().front(), InstructionSet::kPortable);
  for (const InstructionSet set : usable_instruction_sets()) EXPECT_EQ(choose_instruction_set(to_string(set)), set);
  EXPECT_EQ(choose_instruction_set("auto"), usable_instruction_sets().back());
}

TEST(InstructionSets, OthersAreRefused) {
  EXPECT_THROW(static_cast<void>(choose_instruction_set("mmx")), UsageError);
  EXPECT_THROW(static_cast<void>(choose_instruction_set("")), UsageError);
  if (usable_instruction_sets().back() != InstructionSet::kAvx512Bf16) {
    EXPECT_THROW(static_cast<void>(choose_instruction_set("avx512_bf16")), UsageError);
  }
}

}  // namespace
}  // namespace p2mpp
