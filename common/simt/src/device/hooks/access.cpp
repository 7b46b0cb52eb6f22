// SPDX-License-Identifier: MIT
// The calls that -fsanitize=thread and -fsanitize-coverage=trace-pc put before memory accesses and
// basic blocks. Called billions of times: an access to the thread's own stack, and one of the
// host's to its own memory, leaves after one comparison.
#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "check/in_place.h"
#include "check/memory_check.h"
#include "check/order.h"
#include "check/own_memory.h"
#include "check/race_shadow.h"
#include "check/virtual_tables.h"
#include "check/way.h"
#include "hooks/converters.h"
#include "hooks/trace.h"
#include "hooks/types.h"
#include "program/place.h"
#include "run/block.h"
#include "run/confined.h"
#include "run/part.h"
#include "run/path.h"
#include "run/poll.h"
#include "run/running.h"
#include "simt/confine.h"

namespace {

using simt::AccessKind;
using simt::device::Access;
using simt::device::check_access;
using simt::device::decide_in_device;
using simt::device::decide_in_shared;
using simt::device::Does;
using simt::device::is_guarded;
using simt::device::is_in_device;
using simt::device::Place;
using simt::device::running;
using simt::device::trace_access;
using simt::device::trace_publication;
using simt::device::trace_published_read;

bool concerns_nobody(const volatile void* address) {
  return running.is_private(reinterpret_cast<std::uintptr_t>(address));
}

// A store that concerns no checker. A kernel's goes to its thread's stack.
void check_hosts_store(const void* address, std::size_t size_bytes, Place place) {
  if (!is_guarded(reinterpret_cast<std::uintptr_t>(address)) || running.launch != nullptr) return;
  simt::device::check_guarded_store({.address = reinterpret_cast<std::uintptr_t>(address),
                                     .size_bytes = size_bytes,
                                     .writes = true,
                                     .pc = place.pc});
}

// kNatural: the access's type promises an address that is a multiple of its size. kOfReference:
// what the reference that it goes through promises, if it was bound to a misaligned address.
enum class Alignment { kNone, kNatural, kOfReference };

inline void check_reference(const Access& access, Alignment alignment) {
  if (alignment == Alignment::kOfReference && access.address == simt::device::doubtful_reference) {
    simt::device::end_misaligned_reference(access);
  }
}

[[gnu::noinline]] void on_read(const void* address, std::size_t size_bytes, Alignment alignment,
                               Place place, bool is_volatile = false) {
  if (concerns_nobody(address)) return;
  running.last_access_step = running.steps;
  const Access access = {.address = reinterpret_cast<std::uintptr_t>(address),
                         .size_bytes = size_bytes,
                         .reads = true,
                         .is_volatile = is_volatile,
                         .is_aligned_by_type = alignment == Alignment::kNatural,
                         .pc = place.pc};
  const bool polls = access.address == simt::device::hinted_address;  // until it is checked
  check_reference(access, alignment);
  check_access(access);
  running.last_read = access.address;
  trace_access(AccessKind::kRead, address, size_bytes, place, polls);
  if (polls) trace_published_read(address);
}

[[gnu::noinline]] void on_write(const void* address, std::size_t size_bytes, Alignment alignment,
                                Place place, bool is_volatile = false) {
  if (concerns_nobody(address)) return check_hosts_store(address, size_bytes, place);
  if (is_volatile ? running.holds_publications : running.holds_writes_back) {
    simt::device::hold_back(place.pc);
  }
  ++running.changes;
  running.last_access_step = running.steps;
  const Access access = {.address = reinterpret_cast<std::uintptr_t>(address),
                         .size_bytes = size_bytes,
                         .writes = true,
                         .is_volatile = is_volatile,
                         .is_aligned_by_type = alignment == Alignment::kNatural,
                         .pc = place.pc};
  check_reference(access, alignment);
  check_access(access);
  trace_access(AccessKind::kWrite, address, size_bytes, place);
  if (is_volatile) trace_publication(address, place);
}

bool is_unchecked() {
  return simt::device::checks_made == simt::Checks::kNone && running.trace == nullptr;
}

// What a type's plain access comes to, in most cases without a call: its size is a constant. Most
// are to device memory, so that comes first.
template <Alignment alignment>
[[gnu::always_inline]] inline bool is_decided(Does does, const void* address,
                                              std::size_t size_bytes, Place place) {
  const auto number = reinterpret_cast<std::uintptr_t>(address);
  const std::uintptr_t base = does == Does::kRead ? running.read_base : running.write_base;
  const bool is_doubtful = alignment == Alignment::kNone || (alignment == Alignment::kOfReference &&
                                                             simt::device::doubtful_reference != 0);
  if (!is_doubtful && is_in_device(base, number, size_bytes)) {
    if (!decide_in_device(does, base, number, size_bytes, place.pc)) return false;
  } else {
    if (running.is_private(number)) return does == Does::kRead || !is_guarded(number);
    if (is_doubtful) return false;
    if (!decide_in_shared(does, base, number, size_bytes, place.pc) && !is_unchecked())
      return false;
  }
  running.last_access_step = running.steps;
  if (does == Does::kRead) running.last_read = number;
  running.changes += does == Does::kWrite;
  return true;
}

// Comes before the access, so the thread reads what others have written in the meantime.
inline void on_volatile_read(const void* address, std::size_t size_bytes, Alignment alignment,
                             Place place) {
  if (concerns_nobody(address)) return;
  if (running.launch == nullptr) return on_read(address, size_bytes, alignment, place, true);
  running.last_access_step = running.steps;
  simt::device::poll(address, place.pc);
  simt::device::order_acquire();
  check_access({.address = reinterpret_cast<std::uintptr_t>(address),
                .size_bytes = size_bytes,
                .reads = true,
                .is_volatile = true,
                .is_aligned_by_type = alignment == Alignment::kNatural,
                .pc = place.pc});
  trace_access(AccessKind::kRead, address, size_bytes, place, true);
  trace_published_read(address);
}

// The library's own code is not announced, so a trap in it is taken for one of this place.
void enter_library(Place place) {
  if (running.in_kernel()) running.lane->pc = place.pc;
}

void on_library_read(const void* from, std::size_t size_bytes, Place place) {
  if (size_bytes == 0) return;
  on_read(from, size_bytes, Alignment::kNone, place);
  enter_library(place);
}

void on_library_write(const void* to, std::size_t size_bytes, Place place) {
  if (size_bytes == 0) return;
  on_write(to, size_bytes, Alignment::kNone, place);
  enter_library(place);
}

// Whether a launch hands a thread its copy of an argument so large that the compiler calls memcpy
// for it: to the thread's stack, in the line of the launch itself.
bool copies_argument(const void* to, const void* from, Place place) {
  return running.launch != nullptr && concerns_nobody(to) && !concerns_nobody(from) &&
         !simt::is_device_address(from) && simt::device::is_of_launch(place.pc);
}

void on_library_copy(const void* to, const void* from, std::size_t size_bytes, Place place) {
  if (size_bytes == 0 || copies_argument(to, from, place)) return;
  on_read(from, size_bytes, Alignment::kNone, place);
  on_library_write(to, size_bytes, place);
}

inline void step(Place place) {
  simt::device::note_block(running.steps, place.pc);
  simt::device::trace_step(place);
}

// Out of line, so that the common case saves no registers.
[[gnu::noinline]] void step_after_alarm(Place place) {
  simt::device::alarm(place.pc);
  step(place);
}

}  // namespace

