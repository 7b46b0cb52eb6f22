// SPDX-License-Identifier: MIT
// Reads through texture objects (tex, tld4), as the CUDA Programming Guide's chapter "Texture
// Fetching" defines them: which elements a coordinate means, and how linear filtering mixes these.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "run/half.h"
#include "run/image.h"

namespace run {
namespace {

using code::Instruction;
using code::Op;

constexpr std::int64_t kBorder = -1;  // instead of an index: the border's colour
constexpr std::int64_t kFaces = 6;

struct TextureForm {
  const Instruction* instruction = nullptr;
  report::ImageShape shape;
  bool fetches = false;  // the coordinate is an index: tex1Dfetch
  bool reads_floats = false;
  int gathers = -1;  // tld4: the channel
  std::uint32_t object_row = 0;
  code::Slot layer;                     // none: no layers
  std::array<code::Slot, 3> at = {};    // coordinates
  std::array<code::Slot, 4> rows = {};  // results; none: `_`
};

// The one or two elements that a coordinate means along one axis.
struct Footprint {
  std::int64_t indices[2] = {0, 0};
  float second_weight = 0;  // the first has the rest; 0: it alone is read
};
using Footprints = std::array<Footprint, 3>;

using Texel = std::array<std::uint32_t, 4>;

std::int64_t modulo(std::int64_t value, std::int64_t size) {
  const std::int64_t rest = value % size;
  return rest < 0 ? rest + size : rest;
}

std::int64_t in_range(std::int64_t index, std::int64_t size, AddressMode mode) {
  switch (mode) {
    case AddressMode::kWrap:
      return modulo(index, size);
    case AddressMode::kMirror: {
      const std::int64_t place = modulo(index, 2 * size);
      return place < size ? place : 2 * size - 1 - place;
    }
    case AddressMode::kBorder:
      return index >= 0 && index < size ? index : kBorder;
    case AddressMode::kClamp:
      break;
  }
  return std::clamp(index, std::int64_t{0}, size - 1);
}

// In elements. Wrapping and mirroring act on the normalised coordinate.
float in_elements(float x, std::uint64_t size, AddressMode mode, bool is_normalised) {
  if (!is_normalised) return x;
  if (mode == AddressMode::kWrap) {
    x -= std::floor(x);
  } else if (mode == AddressMode::kMirror) {
    const float whole = std::floor(x);
    x -= whole;
    if (std::fmod(whole, 2.0F) != 0) x = 1 - x;
  }
  return x * static_cast<float>(size);
}

std::int64_t floor_of(float x) { return static_cast<std::int64_t>(std::floor(x)); }

// The weight is a fixed-point number with 8 bits of fraction; 1.0 is one of its values.
float rounded_weight(float weight) { return std::floor(weight * 256 + 0.5F) / 256; }

Footprint footprint_of(float x, std::uint64_t size, AddressMode mode, bool is_normalised,
                       bool is_filtered) {
  constexpr float kFar = 1 << 30;  // farther than any texture is wide
  x = in_elements(x, size, mode, is_normalised);
  x = std::isnan(x) ? 0 : std::clamp(x, -kFar, kFar);
  const auto length = static_cast<std::int64_t>(size);
  if (!is_filtered) {
    const std::int64_t index = in_range(floor_of(x), length, mode);
    return {{index, index}, 0};
  }
  const float from_centre = x - 0.5F;
  const std::int64_t index = floor_of(from_centre);
  return {{in_range(index, length, mode), in_range(index + 1, length, mode)},
          rounded_weight(from_centre - static_cast<float>(index))};
}

// Where a direction from the middle of a cube meets its surface: the face, and the place on it in
// [0, 1], as the CUDA Programming Guide's chapter "Cubemap Textures" defines them.
struct CubePlace {
  std::int64_t face;
  float x, y;
};

CubePlace cube_place_of(const float (&to)[3]) {
  const float x = std::fabs(to[0]), y = std::fabs(to[1]), z = std::fabs(to[2]);
  const auto place = [](bool is_negative, std::int64_t face, float s, float t, float m) {
    return CubePlace{face + (is_negative ? 1 : 0), (s / m + 1) / 2, (t / m + 1) / 2};
  };
  if (x >= y && x >= z) return place(to[0] < 0, 0, to[0] < 0 ? to[2] : -to[2], -to[1], x);
  if (y >= z) return place(to[1] < 0, 2, to[0], to[1] < 0 ? -to[2] : to[2], y);
  return place(to[2] < 0, 4, to[2] < 0 ? -to[0] : to[0], -to[1], z);
}

std::uint32_t as_bits(float value) { return std::bit_cast<std::uint32_t>(value); }

// [-1, 1] for signed integers, of which the least two mean -1; [0, 1] for the others.
float normalised(std::int32_t value, const Image& image) {
  const bool is_byte = image.about.channel_bytes == 1;
  if (!image.is_signed) return static_cast<float>(value) / (is_byte ? 255 : 65535);
  return std::max(static_cast<float>(value) / (is_byte ? 127 : 32767), -1.0F);
}

template <class T>
T number_at(const std::byte* channel) {
  T value;
  std::memcpy(&value, channel, sizeof value);
  return value;
}

// The channel's value, extended to 32 bits.
std::uint32_t widened(const std::byte* channel, const Image& image) {
  if (image.about.channel_bytes == 4) return number_at<std::uint32_t>(channel);
  if (image.about.channel_bytes == 1) {
    return image.is_signed ? static_cast<std::uint32_t>(number_at<std::int8_t>(channel))
                           : number_at<std::uint8_t>(channel);
  }
  if (image.is_signed) return static_cast<std::uint32_t>(number_at<std::int16_t>(channel));
  const auto bits = number_at<std::uint16_t>(channel);
  return image.about.is_float ? as_bits(static_cast<float>(Half::wide(bits))) : bits;
}

Texel texel_at(const Image& image, std::uint64_t address) {
  const auto* const element = reinterpret_cast<const std::byte*>(address);
  Texel texel = {};
  for (std::uint32_t channel = 0; channel < image.about.num_channels; ++channel) {
    std::uint32_t& value = texel[channel];
    value = widened(element + std::size_t{channel} * image.about.channel_bytes, image);
    if (image.about.normalises) {
      value = as_bits(normalised(static_cast<std::int32_t>(value), image));
    }
  }
  return texel;
}

void give(Warp& warp, const TextureForm& form, int lane, std::size_t channel, std::uint32_t value) {
  const code::Slot row = form.rows[channel];
  if (row.exists()) warp.row32<std::uint32_t>(row.offset)[lane] = value;
}

// Elements of an image that lanes read at a time.
class Reading {
 public:
  Reading(Warp& warp, const TextureForm& form, const Image& image)
      : warp_(warp), form_(form), image_(image), access_(warp.engine->access) {
    access_ = Access{};
    access_.instruction = form.instruction;
    access_.reads = true;
    access_.element_bytes = static_cast<std::uint8_t>(image.about.channel_bytes);
    access_.num_elements = static_cast<std::uint8_t>(image.about.num_channels);
    access_.size_bytes = static_cast<std::uint32_t>(image.about.element_bytes());
  }

