// SPDX-License-Identifier: MIT
#include "diagnosis.h"

#include <algorithm>

#include "protocol/arena.h"

namespace lab_judge {

using judge::Failure;

std::optional<Failure> compare(const std::string& name, const Words& got, const Words& expected,
                               const std::vector<Mistake>& mistakes) {
  const auto wrong = std::ranges::mismatch(got, expected).in1;
  if (wrong == got.end()) return std::nullopt;
  const auto index = wrong - got.begin();
  const std::string item = name + "[" + std::to_string(index) + "]";
  const std::string of = " of " + std::to_string(got.size());
  if (judge::is_poison(*wrong)) {
    return Failure{judge::kind::kOutputUnwritten, item + of + " was never written"};
  }
  Failure failure{judge::kind::kWrongResult, "expected " + item + of + " = " +
                                                 std::to_string(expected[index]) + ", got " +
                                                 std::to_string(*wrong)};
  for (const Mistake& mistake : mistakes) {
    if (got == mistake.words()) failure.add_pattern(mistake.clause);
  }
  return failure;
}

}  // namespace lab_judge
