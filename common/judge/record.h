// SPDX-License-Identifier: MIT
// Writes what a test found as GoogleTest properties, the form in which the grader reads it.
#pragma once

#include <string>
#include <vector>

#include "submission.h"
#include "wire.h"

namespace judge {

// A picture that a test made, for people to look at.
struct Image {
  std::string label;  // "result"
  std::string file;   // its name in the folder of --images
};

std::string to_json(const wire::Finding& finding);

void record_failure(const Failure& failure);                       // outcome, kind, message
void record_findings(const std::vector<wire::Finding>& findings);  // JSON array
void record_images(const std::vector<Image>& images);              // JSON array
void record_output(const std::string& raw);                        // what the student printed

}  // namespace judge
