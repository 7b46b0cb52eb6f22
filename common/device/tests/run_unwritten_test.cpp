// SPDX-License-Identifier: MIT
#include <bit>

#include "run_test.h"

namespace run_test {
namespace {

class RunUnwritten : public Run {
 protected:
  // Nothing has written the shared memory. Returns in how many lanes the body uses it.
  int num_uses(const std::string& body) {
    struct Watch : run::Monitor {
      void access(run::Warp&, run::Access& access) override {
        if (access.space == run::Space::kShared) access.unwritten.fill(access.lanes);
      }
      void uses_unwritten(run::Warp&, const run::Access&, std::uint32_t,
                          std::uint32_t lanes) override {
        used |= lanes;
      }
      std::uint32_t used = 0;
    } watch;
    load(
        kernel("ld.shared.b32 %a, [tile];\nld.shared.b32 %p, [tile+8];\n"
               "ld.shared.b32 %q, [tile+12];\nsetp.lt.u32 %x, %t, 8;\n" +
                   body,
               ".shared .align 16 .b8 tile[16];\n.global .u64 place;\n"));
    machine_->set_monitors({&watch});
    launch(1, 32);
    return std::popcount(watch.used);
  }
};

TEST_F(RunUnwritten, ACopyIsNoUseAndWhatComesOfItIs) {
  EXPECT_EQ(num_uses("mov.u32 %b, %a;"), 0);
  EXPECT_EQ(num_uses("mov.u32 %b, %a;\nadd.u32 %c, %b, 1;"), 32);
  EXPECT_EQ(num_uses("mov.u32 %b, %a;\nmov.u32 %b, 1;\nadd.u32 %c, %b, 1;"), 0);
  EXPECT_EQ(num_uses("mov.u32 %b, %a;\nst.global.u32 [place], %b;"), 32);
}

TEST_F(RunUnwritten, ASelectionCopiesInTheLanesThatTakeIt) {
  EXPECT_EQ(num_uses("selp.b32 %b, %a, %t, %x;"), 0);
  EXPECT_EQ(num_uses("selp.b32 %b, %a, %t, %x;\nadd.u32 %c, %b, 1;"), 8);
  EXPECT_EQ(num_uses("selp.b32 %a, %t, %a, %x;\nadd.u32 %c, %a, 1;"), 24);
}

// clang copies a struct of two words so, and a merge reads one such struct more than it uses.
TEST_F(RunUnwritten, TwoWordsThatAreJoinedAreNoUse) {
  const std::string join = "shl.b64 %q, %q, 32;\nor.b64 %s, %q, %p;\n";
  EXPECT_EQ(num_uses(join + "st.global.b64 [place], %s;"), 0);
  EXPECT_EQ(num_uses(join + "add.s64 %s, %s, 1;"), 32);
  EXPECT_EQ(num_uses("or.b64 %s, %p, 1;"), 32);
  EXPECT_EQ(num_uses("shl.b64 %q, %q, 31;"), 32);
}

}  // namespace
}  // namespace run_test
