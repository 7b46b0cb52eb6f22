// SPDX-License-Identifier: MIT
// A device to send commands to, in the test's own process.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "memory/book.h"
#include "report/finding.h"
#include "serve/decode.h"
#include "serve/device.h"
#include "serve/ring.h"
#include "serve_kernels.h"

namespace serve_test {

class Serve : public ::testing::Test {
 protected:
  Serve() : data_(serve::kDataBytes), printed_(serve::kPrintedBytes) {
    memory::reserve();
    report::take_findings();
    device_ = std::make_unique<serve::Device>(true);
    device_->load(kKernels);
  }
  ~Serve() override {
    device_->finish();
    memory::release_all();
    report::take_findings();
  }

  serve::Answered act(const std::vector<std::byte>& bytes) {
    const auto decoded = serve::decode(bytes);
    if (!decoded) return {};
    return device_->act(*decoded, data_, printed_);
  }

  template <class Command>
  typename Command::Result ask(const Command& command, const std::string& tail = "") {
    std::vector<std::byte> bytes(serve::kCommandBytes);
    const auto* const begin = reinterpret_cast<const std::byte*>(tail.data());
    bytes.resize(serve::encode(command, {begin, tail.size()}, bytes));
    const serve::Answered answered = act(bytes);
    head_ = answered.head;
    typename Command::Result result;
    std::memcpy(&result, answered.result.data(), sizeof result);
    tail_.assign(reinterpret_cast<const char*>(answered.result.data()) + sizeof result,
                 answered.head.tail_bytes);
    return result;
  }
  int error() const { return head_.error; }

  std::uint64_t allocate(std::uint64_t size_bytes, serve::Memory memory = serve::Memory::kDevice) {
    serve::Allocate command;
    command.size_bytes = size_bytes;
    command.memory = memory;
    command.at.line = 10;
    std::strcpy(command.at.file, "main.cu");
    return ask(command).address;
  }

  std::uint32_t kernel(const std::string& name) {
    return ask(serve::FindKernel{0, static_cast<std::uint32_t>(name.size())}, name).kernel;
  }

  serve::Launch launch_of(const std::string& name) {
    serve::Launch command;
    command.kernel = kernel(name);
    command.parameter_bytes = 12;
    return command;
  }
  static std::string parameters(std::uint64_t out, std::uint32_t n) {
    std::string bytes(12, '\0');
    std::memcpy(bytes.data(), &out, sizeof out);
    std::memcpy(bytes.data() + 8, &n, sizeof n);
    return bytes;
  }

  std::unique_ptr<serve::Device> device_;
  std::vector<std::byte> data_;
  std::vector<std::byte> printed_;
  serve::Answer head_;
  std::string tail_;
};

}  // namespace serve_test
