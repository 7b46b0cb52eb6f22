// SPDX-License-Identifier: MIT
// Rung 01: which blocks fit an SM, and what stops the next one.
#include <algorithm>

#include "architectures.cuh"
#include "fixture.h"
#include "reference_residency.h"

namespace lab_judge {
namespace {

using lab::Residency;

std::string text(const Launch& launch) {
  const lab::KernelResources& kernel = launch.kernel;
  return launch.machine + ", threads_per_block = " + std::to_string(kernel.threads_per_block) +
         ", registers_per_thread = " + std::to_string(kernel.registers_per_thread) +
         ", shared_bytes_per_block = " + std::to_string(kernel.shared_bytes_per_block) + ": ";
}

// The number of blocks that each limit allows, for the student to compare with.
std::string text(const Limits& limits) {
  std::string text = "\nBlocks by each limit alone:";
  for (std::size_t i = 0; i < limits.size(); ++i) {
    text += (i == 0 ? " " : ", ") + name(static_cast<lab::Limiter>(i)) + " " +
            (limits[i] == kNoLimit ? "any" : std::to_string(limits[i]));
  }
  return text;
}

class ResidencyOf : public HostFixture {
 protected:
  void expect(const std::vector<Launch>& launches) {
    if (const auto failure = compute(launches)) fail(*failure);
  }

  static Launch on(const lab::Architecture& machine, lab::KernelResources kernel) {
    return {std::string(machine.name) + " (" + machine.compute_capability + ")", machine.limits,
            kernel};
  }

  // `per_machine` kernels on each of the real machines, then on machines that do not exist.
  template <class MakeKernel>
  std::vector<Launch> everywhere(int per_machine, const MakeKernel& make_kernel) {
    std::vector<Launch> launches;
    for (const lab::Architecture& machine : lab::kArchitectures) {
      for (int i = 0; i < per_machine; ++i) {
        launches.push_back(on(machine, make_kernel(machine.limits)));
      }
    }
    for (int i = 0; i < 4 * per_machine; ++i) {
      const lab::SmLimits made_up = some_machine();
      launches.push_back({text_of(made_up), made_up, make_kernel(made_up)});
    }
    return launches;
  }

 private:
  lab::SmLimits some_machine() {
    const int warp_unit = 1 << some(0, 2);
    const int shared_bytes = 1024 * some(16, 200);
    return {
        .max_threads_per_block = 32 * some(8, 32),
        .max_warps = some(20, 80),
        .max_blocks = some(4, 40),
        .num_registers = 4096 * warp_unit * some(2, 5),
        .max_registers_per_thread = some(60, 255),
        .register_unit = 32 << some(0, 4),
        .register_owner = some(0, 1) == 0 ? lab::RegisterOwner::kBlock : lab::RegisterOwner::kWarp,
        .warp_unit = warp_unit,
        .shared_bytes = shared_bytes,
        .max_shared_bytes_per_block = shared_bytes - 512 * some(2, 20),
        .reserved_shared_bytes = 256 * some(0, 4),
        .shared_unit = 64 << some(0, 4)};
  }

  static std::string text_of(const lab::SmLimits& sm) {
    const bool by_block = sm.register_owner == lab::RegisterOwner::kBlock;
    const auto text = [](int value) { return ", " + std::to_string(value); };
    return "a machine of {" + std::to_string(sm.max_threads_per_block) + text(sm.max_warps) +
           text(sm.max_blocks) + text(sm.num_registers) + text(sm.max_registers_per_thread) +
           text(sm.register_unit) + (by_block ? ", kBlock" : ", kWarp") + text(sm.warp_unit) +
           text(sm.shared_bytes) + text(sm.max_shared_bytes_per_block) +
           text(sm.reserved_shared_bytes) + text(sm.shared_unit) + "}";
  }

  std::optional<Failure> compute(const std::vector<Launch>& launches) {
    begin_case();
    std::vector<Residency> results;
    const auto encode = [&](const Launch& launch, const judge::OnHost<Residency>& h_result) {
      const auto h_sm = input<lab::SmLimits>("sm", {launch.sm});
      const auto h_kernel = input<lab::KernelResources>("kernel", {launch.kernel});
      return judge::encode_call<decltype(lab::residency)>("residency", on_host(h_sm),
                                                          on_host(h_kernel), h_result);
    };
    if (auto failure = run_all<Residency>(launches, encode, results)) return failure;
    for (const Part part : {Part::kNumBlocks, Part::kNumWarps, Part::kLimiter, Part::kOccupancy}) {
      for (std::size_t i = 0; i < launches.size(); ++i) {
        const Residency expected = residency(launches[i]);
        if (same(part, results[i], expected)) continue;
        return Failure{
            judge::kind::kWrongResult,
            text(launches[i]) + difference(part, expected, results[i]) + text(limits(launches[i])),
            explain(part, launches, results)};
      }
    }
    return std::nullopt;
  }

