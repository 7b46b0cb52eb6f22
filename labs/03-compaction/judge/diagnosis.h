// SPDX-License-Identifier: MIT
// The classic mistakes of compaction, each with the result that it would give.
#pragma once

#include <string>
#include <vector>

#include "reference.h"

namespace lab_judge {

// Each returns a clause that completes "It looks as if ...", or nothing. A clause is given only if
// the wrong result is exactly the mistake's. It never contains a number, because the same mistake
// must read the same at every size.

// result.count is wrong; all that fit. in_place: the kept items themselves are right.
std::vector<std::string> explain_count(const Compaction& result, bool in_place);

// Why it was never written, if the kept items are in their places.
std::string explain_unwritten_count(const Compaction& result, const std::vector<int>& expected);

// The kept items are wrongly placed: result.h_out differs from `expected` (the kept items in order)
// in front of `expected`'s end.
std::string explain_kept(const Compaction& result, const std::vector<int>& expected);

// The items behind the kept ones are wrong; `expected`: all others in order.
std::string explain_rest(const Compaction& result, const std::vector<int>& expected);

// All of `expected` is there, in another order.
bool is_permutation_of(std::vector<int> expected, std::vector<int> got);

}  // namespace lab_judge
