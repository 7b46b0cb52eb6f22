// SPDX-License-Identifier: MIT
#include "fixture.h"

namespace lab_judge {

void tell_case(Failure& failure, const std::string& before) {
  if (failure.kind == judge::kind::kTodo || failure.kind == judge::kind::kCompileError) return;
  failure.message = before + failure.message;
}

}  // namespace lab_judge
