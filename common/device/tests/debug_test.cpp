// SPDX-License-Identifier: MIT
// Where a kernel stops, and what it says then. The front end's side is a script here.
#include <algorithm>
#include <deque>

#include "check/checker.h"
#include "debug/command.h"
#include "debug/debugger.h"
#include "run_test.h"

namespace debug_test {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class Script final : public debug::Channel {
 public:
  bool has_line() override { return !meanwhile.empty(); }
  bool read_line(std::string& line) override {
    std::deque<std::string>& from = meanwhile.empty() ? commands : meanwhile;
    if (from.empty()) return false;
    line = from.front();
    from.pop_front();
    return true;
  }
  void write_line(const std::string& line) override { said.push_back(line); }

  std::deque<std::string> commands;   // while the kernel has stopped
  std::deque<std::string> meanwhile;  // while it runs
  std::vector<std::string> said;
};

const std::string kFile = ".file 1 \"/home/user/a.cu\"\n";
std::string line(int number) { return ".loc 1 " + std::to_string(number) + " 1\n"; }

// Of run_test::kernel. Lines 10 and 11 are in the kernel; twice() has 21 and 22.
const std::string kTwice = kFile +
                           ".func (.param .b32 r) twice(.param .b32 x)\n{\n.reg .b32 %a;\n"
                           ".loc 1 20 0\nld.param.b32 %a, [x];\n" +
                           line(21) + "add.u32 %a, %a, %a;\n" + line(22) +
                           "st.param.b32 [r], %a;\nret;\n}\n";
const std::string kCall =
    "{\n.param .b32 x;\n.param .b32 r;\nst.param.b32 [x], %t;\n"
    "call (r), twice, (x);\nld.param.b32 %a, [r];\n}\n";

class Debug : public run_test::Run {
 protected:
  // Runs the kernel; what was said while it ran.
  std::vector<std::string> debugged(const std::string& body, std::deque<std::string> commands,
                                    unsigned num_threads = 2, unsigned num_blocks = 1) {
    load(run_test::kernel(body, kTwice));
    EXPECT_TRUE(refusals_.empty()) << refusals_.front();
    text_ = program_->module.text;
    Script script;
    script.commands = std::move(commands);
    script.meanwhile = std::move(meanwhile_);
    check::Checker checker;
    debug::Debugger debugger(script);
    debugger.greet();
    script.said.erase(script.said.begin());
    machine_->set_monitors({&checker, &debugger});
    words_ = launch(num_blocks, num_threads);
    machine_->set_monitors({});
    return script.said;
  }

  // The line of the PTX with this text: an instruction's address.
  std::string at(const std::string& body, const std::string& instruction) {
    const std::string text = run_test::kernel(body, kTwice);
    const std::size_t found = text.find(instruction);
    EXPECT_NE(found, std::string::npos);
    return std::to_string(1 +
                          std::count(text.begin(), text.begin() + static_cast<long>(found), '\n'));
  }
  static std::string break_at(const std::string& function, const std::string& address) {
    return R"({"do": "break", "function": ")" + function + R"(", "at": )" + address + "}";
  }
  static std::string step(const std::string& kind, int depth, int line) {
    return R"({"do": "step", "kind": ")" + kind + R"(", "block": 0, "thread": 0, "depth": )" +
           std::to_string(depth) + R"(, "file": "/home/user/a.cu", "line": )" +
           std::to_string(line) + "}";
  }

  std::string text_;
  std::vector<std::uint32_t> words_;
  std::deque<std::string> meanwhile_;
};

const std::string kContinue = R"({"do": "continue"})";
const std::string kBody =
    line(10) + "mov.u32 %a, 5;\n" + line(11) + kCall + line(12) + run_test::kStore;

TEST(Command, ReadsStringsAndNumbers) {
  const debug::Command command(R"( {"do": "read", "name":"a\"b\\", "size" : 12} )");
  EXPECT_EQ(command.text("do"), "read");
  EXPECT_EQ(command.text("name"), "a\"b\\");
  EXPECT_EQ(command.number("size"), 12U);
  EXPECT_EQ(command.number("missing"), 0U);
}

TEST(Command, AnyTextIsACommand) {
  for (const char* const text :
       {"", "{", "[1]", "{\"", "{\"a\"", "{\"a\":", "{}}}", "{\"a\":\"b"}) {
    EXPECT_EQ(debug::Command(text).text("do"), "") << text;
  }
}

TEST_F(Debug, ABreakpointStopsAWarpBeforeTheInstruction) {
  const auto said = debugged(kBody, {break_at("k", at(kBody, "mov.u32 %a, 5")), kContinue,
                                     R"({"do": "threads"})", kContinue});
  ASSERT_EQ(said.size(), 3U);  // an answer, a stop, an answer
  EXPECT_EQ(said[0], "{}");
  EXPECT_TRUE(contains(said[1], R"("reason": "breakpoint")")) << said[1];
  EXPECT_TRUE(contains(said[1], R"("lanes": 3)")) << said[1];
  EXPECT_TRUE(contains(said[1], R"("line": 10)")) << said[1];
  EXPECT_TRUE(contains(said[2], R"([0, 1, "ready", 10])")) << said[2];
  EXPECT_EQ(words_, (std::vector<std::uint32_t>{0, 2}));
}

