// SPDX-License-Identifier: MIT
// Findings in headers that the user has not written: they name the user's line that led there.
#include "check_test.h"

namespace check_test {
namespace {

class CheckHeader : public CheckTest {
 protected:
  // Lines up to 9 are in a header of the labs.
  CheckHeader() {
    checker.set_checks(check::Checks::kAll);
    program->files.push_back(
        {"/common/cuda/lab/scan.cuh", "scan.cuh", code::SourceFile::Owner::kLab});
    for (std::uint32_t line = 1; line < 10; ++line) program->module.places[line].file = 2;
  }
};

TEST_F(CheckHeader, AKernelOfAHeaderIsNamedByItsLaunch) {
  const std::uint64_t data = allocate(64);
  begin(1, 32);
  does(warp(), read(make(7, data)));
  expect(Kind::kOutOfBounds, 90,
         {"thread 16 of block 0 reads", "in kernel (line 7 of scan.cuh), which is called here"});
}

TEST_F(CheckHeader, TheLinesOfARaceAreNamedWithTheirFile) {
  const std::uint64_t data = allocate(256);
  begin(2, 32);
  does(warp(0), write(make(7, data), 1));
  does(warp(1), write(make(8, data), 2));
  expect(Kind::kRace, 90, {"in line 8 of scan.cuh that", "writes in line 7 of scan.cuh"});
}

TEST_F(CheckHeader, AFunctionThatWasNotInlinedIsNamedByItsCall) {
  kernel.ops.resize(kernel.instructions.size());
  code::Function function;
  function.ops.resize(1);
  function.instructions.push_back(at(0));  // of a library
  run::Part part;
  part.frames.resize(2);
  part.frames[0].function = &kernel;
  part.frames[1].function = &function;
  for (const std::uint32_t line : {40u, 5u}) {  // of the user, of a header
    const std::uint64_t data = allocate(64);
    begin(1, 32);
    launch.running = &part;
    part.frames[1].call = &kernel.ops[line];
    run::Access access = read(make(0, data));
    access.instruction = &function.instructions[0];
    does(warp(), access);
    expect(Kind::kOutOfBounds, line == 40 ? 40 : 90);
  }
}

}  // namespace
}  // namespace check_test