extern "C" {

void __sanitizer_cov_trace_pc() {
  if (++running.steps >= running.alarm_step) return step_after_alarm(SIMT_PLACE);
  step(SIMT_PLACE);
}

#define SIMT_ACCESS_HOOKS(prefix, bytes, alignment)                        \
  void __tsan_##prefix##read##bytes(void* p) {                             \
    if (is_decided<alignment>(Does::kRead, p, bytes, SIMT_PLACE)) return;  \
    on_read(p, bytes, alignment, SIMT_PLACE);                              \
  }                                                                        \
  void __tsan_##prefix##write##bytes(void* p) {                            \
    if (is_decided<alignment>(Does::kWrite, p, bytes, SIMT_PLACE)) return; \
    on_write(p, bytes, alignment, SIMT_PLACE);                             \
  }                                                                        \
  void __tsan_##prefix##volatile_read##bytes(void* p) {                    \
    on_volatile_read(p, bytes, alignment, SIMT_PLACE);                     \
  }                                                                        \
  void __tsan_##prefix##volatile_write##bytes(void* p) {                   \
    on_write(p, bytes, alignment, SIMT_PLACE, true);                       \
  }
SIMT_ACCESS_HOOKS(, 1, Alignment::kNatural)
SIMT_ACCESS_HOOKS(, 2, Alignment::kNatural)
SIMT_ACCESS_HOOKS(, 4, Alignment::kNatural)
SIMT_ACCESS_HOOKS(, 8, Alignment::kNatural)
SIMT_ACCESS_HOOKS(, 16, Alignment::kOfReference)  // a struct of two doubles needs 8 bytes
SIMT_ACCESS_HOOKS(unaligned_, 2, Alignment::kNone)
SIMT_ACCESS_HOOKS(unaligned_, 4, Alignment::kNone)
SIMT_ACCESS_HOOKS(unaligned_, 8, Alignment::kNone)
SIMT_ACCESS_HOOKS(unaligned_, 16, Alignment::kNone)
#undef SIMT_ACCESS_HOOKS