  void add(int lane, std::int64_t x, std::int64_t y, std::int64_t z) {
    const bool is_border = x == kBorder || y == kBorder || z == kBorder;
    if (is_border) {
      border_ |= 1U << lane;
      return;
    }
    access_.lanes |= 1U << lane;
    access_.address[static_cast<std::size_t>(lane)] =
        image_.at(static_cast<std::uint64_t>(x) * image_.about.element_bytes(),
                  static_cast<std::uint64_t>(y), static_cast<std::uint64_t>(z));
  }

  // take(lane, texel) of each lane that was added.
  template <class Take>
  void read(Take take) {
    const std::uint32_t wanted = access_.lanes;
    if (wanted != 0) admit_image_read(warp_, access_, form_.rows);
    for_each_lane(wanted, [&](int lane) {
      const bool is_there = (access_.lanes >> lane & 1) != 0;
      take(lane,
           is_there ? texel_at(image_, access_.address[static_cast<std::size_t>(lane)]) : Texel{});
    });
    Texel colour = {};
    for (std::uint32_t i = 0; i < image_.about.num_channels; ++i) {
      colour[i] = as_bits(image_.border[i]);
    }
    for_each_lane(border_, [&](int lane) { take(lane, colour); });
    access_.lanes = border_ = 0;
  }

