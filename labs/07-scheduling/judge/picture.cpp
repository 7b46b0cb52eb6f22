// SPDX-License-Identifier: MIT
#include "picture.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace lab_judge {
namespace {

using Colour = std::array<unsigned char, 3>;

constexpr Colour kPaper = {255, 255, 255};
constexpr Colour kInk = {31, 35, 40};
constexpr Colour kPale = {234, 238, 242};  // a warp's row
constexpr Colour kGrid = {208, 215, 222};  // every tenth cycle
constexpr Colour kIdleColour = {140, 149, 159};
constexpr Colour kMark = {207, 34, 46};
// Neighbours also differ for readers who cannot distinguish red from green.
constexpr Colour kWarpColours[] = {{9, 105, 218},  {224, 123, 0},  {26, 127, 55}, {130, 80, 223},
                                   {191, 57, 137}, {27, 124, 131}, {154, 103, 0}, {99, 110, 123}};

constexpr int kCell = 8;  // pixels per cycle
constexpr int kRow = 12;  // pixels per warp
constexpr int kGap = 3;   // between rows
constexpr int kLeft = 48;
constexpr int kTop = 30;  // of a timeline: its title and the cycles' numbers
constexpr int kMargin = 12;
constexpr int kScale = 2;  // of letters

// Letters of 3 x 5 pixels, row by row from the top, 3 bits each. Only those that are used.
struct Glyph {
  char letter;
  std::uint16_t rows;
};
constexpr Glyph kGlyphs[] = {
    {'0', 0b111'101'101'101'111}, {'1', 0b010'110'010'010'111}, {'2', 0b111'001'111'100'111},
    {'3', 0b111'001'111'001'111}, {'4', 0b101'101'111'001'001}, {'5', 0b111'100'111'001'111},
    {'6', 0b111'100'111'101'111}, {'7', 0b111'001'001'010'010}, {'8', 0b111'101'111'101'111},
    {'9', 0b111'101'111'001'111}, {'a', 0b010'101'111'101'101}, {'c', 0b111'100'100'100'111},
    {'d', 0b110'101'101'101'110}, {'e', 0b111'100'110'100'111}, {'i', 0b111'010'010'010'111},
    {'l', 0b100'100'100'100'111}, {'o', 0b111'101'101'101'111}, {'p', 0b111'101'111'100'100},
    {'r', 0b110'101'110'101'101}, {'s', 0b111'100'111'001'111}, {'t', 0b111'010'010'010'010},
    {'u', 0b101'101'101'101'111}, {'w', 0b101'101'101'111'101}, {'x', 0b101'101'010'101'101},
    {'y', 0b101'101'010'010'010},
};

class Canvas {
 public:
  Canvas(int width, int height) : picture_{width, height, {}} {
    picture_.rgb.assign(std::size_t{3} * width * height, kPaper[0]);
  }

  void fill(int x, int y, int width, int height, const Colour& colour) {
    for (int row = std::max(y, 0); row < std::min(y + height, picture_.height); ++row) {
      for (int column = std::max(x, 0); column < std::min(x + width, picture_.width); ++column) {
        std::ranges::copy(
            colour, picture_.rgb.begin() + 3 * (std::ptrdiff_t{row} * picture_.width + column));
      }
    }
  }

  void write(int x, int y, std::string_view text, const Colour& colour = kInk) {
    for (const char letter : text) {
      const auto* const glyph = std::ranges::find(kGlyphs, letter, &Glyph::letter);
      for (int bit = 0; glyph != std::end(kGlyphs) && bit < 15; ++bit) {
        if ((glyph->rows >> (14 - bit) & 1) == 0) continue;
        fill(x + bit % 3 * kScale, y + bit / 3 * kScale, kScale, kScale, colour);
      }
      x += 4 * kScale;
    }
  }

  Picture take() { return std::move(picture_); }

 private:
  Picture picture_;
};

int column_of(int cycle) { return kLeft + cycle * kCell; }

// A row per warp, and one that shows which warp issues, if any.
int height_of(int num_warps) { return kTop + (num_warps + 1) * (kRow + kGap) + kMargin; }

void draw(Canvas& canvas, int top, const char* title, const std::vector<int>& timeline,
          int num_warps) {
  const int num_cycles = static_cast<int>(timeline.size());
  canvas.write(kMargin, top, title);
  const auto row_of = [&](int row) { return top + kTop + row * (kRow + kGap); };
  for (int warp = 0; warp < num_warps; ++warp) {
    canvas.write(kMargin, row_of(warp) + 1, "w" + std::to_string(warp));
    canvas.fill(kLeft, row_of(warp), num_cycles * kCell, kRow, kPale);
  }
  canvas.write(kMargin, row_of(num_warps) + 1, "all");
  for (int cycle = 0; cycle <= num_cycles; cycle += 10) {
    canvas.fill(column_of(cycle), top + kTop - 4, 1, row_of(num_warps + 1) - top - kTop + 4, kGrid);
    canvas.write(column_of(cycle), top + 15, std::to_string(cycle));
  }
  for (int cycle = 0; cycle < num_cycles; ++cycle) {
    const int warp = timeline[cycle];
    const bool is_idle = warp < 0 || warp >= num_warps;
    const Colour& colour = is_idle ? kIdleColour : kWarpColours[warp % std::size(kWarpColours)];
    const int x = column_of(cycle);
    if (is_idle) {  // a thin line: nothing happens
      canvas.fill(x, row_of(num_warps) + kRow / 2 - 1, kCell, 2, colour);
      continue;
    }
    canvas.fill(x, row_of(warp), kCell, kRow, colour);
    canvas.fill(x, row_of(num_warps), kCell, kRow, colour);
  }
}

}  // namespace

int first_difference(const std::vector<int>& got, const std::vector<int>& expected) {
  const auto [mine, right] = std::ranges::mismatch(got, expected);
  if (mine == got.end() && right == expected.end()) return -1;
  return static_cast<int>(mine - got.begin());
}

Picture draw_timelines(const std::vector<int>& got, const std::vector<int>& expected,
                       int num_warps) {
  const auto num_cycles = static_cast<int>(std::max(got.size(), expected.size()));
  const int height = height_of(num_warps);
  Canvas canvas(column_of(num_cycles) + 3 * kMargin, 2 * height + kMargin);
  draw(canvas, kMargin, "yours", got, num_warps);
  draw(canvas, kMargin + height, "expected", expected, num_warps);
  if (const int cycle = first_difference(got, expected); cycle >= 0) {
    // Around the column, so that its contents stay visible.
    const int x = column_of(cycle);
    for (const int line : {x - 2, x + kCell}) {
      canvas.fill(line, kMargin + kTop - 4, 2, 2 * height - kTop - kMargin + 4, kMark);
    }
  }
  return canvas.take();
}

}  // namespace lab_judge