void __tsan_read_range(void* p, std::size_t size_bytes) {
  on_read(p, size_bytes, Alignment::kNone, SIMT_PLACE);
}
void __tsan_write_range(void* p, std::size_t size_bytes) {
  on_write(p, size_bytes, Alignment::kNone, SIMT_PLACE);
}
void __tsan_vptr_update(void** p, void*) {
  on_write(p, sizeof *p, Alignment::kNatural, SIMT_PLACE);
  if (running.in_kernel()) simt::device::require_whole_launch();
  simt::device::note_constructed(p);
}
void __tsan_vptr_read(void** p) { on_read(p, sizeof *p, Alignment::kNatural, SIMT_PLACE); }

// What a rung's own calls of the library's memcpy, memmove, memset and others become
// (WorkerSteps.cmake renames them): g++ does not announce the accesses that these make.
void* simt_memcpy(void* to, const void* from, std::size_t size_bytes) {
  on_library_copy(to, from, size_bytes, SIMT_PLACE);
  return std::memcpy(to, from, size_bytes);
}

void* simt_memmove(void* to, const void* from, std::size_t size_bytes) {
  on_library_copy(to, from, size_bytes, SIMT_PLACE);
  return std::memmove(to, from, size_bytes);
}

void* simt_memset(void* to, int value, std::size_t size_bytes) {
  on_library_write(to, size_bytes, SIMT_PLACE);
  return std::memset(to, value, size_bytes);
}

// The same with the size of the room, which a program that asks for _FORTIFY_SOURCE calls.
void* simt___memcpy_chk(void* to, const void* from, std::size_t size_bytes, std::size_t) {
  on_library_copy(to, from, size_bytes, SIMT_PLACE);
  return std::memcpy(to, from, size_bytes);
}

void* simt___memmove_chk(void* to, const void* from, std::size_t size_bytes, std::size_t) {
  on_library_copy(to, from, size_bytes, SIMT_PLACE);
  return std::memmove(to, from, size_bytes);
}

void* simt___memset_chk(void* to, int value, std::size_t size_bytes, std::size_t) {
  on_library_write(to, size_bytes, SIMT_PLACE);
  return std::memset(to, value, size_bytes);
}

// Functions that read or write through a pointer of the caller's, and nothing else that is shared.
int simt_memcmp(const void* left, const void* right, std::size_t size_bytes) {
  on_library_read(left, size_bytes, SIMT_PLACE);
  on_library_read(right, size_bytes, SIMT_PLACE);
  return std::memcmp(left, right, size_bytes);
}

const void* simt_memchr(const void* in, int value, std::size_t size_bytes) {
  on_library_read(in, size_bytes, SIMT_PLACE);
  return std::memchr(in, value, size_bytes);
}

std::size_t simt_strlen(const char* text) {
  enter_library(SIMT_PLACE);
  const std::size_t length = std::strlen(text);
  on_library_read(text, length + 1, SIMT_PLACE);
  return length;
}

int simt_strcmp(const char* left, const char* right) {
  enter_library(SIMT_PLACE);
  on_library_read(left, std::strlen(left) + 1, SIMT_PLACE);
  on_library_read(right, std::strlen(right) + 1, SIMT_PLACE);
  return std::strcmp(left, right);
}

int simt_strncmp(const char* left, const char* right, std::size_t most) {
  enter_library(SIMT_PLACE);
  on_library_read(left, strnlen(left, most), SIMT_PLACE);
  on_library_read(right, strnlen(right, most), SIMT_PLACE);
  return std::strncmp(left, right, most);
}

char* simt_strcpy(char* to, const char* from) {
  enter_library(SIMT_PLACE);
  const std::size_t size_bytes = std::strlen(from) + 1;
  on_library_copy(to, from, size_bytes, SIMT_PLACE);
  return static_cast<char*>(std::memcpy(to, from, size_bytes));
}

char* simt_strncpy(char* to, const char* from, std::size_t most) {
  enter_library(SIMT_PLACE);
  on_library_read(from, strnlen(from, most), SIMT_PLACE);
  on_library_write(to, most, SIMT_PLACE);
  return std::strncpy(to, from, most);
}

double simt_modf(double value, double* whole) {
  on_library_write(whole, sizeof *whole, SIMT_PLACE);
  return modf(value, whole);
}

