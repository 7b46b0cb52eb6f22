// SPDX-License-Identifier: MIT
// What is wrong with an output, by the first word that is, and which mistake it looks like.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "data.h"
#include "process/submission.h"

namespace lab_judge {

// A mistake, and what it would give in place of the right words.
struct Mistake {
  const char* clause;  // completes "It looks as if ..."
  std::function<Words()> words;
};

std::optional<judge::Failure> compare(const std::string& name, const Words& got,
                                      const Words& expected, const std::vector<Mistake>& mistakes);

}  // namespace lab_judge