  static std::string difference(Part part, const Residency& expected, const Residency& got) {
    switch (part) {
      case Part::kNumBlocks:
        return "num_blocks: " + expected_got(expected.num_blocks, got.num_blocks);
      case Part::kNumWarps:
        return "num_warps: " + expected_got(expected.num_warps, got.num_warps);
      case Part::kLimiter:
        return "limiter: expected " + name(expected.limiter) + ", got " + name(got.limiter);
      case Part::kOccupancy:
        return "occupancy: " + expected_got(expected.occupancy, got.occupancy);
    }
    return {};
  }
};

// The handout's numbers: 16 and 64 warps, and the register that costs a G80 a third of its warps.
TEST_F(ResidencyOf, GivesTheHandoutsNumbers) {
  const lab::Architecture& g80 = lab::kArchitectures[0];
  expect({on(lab::kTextbook, {256, 64, 0}), on(lab::kTextbook, {256, 16, 0}),
          on(g80, {256, 10, 4096}), on(g80, {256, 11, 4096}), on(g80, {64, 8, 0}),
          on(g80, {96, 15, 0})});
}

TEST_F(ResidencyOf, CountsWholeWarps) {
  expect(everywhere(6, [&](const lab::SmLimits& sm) {
    return lab::KernelResources{some(33, sm.max_threads_per_block), some(1, 8), 0};
  }));
}

TEST_F(ResidencyOf, CountsBlocks) {
  expect(everywhere(4, [&](const lab::SmLimits&) {
    return lab::KernelResources{some(1, 64), some(1, 12), some(0, 1) * 16};
  }));
}

TEST_F(ResidencyOf, GivesOutRegisters) {
  expect(everywhere(12, [&](const lab::SmLimits& sm) {
    return lab::KernelResources{some(32, 256), some(20, sm.max_registers_per_thread), 0};
  }));
}

TEST_F(ResidencyOf, GivesOutSharedMemory) {
  expect(everywhere(8, [&](const lab::SmLimits& sm) {
    return lab::KernelResources{some(32, 128), some(1, 10),
                                some(sm.shared_bytes / 16, sm.max_shared_bytes_per_block)};
  }));
}

// Kernels that do not fit, among others that do.
TEST_F(ResidencyOf, RefusesBlocksThatAreTooLarge) {
  int turn = 0;
  expect(everywhere(8, [&](const lab::SmLimits& sm) {
    const int which = turn++ % 4;
    return lab::KernelResources{
        which == 0 ? sm.max_threads_per_block + some(1, 40) : some(100, 200),
        which == 1 ? sm.max_registers_per_thread + some(1, 9) : some(8, 20),
        which == 2 ? sm.max_shared_bytes_per_block + some(1, 300) : some(100, 2000)};
  }));
}

// Limits that allow equally many blocks: the first one is named.
TEST_F(ResidencyOf, NamesTheFirstOfEqualLimits) {
  std::vector<Launch> launches;
  while (launches.size() < 40) {
    const auto machine = static_cast<std::size_t>(some(0, std::size(lab::kArchitectures) - 1));
    const lab::Architecture& architecture = lab::kArchitectures[machine];
    const Launch launch = on(architecture, {32 * some(1, 16), some(8, 64), 256 * some(0, 64)});
    const Limits all = limits(launch);
    if (std::ranges::count(all, std::ranges::min(all)) > 1) launches.push_back(launch);
  }
  expect(launches);
}

TEST_F(ResidencyOf, HoldsForAnyKernelOnAnyMachine) {
  expect(everywhere(25, [&](const lab::SmLimits& sm) {
    return lab::KernelResources{some(1, sm.max_threads_per_block + 64), some(1, 80),
                                some(0, 1) * some(0, sm.max_shared_bytes_per_block / 4)};
  }));
}

}  // namespace
}  // namespace lab_judge
