// SPDX-License-Identifier: MIT
// The device process, and workers that flood it, sleep, or end.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <string>
#include <thread>

#include "memory/address_map.h"
#include "serve/commands.h"
#include "serve/processor.h"
#include "serve/ring.h"

namespace {

using serve::Ring;

int make_memory(std::size_t size_bytes, int seals) {
  const int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  EXPECT_EQ(ftruncate(fd, static_cast<off_t>(size_bytes)), 0);
  EXPECT_EQ(fcntl(fd, F_ADD_SEALS, seals), 0);
  return fd;
}

// Like a program that starts its device.
class Process : public ::testing::Test {
 protected:
  ~Process() override {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    close(life_);
  }

  void start(int seals = F_SEAL_SHRINK) {
    int life[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, life), 0);
    const int ring = make_memory(serve::kRingBytes, seals);
    const int shared = make_memory(memory::kSharedWithHostBytes, seals);
    const int other_life = fcntl(life[1], F_DUPFD_CLOEXEC, 64);
    const int other_ring = fcntl(ring, F_DUPFD_CLOEXEC, 64);
    const int other_shared = fcntl(shared, F_DUPFD_CLOEXEC, 64);
    pid_ = fork();
    if (pid_ == 0) {
      dup2(other_life, 3);
      dup2(other_ring, serve::kRingFd);
      dup2(other_shared, serve::kSharedWithHostFd);
      dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
      execl(DEVICE_PROGRAM, "lockstep_device", "--program", nullptr);
      _exit(127);
    }
    for (const int fd : {life[1], other_life, other_ring, other_shared}) close(fd);
    life_ = life[0];
    ring_ = static_cast<Ring*>(
        mmap(nullptr, serve::kRingBytes, PROT_READ | PROT_WRITE, MAP_SHARED, ring, 0));
    close(ring);
    close(shared);
  }

  // Whether it is answered within some seconds.
  bool is_answered(std::uint32_t number, double seconds = 10) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (std::chrono::steady_clock::now() < end) {
      if (ring_->answered == number) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
  }
  void publish(std::uint32_t size_bytes, std::uint32_t number) {
    ring_->command_bytes = size_bytes;
    ring_->asked = number;
    ring_->bell.fetch_add(1);
    serve::wake(ring_->bell);
  }
  bool lives() {
    const serve::Kind kind = serve::Kind::kAskMemory;
    const serve::AskMemory command;
    std::memcpy(ring_->command, &kind, sizeof kind);
    std::memcpy(ring_->command + sizeof kind, &command, sizeof command);
    const std::uint32_t number = ++number_;  // what has been seen before is not looked at again
    publish(sizeof kind + sizeof command, number);
    serve::Answer answer;
    if (!is_answered(number)) return false;
    std::memcpy(&answer, ring_->answer, sizeof answer);
    return answer.is_malformed == 0;
  }
  // Its status, or -1: it did not end in time.
  int ended(double seconds = 10) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    int status = 0;
    for (;;) {
      if (waitpid(pid_, &status, WNOHANG) == pid_) {
        pid_ = 0;
        return status;
      }
      if (std::chrono::steady_clock::now() >= end) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return -1;
  }

  pid_t pid_ = 0;
  int life_ = -1;
  std::uint32_t number_ = 1'000'000;
  Ring* ring_ = nullptr;
};

TEST_F(Process, AnswersCommands) {
  start();
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(lives());
}

TEST_F(Process, AnswersWhatItCannotRead) {
  start();
  ASSERT_TRUE(lives());
  for (const std::uint32_t size : {0U, 3U, 4U, 100U, 1U << 20, UINT32_MAX}) {
    std::memset(ring_->command, 0xab, sizeof ring_->command);
    const std::uint32_t number = ring_->answered + 1;
    publish(size, number);
    ASSERT_TRUE(is_answered(number));
    serve::Answer answer;
    std::memcpy(&answer, ring_->answer, sizeof answer);
    EXPECT_EQ(answer.is_malformed, 1U);
  }
  EXPECT_TRUE(lives());
}

TEST_F(Process, TakesAnyNumberForTheNextCommand) {
  start();
  ASSERT_TRUE(lives());
  for (const std::uint32_t number : {7U, UINT32_MAX, 0U, 1U << 31}) {
    publish(4, number);
    EXPECT_TRUE(is_answered(number));
  }
  EXPECT_TRUE(lives());
}

TEST_F(Process, OutlivesAFloodOfBellsAndScribbling) {
  start();
  ASSERT_TRUE(lives());
  auto* const words = reinterpret_cast<volatile std::uint32_t*>(ring_);
  for (std::uint32_t i = 0; i < 3'000'000; ++i) {
    words[i * 5 % (sizeof(Ring) / 4)] = i * 2654435761U;
    if (i % 1000 == 0) serve::wake(ring_->bell);
  }
  std::memset(static_cast<void*>(ring_), 0, sizeof(Ring));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_TRUE(lives()) << "its status: " << ended(0);
}

TEST_F(Process, WaitsForAWorkerThatSleeps) {
  start();
  ASSERT_TRUE(lives());
  std::this_thread::sleep_for(std::chrono::milliseconds(1200));
  EXPECT_TRUE(lives());
}

TEST_F(Process, EndsWithTheProgram) {
  start();
  ASSERT_TRUE(lives());
  close(life_);
  life_ = -1;
  const int status = ended();
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST_F(Process, RefusesARingThatItsOtherEndCouldShrink) {
  start(0);
  const int status = ended();
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 3) << status;
}

TEST_F(Process, IgnoresTheInterruptThatIsForTheProgram) {
  start();
  ASSERT_TRUE(lives());
  kill(pid_, SIGINT);
  EXPECT_TRUE(lives());
}

TEST(Processor, LacksWhatTheLevelAsksFor) {
  const auto all = [](int) { return true; };
  const auto none = [](int) { return false; };
  const auto old = [](int i) { return i < serve::kNumFeaturesOfV3; };
  EXPECT_EQ(serve::missing_feature("portable", none), nullptr);
  EXPECT_STREQ(serve::missing_feature("x86-64-v3", none), "AVX2");
  EXPECT_EQ(serve::missing_feature("x86-64-v3", old), nullptr);
  EXPECT_STREQ(serve::missing_feature("x86-64-v4", old), "AVX512F");
  EXPECT_EQ(serve::missing_feature("x86-64-v4", all), nullptr);
}

}  // namespace
