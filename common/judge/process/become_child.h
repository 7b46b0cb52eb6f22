// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string>
#include <vector>

#include "protocol/wire.h"

namespace judge {

// What a program finds as its descriptors from wire::kArenaFd on; -1: closed.
using Inherited = std::array<int, wire::kNumSharedFds>;

// Runs in the child between fork and exec, which it ends with: async-signal-safe calls only.
// log_fd: of a checker around the program; -1: there is none.
void become_child(char* const* argv, char* const* envp, int socket_fd, Inherited shared,
                  int output_fd, int log_fd);

// Of the judge's environment, a child gets only what a CUDA program needs to find its driver and
// what the judge sets for it.
std::vector<std::string> environment_of_child();

}  // namespace judge