 private:
  Warp& warp_;
  const TextureForm& form_;
  const Image& image_;
  Access& access_;
  std::uint32_t border_ = 0;
};

Footprints footprints_of(Warp& warp, const TextureForm& form, const Image& image, int lane) {
  const report::ImageAbout& about = image.about;
  const bool is_filtered = image.is_filtered || form.gathers >= 0;
  float at[3] = {};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (form.at[axis].exists()) {
      at[axis] = std::bit_cast<float>(low_word(warp, form.at[axis], lane));
    }
  }
  const auto clamped = [](std::int32_t index, std::uint64_t size) {
    return std::clamp<std::int64_t>(index, 0, static_cast<std::int64_t>(size) - 1);
  };
  const std::int32_t layer =
      form.layer.exists() ? static_cast<std::int32_t>(low_word(warp, form.layer, lane)) : 0;
  Footprints axes = {};
  if (form.shape.is_cube) {
    const CubePlace place = cube_place_of(at);
    axes[0] = footprint_of(place.x, about.width, image.modes[0], true, is_filtered);
    axes[1] = footprint_of(place.y, about.height, image.modes[1], true, is_filtered);
    const std::int64_t cube = clamped(layer, std::max<std::uint64_t>(about.depth / kFaces, 1));
    axes[2].indices[0] = axes[2].indices[1] = kFaces * cube + place.face;
    return axes;
  }
  const std::uint64_t sizes[3] = {about.width, about.height, about.depth};
  for (std::uint32_t axis = 0; axis < form.shape.dimensions; ++axis) {
    axes[axis] = footprint_of(at[axis], sizes[axis], image.modes[axis],
                              image.has_normalised_coordinates, is_filtered);
  }
  if (form.shape.is_layered) axes[2].indices[0] = axes[2].indices[1] = clamped(layer, about.depth);
  return axes;
}

using LaneFootprints = std::array<Footprints, kWarpSize>;

// The weighted sum over the elements around the place. Elements without weight are not read.
void filter(Warp& warp, const TextureForm& form, const Image& image, std::uint32_t lanes,
            const LaneFootprints& places) {
  std::array<std::array<float, 4>, kWarpSize> sums = {};
  Reading reading(warp, form, image);
  for (unsigned corner = 0; corner < 8; ++corner) {
    std::array<float, kWarpSize> weights = {};
    for_each_lane(lanes, [&](int lane) {
      const auto i = static_cast<std::size_t>(lane);
      float weight = 1;
      std::int64_t at[3];
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const Footprint& footprint = places[i][axis];
        const bool is_second = (corner >> axis & 1) != 0;
        weight *= is_second ? footprint.second_weight : 1 - footprint.second_weight;
        at[axis] = footprint.indices[is_second ? 1 : 0];
      }
      weights[i] = weight;
      if (weight != 0) reading.add(lane, at[0], at[1], at[2]);
    });
    reading.read([&](int lane, const Texel& texel) {
      const auto i = static_cast<std::size_t>(lane);
      for (std::size_t c = 0; c < 4; ++c) {
        sums[i][c] += weights[i] * std::bit_cast<float>(texel[c]);
      }
    });
  }
  for_each_lane(lanes, [&](int lane) {
    for (std::size_t c = 0; c < 4; ++c) {
      give(warp, form, lane, c, as_bits(sums[static_cast<std::size_t>(lane)][c]));
    }
  });
}

