// SPDX-License-Identifier: MIT
// The program's end of the mailbox (serve/commands.h), and the runtime's error state.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "serve/commands.h"

namespace runtime {

// One request at a time, whatever threads the program has.
class Client {
 public:
  static Client& get();

  // Sends the request with `data`, and waits for the reply. Ends the program if the device process
  // is gone. Kernels' output is printed on the way.
  cudaError_t call(serve::Command command, serve::Request& request, std::string_view data = {});
  const serve::Reply& reply() const { return reply_; }
  // Of the last call: what came back.
  const std::byte* data() const { return mailbox_->data; }

  std::recursive_mutex& mutex() { return mutex_; }

 private:
  Client();
  cudaError_t exchange(serve::Command command, const serve::Request& request,
                       std::string_view data);
  void print_text();

  serve::Mailbox* mailbox_ = nullptr;
  serve::Reply reply_;
  std::recursive_mutex mutex_;
};

// Where the host's code makes a call: the line in a user's file that the return address leads to.
serve::Place place_of(const void* return_address);

// Every function of the API ends so. `what` names the call for messages: "cudaMalloc of 400 bytes".
cudaError_t finish(cudaError_t error, const std::string& what, const serve::Place& place,
                   const std::string& kernel = {});

// Of the last error: which call, and where.
struct ErrorOrigin {
  std::string what;
  std::string kernel;
  serve::Place place;
};
const ErrorOrigin& last_error_origin();
const ErrorOrigin& failed_allocation();  // since the last forget_origins()
void forget_origins();
bool has_sticky_error();

}  // namespace runtime

// The caller's place, for the first line of a function of the API.
#define RUNTIME_PLACE runtime::place_of(__builtin_return_address(0))
