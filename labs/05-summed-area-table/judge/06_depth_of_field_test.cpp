// SPDX-License-Identifier: MIT
// Rung 06. The judge makes the tables; the last test writes pictures.
#include <algorithm>
#include <array>
#include <filesystem>

#include "data.h"
#include "fixture.h"
#include "fixture/record.h"
#include "picture/png.h"

namespace lab_judge {
namespace {

constexpr std::array kColours = {"red", "green", "blue"};
constexpr int kSceneFocus = 125;  // the green sphere
constexpr int kSceneRadius = 28;
constexpr int kDifferenceGain = 8;  // of the difference picture, so that small errors are visible

class DepthOfField : public PictureFixture {
 protected:
  // Runs the rung on a scene; `h_out` receives what it made.
  std::optional<Failure> blur(const Scene& scene, int focus, int max_radius, Bytes& h_out) {
    begin_case();
    give_scratch(scene.shape);
    const auto d_tables = input("d_tables", colour_tables(scene));
    const auto d_nearness = input("d_nearness", scene.nearness);
    const auto d_out = output<unsigned char>("d_out", scene.rgb.size());
    auto failure = call<decltype(lab::depth_of_field)>("depth_of_field", d_tables, d_nearness,
                                                       scene.shape.width, scene.shape.height, focus,
                                                       max_radius, d_out);
    if (failure) return failure;
    h_out = d_out.download();
    return compare(scene, focus, max_radius, h_out);
  }

  std::optional<Failure> blur_random(Shape shape, int focus, int max_radius) {
    Bytes h_out;
    return blur(random_scene(shape, next_seed()), focus, max_radius, h_out);
  }

 private:
  static std::optional<Failure> compare(const Scene& scene, int focus, int max_radius,
                                        const Bytes& h_out) {
    const Bytes expected = blurred(scene, focus, max_radius);
    const auto [right, got] = std::ranges::mismatch(expected, h_out);
    if (right == expected.end()) return std::nullopt;
    const auto at = static_cast<int>(right - expected.begin());
    const int pixel = at / kNumColours;
    const int x = pixel % scene.shape.width;
    const int y = pixel / scene.shape.width;
    const int radius = std::abs(scene.nearness[pixel] - focus) * max_radius / kMaxNearness;
    Failure failure{
        judge::kind::kWrongResult,
        "focus " + std::to_string(focus) + ", largest radius " + std::to_string(max_radius) +
            ", pixel x = " + std::to_string(x) + ", y = " + std::to_string(y) + " of nearness " +
            std::to_string(scene.nearness[pixel]) + ", so of radius " + std::to_string(radius) +
            ": expected " + kColours[at % kNumColours] + " = " + std::to_string(*right) + ", got " +
            std::to_string(*got) + " (the first wrong one, row by row)",
        explain(scene, focus, max_radius, expected, h_out)};
    // One byte may equal the poison by chance, but not all of them.
    if (std::ranges::all_of(h_out, [](unsigned char byte) { return judge::is_poison(byte); })) {
      failure = {judge::kind::kOutputUnwritten, "d_out was never written"};
    }
    return failure;
  }

