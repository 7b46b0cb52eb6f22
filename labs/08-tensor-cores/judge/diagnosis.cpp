// SPDX-License-Identifier: MIT
#include "diagnosis.h"

#include <cuda_bf16.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>

#include "fixture/matrix.h"
#include "protocol/arena.h"

namespace lab_judge {
namespace {

constexpr double kNoValue = std::numeric_limits<double>::infinity();  // the mistake gives none here
constexpr int kMinTile = 16;
constexpr int kMaxTile = 256;

// The value of an unwritten element: four poison bytes.
const float kPoison = std::bit_cast<float>(0x01010101U * judge::kPoisonByte);

// The value that a mistake would give an element, by its row and column.
using Value = std::function<double(std::int64_t row, std::int64_t col)>;
struct Mistake {
  Value value;
  std::string clause;
};

float high_part(float value) { return __bfloat162float(__float2bfloat16(value)); }

class Mistakes {
 public:
  explicit Mistakes(const Result& result)
      : result_(result), factors_(result.factors), shape_(result.factors.shape) {
    add_swapped_words();
    add_wrong_places();
    add_transpositions();
    add_missing_terms();
    add_wrong_sums();
    if (factors_.format == Format::kSplit) add_products_of_parts();
    if (factors_.format == Format::kE4m3) add_missing_scales();
  }
  Mistakes(const Mistakes&) = delete;  // the list refers to this object
  Mistakes& operator=(const Mistakes&) = delete;

  const std::vector<Mistake>& all() const { return list_; }

 private:
  double a(std::int64_t row, std::int64_t k) const {
    if (row >= shape_.num_rows || k >= shape_.depth) return kNoValue;
    return factors_.h_a[row * shape_.depth + k];
  }
  double b(std::int64_t k, std::int64_t col) const {
    if (k >= shape_.depth || col >= shape_.num_cols) return kNoValue;
    return factors_.h_b[k * shape_.num_cols + col];
  }
  // By the place in memory, which may be in another row than a wrong column means.
  double a_at(std::int64_t row, std::int64_t k) const {
    const std::int64_t place = row * shape_.depth + k;
    return a(place / shape_.depth, place % shape_.depth);
  }
  double b_at(std::int64_t k, std::int64_t col) const {
    const std::int64_t place = k * shape_.num_cols + col;
    return b(place / shape_.num_cols, place % shape_.num_cols);
  }
  double expected(std::int64_t row, std::int64_t col) const {
    if (row >= shape_.num_rows || col >= shape_.num_cols) return kNoValue;
    return result_.expected.values[row * shape_.num_cols + col];
  }

  // The element if its terms were term(row, k, col), over k in [begin, end).
  template <class Term>
  void add_terms(std::int64_t begin, std::int64_t end, std::string clause, Term term) {
    list_.push_back({[=, this](std::int64_t row, std::int64_t col) {
                       double sum = 0;
                       for (std::int64_t k = begin; k < end; ++k) sum += term(row, k, col);
                       return sum * factors_.a_scale(row) * factors_.b_scale(col);
                     },
                     std::move(clause)});
  }
  template <class Term>
  void add_all_terms(std::string clause, Term term) {
    add_terms(0, shape_.depth, std::move(clause), term);
  }

  void add_swapped_words() {
    // A word of a fragment is half of a row or column of 16 bytes.
    const std::int64_t half = factors_.format == Format::kE4m3 ? 16 : 8;
    add_all_terms("words 1 and 2 of A's fragments are exchanged: word 1 is 8 rows further down",
                  [=, this](std::int64_t row, std::int64_t k, std::int64_t col) {
                    const std::int64_t down = row / 8 % 2;
                    const std::int64_t right = k / half % 2;
                    return a(row + 8 * (right - down), k + half * (down - right)) * b(k, col);
                  });
    add_all_terms("the two words of B's fragments are exchanged",
                  [=, this](std::int64_t row, std::int64_t k, std::int64_t col) {
                    return a(row, k) * b(k ^ half, col);
                  });
    add_all_terms("the two numbers in each word of B's fragments are exchanged",
                  [this](std::int64_t row, std::int64_t k, std::int64_t col) {
                    return a(row, k) * b(k ^ 1, col);
                  });
    list_.push_back({[this](std::int64_t row, std::int64_t col) { return expected(row ^ 8, col); },
                     "rows g and g + 8 of each tile are exchanged"});
    list_.push_back({[this](std::int64_t row, std::int64_t col) { return expected(row, col ^ 8); },
                     "two neighbouring tiles of 8 columns are exchanged"});
    list_.push_back({[this](std::int64_t row, std::int64_t col) { return expected(row, col ^ 1); },
                     "the two sums of each pair of columns are exchanged"});
  }

