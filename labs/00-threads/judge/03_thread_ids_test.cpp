// SPDX-License-Identifier: MIT
// Rung 03: the numbers of every thread of grids and blocks of one to three dimensions.
#include <algorithm>
#include <functional>
#include <tuple>

#include "fixture.h"
#include "fixture/fixture.h"
#include "fixture/test_data.h"

namespace lab_judge {
namespace {

using judge::Failure;
using lab::ThreadIds;

int volume(dim3 extent) { return static_cast<int>(extent.x * extent.y * extent.z); }

struct Index {
  int x, y, z;
};

// Position of number `id` in a box of `extent`.
Index position(int id, dim3 extent) {
  const int width = static_cast<int>(extent.x);
  const int height = static_cast<int>(extent.y);
  return {id % width, id / width % height, id / (width * height)};
}

std::string text(Index index) {
  return "(" + std::to_string(index.x) + ", " + std::to_string(index.y) + ", " +
         std::to_string(index.z) + ")";
}

struct LaunchShape {
  dim3 grid;
  dim3 block;

  int num_threads() const { return volume(grid) * volume(block); }
  Index thread(int id) const { return position(id % volume(block), block); }
  Index block_of(int id) const { return position(id / volume(block), grid); }

  // The record that thread `id` must store.
  ThreadIds ids(int id) const {
    const Index t = thread(id);
    const Index b = block_of(id);
    return {b.x * static_cast<int>(block.x) + t.x, b.y * static_cast<int>(block.y) + t.y,
            b.z * static_cast<int>(block.z) + t.z, id % volume(block), id / volume(block)};
  }
  // The global id of the thread at a record's column, row and layer; -1: there is none.
  int id_at(const ThreadIds& ids) const {
    const auto inside = [](int value, unsigned blocks, unsigned threads) {
      return value >= 0 && value < static_cast<int>(blocks * threads);
    };
    if (!inside(ids.column, grid.x, block.x) || !inside(ids.row, grid.y, block.y) ||
        !inside(ids.layer, grid.z, block.z)) {
      return -1;
    }
    const auto number = [](Index i, dim3 extent) {
      return i.x + static_cast<int>(extent.x) * (i.y + static_cast<int>(extent.y) * i.z);
    };
    const int dx = static_cast<int>(block.x);
    const int dy = static_cast<int>(block.y);
    const int dz = static_cast<int>(block.z);
    return number({ids.column / dx, ids.row / dy, ids.layer / dz}, grid) * volume(block) +
           number({ids.column % dx, ids.row % dy, ids.layer % dz}, block);
  }
  std::string name(int id) const {
    return "thread " + text(thread(id)) + " of block " + text(block_of(id));
  }
};

std::string text(dim3 extent) {
  return std::to_string(extent.x) + " x " + std::to_string(extent.y) + " x " +
         std::to_string(extent.z);
}

// ---- naming the mistake

// A wrong way to number a position in a box. `other` is the other box: the grid's for a number in
// the block.
struct WrongNumber {
  const char* clause;
  int (*number)(Index i, Index extent, Index other);
};

constexpr WrongNumber kWrongNumbers[] = {
    {"y and z are left out", [](Index i, Index, Index) { return i.x; }},
    {"z is left out", [](Index i, Index d, Index) { return i.x + i.y * d.x; }},
    {"indices are added without a factor for the threads or blocks before them",
     [](Index i, Index, Index) { return i.x + i.y + i.z; }},
    {"x and y are swapped: x runs fastest, so it is y that is multiplied",
     [](Index i, Index d, Index) { return i.y + i.x * d.y + i.z * d.x * d.y; }},
    {"the order is reversed, z fastest: it is x that runs fastest",
     [](Index i, Index d, Index) { return i.z + i.y * d.z + i.x * d.y * d.z; }},
    {"y is multiplied by the extent in y; before row y lie y rows, each as long as the extent in x",
     [](Index i, Index d, Index) { return i.x + i.y * d.y + i.z * d.x * d.y; }},
    {"z is multiplied by one extent only; a layer has as many as x and y together",
     [](Index i, Index d, Index) { return i.x + i.y * d.x + i.z * d.x; }},
    {"z is multiplied by one extent only; a layer has as many as x and y together",
     [](Index i, Index d, Index) { return i.x + i.y * d.x + i.z * d.y; }},
    {"z is multiplied by one extent only; a layer has as many as x and y together",
     [](Index i, Index d, Index) { return i.x + i.y * d.x + i.z * d.z; }},
    {"z is multiplied by all three extents; a layer has as many as x and y together",
     [](Index i, Index d, Index) { return i.x + i.y * d.x + i.z * d.x * d.y * d.z; }},
    {"blockDim and gridDim are mixed up: "
     "blockDim measures a block in threads, gridDim the grid in blocks",
     [](Index i, Index, Index o) { return i.x + i.y * o.x + i.z * o.x * o.y; }},
};

Index as_index(dim3 extent) {
  return {static_cast<int>(extent.x), static_cast<int>(extent.y), static_cast<int>(extent.z)};
}

// A clause for a wrong `field` (in_block or block), or nothing.
std::string explain_number(const LaunchShape& shape, const std::vector<ThreadIds>& h_ids,
                           int ThreadIds::*field) {
  const bool of_block = field == &ThreadIds::block;
  const Index extent = as_index(of_block ? shape.grid : shape.block);
  const Index other = as_index(of_block ? shape.block : shape.grid);
  for (const WrongNumber& wrong : kWrongNumbers) {
    const bool fits = std::ranges::all_of(h_ids, [&](const ThreadIds& ids) {
      const int id = judge::is_poison(ids) ? -1 : shape.id_at(ids);
      if (id < 0) return true;
      const Index index = of_block ? shape.block_of(id) : shape.thread(id);
      return ids.*field == wrong.number(index, extent, other);
    });
    if (fits) return wrong.clause;
  }
  return {};
}

// A clause for right records in wrong places, or nothing.
std::string explain_places(const LaunchShape& shape, const std::vector<ThreadIds>& h_ids) {
  const int per_block = volume(shape.block);
  const int num_blocks = volume(shape.grid);
  const int width = static_cast<int>(shape.grid.x * shape.block.x);
  const int height = static_cast<int>(shape.grid.y * shape.block.y);
  const std::pair<const char*, std::function<int(const ThreadIds&)>> places[] = {
      {"the global id lacks the blocks before this one: every block stores at the same places",
       [](const ThreadIds& ids) { return ids.in_block; }},
      {"the number of the block is not multiplied by the number of threads in a block",
       [](const ThreadIds& ids) { return ids.block + ids.in_block; }},
      {"threads and blocks have changed places: a block's threads lie next to each other",
       [=](const ThreadIds& ids) { return ids.in_block * num_blocks + ids.block; }},
      {"only the extent in x is counted for the threads of a block: "
       "they are blockDim.x * blockDim.y * blockDim.z",
       [&](const ThreadIds& ids) {
         return ids.block * static_cast<int>(shape.block.x) + ids.in_block;
       }},
      {"threads are counted along the rows of the whole grid, and not block by block",
       [=](const ThreadIds& ids) { return ids.column + width * (ids.row + height * ids.layer); }},
  };
  for (const auto& [clause, place] : places) {
    std::vector<bool> is_taken(h_ids.size());
    for (int id = 0; id < num_blocks * per_block; ++id) {
      const auto slot = static_cast<std::size_t>(place(shape.ids(id)));
      if (slot < is_taken.size()) is_taken[slot] = true;
    }
    bool fits = true;
    for (std::size_t slot = 0; slot < h_ids.size() && fits; ++slot) {
      const bool unwritten = judge::is_poison(h_ids[slot]);
      fits = unwritten != is_taken[slot] &&
             (unwritten || place(h_ids[slot]) == static_cast<int>(slot));
    }
    if (fits) return clause;
  }
  return {};
}

// ---- the tests

class ThreadNumbers : public judge::Fixture {
 protected:
  std::optional<Failure> number(const LaunchShape& shape) {
    begin_case();
    const auto d_ids = output<ThreadIds>("d_ids", shape.num_threads());
    prescribe({{shape.grid, shape.block}});
    auto failure = call<decltype(lab::thread_ids)>("thread_ids", shape.grid, shape.block, d_ids);
    const auto wrong = compare(shape, d_ids.download());
    if (!failure) {
      failure = wrong;
    } else if (failure->kind == judge::kind::kOutOfBounds && wrong) {
      // The records within bounds show why the others are out of bounds.
      failure->message += "\nAlso, " + wrong->message;
      failure->pattern = wrong->pattern;
    }
    if (failure) {
      tell_case(*failure,
                "a grid of " + text(shape.grid) + " blocks of " + text(shape.block) + " threads: ");
    }
    return failure;
  }

