// SPDX-License-Identifier: MIT
#include "fixture.h"

#include <algorithm>

namespace lab_judge {
namespace {

constexpr int kMaxExplainedItems = 1 << 15;  // a mistake shows in a smaller case, too

std::string text(const lab::Fraction& item) {
  return std::to_string(item.numerator) + "/" + std::to_string(item.denominator);
}

std::string to_text(const Problem& problem) {
  if (problem.function == Function::kMerge) {
    return judge::counted(problem.num_a, "item") + " with " +
           judge::counted(problem.num_items() - problem.num_a, "item");
  }
  return judge::counted(problem.num_items(), "item") +
         (problem.order == lab::Order::kByValue ? " by value" : ", largest denominator first");
}

}  // namespace

std::optional<Failure> ItemsFixture::attempt(const std::vector<Problem>& problems) {
  begin_case();
  std::vector<Buffer<lab::Fraction>> outputs;
  std::vector<wire::Call> calls;
  int most_items = 0;
  for (const Problem& problem : problems) {
    const std::string suffix = problems.size() == 1 ? "" : "_" + std::to_string(calls.size() + 1);
    most_items = std::max(most_items, problem.num_items());
    outputs.push_back(output<lab::Fraction>("d_out" + suffix, problem.h_in.size()));
    const bool is_merge = problem.function == Function::kMerge;
    const auto d_a =
        is_merge ? input("d_a" + suffix, problem.h_a()) : input("d_in" + suffix, problem.h_in);
    const auto d_b = is_merge ? input("d_b" + suffix, problem.h_b()) : Buffer<lab::Fraction>();
    calls.push_back(encode(problem.function, problem.order, d_a, d_b, outputs.back()));
  }
  set_scratch_bytes(scratch_bytes(most_items));
  return run_in_a_row(calls, [&](std::size_t i) { return check(problems[i], outputs[i]); });
}

std::optional<Failure> ItemsFixture::check(const Problem& problem,
                                           const Buffer<lab::Fraction>& d_out) const {
  const Items got = d_out.download();
  const Items expected = expected_of(problem);
  const auto wrong = std::ranges::mismatch(got, expected, [](const auto& x, const auto& y) {
    return x.numerator == y.numerator && x.denominator == y.denominator;
  });
  if (wrong.in1 == got.end()) return std::nullopt;
  const std::string place =
      to_text(problem) + ": d_out[" + std::to_string(wrong.in1 - got.begin()) + "]";
  Failure failure =
      judge::is_poison(*wrong.in1)
          ? Failure{judge::kind::kOutputUnwritten, place + " was never written"}
          : Failure{judge::kind::kWrongResult,
                    place + ": expected " + text(*wrong.in2) + ", got " + text(*wrong.in1)};
  if (problem.num_items() > kMaxExplainedItems) return failure;
  for (const std::string& clause : explain(problem, got)) failure.add_pattern(clause);
  return failure;
}

}  // namespace lab_judge