  // Places in a 16 x 16 tile of a lane that confuses g, t and the numbers in a word.
  void add_wrong_places() {
    if (factors_.format == Format::kE4m3) return;
    add_all_terms("a word of B holds two neighbours of a row, and not of a column",
                  [this](std::int64_t row, std::int64_t k, std::int64_t col) {
                    return a(row, k) * b_at(k - k % 2, col + k % 2);
                  });
    add_all_terms("a word of B begins at row t of 8, and not at row 2 t",
                  [this](std::int64_t row, std::int64_t k, std::int64_t col) {
                    return a(row, k) * b(k - k % 8 + k % 8 / 2 + k % 2, col);
                  });
    add_all_terms("g and t are exchanged in the fragments of A",
                  [this](std::int64_t row, std::int64_t k, std::int64_t col) {
                    const std::int64_t g = row % 8;
                    const std::int64_t t = k % 8 / 2;
                    return a_at(row - g + t, k - 2 * t + 2 * g) * b(k, col);
                  });
    add_all_terms("words 1 and 2 of load_transposed are exchanged: words 0 and 1 are a fragment",
                  [this](std::int64_t row, std::int64_t k, std::int64_t col) {
                    const std::int64_t change = (k ^ col) & 8;
                    return a(row, k) * b(k ^ change, col ^ change);
                  });
    add_all_terms("the rows of A's tile are taken to be 16 numbers apart (which is the stride?)",
                  [this](std::int64_t row, std::int64_t k, std::int64_t col) {
                    return a_at(row - row % 16, k + row % 16 * 16) * b(k, col);
                  });
    list_.push_back({[this](std::int64_t row, std::int64_t col) {
                       const std::int64_t down = row / 8 % 2;
                       const std::int64_t right = col % 2;
                       return expected(row + 8 * (right - down), col + down - right);
                     },
                     "sums 1 and 2 of each lane are exchanged: sum 1 is one column further right"});
  }

  void add_transpositions() {
    add_all_terms("B is read transposed: row by row where a column is needed",
                  [this](std::int64_t row, std::int64_t k, std::int64_t col) {
                    return a(row, k) * b(col, k);
                  });
    add_all_terms("A is read transposed: column by column where a row is needed",
                  [this](std::int64_t row, std::int64_t k, std::int64_t col) {
                    return a(k, row) * b(k, col);
                  });
    list_.push_back({[this](std::int64_t row, std::int64_t col) { return expected(col, row); },
                     "C is stored transposed"});
  }

  void add_missing_terms() {
    const auto right = [this](std::int64_t row, std::int64_t k, std::int64_t col) {
      return a(row, k) * b(k, col);
    };
    const std::int64_t depth = shape_.depth;
    for (std::int64_t tile = kMinTile; tile < depth && tile <= kMaxTile; tile *= 2) {
      if (depth % tile == 0) continue;
      add_terms(0, depth / tile * tile,
                "the last, partial tile along the depth is missing (does a division round down?)",
                right);
    }
    for (std::int64_t tile = kMinTile; tile < depth && tile <= kMaxTile; tile *= 2) {
      add_terms(0, tile, "only the first tile along the depth is added", right);
      add_terms((depth - 1) / tile * tile, depth,
                "only the last tile along the depth is left (are the sums cleared in each?)",
                right);
      add_terms(tile, depth, "the first tile along the depth is missing", right);
      add_terms(0, (depth - 1) / tile * tile, "the last tile along the depth is missing", right);
    }
  }

  void add_wrong_sums() {
    list_.push_back({[this](std::int64_t row, std::int64_t col) {
                       // As float addition rounds it: the old contents are large.
                       return static_cast<double>(
                           static_cast<float>(expected(row, col) + static_cast<double>(kPoison)));
                     },
                     "the sums are added to what d_c held before, which is garbage"});
    list_.push_back({[this](std::int64_t row, std::int64_t col) { return 2 * expected(row, col); },
                     "every term is added twice"});
    list_.push_back({[this](std::int64_t row, std::int64_t col) {
                       const auto sum = static_cast<float>(expected(row, col));
                       return static_cast<double>(high_part(sum));
                     },
                     "the sums are rounded to bfloat16"});
  }

