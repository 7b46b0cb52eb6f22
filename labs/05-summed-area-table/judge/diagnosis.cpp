// SPDX-License-Identifier: MIT
#include "diagnosis.h"

#include <algorithm>
#include <array>
#include <functional>

namespace lab_judge {
namespace {

using Got = std::vector<std::int64_t>;
// What a mistake would write at pixel (x, y), the item y * width + x.
using WrongTable = std::function<std::int64_t(int x, int y)>;

constexpr std::array kTileSizes = {4, 8, 16, 32, 64, 128, 256};
constexpr int kWarpSize = 32;
constexpr int kSmallestBlock = 16;  // a side of a block of threads, where a tail may be left out

bool writes_all_of(const WrongTable& mistake, Shape shape, const Got& got) {
  for (int y = 0; y < shape.height; ++y) {
    for (int x = 0; x < shape.width; ++x) {
      if (got[static_cast<std::size_t>(y) * shape.width + x] != mistake(x, y)) return false;
    }
  }
  return true;
}

// Mistakes that need no tile.
std::string explain_whole(const ExactTable& exact, const Got& got) {
  const Shape shape = exact.shape();
  const auto looks_like = [&](const WrongTable& mistake) {
    return writes_all_of(mistake, shape, got);
  };
  const bool is_line = shape.width == 1 || shape.height == 1;  // one of the two passes does nothing
  if (!is_line && looks_like([&](int x, int y) { return exact.pixel(x, y); })) {
    return "nothing is summed: the output is the input";
  }
  if (looks_like([&](int x, int y) { return exact.sum(0, y, x + 1, y + 1); })) {
    return "only the rows are summed: the pass down the columns is missing";
  }
  if (looks_like([&](int x, int y) { return exact.sum(x, 0, x + 1, y + 1); })) {
    return "only the columns are summed: the pass along the rows is missing";
  }
  if (looks_like([&](int x, int y) { return exact.sum(0, 0, x, y); })) {
    return "the table is exclusive: a pixel's own row and column are left out of its sum";
  }
  if (looks_like([&](int x, int y) { return exact.sum(0, 0, x, y + 1); })) {
    return "the sums along the rows are exclusive: a pixel's own column is left out";
  }
  if (looks_like([&](int x, int y) { return exact.sum(0, 0, x + 1, y); })) {
    return "the sums down the columns are exclusive: a pixel's own row is left out";
  }
  if (looks_like([&](int x, int y) {
        const int item = y * shape.width + x;
        return exact.table(item / shape.height, item % shape.height);
      })) {
    return "the table is transposed: its columns are where its rows should be";
  }
  std::int64_t running = 0;
  std::vector<std::int64_t> columns(shape.width);
  const auto runs_on = [&](int x, int y) { return running += exact.pixel(x, y); };
  const auto runs_on_in_columns = [&](int x, int y) { return columns[x] += runs_on(x, y); };
  const bool rows_run_on = looks_like(runs_on);
  running = 0;
  if (rows_run_on || looks_like(runs_on_in_columns)) {
    return "the rows are not kept apart: each goes on with the sum of the row before it";
  }
  std::int64_t row_of_rows = 0;
  if (looks_like([&](int x, int y) {
        if (x == 0) row_of_rows = 0;
        return row_of_rows += exact.sum(0, y, x + 1, y + 1);
      })) {
    return "the rows are summed twice and the columns never: is a transpose missing?";
  }
  return {};
}

// The picture read, and the table written, with width and height interchanged.
bool is_swapped(const ExactTable& exact, const Got& got) {
  const Shape shape = exact.shape();
  if (shape.width == shape.height) return false;
  std::vector<std::int64_t> picture;
  for (int y = 0; y < shape.height; ++y) {
    for (int x = 0; x < shape.width; ++x) picture.push_back(exact.pixel(x, y));
  }
  const Shape swapped = {shape.height, shape.width};
  const ExactTable other(swapped, picture);
  return writes_all_of([&](int x, int y) { return other.table(x, y); }, swapped, got);
}

// Mistakes at the borders of tiles. Each gives the rectangle that a pixel sums instead of
// everything above and left; (x0, y0) is its tile's corner.
std::string explain_tiles(const ExactTable& exact, const Got& got, int tile_width,
                          int tile_height) {
  const auto looks_like = [&](const auto& mistake) {
    return writes_all_of(
        [&](int x, int y) {
          return mistake(x, y, x / tile_width * tile_width, y / tile_height * tile_height);
        },
        exact.shape(), got);
  };
  const auto rectangle = [&](const auto& origin) {
    return looks_like([&](int x, int y, int x0, int y0) {
      const auto [from_x, from_y] = origin(x0, y0);
      return exact.sum(from_x, from_y, x + 1, y + 1);
    });
  };
  using Origin = std::pair<int, int>;
  if (rectangle([](int x0, int y0) { return Origin{x0, y0}; })) {
    return "every tile holds a table of its own: "
           "the sums of the tiles above and left of it are not added";
  }
  if (rectangle([](int, int y0) { return Origin{0, y0}; })) {
    return "what lies above a tile is not added";
  }
  if (rectangle([](int x0, int) { return Origin{x0, 0}; })) {
    return "what lies left of a tile is not added";
  }
  if (looks_like([&](int x, int y, int x0, int y0) {
        return exact.table(x, y) - exact.sum(0, 0, x0, y0);
      })) {
    return "what lies above and left of a tile's corner is not added";
  }
  if (looks_like([&](int x, int y, int x0, int y0) {
        return exact.table(x, y) + exact.sum(0, 0, x0, y0);
      })) {
    return "what lies above and left of a tile's corner is counted twice";
  }
  if (rectangle([&](int x0, int) { return Origin{x0 - tile_width, 0}; })) {
    return "a tile adds what its left neighbour has, not what all tiles left of it have";
  }
  if (rectangle([&](int, int y0) { return Origin{0, y0 - tile_height}; })) {
    return "a tile adds what its upper neighbour has, not what all tiles above it have";
  }
  return {};
}

// The part of the table that is missing while the rest is right: no thread wrote it, or some sums
// are not included.
std::string explain_region(const ExactTable& exact, const Got& got) {
  const auto [width, height] = exact.shape();
  int left = width;
  int top = height;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const std::int64_t value = got[static_cast<std::size_t>(y) * width + x];
      if (value == exact.table(x, y)) continue;
      const bool is_left_out = value == kUnwritten || value == exact.pixel(x, y) ||
                               value == exact.sum(0, y, x + 1, y + 1) ||
                               value == exact.sum(x, 0, x + 1, y + 1);
      if (!is_left_out) return {};
      left = std::min(left, x);
      top = std::min(top, y);
    }
  }
  for (const int tile : kTileSizes) {
    if (tile < kSmallestBlock) continue;
    if (left > 0 && width % tile != 0 && left == width / tile * tile) {
      return "the columns at the right, which do not fill a block or a tile, are left out (does a "
             "division round down?)";
    }
    if (top > 0 && height % tile != 0 && top == height / tile * tile) {
      return "the rows at the bottom, which do not fill a block or a tile, are left out (does a "
             "division round down?)";
    }
  }
  if (left > 0 && left == width - 1) return "the last column is left out";
  if (top > 0 && top == height - 1) return "the last row is left out";
  return {};
}