// One channel of the four elements around the place, counter-clockwise from the lower left: y goes
// down.
void gather(Warp& warp, const TextureForm& form, const Image& image, std::uint32_t lanes,
            const LaneFootprints& places) {
  constexpr std::size_t kCorners[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
  std::array<std::array<std::uint32_t, 4>, kWarpSize> found = {};
  Reading reading(warp, form, image);
  for (std::size_t corner = 0; corner < 4; ++corner) {
    for_each_lane(lanes, [&](int lane) {
      const Footprints& axes = places[static_cast<std::size_t>(lane)];
      reading.add(lane, axes[0].indices[kCorners[corner][0]], axes[1].indices[kCorners[corner][1]],
                  axes[2].indices[0]);
    });
    reading.read([&](int lane, const Texel& texel) {
      found[static_cast<std::size_t>(lane)][corner] = texel[static_cast<std::size_t>(form.gathers)];
    });
  }
  for_each_lane(lanes, [&](int lane) {
    for (std::size_t c = 0; c < 4; ++c) {
      give(warp, form, lane, c, found[static_cast<std::size_t>(lane)][c]);
    }
  });
}

void take_nearest(Warp& warp, const TextureForm& form, const Image& image, std::uint32_t lanes,
                  const LaneFootprints& places) {
  Reading reading(warp, form, image);
  for_each_lane(lanes, [&](int lane) {
    const Footprints& axes = places[static_cast<std::size_t>(lane)];
    reading.add(lane, axes[0].indices[0], axes[1].indices[0], axes[2].indices[0]);
  });
  reading.read([&](int lane, const Texel& texel) {
    for (std::size_t c = 0; c < 4; ++c) give(warp, form, lane, c, texel[c]);
  });
}

// Linear memory by index. Past its end there is nothing: 0.
void fetch(Warp& warp, const TextureForm& form, const Image& image, std::uint32_t lanes) {
  Reading reading(warp, form, image);
  for_each_lane(lanes, [&](int lane) {
    const auto index = static_cast<std::int32_t>(low_word(warp, form.at[0], lane));
    if (index >= 0 && static_cast<std::uint64_t>(index) < image.about.width) {
      return reading.add(lane, index, 0, 0);
    }
    report_at(warp, *form.instruction, report::Kind::kOutOfBounds,
              report::past_texture_text(thread_name(warp, lane), index, image.about));
    for (std::size_t c = 0; c < 4; ++c) give(warp, form, lane, c, 0);
  });
  reading.read([&](int lane, const Texel& texel) {
    for (std::size_t c = 0; c < 4; ++c) give(warp, form, lane, c, texel[c]);
  });
}

void check_use(Warp& warp, const TextureForm& form, const Image& image, int lane) {
  const Instruction& instruction = *form.instruction;
  if (image.is_linear_memory != form.fetches) {
    end_kernel(warp, instruction, report::Kind::kOutOfBounds,
               report::wrong_fetch_text(thread_name(warp, lane), form.fetches),
               cudaErrorIllegalAddress);
  }
  if (form.shape != image.about.shape) {
    end_kernel(
        warp, instruction, report::Kind::kOutOfBounds,
        report::wrong_shape_text(thread_name(warp, lane), "texture", form.shape, image.about),
        cudaErrorIllegalAddress);
  }
  // A device hands out the bits as they are, whatever type the kernel reads.
  const bool gives_floats = image.about.is_float || image.about.normalises;
  if (gives_floats == form.reads_floats) return;
  report_at(warp, instruction, report::Kind::kOutOfBounds,
            report::wrong_type_text(thread_name(warp, lane), form.reads_floats, image.about));
}

const Op* sample(Warp& warp, const Op* op, std::uint32_t lanes) {
  const auto& form = *static_cast<const TextureForm*>(op->details);
  const std::uint64_t* const objects = warp.row64<std::uint64_t>(form.object_row);
  LaneFootprints places;
  for (std::uint32_t rest = lanes; rest != 0;) {
    const int first = std::countr_zero(rest);
    std::uint32_t group = 0;
    for_each_lane(rest, [&](int lane) {
      group |= static_cast<std::uint32_t>(objects[lane] == objects[first]) << lane;
    });
    rest &= ~group;
    const Image& image = image_of(warp, *form.instruction, first, objects[first], false);
    check_use(warp, form, image, first);
    if (form.fetches) {
      fetch(warp, form, image, group);
      continue;
    }
    for_each_lane(group, [&](int lane) {
      places[static_cast<std::size_t>(lane)] = footprints_of(warp, form, image, lane);
    });
    if (form.gathers >= 0) {
      gather(warp, form, image, group, places);
    } else if (image.is_filtered) {
      filter(warp, form, image, group, places);
    } else {
      take_nearest(warp, form, image, group, places);
    }
  }
  return op + 1;
}

int channel_named(const Instruction& instruction) {
  const std::string_view word = instruction.words.at(1);
  return word == "r" ? 0 : word == "g" ? 1 : word == "b" ? 2 : 3;
}

}  // namespace

code::Handler texture_handler(Op& op, const Instruction& instruction, code::Function& function) {
  const std::string_view opcode = instruction.words.front();
  if (opcode != "tex" && opcode != "tld4") return nullptr;
  auto form = std::make_shared<TextureForm>();
  form->instruction = &instruction;
  form->shape = shape_named(instruction);
  if (opcode == "tld4") form->gathers = channel_named(instruction);
  const std::size_t num_words = instruction.words.size();
  const ptx::Type coordinate = ptx::type_named(instruction.words[num_words - 1]);
  form->reads_floats = ptx::type_named(instruction.words[num_words - 2]) == ptx::Type::kF32;
  form->fetches = coordinate != ptx::Type::kF32;
  // A mipmap has one level here, so a level and gradients change nothing; offsets would.
  const std::size_t num_operands = instruction.has("level") ? 3 : instruction.has("grad") ? 4 : 2;
  const code::Operand& results = instruction.operands[0];
  if ((form->fetches && form->shape != report::ImageShape{1, false, false}) ||
      instruction.operands.size() != num_operands || results.second.exists() ||
      !instruction.has("v4") || results.elements.size() != 4) {
    throw std::runtime_error("the machine does not know this form of a texture read");
  }
  for (std::size_t i = 0; i < 4; ++i) form->rows[i] = results.elements[i].slot;
  const code::Operand& address = instruction.operands[1];
  const std::vector<code::Operand>& at = coordinates_of(address);
  const std::size_t first = form->shape.is_layered ? 1 : 0;
  const std::size_t num_axes = form->shape.is_cube ? 3 : form->shape.dimensions;
  if (at.size() < first + num_axes) throw std::runtime_error("too few coordinates");
  if (form->shape.is_layered) form->layer = at[0].slot;
  for (std::size_t axis = 0; axis < num_axes; ++axis) form->at[axis] = at[first + axis].slot;
  form->object_row = address.slot.offset;
  op.details = form.get();
  function.details.push_back(std::move(form));
  return sample;
}

}  // namespace run