  void expect_for_shapes(const std::vector<LaunchShape>& shapes) {
    for (const LaunchShape& shape : shapes) {
      if (const auto failure = number(shape)) return fail(*failure);
    }
  }

  // An extent from 1 to `most`.
  unsigned some(unsigned most) { return 1 + static_cast<unsigned>(next_seed() % most); }

 private:
  // Compare the numbers first: a wrong number explains more than the wrong place that follows from
  // it.
  static std::optional<Failure> compare(const LaunchShape& shape,
                                        const std::vector<ThreadIds>& h_ids) {
    for (const ThreadIds& ids : h_ids) {
      if (judge::is_poison(ids)) continue;
      if (auto failure = compare_numbers(shape, h_ids, ids)) return failure;
    }
    for (int id = 0; id < shape.num_threads(); ++id) {
      const bool unwritten = judge::is_poison(h_ids[id]);
      if (!unwritten && shape.id_at(h_ids[id]) == id) continue;
      const std::string place = "d_ids[" + std::to_string(id) + "] belongs to " + shape.name(id);
      return Failure{unwritten ? judge::kind::kOutputUnwritten : judge::kind::kWrongResult,
                     unwritten
                         ? place + ", but no thread stored there"
                         : place + ", but " + shape.name(shape.id_at(h_ids[id])) + " stored there",
                     explain_places(shape, h_ids)};
    }
    return std::nullopt;
  }

