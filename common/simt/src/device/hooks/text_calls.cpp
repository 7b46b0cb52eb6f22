// SPDX-License-Identifier: MIT
// What a rung's own calls of the C library's functions for text, streams and time become, and of
// qsort (WorkerSteps.cmake renames them). They exist only on the host. What they write there is
// announced, and a worker's rung hands them no stream of its own making.
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iterator>

#include "hooks/access.h"
#include "hooks/converters.h"
#include "hooks/host_call.h"
#include "program/place.h"
#include "report/report_at.h"
#include "run/confined.h"
#include "run/untraced.h"
#include "simt/confine.h"
#include "simt/sealed.h"

namespace {

using simt::device::end_host_call;
using simt::device::Place;

void announce_host_write(const void* to, std::size_t size_bytes, Place place) {
  if (size_bytes != 0) simt::device::announce_write(to, size_bytes, place);
}

[[noreturn]] void end_confined(const char* what, const void* pc) {
  const simt::device::Untraced untraced;
  const simt::SourcePlace where = simt::device::place_in_host_code(pc);
  std::fprintf(stderr, "%s:%d: %s\n", where.file.c_str(), where.line, what);
  _exit(simt::kSealedStatus);
}

// The functions of a stream trust what it consists of, the functions for its buffer included.
void check_stream(const std::FILE* stream, const void* pc) {
  if (simt::device::simt_confined.is_confined == 0) return;
  if (stream == stdout || stream == stderr || stream == nullptr) return;
  end_confined("writes text to a stream that is neither stdout nor stderr", pc);
}

}  // namespace

void simt::device::check_format(const char* format, const void* pc) {
  if (simt_confined.is_confined == 0) return;
  for (const char* at = std::strchr(format, '%'); at != nullptr; at = std::strchr(at, '%')) {
    at += 1 + std::strspn(at + 1, kBeforeConversion);
    if (*at == 'n') end_confined("uses %n: CUDA's printf does not know it", pc);
    if (*at != 0) ++at;
  }
}

extern "C" {

#define SIMT_RETURN_ADDRESS __builtin_return_address(0)

int simt_vsnprintf(char* to, std::size_t room_bytes, const char* format, va_list arguments) {
  end_host_call("vsnprintf", SIMT_RETURN_ADDRESS);
  simt::device::check_format(format, SIMT_RETURN_ADDRESS);
  va_list same;
  va_copy(same, arguments);
  const int length = std::vsnprintf(nullptr, 0, format, same);
  va_end(same);
  const std::size_t size_bytes = static_cast<std::size_t>(std::max(length, 0)) + 1;
  announce_host_write(to, std::min(size_bytes, room_bytes), SIMT_PLACE);
  return std::vsnprintf(to, room_bytes, format, arguments);
}

int simt_snprintf(char* to, std::size_t room_bytes, const char* format, ...) {
  end_host_call("snprintf", SIMT_RETURN_ADDRESS);
  va_list arguments;
  va_start(arguments, format);
  const int length = simt_vsnprintf(to, room_bytes, format, arguments);
  va_end(arguments);
  return length;
}

int simt_sprintf(char* to, const char* format, ...) {
  end_host_call("sprintf", SIMT_RETURN_ADDRESS);
  va_list arguments;
  va_start(arguments, format);
  const int length = simt_vsnprintf(to, INT_MAX, format, arguments);
  va_end(arguments);
  return length;
}

int simt_vfprintf(std::FILE* stream, const char* format, va_list arguments) {
  end_host_call("vfprintf", SIMT_RETURN_ADDRESS);
  check_stream(stream, SIMT_RETURN_ADDRESS);
  simt::device::check_format(format, SIMT_RETURN_ADDRESS);
  return std::vfprintf(stream, format, arguments);
}

int simt_vprintf(const char* format, va_list arguments) {
  end_host_call("vprintf", SIMT_RETURN_ADDRESS);
  simt::device::check_format(format, SIMT_RETURN_ADDRESS);
  return std::vfprintf(stdout, format, arguments);
}

int simt_fprintf(std::FILE* stream, const char* format, ...) {
  end_host_call("fprintf", SIMT_RETURN_ADDRESS);
  va_list arguments;
  va_start(arguments, format);
  const int length = simt_vfprintf(stream, format, arguments);
  va_end(arguments);
  return length;
}

#define SIMT_OUTPUT(function, parameters, arguments) \
  int simt_##function parameters {                   \
    end_host_call(#function, SIMT_RETURN_ADDRESS);   \
    check_stream(stream, SIMT_RETURN_ADDRESS);       \
    return std::function arguments;                  \
  }
SIMT_OUTPUT(fputs, (const char* text, std::FILE* stream), (text, stream))
SIMT_OUTPUT(fputc, (int character, std::FILE* stream), (character, stream))
SIMT_OUTPUT(putc, (int character, std::FILE* stream), (character, stream))
SIMT_OUTPUT(fflush, (std::FILE * stream), (stream))
#undef SIMT_OUTPUT

std::size_t simt_fwrite(const void* from, std::size_t size_bytes, std::size_t count,
                        std::FILE* stream) {
  end_host_call("fwrite", SIMT_RETURN_ADDRESS);
  check_stream(stream, SIMT_RETURN_ADDRESS);
  return std::fwrite(from, size_bytes, count, stream);
}

// Numbers of text, and where the number ends.
#define SIMT_NUMBER_OF_TEXT(type, function, parameters, arguments)         \
  type simt_##function parameters {                                        \
    end_host_call(#function, SIMT_RETURN_ADDRESS);                         \
    if (end != nullptr) announce_host_write(end, sizeof *end, SIMT_PLACE); \
    return std::function arguments;                                        \
  }
#define SIMT_INTEGER_OF_TEXT(type, function)                                                       \
  SIMT_NUMBER_OF_TEXT(type, function, (const char* text, char** end, int base), (text, end, base)) \
  type simt___isoc23_##function(const char* text, char** end, int base)                            \
      __attribute__((alias("simt_" #function)));
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

std::time_t simt_time(std::time_t* to) {
  end_host_call("time", SIMT_RETURN_ADDRESS);
  if (to != nullptr) announce_host_write(to, sizeof *to, SIMT_PLACE);
  return std::time(to);
}

int simt_clock_gettime(clockid_t clock, timespec* to) {
  end_host_call("clock_gettime", SIMT_RETURN_ADDRESS);
  announce_host_write(to, sizeof *to, SIMT_PLACE);
  return clock_gettime(clock, to);
}

void simt_qsort(void* items, std::size_t count, std::size_t size_bytes,
                int (*compare)(const void*, const void*)) {
  end_host_call("qsort", SIMT_RETURN_ADDRESS);
  announce_host_write(items, count * size_bytes, SIMT_PLACE);
  simt::check_call(reinterpret_cast<simt::AnyFunction>(compare));
  std::qsort(items, count, size_bytes, compare);
}

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
