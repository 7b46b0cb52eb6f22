// SPDX-License-Identifier: MIT
// All rungs: they differ in scratch memory, in which keys a query has, and in the type of numbers.
#include <algorithm>
#include <cmath>

#include "fixture.h"
#include "fixture/options.h"

namespace lab_judge {
namespace {

class Attention : public AttentionFixture {};

// Scores 0, log(3) and log(4): weights 1, 3 and 4 of 8. Values 8, 16 and 4. All in element 0.
TEST_F(Attention, FollowsTheWorkedExample) {
  Problem problem{kind(), shape(1, 1, 3), {}, {}, {}};
  problem.h_q.resize(problem.shape.num_rows() * lab::kHeadSize);
  for (std::size_t row = 0; row < problem.shape.num_rows(); ++row) {
    problem.h_q[row * lab::kHeadSize] = std::sqrt(float{lab::kHeadSize});
  }
  problem.h_k.resize(3 * lab::kHeadSize);
  problem.h_v.resize(3 * lab::kHeadSize);
  const float powers[] = {1, 3, 4};
  const float values[] = {8, 16, 4};
  for (int key = 0; key < 3; ++key) {
    problem.h_k[key * lab::kHeadSize] = std::log(powers[key]);
    problem.h_v[key * lab::kHeadSize] = values[key];
  }
  if (kind() == Kind::kBf16) {
    for (std::vector<float>* const h_numbers : {&problem.h_q, &problem.h_k}) {
      for (float& number : *h_numbers) number = __bfloat162float(__float2bfloat16(number));
    }
  }
  if (auto failure = attempt(problem)) {
    failure->message = "the handout's example: " + failure->message;
    fail(*failure);
  }
}

TEST_F(Attention, AttendsWithinOneTile) {
  expect_for_shapes({shape(1, 1, 1), shape(1, 1, 2), shape(1, 3, 5), shape(1, 15, 16),
                     shape(1, 17, 31), shape(1, 32, 32), shape(1, 33, 63), shape(1, 64, 64)});
}

TEST_F(Attention, AttendsAcrossTiles) {
  expect_for_shapes({shape(1, 64, 65), shape(1, 65, 128), shape(1, 63, 129), shape(1, 129, 127),
                     shape(1, 1, 257), shape(1, 128, 192)});
}

TEST_F(Attention, AttendsAnyShape) {
  std::vector<Shape> shapes;
  const int most = judge::kOnGpu ? 1500 : 150;
  for (int i = 0; i < 4; ++i) {
    const auto some = [&] { return 1 + static_cast<int>(next_seed() % most); };
    shapes.push_back(shape(1 + static_cast<int>(next_seed() % 3), some(), some()));
  }
  expect_for_shapes(shapes);
}

TEST_F(Attention, KeepsHeadsApart) {
  expect_for_shapes({shape(2, 16, 16), shape(3, 5, 70), shape(7, 9, 33)});
}

// e^200 is more than a float holds, and e^-200 is less.
TEST_F(Attention, SubtractsTheLargestScore) {
  for (const float shift : {200.0F, -200.0F}) {
    expect_for_shapes({shape(1, 2, 3), shape(1, 20, 100)}, shift);
    if (HasFailure()) return;
  }
}

// Relative to any other score, its power is infinite.
TEST_F(Attention, FindsTheLargestScoreOfAllKeys) {
  for (const Shape& tried : {shape(1, 8, 8), shape(1, 100, 100), shape(1, 130, 130)}) {
    auto failure = attempt(peaked_problem(kind(), tried, next_seed()));
    if (!failure) continue;
    failure->message =
        "each query has a score of more than 100 above its others: " + failure->message;
    return fail(*failure);
  }
}

TEST_F(Attention, KeepsTheBitsOfItsInputs) {
  auto failure = attempt(fine_problem(kind(), shape(1, 40, 6), next_seed()));
  if (!failure) failure = attempt(fine_problem(kind(), shape(2, 30, 70), next_seed()));
  if (!failure) return;
  failure->message =
      "queries and keys whose products a shorter type would round: " + failure->message;
  fail(*failure);
}

TEST_F(Attention, WritesNothingWithoutQueries) {
  const int no_keys = kind() == Kind::kCausal ? 0 : 16;
  for (const Shape& empty : {shape(2, 16, 16), Shape{2, 0, no_keys}, Shape{0, 16, 16}}) {
    if (const auto failure = attempt(empty)) return fail(*failure);
  }
}

TEST_F(Attention, WorksOnEveryCall) {
  begin_case();
  std::vector<Problem> problems;
  std::vector<Prepared> prepared;
  std::vector<wire::Call> calls;
  std::size_t most_scratch_bytes = 0;
  for (const Shape& next :
       {shape(2, 70, 90), shape(1, 1, 1), shape(1, 20, 150), shape(2, 70, 90)}) {
    problems.push_back(random_problem(kind(), next, next_seed()));
    prepared.push_back(prepare(problems.back(), "_" + std::to_string(calls.size() + 1)));
    calls.push_back(prepared.back().call);
    most_scratch_bytes = std::max(most_scratch_bytes, scratch_bytes(kind(), next));
  }
  set_scratch_bytes(most_scratch_bytes);
  const auto failure = run_in_a_row(calls, [&](std::size_t i) {
    return compare(problems[i], attend(problems[i]), prepared[i].download_outputs());
  });
  if (failure) fail(*failure);
}

TEST_F(Attention, DependsOnNoOrderOfExecution) {
  expect_in_any_order(4, [&](int) {
    const auto some = [&] { return 20 + static_cast<int>(next_seed() % 120); };
    return attempt(shape(1, some(), some()));
  });
}

}  // namespace
}  // namespace lab_judge