  // If a record's two numbers are those of its place, the right thread stored it, and its position
  // is wrong; or both follow from one wrong number, which explain_number knows.
  static std::optional<Failure> compare_position(const LaunchShape& shape, const ThreadIds& got,
                                                 int place) {
    const ThreadIds expected = shape.ids(place);
    if (got.in_block != expected.in_block || got.block != expected.block) return std::nullopt;
    const Index t = shape.thread(place);
    const std::tuple<const char*, int ThreadIds::*, int, char> fields[] = {
        {"column", &ThreadIds::column, t.x, 'x'},
        {"row", &ThreadIds::row, t.y, 'y'},
        {"layer", &ThreadIds::layer, t.z, 'z'}};
    for (const auto& [name, field, in_block, axis] : fields) {
      if (got.*field == expected.*field) continue;
      Failure failure{judge::kind::kWrongResult, std::string(name) + " of " + shape.name(place) +
                                                     " should be " +
                                                     std::to_string(expected.*field) + ", but is " +
                                                     std::to_string(got.*field)};
      if (got.*field == in_block) {
        failure.pattern = std::string(
                              "it is counted within the block only: the blocks before are "
                              "missing, blockIdx.") +
                          axis + " * blockDim." + axis;
      }
      return failure;
    }
    return std::nullopt;
  }

  static std::optional<Failure> compare_numbers(const LaunchShape& shape,
                                                const std::vector<ThreadIds>& h_ids,
                                                const ThreadIds& got) {
    const int id = shape.id_at(got);
    if (id < 0) {
      const auto place = &got - h_ids.data();
      return Failure{judge::kind::kWrongResult,
                     "the record at d_ids[" + std::to_string(place) + "] says column " +
                         std::to_string(got.column) + ", row " + std::to_string(got.row) +
                         ", layer " + std::to_string(got.layer) +
                         ": no thread of this grid is there. The place belongs to " +
                         shape.name(static_cast<int>(place)),
                     "a block's index is multiplied "
                     "by something other than blockDim in that direction"};
    }
    const ThreadIds expected = shape.ids(id);
    constexpr std::pair<const char*, int ThreadIds::*> kFields[] = {
        {"in_block", &ThreadIds::in_block}, {"block", &ThreadIds::block}};
    for (const auto& [name, field] : kFields) {
      if (got.*field == expected.*field) continue;
      const std::string mistake = explain_number(shape, h_ids, field);
      if (mistake.empty()) {
        const auto place = static_cast<int>(&got - h_ids.data());
        if (auto failure = compare_position(shape, got, place)) return failure;
      }
      return Failure{judge::kind::kWrongResult,
                     std::string(name) + " of " + shape.name(id) + " should be " +
                         std::to_string(expected.*field) + ", but is " + std::to_string(got.*field),
                     mistake};
    }
    return std::nullopt;
  }
};

TEST_F(ThreadNumbers, InOneDimension) {
  expect_for_shapes({{1, 8}, {3, 1}, {2, 8}, {5, 33}, {some(9), some(300)}});
}

// The handout's example comes first.
TEST_F(ThreadNumbers, InTwoDimensions) {
  expect_for_shapes({{dim3(3, 2), dim3(4, 3)},
                     {1, dim3(4, 3)},
                     {dim3(2, 5), 8},
                     {dim3(1, 3), dim3(1, 7)},
                     {dim3(5, 4), dim3(16, 16)},
                     {dim3(some(9), some(9)), dim3(some(20), some(20))}});
}

TEST_F(ThreadNumbers, InThreeDimensions) {
  expect_for_shapes({{dim3(2, 3, 4), dim3(3, 4, 5)},
                     {1, dim3(4, 3, 2)},
                     {dim3(5, 3, 2), 4},
                     {dim3(1, 1, 3), dim3(1, 1, 8)},
                     {dim3(2, 3), dim3(4, 3, 64)},
                     {dim3(some(5), some(5), some(5)), dim3(some(8), some(8), some(8))}});
}

TEST_F(ThreadNumbers, DependOnNoOrderOfExecution) {
  expect_in_any_order(4, [&](int) {
    return number({dim3(some(5), 2, some(5)), dim3(some(8), some(8), 3)});
  });
}

}  // namespace
}  // namespace lab_judge
