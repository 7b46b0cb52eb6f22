// SPDX-License-Identifier: MIT
// Rung 07: what requests cost, and points that change their layout.
#include <algorithm>
#include <set>

#include "fixture/fixture.h"
#include "workload.h"

namespace lab_judge {
namespace {

using judge::Buffer;
using judge::Failure;
using lab::AccessCost;
using lab::kWarpSize;

constexpr int kSectorBytes = 32;
constexpr int kLineBytes = 128;

// ---- classifying

struct Access {
  int element_bytes;
  int offset;
  int stride_x;
  int stride_y;
  int block_width;
  std::string what = {};
};

int count_blocks(const Access& access, int block_bytes, int num_lanes = kWarpSize) {
  std::set<int> blocks;
  for (int lane = 0; lane < num_lanes; ++lane) {
    const int element = access.offset + lane % access.block_width * access.stride_x +
                        lane / access.block_width * access.stride_y;
    blocks.insert(element * access.element_bytes / block_bytes);
  }
  return static_cast<int>(blocks.size());
}

AccessCost cost(const Access& access) {
  const int num_sectors = count_blocks(access, kSectorBytes);
  return {num_sectors, num_sectors <= access.element_bytes};
}

std::string text(const Access& access) {
  const auto term = [](int stride, const char* name) {
    return stride == 0 ? std::string() : " + " + std::to_string(stride) + " * " + name;
  };
  return (access.what.empty() ? "" : access.what + ", ") + "index " +
         std::to_string(access.offset) + term(access.stride_x, "tx") + term(access.stride_y, "ty") +
         ", elements of " + judge::counted(access.element_bytes, "byte") + ", a block " +
         std::to_string(access.block_width) + " wide";
}

std::string text(const AccessCost& cost) {
  return judge::counted(cost.num_sectors, "sector") +
         (cost.is_coalesced ? ", coalesced" : ", not coalesced");
}

bool equal(const AccessCost& a, const AccessCost& b) {
  return a.num_sectors == b.num_sectors && a.is_coalesced == b.is_coalesced;
}

struct CostAnswer {
  Access access;
  AccessCost cost;
};

// A clause that completes "It looks as if ...", from all answers; or nothing.
std::string explain(const std::vector<CostAnswer>& answers) {
  const auto fits = [&](auto mistake) {
    return std::ranges::all_of(answers, [&](const CostAnswer& answer) {
      return answer.cost.num_sectors == mistake(answer.access);
    });
  };
  const auto sectors = [](const Access& access) { return count_blocks(access, kSectorBytes); };
  if (fits(sectors)) {
    return "the sectors are right, but the limit for coalesced is wrong: it is what 32 such "
           "elements fill, neither more nor less";
  }
  if (fits([](const Access& access) { return count_blocks(access, kLineBytes); })) {
    return "lines of 128 bytes are counted; a sector has 32";
  }
  if (fits([](const Access& access) { return count_blocks(access, access.element_bytes); })) {
    return "elements are counted and not sectors";
  }
  if (fits([](const Access& access) {
        return count_blocks(access, kSectorBytes, std::min(access.block_width, kWarpSize));
      })) {
    return "a row of the block is taken for a warp";
  }
  // The remaining mistakes ignore a part of the access.
  const auto fits_changed = [&](auto change) {
    return fits([&](Access access) {
      change(access);
      return sectors(access);
    });
  };
  if (fits_changed([](Access& access) { access.offset = 0; })) {
    return "the offset is left out: a run that begins within a sector may touch one more";
  }
  if (fits_changed([](Access& access) { access.block_width = kWarpSize; })) {
    return "the warp is taken for 32 threads of one row of the block";
  }
  if (fits_changed([](Access& access) { access.stride_y = 0; })) return "threadIdx.y is left out";
  if (fits_changed([](Access& access) { access.element_bytes = 4; })) {
    return "all elements are taken for 4 bytes";
  }
  if (fits_changed([](Access& access) { access.element_bytes = 1; })) {
    return "elements are taken for bytes";
  }
  return {};
}

// ---- points

struct Points {
  std::vector<float> words;  // (num_points, 3)

