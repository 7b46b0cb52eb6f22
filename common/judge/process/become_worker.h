// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace judge {

// Runs in the child between fork and exec, which it ends with: async-signal-safe calls only.
// log_fd: of a checker around the worker; -1: there is none.
void become_worker(char* const* argv, char* const* envp, int socket_fd, int arena_fd, int output_fd,
                   int log_fd);

// Of the judge's environment, the worker gets only what a CUDA program needs to find its driver and
// what the judge sets for it.
std::vector<std::string> worker_environment();

}  // namespace judge
