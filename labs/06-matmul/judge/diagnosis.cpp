// SPDX-License-Identifier: MIT
#include "diagnosis.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <limits>

#include "protocol/arena.h"

namespace lab_judge {
namespace {

constexpr double kNoValue = std::numeric_limits<double>::infinity();  // the mistake gives none here
constexpr int kMinTile = 2;                                           // that of matmul_partial
constexpr int kMaxTile = 256;

// The value of an unwritten element: four poison bytes.
const float kPoison = std::bit_cast<float>(0x01010101U * judge::kPoisonByte);

// The value that a mistake would give an element, by its row and column.
using Value = std::function<double(std::int64_t row, std::int64_t col)>;
struct Mistake {
  Value value;
  const char* clause;
};

// The sum over k in [begin, end) of A's word at[a_index(k)] times B's at[b_index(k)].
template <class AIndex, class BIndex>
double sum_over(const Factors& factors, std::int64_t begin, std::int64_t end, AIndex a_index,
                BIndex b_index) {
  double sum = 0;
  for (std::int64_t k = begin; k < end; ++k) {
    const auto a = static_cast<std::size_t>(a_index(k));
    const auto b = static_cast<std::size_t>(b_index(k));
    if (a >= factors.h_a.size() || b >= factors.h_b.size()) return kNoValue;
    sum += static_cast<double>(factors.h_a[a]) * factors.h_b[b];
  }
  return sum;
}

// Drops the bits behind the 11 that half and TF32 keep, rounding to nearest.
float to_eleven_bits(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  return std::bit_cast<float>((bits + 0x0FFF + (bits >> 13 & 1)) & 0xFFFFE000U);
}

class Mistakes {
 public:
  explicit Mistakes(const Result& result) : result_(result), factors_(result.factors) {
    add_wrong_addresses();
    add_missing_terms();
    add_wrong_arithmetic();
  }
  Mistakes(const Mistakes&) = delete;  // the list refers to this object
  Mistakes& operator=(const Mistakes&) = delete;

  const std::vector<Mistake>& all() const { return list_; }

 private:
  // A and B by their flat indices, as functions of (row or col, k).
  using Index = std::int64_t (*)(const Shape&, std::int64_t line, std::int64_t k);

  void add_read(Index a_index, Index b_index, const char* clause) {
    list_.push_back({[this, a_index, b_index](std::int64_t row, std::int64_t col) {
                       const Shape& shape = factors_.shape;
                       return sum_over(
                           factors_, 0, shape.depth,
                           [&](std::int64_t k) { return a_index(shape, row, k); },
                           [&](std::int64_t k) { return b_index(shape, col, k); });
                     },
                     clause});
  }

  // The contents of C if element (row, col) of the product was stored at row * row_step + col *
  // col_step.
  void add_stored(std::int64_t row_step, std::int64_t col_step, const char* clause) {
    list_.push_back({[this, row_step, col_step](std::int64_t row, std::int64_t col) {
                       const Shape& shape = factors_.shape;
                       const std::int64_t place = row * shape.num_cols + col;
                       const bool by_rows = row_step > col_step;
                       const std::int64_t step = by_rows ? row_step : col_step;
                       if (step == 0) return kNoValue;
                       const std::int64_t from_row = by_rows ? place / step : place % step;
                       const std::int64_t from_col = by_rows ? place % step : place / step;
                       if (from_row >= shape.num_rows || from_col >= shape.num_cols) {
                         return kNoValue;
                       }
                       return result_.expected.values[from_row * shape.num_cols + from_col];
                     },
                     clause});
  }

  void add_terms(std::int64_t begin, std::int64_t end, const char* clause) {
    if (begin == 0 && end == factors_.shape.depth) return;  // the right value
    list_.push_back({[this, begin, end](std::int64_t row, std::int64_t col) {
                       const auto [num_rows, num_cols, depth] = factors_.shape;
                       return sum_over(
                           factors_, begin, end,
                           [&, depth = depth](std::int64_t k) { return row * depth + k; },
                           [&, num_cols = num_cols](std::int64_t k) { return k * num_cols + col; });
                     },
                     clause});
  }

  void add_wrong_addresses() {
    const Index right_a = [](const Shape& s, std::int64_t row, std::int64_t k) {
      return row * s.depth + k;
    };
    const Index right_b = [](const Shape& s, std::int64_t col, std::int64_t k) {
      return k * s.num_cols + col;
    };
    add_read(
        right_a, [](const Shape& s, std::int64_t col, std::int64_t k) { return col * s.depth + k; },
        "B is read transposed: row by row where a column is needed");
    add_read([](const Shape& s, std::int64_t row, std::int64_t k) { return k * s.num_rows + row; },
             right_b, "A is read transposed: column by column where a row is needed");
    add_read([](const Shape& s, std::int64_t row, std::int64_t k) { return row * s.num_cols + k; },
             right_b,
             "A has the wrong stride: a row of A is as long as the depth, not as a row of B");
    add_read([](const Shape& s, std::int64_t row, std::int64_t k) { return row * s.num_rows + k; },
             right_b,
             "A has the wrong stride: a row of A is as long as the depth, not as a column of A");
    add_read(
        right_a, [](const Shape& s, std::int64_t col, std::int64_t k) { return k * s.depth + col; },
        "B has the wrong stride: a row of B has num_cols words, not as many as the depth");
    add_read(
        right_a,
        [](const Shape& s, std::int64_t col, std::int64_t k) { return k * s.num_rows + col; },
        "B has the wrong stride: a row of B has num_cols words, not num_rows");
    const auto [num_rows, num_cols, depth] = factors_.shape;
    add_stored(1, num_rows, "C is stored transposed");
    add_stored(depth, 1,
               "C has the wrong stride: a row of C has num_cols words, not as many as the depth");
    add_stored(num_rows, 1, "C has the wrong stride: a row of C has num_cols words, not num_rows");
  }

