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

namespace serve_test {

// Kernels of a few lines: stores n to out[0]; waits until *out is not 0, and adds n; never ends;
// has bounds of 64 threads; stores the size of its cluster.
inline constexpr const char* kKernels = R"(
.version 8.7
.target sm_90
.address_size 64
.visible .global .align 4 .u32 counter = 5;
.visible .const .align 4 .u32 factor = 3;
.visible .entry store(.param .u64 out, .param .u32 n)
{
.reg .b64 %p;
.reg .b32 %n;
ld.param.u64 %p, [out];
ld.param.u32 %n, [n];
st.global.u32 [%p], %n;
ret;
}
.visible .entry wait(.param .u64 out, .param .u32 n)
{
.reg .b64 %p;
.reg .b32 %n, %v;
.reg .pred %x;
ld.param.u64 %p, [out];
ld.param.u32 %n, [n];
AGAIN:
ld.volatile.global.u32 %v, [%p];
setp.eq.u32 %x, %v, 0;
@%x bra AGAIN;
add.u32 %v, %v, %n;
st.global.u32 [%p+4], %v;
ret;
}
.visible .entry bounded(.param .u64 out, .param .u32 n)
.maxntid 64, 1, 1
{
ret;
}
.visible .entry clustered(.param .u64 out, .param .u32 n)
.explicitcluster
.reqnctapercluster 2, 1, 1
{
.reg .b64 %p;
.reg .b32 %n;
ld.param.u64 %p, [out];
mov.u32 %n, %cluster_nctarank;
st.global.u32 [%p], %n;
ret;
}
)";

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