  static std::string explain(const Scene& scene, int focus, int max_radius, const Bytes& expected,
                             const Bytes& h_out) {
    const std::size_t num_pixels = scene.shape.num_pixels();
    const auto reordered = [&](const auto& source_of) {
      for (std::size_t i = 0; i < h_out.size(); ++i) {
        if (h_out[i] != expected[source_of(i)]) return false;
      }
      return true;
    };
    if (h_out == scene.rgb) return "nothing is blurred: the output is the picture itself";
    if (reordered([&](std::size_t i) { return i % num_pixels * kNumColours + i / num_pixels; })) {
      return "the output holds one colour after the other, not red, green, blue of each pixel";
    }
    if (reordered(
            [](std::size_t i) { return i / kNumColours * kNumColours + 2 - i % kNumColours; })) {
      return "red and blue are interchanged";
    }
    if (reordered([](std::size_t i) { return i / kNumColours * kNumColours; })) {
      return "every colour is made from the red table";
    }
    if (h_out == blurred(scene, 0, max_radius)) {
      return "the radius follows from the nearness alone: focus is not subtracted";
    }
    if (std::ranges::equal(h_out, expected,
                           [](int got, int right) { return got == right || got == right - 1; })) {
      return "means are rounded down, not to the nearest integer";
    }
    Scene one_depth = scene;
    std::ranges::fill(one_depth.nearness, scene.nearness.front());
    if (h_out == blurred(one_depth, focus, max_radius)) {
      return "all pixels get the window of the first one";
    }
    return {};
  }
};

TEST_F(DepthOfField, KeepsWhatIsInFocus) {
  // Nearness within a step of the focus: radius 0, and the picture itself.
  expect_for_shapes({{1, 1}, {5, 3}, {33, 31}, {70, 9}}, [&](Shape shape) {
    Scene scene = random_scene(shape, next_seed());
    for (unsigned char& nearness : scene.nearness) {
      nearness = static_cast<unsigned char>(90 + nearness % 3);
    }
    Bytes h_out;
    return blur(scene, 91, 200, h_out);
  });
}

TEST_F(DepthOfField, BlursByDepth) {
  for (const auto& lens : {std::pair{128, 4}, {0, 9}, {255, 3}, {77, 20}}) {
    expect_for_shapes({{2, 2}, {9, 6}, {33, 32}, {65, 40}, {40, 65}, {101, 67}},
                      [&](Shape shape) { return blur_random(shape, lens.first, lens.second); });
    if (HasFailure()) return;
  }
}

TEST_F(DepthOfField, CutsWindowsToThePicture) {
  for (const int max_radius : {40, 4096}) {
    expect_for_shapes({{3, 1}, {1, 6}, {20, 11}, {64, 33}},
                      [&](Shape shape) { return blur_random(shape, 60, max_radius); });
    if (HasFailure()) return;
  }
}

TEST_F(DepthOfField, AcceptsPicturesWithoutPixels) {
  if (const auto failure = blur_random({33, 2}, 10, 8)) return fail(*failure);
  for (const Shape shape : {Shape{0, 0}, Shape{7, 0}, Shape{0, 7}}) {
    begin_case();
    give_scratch(shape);
    auto failure = call<decltype(lab::depth_of_field)>("depth_of_field", nullptr, nullptr,
                                                       shape.width, shape.height, 10, 8, nullptr);
    if (!failure) continue;
    failure->message = "with a picture of " + to_text(shape) + " pixels: " + failure->message;
    return fail(*failure);
  }
}

TEST_F(DepthOfField, DependsOnNoOrderOfExecution) {
  expect_in_any_order(4, [&](int) {
    const int extra = static_cast<int>(next_seed() % 60);
    return blur_random({150 + extra, 90}, 77, 12);
  });
}

TEST_F(DepthOfField, DrawsTheScene) {
  const Scene scene = drawn_scene();
  Bytes h_out(scene.rgb.size());
  const auto failure = blur(scene, kSceneFocus, kSceneRadius, h_out);
  if (!judge::options().images.empty()) {
    const Bytes expected = blurred(scene, kSceneFocus, kSceneRadius);
    Bytes difference(expected.size());
    for (std::size_t i = 0; i < difference.size(); ++i) {
      difference[i] = static_cast<unsigned char>(
          std::min(kMaxNearness, kDifferenceGain * std::abs(h_out[i] - expected[i])));
    }
    std::vector<judge::Image> images;
    const auto save = [&](const std::string& label, const Bytes& rgb) {
      images.push_back({label, judge::options().rung + "." + label + ".png"});
      judge::write_png(std::filesystem::path(judge::options().images) / images.back().file, rgb,
                       scene.shape.width, scene.shape.height);
    };
    save("result", h_out);
    save("expected", expected);
    save("difference", difference);
    judge::record_images(images);
  }
  if (failure) fail(*failure);
}

}  // namespace
}  // namespace lab_judge