  // Other choices of up to three products of parts than the right one. low low is too small to see.
  void add_products_of_parts() {
    for (int high_high = 0; high_high <= 3; ++high_high) {
      for (int high_low = 0; high_high + high_low <= 3; ++high_low) {
        for (int low_high = 0; high_high + high_low + low_high <= 3; ++low_high) {
          if (high_high + high_low + low_high == 0) continue;              // that is 0
          if (high_high == 1 && high_low == 1 && low_high == 1) continue;  // that is right
          add_all_terms("the products that are added, with A's part first, are" +
                            times(high_high, "high high") + times(high_low, "high low") +
                            times(low_high, "low high"),
                        [=, this](std::int64_t row, std::int64_t k, std::int64_t col) {
                          const double a_high = high_part(static_cast<float>(a(row, k)));
                          const double b_high = high_part(static_cast<float>(b(k, col)));
                          return high_high * a_high * b_high +
                                 high_low * a_high * (b(k, col) - b_high) +
                                 low_high * (a(row, k) - a_high) * b_high;
                        });
        }
      }
    }
  }
  static std::string times(int count, const char* product) {
    if (count == 0) return "";
    return " " + std::to_string(count) + " x " + product;
  }

  void add_missing_scales() {
    const auto add = [this](double (*factor)(const Factors&, std::int64_t, std::int64_t),
                            const char* clause) {
      list_.push_back({[=, this](std::int64_t row, std::int64_t col) {
                         return expected(row, col) * factor(factors_, row, col);
                       },
                       clause});
    };
    add([](const Factors& f, std::int64_t row, std::int64_t) { return 1 / f.a_scale(row); },
        "the scales of A are missing");
    add([](const Factors& f, std::int64_t, std::int64_t col) { return 1 / f.b_scale(col); },
        "the scales of B are missing");
    add([](const Factors& f, std::int64_t row,
           std::int64_t col) { return 1 / (f.a_scale(row) * f.b_scale(col)); },
        "no scale is applied");
    add([](const Factors& f, std::int64_t row,
           std::int64_t) { return f.a_scale(row / 16 * 16 + row % 8) / f.a_scale(row); },
        "the scale of row g of A is also applied to row g + 8");
    add([](const Factors& f, std::int64_t,
           std::int64_t col) { return f.b_scale(col / 2 * 2) / f.b_scale(col); },
        "the scale of a column of B is also applied to its neighbour");
  }

  const Result& result_;
  const Factors& factors_;
  const Shape shape_;
  std::vector<Mistake> list_;
};

// Whether the wrong elements are exactly those for which `missing` holds.
template <class Missing>
bool wrong_where(const Result& result, Missing missing) {
  std::size_t next = 0;
  for (int row = 0; row < result.factors.shape.num_rows; ++row) {
    for (int col = 0; col < result.factors.shape.num_cols; ++col) {
      const std::size_t element = std::size_t{1} * row * result.factors.shape.num_cols + col;
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
  if (wrong_where(result, [](int row, int) { return row % 16 >= 8; })) {
    return "the last 8 rows of each 16 x 8 tile are not stored: they are sums 2 and 3 of each lane";
  }
  if (wrong_where(result, [](int, int col) { return col % 16 >= 8; })) {
    return "every other tile of 8 columns is not stored";
  }
  for (int tile = kMinTile; tile <= kMaxTile; tile *= 2) {
    const int whole_rows = num_rows / tile * tile;
    const int whole_cols = num_cols / tile * tile;
    if (wrong_where(result,
                    [=](int row, int col) { return row >= whole_rows || col >= whole_cols; })) {
      return "only whole tiles are computed: the grid lacks the last, partial row or column of "
             "blocks (does a division round down?)";
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
           "does another element get the sum?)";
  }
  const std::int64_t num_cols = result.factors.shape.num_cols;
  const std::vector<std::size_t> wrong = judge::thinned(result.wrong);
  const std::vector<std::size_t> right = judge::thinned(result.right);
  const Mistakes mistakes(result);
  for (const Mistake& mistake : mistakes.all()) {
    const auto value = [&](std::size_t element) {
      const auto place = static_cast<std::int64_t>(element);
      return mistake.value(place / num_cols, place % num_cols);
    };
    // Right elements count as well: where many are right, several mistakes give the wrong ones.
    if (std::ranges::all_of(wrong, [&](std::size_t i) { return result.fits(i, value(i)); }) &&
        std::ranges::all_of(right, [&](std::size_t i) {
          const double expected = value(i);
          return expected == kNoValue || result.fits(i, expected);
        })) {
      return mistake.clause;
    }
  }
  return {};
}

}  // namespace lab_judge