  std::size_t size() const { return words.size() / 3; }
};

std::string explain_points(const Points& points, const std::vector<float> (&got)[3]) {
  const std::size_t num_points = points.size();
  const auto fits = [&](auto word) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (std::size_t i = 0; i < num_points; ++i) {
        const std::size_t index = word(axis, i);
        if (index >= points.words.size() || got[axis][i] != points.words[index]) return false;
      }
    }
    return true;
  };
  if (fits([&](std::size_t axis, std::size_t i) { return axis * num_points + i; })) {
    return "the points are taken for a structure of arrays already, and copied";
  }
  if (fits([](std::size_t, std::size_t i) { return 3 * i; })) {
    return "all three outputs receive x";
  }
  if (fits([](std::size_t axis, std::size_t i) { return 3 * i + (2 - axis); })) {
    return "the outputs are in the reverse order";
  }
  return {};
}

class Coalescing : public judge::Fixture {
 protected:
  // All accesses are tried, so that a mistake is named only if it explains all answers.
  void expect_classified(const std::vector<Access>& accesses) {
    std::vector<CostAnswer> answers;
    const CostAnswer* first = nullptr;
    answers.reserve(accesses.size());
    for (const Access& access : accesses) {
      begin_case();
      const auto h_cost = output<AccessCost>("h_cost", 1);
      if (const auto failure = call<decltype(lab::classify_access)>(
              "classify_access", access.element_bytes, access.offset, access.stride_x,
              access.stride_y, access.block_width, judge::on_host(h_cost))) {
        return fail(*failure);
      }
      answers.push_back({access, h_cost.download()[0]});
      const bool is_right = equal(answers.back().cost, cost(access));
      if (first == nullptr && !is_right) first = &answers.back();
    }
    if (first == nullptr) return;
    fail({judge::kind::kWrongResult,
          text(first->access) + ": expected " + text(cost(first->access)) + ", got " +
              text(first->cost),
          explain(answers)});
  }

  int some(int most) { return static_cast<int>(next_seed() % (most + 1)); }

  struct Case {
    Points points;
    Buffer<float> d_split[3];
    wire::Call call;
  };
  Case make_case(int num_points, const std::string& number = {}) {
    Case made;
    // Random whole numbers, almost certainly all different, so that swapping two is detected.
    made.points.words =
        judge::random_integers(next_seed(), 3 * std::size_t{1} * num_points, 1 << 23);
    const auto d_points = input("d_points" + number, made.points.words);
    for (int axis = 0; axis < 3; ++axis) {
      made.d_split[axis] =
          output<float>(std::string("d_") + "xyz"[axis] + number, made.points.size());
    }
    made.call = judge::encode_call<decltype(lab::split_points)>(
        "split_points", d_points, num_points, made.d_split[0], made.d_split[1], made.d_split[2]);
    return made;
  }

  static std::optional<Failure> compare(const Case& made) {
    const std::vector<float> got[3] = {made.d_split[0].download(), made.d_split[1].download(),
                                       made.d_split[2].download()};
    for (std::size_t i = 0; i < made.points.size(); ++i) {
      for (int axis = 0; axis < 3; ++axis) {
        const float expected = made.points.words[3 * i + axis];
        if (got[axis][i] == expected) continue;
        const std::string what = std::to_string(made.points.size()) + " points: d_" + "xyz"[axis] +
                                 "[" + std::to_string(i) + "]";
        if (judge::is_poison(got[axis][i])) {
          return Failure{judge::kind::kOutputUnwritten, what + " was never written"};
        }
        return Failure{judge::kind::kWrongResult,
                       what + " should be " + std::to_string(expected) + ", but is " +
                           std::to_string(got[axis][i]),
                       explain_points(made.points, got)};
      }
    }
    return std::nullopt;
  }

  std::optional<Failure> split(int num_points) {
    begin_case();
    const Case made = make_case(num_points);
    if (auto failure = run({made.call})) return failure;
    return compare(made);
  }
};

TEST_F(Coalescing, IsClassifiedInOneDimension) {
  std::vector<Access> accesses = {{4, 0, 1, 0, 256, "neighbouring words"},
                                  {4, 1, 1, 0, 256, "neighbouring words, shifted"},
                                  {4, 8, 1, 0, 256, "neighbouring words, shifted by a sector"},
                                  {4, 0, 2, 0, 256, "every other word"},
                                  {4, 0, 3, 0, 256, "x of an array of points"},
                                  {4, 0, 8, 0, 256, "a word of each sector"},
                                  {4, 0, 1024, 0, 256, "a column"},
                                  {4, 77, 0, 0, 256, "the same word for all"},
                                  {4, 31, -1, 0, 256, "neighbouring words, backwards"}};
  for (int i = 0; i < 20; ++i) {
    const int stride = some(i % 2 == 0 ? 12 : 3000);
    accesses.push_back({4, some(1000), stride, 0, 32 << some(5), "a stride at random"});
  }
  expect_classified(accesses);
}

