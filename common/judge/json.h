// SPDX-License-Identifier: MIT
// The little JSON that judge and worker write. Nothing here reads JSON: the grader does that.
#pragma once

#include <string>
#include <string_view>

namespace json {

// `text` as a JSON string with its quotes. Control characters are escaped and bytes that are not
// UTF-8 become U+FFFD, so whatever a student prints stays data.
std::string quote(std::string_view text);

// `value` with so many digits at most, as "%g" writes it.
std::string number(double value, int digits);

}  // namespace json