  void add_missing_terms() {
    const int depth = factors_.shape.depth;
    if (depth == 0) return;
    for (int tile = kMinTile; tile <= kMaxTile; tile *= 2) {
      if (depth % tile <= 1 || depth < tile) continue;  // a tile of one term: off by one, see below
      add_terms(0, depth / tile * tile,
                "the last, partial tile along the depth is missing (does a division round down?)");
    }
    for (int tile = kMinTile; tile < depth && tile <= kMaxTile; tile *= 2) {
      add_terms(0, tile, "only the first tile along the depth is added");
      add_terms((depth - 1) / tile * tile, depth,
                "only the last tile along the depth is left (is the sum started anew in each?)");
      add_terms(tile, depth, "the first tile along the depth is missing");
    }
    add_terms(0, depth - 1, "the last term of each sum is missing (off by one)");
    add_terms(1, depth, "the first term of each sum is missing (off by one)");
  }

  void add_wrong_arithmetic() {
    const auto expected = [this](std::int64_t row, std::int64_t col) {
      return result_.expected.values[row * factors_.shape.num_cols + col];
    };
    list_.push_back({[=](std::int64_t row, std::int64_t col) {
                       // As float addition rounds it: the old contents are large.
                       return static_cast<double>(
                           static_cast<float>(expected(row, col) + static_cast<double>(kPoison)));
                     },
                     "the sums are added to what d_c held before, which is garbage"});
    list_.push_back({[=](std::int64_t row, std::int64_t col) { return 2 * expected(row, col); },
                     "every term is added twice"});
    list_.push_back({[this](std::int64_t row, std::int64_t col) {
                       return in_arithmetic(row, col, [](double sum, float a, float b) {
                         return sum + static_cast<double>(to_eleven_bits(a)) * to_eleven_bits(b);
                       });
                     },
                     "the factors are rounded to 11 bits, as half and TF32 do"});
    list_.push_back({[this](std::int64_t row, std::int64_t col) {
                       return in_arithmetic(row, col, [](double sum, float a, float b) {
                         return std::trunc(sum + static_cast<double>(a) * b);
                       });
                     },
                     "the sum is kept in an integer, which drops fractions"});
  }

  template <class MultiplyAdd>
  double in_arithmetic(std::int64_t row, std::int64_t col, MultiplyAdd multiply_add) const {
    const auto [num_rows, num_cols, depth] = factors_.shape;
    double sum = 0;
    for (std::int64_t k = 0; k < depth; ++k) {
      sum = multiply_add(sum, factors_.h_a[row * depth + k], factors_.h_b[k * num_cols + col]);
    }
    return sum;
  }

  const Result& result_;
  const Factors& factors_;
  std::vector<Mistake> list_;
};

// Whether the wrong elements are exactly those for which `missing` holds.
template <class Missing>
bool wrong_where(const Result& result, Missing missing) {
  const auto [num_rows, num_cols, depth] = result.factors.shape;
  std::size_t next = 0;
  for (int row = 0; row < num_rows; ++row) {
    for (int col = 0; col < num_cols; ++col) {
      const std::size_t element = std::size_t{1} * row * num_cols + col;
      const bool is_wrong = next < result.wrong.size() && result.wrong[next] == element;
      if (is_wrong) ++next;
      if (is_wrong != missing(row, col)) return false;
    }
  }
  return true;
}

}  // namespace

std::string explain_unwritten(const Result& result) {
  const auto [num_rows, num_cols, depth] = result.factors.shape;
  if (result.wrong.size() == result.h_c.size()) return "nothing is written to d_c";
  for (int tile = kMinTile; tile <= kMaxTile; tile *= 2) {
    const int whole_rows = num_rows / tile * tile;
    const int whole_cols = num_cols / tile * tile;
    if (wrong_where(result,
                    [=](int row, int col) { return row >= whole_rows || col >= whole_cols; })) {
      return "only whole tiles are computed: the grid lacks the last, partial row or column of "
             "blocks (does a division round down?)";
    }
    if (wrong_where(result, [=](int, int col) { return col >= tile; })) {
      return "only the first blocks across find their place: the grid has too few blocks in that "
             "direction, or the block's index is scaled by the width of the matrix and not by the "
             "tile's";
    }
    if (wrong_where(result, [=](int row, int) { return row >= tile; })) {
      return "only the first blocks down find their place: the grid has too few blocks in that "
             "direction, or the block's index is scaled by the height of the matrix and not by the "
             "tile's";
    }
    if (wrong_where(result, [=](int row, int col) { return row >= tile || col >= tile; })) {
      return "only the first block works (does every block compute a tile of its own?)";
    }
  }
  return {};
}

std::string explain_wrong(const Result& result) {
  const bool all_zero = std::ranges::all_of(
      result.wrong, [&](std::size_t element) { return result.h_c[element] == 0; });
  if (all_zero) {
    return "nothing was added: these elements are 0 (is the number of tiles rounded down, to none? "
           "is each product stored, and not added? does another element get the sum?)";
  }
  const std::int64_t num_cols = result.factors.shape.num_cols;
  const Mistakes mistakes(result);
  for (const Mistake& mistake : mistakes.all()) {
    const bool holds = std::ranges::all_of(result.wrong, [&](std::size_t element) {
      const auto place = static_cast<std::int64_t>(element);
      return result.fits(element, mistake.value(place / num_cols, place % num_cols));
    });
    if (holds) return mistake.clause;
  }
  return {};
}

}  // namespace lab_judge
