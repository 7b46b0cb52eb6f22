// SPDX-License-Identifier: MIT
// The calls that -fsanitize=alignment,bounds-strict make before an access that breaks its type's
// rules: an address that is not a multiple of the type's alignment, an index past the end of an
// array whose length the type gives (`tile[1][32]` of `float tile[32][32]`, `sums[4]` of `float
// sums[4]`). The comparisons are in the program; correct code never calls.
#include "hooks/types.h"

#include <string>
#include <string_view>
#include <utility>

#include "check/memory_findings.h"
#include "report/memory_text.h"
#include "run/running.h"
#include "run/running_thread.h"
#include "run/scheduler.h"
#include "run/untraced.h"

namespace {

// What the compiler describes the mistake with; the layout is that of GCC's and Clang's runtime.
struct SourceLocation {
  const char* file;
  std::uint32_t line;
  std::uint32_t column;
};

struct TypeDescriptor {
  std::uint16_t kind;  // 0: an integer type
  std::uint16_t info;  // of integers: bit 0 signed, above it log2 of the bits
  char name[1];        // and more: in quotes, ends with 0
};

struct TypeMismatch {
  SourceLocation where;
  const TypeDescriptor* type;
  unsigned char log_alignment;
  unsigned char check;
};

struct OutOfBounds {
  SourceLocation where;
  const TypeDescriptor* array_type;
  const TypeDescriptor* index_type;
};

enum Check : unsigned char { kLoad, kStore, kReferenceBinding, kMemberAccess };

// "float4" of "'const struct float4'".
std::string plain_name(const TypeDescriptor& type) {
  std::string_view name = type.name;
  if (name.starts_with('\'') && name.ends_with('\'')) name = name.substr(1, name.size() - 2);
  for (const std::string_view prefix : {"const ", "volatile ", "struct ", "class ", "union "}) {
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  }
  return std::string(name);
}

// Values of up to 64 bits are handed over as they are, narrow ones without their sign.
std::int64_t signed_index(const TypeDescriptor& type, std::uintptr_t value) {
  const int bits = 1 << (type.info >> 1);
  if ((type.info & 1) == 0 || bits >= 64) return static_cast<std::int64_t>(value);
  return static_cast<std::int64_t>(value << (64 - bits)) >> (64 - bits);
}

[[noreturn]] void end_misaligned_type(const simt::device::TypedAccess& access,
                                      std::uintptr_t address, const void* pc) {
  using namespace simt::device;
  end_kernel({cudaErrorMisalignedAddress, simt::FindingKind::kMisaligned,
              misaligned_type_text(running_thread_name(), access, address, place_name(address)) +
                  shared_alignment_advice(address, access.alignment),
              pc});
}

const TypeMismatch* g_doubtful = nullptr;  // what doubtful_reference is about

}  // namespace

std::uintptr_t simt::device::doubtful_reference = 0;

void simt::device::end_misaligned_reference(const Access& access) {
  const Untraced untraced;
  doubtful_reference = 0;
  end_misaligned_type({.verb = access.writes ? "writes" : "reads",
                       .type = plain_name(*g_doubtful->type),
                       .alignment = std::size_t{1} << g_doubtful->log_alignment},
                      access.address, access.pc);
}

extern "C" {

void __ubsan_handle_type_mismatch_v1(const TypeMismatch* mistake, std::uintptr_t address) {
  using namespace simt::device;
  if (running.launch == nullptr) return;  // the host takes any address
  if (mistake->check > kMemberAccess) return;
  const std::size_t alignment = std::size_t{1} << mistake->log_alignment;
  if (address % alignment == 0) return;
  // A reference to it is not an access yet: structs and vectors are copied through one.
  if (mistake->check == kReferenceBinding) {
    g_doubtful = mistake;
    doubtful_reference = address;
    return;
  }
  const Untraced untraced;
  const char* const verb = mistake->check == kLoad    ? "reads"
                           : mistake->check == kStore ? "writes"
                                                      : "uses";
  end_misaligned_type({.verb = verb, .type = plain_name(*mistake->type), .alignment = alignment},
                      address, __builtin_return_address(0));
}

void __ubsan_handle_out_of_bounds(const OutOfBounds* mistake, std::uintptr_t index) {
  using namespace simt::device;
  const Untraced untraced;
  const void* const pc = __builtin_return_address(0);
  const std::string who = running.launch == nullptr ? "the host's code" : running_thread_name();
  std::string message =
      index_text(who, signed_index(*mistake->index_type, index), plain_name(*mistake->array_type));
  // Past a local array lies the stack of who uses it, so it must not go on.
  if (running.launch == nullptr) end_host_index(std::move(message), pc);
  end_kernel({cudaErrorIllegalAddress, simt::FindingKind::kOutOfBounds, std::move(message), pc});
}

// Called where the processor does not trap by itself (see WorkerSteps.cmake).
void __ubsan_handle_divrem_overflow(const void*, std::uintptr_t, std::uintptr_t) {
  using namespace simt::device;
  if (running.launch == nullptr) return;
  const Untraced untraced;
  end_kernel({cudaErrorLaunchFailure, simt::FindingKind::kCrash,
              running_thread_name() + " divided an integer by zero", __builtin_return_address(0)});
}

}  // extern "C"
