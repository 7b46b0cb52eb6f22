// SPDX-License-Identifier: MIT
// printf in kernels. Replaces the C library's printf, which it still is outside of kernels, and the
// two functions that compilers turn simple calls of it into.
#include "hooks/print.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <string>

#include "hooks/converters.h"
#include "run/part.h"
#include "run/running.h"
#include "run/untraced.h"

namespace {

std::string g_buffer;
std::size_t g_dropped_bytes = 0;

bool in_kernel() { return simt::device::running.launch != nullptr; }

void append(const char* text, std::size_t size) {
  const simt::device::Untraced untraced;
  simt::device::require_whole_launch();
  const std::size_t kept = std::min(size, simt::device::kPrintBufferBytes - g_buffer.size());
  g_buffer.append(text, kept);
  g_dropped_bytes += size - kept;
}

// What CUDA's printf returns. The number of characters would give away what %s has read unseen.
int num_arguments(const char* format) {
  int count = 0;
  for (const char* at = std::strchr(format, '%'); at != nullptr; at = std::strchr(at, '%')) {
    const std::size_t size = std::strspn(at + 1, simt::device::kBeforeConversion);
    count += static_cast<int>(std::count(at + 1, at + 1 + size, '*'));
    at += 1 + size;
    if (*at == 0) break;
    if (*at != '%') ++count;
    ++at;
  }
  return count;
}

int append_formatted(const char* format, va_list args) {
  char text[1024];
  const int size = std::vsnprintf(text, sizeof text, format, args);
  if (size > 0) append(text, std::min(static_cast<std::size_t>(size), sizeof text - 1));
  return num_arguments(format);
}

}  // namespace

void simt::device::flush_prints() {
  if (g_buffer.empty()) return;
  std::fwrite(g_buffer.data(), 1, g_buffer.size(), stdout);
  if (g_dropped_bytes > 0) {
    std::fprintf(stdout, "\n[%zu more bytes printed by the kernel were dropped]\n",
                 g_dropped_bytes);
  }
  std::fflush(stdout);
  g_buffer.clear();
  g_dropped_bytes = 0;
}

extern "C" int printf(const char* format, ...) {
  simt::device::check_format(format, __builtin_return_address(0));
  va_list args;
  va_start(args, format);
  const int size =
      in_kernel() ? append_formatted(format, args) : std::vfprintf(stdout, format, args);
  va_end(args);
  return size;
}

extern "C" int puts(const char* text) {
  if (!in_kernel()) return std::fputs(text, stdout) < 0 ? EOF : std::fputc('\n', stdout);
  append(text, std::char_traits<char>::length(text));
  append("\n", 1);
  return 1;
}

extern "C" int putchar(int character) {
  if (!in_kernel()) return std::fputc(character, stdout);
  const char text = static_cast<char>(character);
  append(&text, 1);
  return character;
}
