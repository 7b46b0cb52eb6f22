// SPDX-License-Identifier: MIT
// Runs PTX of a few lines: what tests of `run` are made of.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "check/checker.h"
#include "code/program.h"
#include "count/watcher.h"
#include "memory/book.h"
#include "report/finding.h"
#include "run/bind.h"
#include "run/image.h"
#include "run/machine.h"

namespace run_test {

// A module with one kernel `k`, whose parameters are `.param .u64 out` and `.param .u32 n`. `body`
// starts with %out loaded, and %t = %tid.x.
inline std::string kernel(const std::string& body, const std::string& before = "") {
  return ".version 8.7\n.target sm_90\n.address_size 64\n" + before +
         ".visible .entry k(.param .u64 out, .param .u32 n)\n{\n"
         ".reg .b32 %t, %n, %a, %b, %c, %d, %m;\n.reg .b64 %out, %p, %q, %s;\n"
         ".reg .pred %x, %y, %z;\n"
         "ld.param.u64 %out, [out];\nld.param.u32 %n, [n];\nmov.u32 %t, %tid.x;\n" +
         body + "\nret;\n}\n";
}

// Stores %a to out[thread of the grid].
inline const std::string kStore =
    "mov.u32 %c, %ctaid.x;\nmov.u32 %d, %ntid.x;\nmad.lo.u32 %c, %c, %d, %t;\n"
    "mul.wide.u32 %p, %c, 4;\nadd.s64 %p, %out, %p;\nst.global.u32 [%p], %a;\n";

class Run : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { memory::reserve(); }
  void SetUp() override { report::take_findings(); }

  void load(const std::string& text) {
    program_ = code::load(ptx::parse(text), [](const ptx::Variable& variable) {
      return memory::allocate(std::max<std::uint64_t>(variable.size_bytes, 1),
                              memory::Allocation::Kind::kSymbol, {});
    });
    refusals_ = run::bind(*program_);
    machine_ = std::make_unique<run::Machine>(*program_);
  }

  // Returns `out` after the launch: one word per thread, 0 where none was stored.
  std::vector<std::uint32_t> launch(unsigned num_blocks, unsigned num_threads,
                                    std::uint32_t n = 0) {
    const std::uint64_t size = std::uint64_t{4} * num_blocks * num_threads + 4096;
    const std::uint64_t out = memory::allocate(size, memory::Allocation::Kind::kDevice, {});
    std::memset(reinterpret_cast<void*>(out), 0, size);
    if (memory::observer() != nullptr) memory::observer()->on_write(out, size);
    auto launch = std::make_unique<run::Launch>();
    launch->program = program_.get();
    launch->images = &images_;
    launch->kernel = program_->find("k");
    launch->grid = {num_blocks, 1, 1};
    launch->block = {num_threads, 1, 1};
    launch->cluster = cluster_;
    launch->dynamic_shared_bytes = dynamic_bytes_;
    launch->is_cooperative = is_cooperative_;
    launch->loses_updates = loses_updates_;
    launch->parameters.resize(12);
    std::memcpy(launch->parameters.data(), &out, 8);
    std::memcpy(launch->parameters.data() + 8, &n, 4);
    outcome_ = machine_->launch(std::move(launch));
    std::vector<std::uint32_t> words(num_blocks * num_threads);
    std::memcpy(words.data(), reinterpret_cast<const void*>(out), words.size() * 4);
    memory::release(out, memory::Allocation::Kind::kDevice, {});
    findings_ = report::take_findings();
    return words;
  }
  // With the checks.
  std::vector<std::uint32_t> launch_checked(unsigned num_blocks, unsigned num_threads) {
    check::Checker checker;
    machine_->set_monitors({&checker});
    return launch(num_blocks, num_threads);
  }
  // Returns what is counted.
  count::CounterSet launch_counted(unsigned num_blocks, unsigned num_threads, std::uint32_t n = 0) {
    count::Watcher watcher;
    machine_->set_monitors({&watcher});
    watcher.set_counting(true);
    launch(num_blocks, num_threads, n);
    const std::vector<count::KernelCounters> kernels = watcher.take();
    EXPECT_EQ(kernels.size(), 1u);
    return kernels.empty() ? count::CounterSet{} : kernels.front().counters;
  }

  // Of the last launch.
  void expect_none() {
    for (const report::Finding& finding : findings_) ADD_FAILURE() << finding.message;
  }
  void expect(report::Kind kind, const std::string& part) {
    ASSERT_EQ(findings_.size(), 1u);
    EXPECT_EQ(findings_[0].kind, kind) << findings_[0].message;
    EXPECT_NE(findings_[0].message.find(part), std::string::npos) << findings_[0].message;
  }

  std::unique_ptr<code::Program> program_;
  std::unique_ptr<run::Machine> machine_;
  run::Images images_;
  std::vector<std::string> refusals_;
  std::vector<report::Finding> findings_;
  run::Outcome outcome_ = run::Outcome::kEnded;
  std::uint32_t dynamic_bytes_ = 0;
  bool is_cooperative_ = false;
  run::Dim cluster_;
  bool loses_updates_ = false;
};

}  // namespace run_test
