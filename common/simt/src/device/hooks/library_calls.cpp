// SPDX-License-Identifier: MIT
// What a rung's own calls of the library's memcpy, memmove, memset and others become
// (WorkerSteps.cmake renames them): g++ does not announce the accesses that these make.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "check/memory_check.h"
#include "hooks/access.h"
#include "program/place.h"
#include "run/block.h"
#include "run/running.h"
#include "simt/memory.h"

namespace {

using simt::device::announce_read;
using simt::device::announce_write;
using simt::device::Place;
using simt::device::running;

// The library's own code is not announced, so a trap in it is taken for one of this place.
void enter_library(Place place) {
  if (running.in_kernel()) running.lane->pc = place.pc;
}

void on_library_read(const void* from, std::size_t size_bytes, Place place) {
  if (size_bytes == 0) return;
  announce_read(from, size_bytes, place);
  enter_library(place);
}

void on_library_write(const void* to, std::size_t size_bytes, Place place) {
  if (size_bytes == 0) return;
  announce_write(to, size_bytes, place);
  enter_library(place);
}

bool is_private(const void* address) {
  return running.is_private(reinterpret_cast<std::uintptr_t>(address));
}

// Whether a launch hands a thread its copy of an argument so large that the compiler calls memcpy
// for it: to the thread's stack.
bool copies_argument(const void* to, const void* from, std::size_t size_bytes) {
  return running.launch != nullptr && is_private(to) &&
         running.launch->holds_argument(reinterpret_cast<std::uintptr_t>(from), size_bytes);
}

void on_library_copy(const void* to, const void* from, std::size_t size_bytes, Place place) {
  if (size_bytes == 0 || copies_argument(to, from, size_bytes)) return;
  announce_read(from, size_bytes, place);
  on_library_write(to, size_bytes, place);
}

}  // namespace

extern "C" {

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

const char* simt_strchr(const char* text, int character) {
  enter_library(SIMT_PLACE);
  const char* const found = std::strchr(text, character);
  const std::size_t read = found != nullptr ? found - text : std::strlen(text);
  on_library_read(text, read + 1, SIMT_PLACE);
  return found;
}

const char* simt_strstr(const char* text, const char* part) {
  enter_library(SIMT_PLACE);
  on_library_read(part, std::strlen(part) + 1, SIMT_PLACE);
  const char* const found = std::strstr(text, part);
  const std::size_t read = found != nullptr ? found - text + std::strlen(part) : std::strlen(text);
  on_library_read(text, read + 1, SIMT_PLACE);
  return found;
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

// A NaN whose digits are those of a text.
#define SIMT_NAN(type, suffix)                                \
  type simt_nan##suffix(const char* text) {                   \
    enter_library(SIMT_PLACE);                                \
    on_library_read(text, std::strlen(text) + 1, SIMT_PLACE); \
    return nan##suffix(text);                                 \
  }
SIMT_NAN(double, )
SIMT_NAN(float, f)
SIMT_NAN(long double, l)
#undef SIMT_NAN

// Functions with a second result.
#define SIMT_SECOND_RESULTS(type, suffix)                             \
  type simt_modf##suffix(type value, type* whole) {                   \
    on_library_write(whole, sizeof *whole, SIMT_PLACE);               \
    return modf##suffix(value, whole);                                \
  }                                                                   \
  type simt_frexp##suffix(type value, int* exponent) {                \
    on_library_write(exponent, sizeof *exponent, SIMT_PLACE);         \
    return frexp##suffix(value, exponent);                            \
  }                                                                   \
  type simt_remquo##suffix(type value, type divisor, int* quotient) { \
    on_library_write(quotient, sizeof *quotient, SIMT_PLACE);         \
    return remquo##suffix(value, divisor, quotient);                  \
  }                                                                   \
  void simt_sincos##suffix(type angle, type* sine, type* cosine) {    \
    on_library_write(sine, sizeof *sine, SIMT_PLACE);                 \
    on_library_write(cosine, sizeof *cosine, SIMT_PLACE);             \
    sincos##suffix(angle, sine, cosine);                              \
  }
SIMT_SECOND_RESULTS(double, )
SIMT_SECOND_RESULTS(float, f)
SIMT_SECOND_RESULTS(long double, l)
#undef SIMT_SECOND_RESULTS

}  // extern "C"