float simt_modff(float value, float* whole) {
  on_library_write(whole, sizeof *whole, SIMT_PLACE);
  return modff(value, whole);
}

double simt_frexp(double value, int* exponent) {
  on_library_write(exponent, sizeof *exponent, SIMT_PLACE);
  return frexp(value, exponent);
}

float simt_frexpf(float value, int* exponent) {
  on_library_write(exponent, sizeof *exponent, SIMT_PLACE);
  return frexpf(value, exponent);
}

double simt_remquo(double value, double divisor, int* quotient) {
  on_library_write(quotient, sizeof *quotient, SIMT_PLACE);
  return remquo(value, divisor, quotient);
}

float simt_remquof(float value, float divisor, int* quotient) {
  on_library_write(quotient, sizeof *quotient, SIMT_PLACE);
  return remquof(value, divisor, quotient);
}

void simt_sincos(double angle, double* sine, double* cosine) {
  on_library_write(sine, sizeof *sine, SIMT_PLACE);
  on_library_write(cosine, sizeof *cosine, SIMT_PLACE);
  sincos(angle, sine, cosine);
}

void simt_sincosf(float angle, float* sine, float* cosine) {
  on_library_write(sine, sizeof *sine, SIMT_PLACE);
  on_library_write(cosine, sizeof *cosine, SIMT_PLACE);
  sincosf(angle, sine, cosine);
}

// Text, to where the caller says. (They are the host's alone, but nvcc says so, not g++.)
int simt_vsnprintf(char* to, std::size_t room_bytes, const char* format, va_list arguments) {
  va_list same;
  va_copy(same, arguments);
  const int length = std::vsnprintf(nullptr, 0, format, same);
  va_end(same);
  const std::size_t size_bytes = static_cast<std::size_t>(std::max(length, 0)) + 1;
  on_library_write(to, std::min(size_bytes, room_bytes), SIMT_PLACE);
  return std::vsnprintf(to, room_bytes, format, arguments);
}

int simt_snprintf(char* to, std::size_t room_bytes, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = simt_vsnprintf(to, room_bytes, format, arguments);
  va_end(arguments);
  return length;
}

int simt_sprintf(char* to, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = simt_vsnprintf(to, INT_MAX, format, arguments);
  va_end(arguments);
  return length;
}

// Numbers of text, and where the number ends.
#define SIMT_NUMBER_OF_TEXT(type, function, parameters, arguments)      \
  type simt_##function parameters {                                     \
    enter_library(SIMT_PLACE);                                          \
    if (end != nullptr) on_library_write(end, sizeof *end, SIMT_PLACE); \
    return std::function arguments;                                     \
  }
#define SIMT_INTEGER_OF_TEXT(type, function) \
  SIMT_NUMBER_OF_TEXT(type, function, (const char* text, char** end, int base), (text, end, base))
#define SIMT_REAL_OF_TEXT(type, function) \
  SIMT_NUMBER_OF_TEXT(type, function, (const char* text, char** end), (text, end))
SIMT_INTEGER_OF_TEXT(long, strtol)
SIMT_INTEGER_OF_TEXT(long long, strtoll)
SIMT_INTEGER_OF_TEXT(unsigned long, strtoul)
SIMT_INTEGER_OF_TEXT(unsigned long long, strtoull)
SIMT_REAL_OF_TEXT(float, strtof)
SIMT_REAL_OF_TEXT(double, strtod)
#undef SIMT_INTEGER_OF_TEXT
#undef SIMT_REAL_OF_TEXT
#undef SIMT_NUMBER_OF_TEXT

void simt_qsort(void* items, std::size_t count, std::size_t size_bytes,
                int (*compare)(const void*, const void*)) {
  on_library_write(items, count * size_bytes, SIMT_PLACE);
  simt::check_call(reinterpret_cast<simt::AnyFunction>(compare));
  std::qsort(items, count, size_bytes, compare);
}

// Of no use here, but compilers call them.
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}

}  // extern "C"

bool simt::device::is_converter(std::uintptr_t function) {
  const std::uintptr_t all[] = {
      reinterpret_cast<std::uintptr_t>(&simt_vsnprintf),
      reinterpret_cast<std::uintptr_t>(&simt_strtol),
      reinterpret_cast<std::uintptr_t>(&simt_strtoll),
      reinterpret_cast<std::uintptr_t>(&simt_strtoul),
      reinterpret_cast<std::uintptr_t>(&simt_strtoull),
      reinterpret_cast<std::uintptr_t>(&simt_strtof),
      reinterpret_cast<std::uintptr_t>(&simt_strtod),
  };
  return std::find(std::begin(all), std::end(all), function) != std::end(all);
}
