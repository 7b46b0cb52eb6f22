// SPDX-License-Identifier: MIT
// Any bytes through the rewriter, for libFuzzer; .ci/fuzz builds and runs it.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "../rewriter/rewrite.h"

namespace {

using namespace simt::rewriter;

void require(bool holds) {
  if (!holds) std::abort();
}

std::ptrdiff_t num_lines(std::string_view text) {
  return std::count(text.begin(), text.end(), '\n');
}

void rewrite_once(std::string_view text) {
  const Source source = lex(text);
  Edits edits(text);
  rewrite_all(source, {"k"}, edits);
  // Findings name lines of the student's file, so no line may move.
  require(num_lines(edits.apply()) == num_lines(text));
  DeviceVariables found;
  find_device_variables(source.code, found);
  for (const std::size_t place : find_classes(source.code)) require(source.line_at(place) > 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Exactly as large as the text, so that AddressSanitizer sees a read past its end.
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    rewrite_once(text);
  } catch (const SyntaxError& error) {
    require(error.offset() <= size);
  }
  return 0;
}