TEST_F(Coalescing, IsClassifiedForAllElements) {
  std::vector<Access> accesses;
  for (const int element_bytes : {4, 1, 2, 8, 16}) {
    accesses.insert(accesses.end(),
                    {{element_bytes, 0, 1, 0, 128, "side by side"},
                     {element_bytes, 1, 1, 0, 128, "side by side, shifted"},
                     {element_bytes, 0, 2, 0, 128, "every other element"},
                     {element_bytes, some(100), some(40), 0, 128, "a stride at random"}});
  }
  expect_classified(accesses);
}

TEST_F(Coalescing, IsClassifiedInTwoDimensions) {
  std::vector<Access> accesses = {{4, 0, 1, 1000, 16, "two rows of a matrix"},
                                  {4, 0, 1, 1001, 16, "two rows of a matrix that is not aligned"},
                                  {4, 0, 1, 1024, 8, "four rows of a matrix"},
                                  {4, 0, 1024, 1, 16, "two columns of a matrix"},
                                  {4, 0, 0, 1, 16, "a word for each row of the block"},
                                  {4, 0, 1, 1000, 40, "a warp that is a part of a row"},
                                  {4, 0, 1, 1000, 24, "a row and a part of the next"},
                                  {8, 0, 1, 16, 16, "rows behind each other"}};
  for (int i = 0; i < 20; ++i) {
    accesses.push_back({1 << some(4), some(500), some(5), some(300), 1 + some(40), "at random"});
  }
  expect_classified(accesses);
}

TEST_F(Coalescing, IsClassifiedInTheMatrixProduct) {
  for (const int width : {1024, 64, 100, 1000, 4096, 65 + some(2000)}) {
    for (const int block_width : {16, 4, 8, 32, 64}) {
      for (const bool column_from_x : {true, false}) {
        begin_case();
        const auto h_cost = output<lab::MatmulCost>("h_cost", 1);
        if (const auto failure = call<decltype(lab::classify_matmul)>(
                "classify_matmul", width, block_width, column_from_x, judge::on_host(h_cost))) {
          return fail(*failure);
        }
        const lab::MatmulCost got = h_cost.download()[0];
        const auto access = [&](int of_row, int of_column, const char* what) {
          return Access{4,
                        0,
                        column_from_x ? of_column : of_row,
                        column_from_x ? of_row : of_column,
                        block_width,
                        what};
        };
        const std::string where = "matrices " + std::to_string(width) + " wide, column from " +
                                  (column_from_x ? "x" : "y") + ": ";
        for (const auto& [of_what, mine] :
             {std::pair{access(width, 0, "A[row * width]"), got.a},
              std::pair{access(0, 1, "B[column]"), got.b},
              std::pair{access(width, 1, "C[row * width + column]"), got.c}}) {
          if (equal(cost(of_what), mine)) continue;
          return fail({judge::kind::kWrongResult, where + text(of_what) + ": expected " +
                                                      text(cost(of_what)) + ", got " + text(mine)});
        }
      }
    }
  }
}

TEST_F(Coalescing, LeavesPointsAsTheyAre) {
  const int large = (judge::kOnGpu ? 1 << 20 : 20000) + some(1000);
  expect_for_sizes({1,   2,   3,   31,  32,  33,   85,   86,   127,  128,  129,
                    255, 256, 257, 341, 342, 1000, 1023, 1024, 1025, 4099, large},
                   [&](int num_points) { return split(num_points); });
}

TEST_F(Coalescing, WorksOnEveryCall) {
  begin_case();
  std::vector<Case> cases;
  std::vector<wire::Call> calls;
  for (const int num_points : {700, 0, 40, 1025}) {
    cases.push_back(make_case(num_points, "_" + std::to_string(cases.size())));
    calls.push_back(cases.back().call);
  }
  if (const auto failure = run(calls)) return fail(*failure);
  for (const Case& made : cases) {
    if (const auto failure = compare(made)) return fail(*failure);
  }
}

TEST_F(Coalescing, DependsOnNoOrderOfExecution) {
  for (int round = 0; round < 4; ++round) {
    set_schedule(next_seed() | 1);
    expect_for_sizes({500 + some(1000)}, [&](int num_points) { return split(num_points); });
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace lab_judge
