// SPDX-License-Identifier: MIT
#include "host_test.h"

namespace scheduling_test {

void tell_case(Failure& failure, const std::string& before) {
  if (failure.kind == "todo" || failure.kind == "compile_error") return;
  failure.message = before + failure.message;
}

}  // namespace scheduling_test
