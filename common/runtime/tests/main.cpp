// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "runtime_test.h"

extern "C" {
void** __cudaRegisterFatBinary(void* wrapper);
void __cudaRegisterFatBinaryEnd(void** image);
void __cudaRegisterFunction(void** image, const char* host_function, char*, const char* name, int,
                            void*, void*, void*, void*, int*);
void __cudaRegisterVar(void** image, char* host_variable, char*, const char* name, int, std::size_t,
                       int, int);
}

namespace runtime_test {
namespace {

constexpr const char* kReport = "LOCKSTEP_REPORT";

constexpr const char* kText = R"(
.version 8.7
.target sm_90
.address_size 64
.visible .global .align 4 .u32 counter = 5;
.visible .global .align 65536 .u32 managed = 6;
.global .align 1 .b8 message[9] = {112, 114, 105, 110, 116, 101, 100, 10, 0};
.extern .func (.param .b32 result) vprintf(.param .b64 format, .param .b64 arguments);
.visible .entry fill(.param .u64 out, .param .u32 value)
{
.reg .b64 %p, %q;
.reg .b32 %v, %t, %b, %n;
ld.param.u64 %p, [out];
ld.param.u32 %v, [value];
mov.u32 %t, %tid.x;
mov.u32 %b, %ctaid.x;
mov.u32 %n, %ntid.x;
mad.lo.u32 %t, %b, %n, %t;
mul.wide.u32 %q, %t, 4;
add.s64 %p, %p, %q;
st.global.u32 [%p], %v;
ret;
}
.visible .entry add(.param .u64 out, .param .u32 value)
{
.reg .b64 %p;
.reg .b32 %v, %w;
ld.param.u64 %p, [out];
ld.param.u32 %v, [value];
ld.global.u32 %w, [%p];
add.u32 %v, %v, %w;
st.global.u32 [%p], %v;
ret;
}
.visible .entry wait(.param .u64 flag, .param .u32 value)
{
.reg .b64 %p;
.reg .b32 %v, %w;
.reg .pred %x;
ld.param.u64 %p, [flag];
ld.param.u32 %v, [value];
AGAIN:
ld.volatile.global.u32 %w, [%p];
setp.eq.u32 %x, %w, 0;
@%x bra AGAIN;
st.global.u32 [%p+4], %v;
ret;
}
.visible .entry print()
{
.reg .b64 %p, %q;
.reg .b32 %r;
mov.u64 %p, message;
cvta.global.u64 %p, %p;
mov.u64 %q, 0;
{
.param .b64 format;
.param .b64 arguments;
.param .b32 result;
st.param.b64 [format], %p;
st.param.b64 [arguments], %q;
call.uni (result), vprintf, (format, arguments);
ld.param.b32 %r, [result];
}
ret;
}
.visible .entry fetch(.param .u64 out, .param .u32 texture)
{
.reg .b64 %p, %q;
.reg .b32 %v<4>, %i;
ld.param.u64 %p, [out];
ld.param.u32 %i, [texture];
cvt.u64.u32 %q, %i;
mov.u32 %i, 1;
tex.1d.v4.s32.s32 {%v0, %v1, %v2, %v3}, [%q, {%i}];
st.global.u32 [%p], %v0;
ret;
}
.visible .entry fault(.param .u64 out, .param .u32 value)
{
.reg .b64 %p;
.reg .b32 %v;
ld.param.u64 %p, [out];
ld.param.u32 %v, [value];
st.global.u32 [%p+1], %v;
ret;
}
)";

struct {
  unsigned magic = 0x466243b1;
  unsigned version = 1;
  const char* image = kText;
  const void* unused = nullptr;
} g_wrapper;

char g_stand_ins[7];

const void* stand_in(int index, const char* name) {
  static void** const image = __cudaRegisterFatBinary(&g_wrapper);
  __cudaRegisterFunction(image, &g_stand_ins[index], nullptr, name, -1, nullptr, nullptr, nullptr,
                         nullptr, nullptr);
  return &g_stand_ins[index];
}

const void* variable(int index, char* name) {
  static void** const image = __cudaRegisterFatBinary(&g_wrapper);
  __cudaRegisterVar(image, &g_stand_ins[index], nullptr, name, 0, 4, 0, 0);
  return &g_stand_ins[index];
}

char g_counter[] = "counter";
char g_managed[] = "managed";

}  // namespace

// As the toolkit's __managed__ has it.
alignas(65536) __attribute__((section("lockstep_managed"))) int managed;
int after_managed = 1;

void share_managed() {
  void** const image = __cudaRegisterFatBinary(&g_wrapper);
  __cudaRegisterVar(image, reinterpret_cast<char*>(&managed), nullptr, g_managed, 0, 4, 0, 0);
  __cudaRegisterFatBinaryEnd(image);
}

const void* const kFill = stand_in(0, "fill");
const void* const kAdd = stand_in(1, "add");
const void* const kWait = stand_in(2, "wait");
const void* const kPrint = stand_in(3, "print");
const void* const kFault = stand_in(4, "fault");
const void* const kFetch = stand_in(6, "fetch");
const void* const kCounter = variable(5, g_counter);

std::vector<std::string> take_findings() {
  static std::ifstream file(getenv(kReport));
  file.clear();
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

}  // namespace runtime_test

// The device looks at its environment when it starts, which is before main().
int main(int argc, char** argv) {
  if (getenv(runtime_test::kReport) == nullptr) {
    char name[] = "/tmp/runtime_test.XXXXXX";
    close(mkstemp(name));
    setenv(runtime_test::kReport, name, 1);
    execv("/proc/self/exe", argv);
  }
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
