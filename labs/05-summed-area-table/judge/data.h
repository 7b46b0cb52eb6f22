// SPDX-License-Identifier: MIT
// A picture with a depth for every pixel: the scene that make_scene.py drew, or a random one.
#pragma once

#include <cstdint>
#include <vector>

#include "reference.h"

namespace lab_judge {

using Bytes = std::vector<unsigned char>;

inline constexpr int kNumColours = 3;
inline constexpr int kMaxNearness = 255;

struct Scene {
  Shape shape;
  Bytes rgb;       // (height, width, 3)
  Bytes nearness;  // (height, width)
};

// The scene of scene.bin, which make_scene.py writes and which is linked into the judge.
Scene drawn_scene();
Scene random_scene(Shape shape, std::uint64_t seed);

// The summed-area tables of the three colours, one after the other: (3, height, width).
std::vector<int> colour_tables(const Scene& scene);

// What lab::depth_of_field must make of the scene, pixel by pixel and colour by colour.
Bytes blurred(const Scene& scene, int focus, int max_radius);

}  // namespace lab_judge
