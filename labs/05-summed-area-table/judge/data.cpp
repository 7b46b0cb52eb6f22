// SPDX-License-Identifier: MIT
#include "data.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string>

#include "fixture/test_data.h"

// The linker makes these of scene.bin.
extern "C" const char _binary_scene_bin_start[];
extern "C" const char _binary_scene_bin_end[];

namespace lab_judge {
namespace {

// The exact sums over one colour.
ExactTable plane(const Scene& scene, int colour) {
  std::vector<std::int64_t> values(scene.shape.num_pixels());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = scene.rgb[kNumColours * i + colour];
  return {scene.shape, values};
}

}  // namespace

Scene drawn_scene() {
  std::istringstream in(std::string(_binary_scene_bin_start, _binary_scene_bin_end));
  std::string magic;
  Scene scene;
  in >> magic >> scene.shape.width >> scene.shape.height;
  in.ignore(1);  // the line's end
  if (!in || magic != "lockstep-scene" || scene.shape.width < 1 || scene.shape.height < 1) {
    throw std::runtime_error("scene.bin: not a scene");
  }
  Bytes packed(2 * scene.shape.num_pixels());
  scene.nearness.resize(scene.shape.num_pixels());
  in.read(reinterpret_cast<char*>(packed.data()), static_cast<std::streamsize>(packed.size()));
  in.read(reinterpret_cast<char*>(scene.nearness.data()),
          static_cast<std::streamsize>(scene.nearness.size()));
  if (!in) throw std::runtime_error("scene.bin: ends too early");
  for (std::size_t i = 0; i < packed.size(); i += 2) {
    const int colour = packed[i] | packed[i + 1] << 8;  // 5 bits red, 6 green, 5 blue
    scene.rgb.push_back(static_cast<unsigned char>((colour >> 11) * 255 / 31));
    scene.rgb.push_back(static_cast<unsigned char>((colour >> 5 & 63) * 255 / 63));
    scene.rgb.push_back(static_cast<unsigned char>((colour & 31) * 255 / 31));
  }
  return scene;
}

Scene random_scene(Shape shape, std::uint64_t seed) {
  Scene scene{shape, Bytes(kNumColours * shape.num_pixels()), Bytes(shape.num_pixels())};
  for (std::size_t i = 0; i < scene.nearness.size(); ++i) {
    const std::uint64_t bits = judge::random_bits(seed, i);
    for (int byte = 0; byte < kNumColours; ++byte) {
      scene.rgb[kNumColours * i + byte] = static_cast<unsigned char>(bits >> 8 * byte);
    }
    scene.nearness[i] = static_cast<unsigned char>(bits >> 8 * kNumColours);
  }
  return scene;
}

std::vector<int> colour_tables(const Scene& scene) {
  std::vector<int> tables;
  for (int colour = 0; colour < kNumColours; ++colour) {
    const ExactTable exact = plane(scene, colour);
    for (int y = 0; y < scene.shape.height; ++y) {
      for (int x = 0; x < scene.shape.width; ++x) {
        tables.push_back(static_cast<int>(exact.table(x, y)));
      }
    }
  }
  return tables;
}

Bytes blurred(const Scene& scene, int focus, int max_radius) {
  const auto [width, height] = scene.shape;
  Bytes rgb(scene.rgb.size());
  for (int colour = 0; colour < kNumColours; ++colour) {
    const ExactTable exact = plane(scene, colour);
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        const std::size_t pixel = static_cast<std::size_t>(y) * width + x;
        const int radius = std::abs(scene.nearness[pixel] - focus) * max_radius / kMaxNearness;
        const int x0 = std::max(x - radius, 0);
        const int y0 = std::max(y - radius, 0);
        const int x1 = std::min(x + radius + 1, width);
        const int y1 = std::min(y + radius + 1, height);
        const std::int64_t count = static_cast<std::int64_t>(x1 - x0) * (y1 - y0);
        rgb[kNumColours * pixel + colour] =
            static_cast<unsigned char>((exact.sum(x0, y0, x1, y1) + count / 2) / count);
      }
    }
  }
  return rgb;
}

}  // namespace lab_judge