using Line = std::array<std::int64_t, kWarpSize>;  // a value per lane

struct WarpMistake {
  const char* clause;
  // What lane `lane` adds to its value in the step at `offset`.
  std::function<std::int64_t(const Line&, int lane, int offset)> added;
  int carry_lane;  // whose sum the next items of the row go on from
};

std::int64_t from_before(const Line& values, int lane, int offset) {
  return lane >= offset ? values[lane - offset] : 0;
}

const std::array kWarpMistakes = {
    WarpMistake{"lanes at the start of a warp add in every step: __shfl_up_sync gives a lane that "
                "has none so far before it its own value",
                [](const Line& values, int lane, int offset) {
                  return values[lane >= offset ? lane - offset : lane];
                },
                kWarpSize - 1},
    WarpMistake{"a lane adds the values of lanes behind it: __shfl_down_sync for __shfl_up_sync",
                [](const Line& values, int lane, int offset) {
                  if (lane < offset) return std::int64_t{0};
                  return values[lane + offset < kWarpSize ? lane + offset : lane];
                },
                kWarpSize - 1},
    WarpMistake{"a warp's scan stops before its last step, at half of the lanes",
                [](const Line& values, int lane, int offset) {
                  return offset < kWarpSize / 2 ? from_before(values, lane, offset) : 0;
                },
                kWarpSize - 1},
    WarpMistake{"a warp goes on along its row with the sum of its first lane, not of its last",
                from_before, 0},
};

// Scans `line` as a warp with the mistake does: its lanes' items at a time.
void scan_line(const WarpMistake& mistake, std::vector<std::int64_t>& line) {
  std::int64_t carry = 0;
  for (std::size_t begin = 0; begin < line.size(); begin += kWarpSize) {
    const std::size_t size = std::min<std::size_t>(kWarpSize, line.size() - begin);
    Line values = {};
    std::copy_n(line.begin() + begin, size, values.begin());
    for (int offset = 1; offset < kWarpSize; offset *= 2) {
      const Line before = values;
      for (int lane = 0; lane < kWarpSize; ++lane) {
        values[lane] += mistake.added(before, lane, offset);
      }
    }
    for (std::int64_t& value : values) value += carry;
    carry = values[mistake.carry_lane];
    std::copy_n(values.begin(), size, line.begin() + begin);
  }
}

// Rows and then columns, scanned by warps that make the same mistake.
std::string explain_warp_scans(const ExactTable& exact, const Got& got) {
  const auto [width, height] = exact.shape();
  for (const WarpMistake& mistake : kWarpMistakes) {
    std::vector<std::vector<std::int64_t>> columns(width, std::vector<std::int64_t>(height));
    for (int y = 0; y < height; ++y) {
      std::vector<std::int64_t> row(width);
      for (int x = 0; x < width; ++x) row[x] = exact.pixel(x, y);
      scan_line(mistake, row);
      for (int x = 0; x < width; ++x) columns[x][y] = row[x];
    }
    for (std::vector<std::int64_t>& column : columns) scan_line(mistake, column);
    const auto written = [&](int x, int y) {
      return std::int64_t{static_cast<std::int32_t>(columns[x][y])};  // it may overflow
    };
    if (writes_all_of(written, exact.shape(), got)) return mistake.clause;
  }
  return {};
}

}  // namespace

std::string explain(const ExactTable& exact, const Got& got) {
  if (std::string clause = explain_whole(exact, got); !clause.empty()) return clause;
  if (is_swapped(exact, got)) {
    return "width and height are interchanged: an item's index is y * width + x";
  }
  if (std::string clause = explain_warp_scans(exact, got); !clause.empty()) return clause;
  for (const int tile_width : kTileSizes) {
    for (const int tile_height : kTileSizes) {
      std::string clause = explain_tiles(exact, got, tile_width, tile_height);
      if (!clause.empty()) return clause;
    }
  }
  return explain_region(exact, got);
}

}  // namespace lab_judge
