// SPDX-License-Identifier: MIT
#include "record.h"

#include <gtest/gtest.h>

#include "json.h"

namespace judge {
namespace {

using ::testing::Test;

constexpr std::size_t kMaxOutputBytes = 2000;

// XML and JSON writers of GoogleTest pass some bytes through; quoting here keeps them harmless.
std::string printable(const std::string& raw) {
  const std::string quoted = json::quote(raw);
  return quoted.substr(1, quoted.size() - 2);
}

}  // namespace

std::string to_json(const wire::Finding& finding) {
  return "{\"kind\": " + json::quote(finding.kind) + ", \"file\": " + json::quote(finding.file) +
         ", \"line\": " + std::to_string(finding.line) +
         ", \"kernel\": " + json::quote(finding.kernel) +
         ", \"message\": " + json::quote(finding.message) + "}";
}

void record_failure(const Failure& failure) {
  Test::RecordProperty("outcome", "failed");
  Test::RecordProperty("kind", failure.kind);
  Test::RecordProperty("message", failure.message);
}

void record_findings(const std::vector<wire::Finding>& findings) {
  if (findings.empty()) return;
  std::string text;
  for (const wire::Finding& finding : findings)
    text += (text.empty() ? "[" : ", ") + to_json(finding);
  Test::RecordProperty("findings", text + "]");
}

void record_images(const std::vector<Image>& images) {
  if (images.empty()) return;
  std::string text;
  for (const Image& image : images) {
    text += (text.empty() ? "[" : ", ") + ("{\"label\": " + json::quote(image.label)) +
            ", \"file\": " + json::quote(image.file) + "}";
  }
  Test::RecordProperty("images", text + "]");
}

void record_output(const std::string& raw) {
  if (raw.empty()) return;
  const bool cut = raw.size() > kMaxOutputBytes;
  Test::RecordProperty("output", printable(raw.substr(0, kMaxOutputBytes)) + (cut ? " ..." : ""));
}

}  // namespace judge