TEST_F(Debug, AStepEntersAFunctionBehindItsParameters) {
  const auto said =
      debugged(kBody, {break_at("k", at(kBody, "mov.u32 %a, 5")), kContinue, step("step", 1, 10),
                       step("step", 1, 11), step("step", 2, 21), step("finish", 2, 22), kContinue});
  ASSERT_EQ(said.size(), 6U);
  EXPECT_TRUE(contains(said[2], R"("line": 11)")) << said[2];
  EXPECT_TRUE(contains(said[3], R"("line": 21)")) << said[3];
  EXPECT_TRUE(contains(said[3], R"("function": "twice")")) << said[3];
  EXPECT_TRUE(contains(said[4], R"("line": 22)")) << said[4];
  EXPECT_FALSE(contains(said[5], R"("function": "twice")")) << said[5];
}

TEST_F(Debug, NextRunsACalledFunctionToItsEnd) {
  const auto said = debugged(kBody, {break_at("k", at(kBody, "mov.u32 %a, 5")), kContinue,
                                     step("next", 1, 10), step("next", 1, 11), kContinue});
  ASSERT_EQ(said.size(), 4U);
  EXPECT_TRUE(contains(said[3], R"("line": 12)")) << said[3];
}

TEST_F(Debug, AStepAtABarrierWaitsForTheOthers) {
  const std::string body =
      line(10) + "mov.u32 %a, 5;\n" + line(11) + "bar.sync 0;\n" + line(12) + run_test::kStore;
  const auto said =
      debugged(body,
               {break_at("k", at(body, "mov.u32 %a, 5")), kContinue, step("next", 1, 10),
                step("next", 1, 11), R"({"do": "threads"})", kContinue},
               64);
  ASSERT_EQ(said.size(), 5U);
  EXPECT_TRUE(contains(said[3], R"("reason": "step")")) << "the other warp's breakpoint is passed";
  EXPECT_TRUE(contains(said[3], R"("line": 12)")) << said[3];
  EXPECT_TRUE(contains(said[3], R"("thread": 0)")) << said[3];
}

TEST_F(Debug, WithoutAFrontEndTheKernelRunsToItsEnd) {
  const auto said = debugged(kBody, {break_at("k", at(kBody, "mov.u32 %a, 5")), kContinue});
  EXPECT_EQ(said.size(), 2U);
  EXPECT_EQ(words_, (std::vector<std::uint32_t>{0, 2}));
}

TEST_F(Debug, AFindingStopsBeforeItsAccessAndNamesTheOtherThread) {
  const std::string body =
      line(8) + "mov.u32 %a, 7;\nst.global.u32 [%out], %t;\n" + line(9) + "bar.warp.sync -1;\n";
  const auto said = debugged(body, {kContinue, kContinue}, 64);
  ASSERT_EQ(said.size(), 1U);
  EXPECT_TRUE(contains(said[0], R"("reason": "finding")")) << said[0];
  EXPECT_TRUE(contains(said[0], R"("kind": "race")")) << said[0];
  EXPECT_TRUE(contains(said[0], R"("other": {"block": 0, "thread": )")) << said[0];
}

TEST_F(Debug, MemoryIsReadWithinItsBounds) {
  const std::uint64_t memory = memory::allocate(64, memory::Allocation::Kind::kDevice, {});
  std::memset(reinterpret_cast<void*>(memory), 0x2a, 64);
  const auto read = [&](std::uint64_t address, std::uint64_t from) {
    return R"({"do": "read", "block": 0, "thread": 1, "size": 4, "address": )" +
           std::to_string(address) + R"(, "from": )" + std::to_string(from) + "}";
  };
  const auto said =
      debugged(kBody, {break_at("k", at(kBody, "mov.u32 %a, 5")), kContinue,
                       read(memory + 60, memory), read(memory + 64, memory),
                       read(memory - 4, memory), read(0, 0), read(4096, 4096), kContinue});
  memory::release(memory, memory::Allocation::Kind::kDevice, {});
  ASSERT_EQ(said.size(), 7U);
  EXPECT_EQ(said[2], R"({"bytes": "2a2a2a2a"})");
  EXPECT_TRUE(contains(said[3], "past the end of allocation")) << said[3];
  EXPECT_TRUE(contains(said[3], "(64 bytes)")) << said[3];
  EXPECT_TRUE(contains(said[4], "before the beginning of allocation")) << said[4];
  EXPECT_TRUE(contains(said[5], "a null pointer")) << said[5];
  EXPECT_TRUE(contains(said[6], "0x1000 is in no memory of the kernel")) << said[6];
}

TEST_F(Debug, APauseStopsALoop) {
  meanwhile_ = {R"({"do": "pause"})"};
  const std::string body = line(10) + "mov.u32 %a, 0;\nLOOP:\n" + line(11) +
                           "add.u32 %a, %a, 1;\nst.global.u32 [%out], %t;\n"
                           "setp.lt.u32 %x, %a, 20000;\n@%x bra LOOP;\n";
  // The first command is read before the launch.
  meanwhile_.push_front(kContinue);
  const auto said = debugged(body, {kContinue}, 1);
  ASSERT_EQ(said.size(), 1U);
  EXPECT_TRUE(contains(said[0], R"("reason": "pause")")) << said[0];
  EXPECT_TRUE(contains(said[0], R"("line": 11)")) << said[0];
}

}  // namespace
}  // namespace debug_test
