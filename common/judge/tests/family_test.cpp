// SPDX-License-Identifier: MIT
#include "process/family.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>
#include <thread>

namespace {

TEST(DriverBytes, AreTheUsableMappingsOfItsDevices) {
  std::istringstream maps(
      "200000000-200200000 rw-s 00000000 00:05 600    /dev/nvidiactl\n"
      "203000000-303000000 ---p 00000000 00:00 0\n"
      "7f0000000000-7f0040000000 rw-s 00000000 00:05 601    /dev/nvidia-uvm\n"
      "7f1000000000-7f1000001000 ---s 00000000 00:05 602    /dev/nvidia0\n"
      "7f2000000000-7f2000100000 r-xp 00000000 08:01 7    /usr/lib/libcuda.so.1\n"
      "not a mapping\n");
  EXPECT_EQ(judge::driver_bytes_in(maps), (std::size_t{2} << 20) + (std::size_t{1} << 30));
}

// As a checker does, whose worker would else use no time and no memory.
TEST(Family, HasTheChildrenOfEveryThread) {
  pid_t child = -1;
  std::thread other([&] {
    child = fork();
    if (child == 0) pause();
    const auto members = judge::family(getpid());
    EXPECT_NE(std::ranges::find(members, child), members.end());
  });
  other.join();
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

}  // namespace
