// SPDX-License-Identifier: MIT
#include "fixture.h"

#include <sstream>

namespace lab_judge {
namespace {

constexpr int kAttemptsPerBisection = 5;  // in two dimensions
constexpr std::size_t kMaxGridPixels = 16;
constexpr std::size_t kMaxQuickPixels = 1 << 17;  // see judge::Options::quick

// Shapes to try instead, the smallest first.
std::vector<Shape> smaller(Shape shape) {
  const auto [width, height] = shape;
  std::vector<Shape> list;
  for (const Shape candidate :
       {Shape{width / 2, height / 2}, Shape{width / 2, height}, Shape{width, height / 2},
        Shape{width * 7 / 8, height}, Shape{width, height * 7 / 8}, Shape{width - 1, height},
        Shape{width, height - 1}}) {
    if (candidate.num_pixels() > 0 && candidate != shape) list.push_back(candidate);
  }
  return list;
}

}  // namespace

std::vector<int> random_picture(Shape shape, std::uint64_t seed, int limit) {
  std::vector<int> picture(shape.num_pixels());
  for (std::size_t i = 0; i < picture.size(); ++i) {
    picture[i] = static_cast<int>(judge::random_integer(seed, i, limit));
  }
  return picture;
}

template <class T>
std::string grid_text(Shape shape, const std::vector<T>& pixels) {
  if (shape.num_pixels() == 0 || shape.num_pixels() > kMaxGridPixels) return {};
  std::ostringstream out;
  out << '[';
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    const bool begins_row = i % shape.width == 0;
    out << (begins_row ? "[" : " ");
    if (judge::is_poison(pixels[i])) {
      out << '?';
    } else {
      out << pixels[i];
    }
    if ((i + 1) % shape.width == 0) out << ']';
  }
  out << ']';
  return out.str();
}
template std::string grid_text(Shape, const std::vector<int>&);
template std::string grid_text(Shape, const std::vector<float>&);

void PictureFixture::expect_for_shapes(const std::vector<Shape>& shapes,
                                       const ShapeAttempt& attempt) {
  for (Shape shape : shapes) {
    if (judge::options().quick && shape.num_pixels() > kMaxQuickPixels) continue;
    auto failure = attempt(shape);
    if (!failure) continue;
    const int max_attempts = kAttemptsPerBisection * max_bisections(*failure);
    int attempts = 0;
    for (bool shrinks = true; shrinks && !is_fatal();) {
      shrinks = false;
      for (const Shape candidate : smaller(shape)) {
        if (++attempts > max_attempts || is_fatal()) break;
        auto found = attempt(candidate);
        // A different kind or pattern is a different mistake. Where the larger picture fits no
        // pattern, the smaller one fits one by coincidence.
        if (!found || found->kind != failure->kind) continue;
        if (failure->pattern.empty()) found->pattern.clear();
        if (found->pattern != failure->pattern) continue;
        shape = candidate;
        failure = std::move(found);
        shrinks = true;
        break;
      }
    }
    if (!is_fatal()) {
      failure->message =
          "with a picture of " + to_text(shape) +
          " pixels (width x height, the smallest failing one found): " + failure->message;
    }
    return fail(*failure);
  }
}

}  // namespace lab_judge
