// SPDX-License-Identifier: MIT
// What texture and surface objects refer to, and what kernels' instructions for both share.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>

#include "report/image_text.h"
#include "run/access.h"

namespace run {

// How a texture's coordinates beyond the edge are taken. The values are CUDA's.
enum class AddressMode : std::uint32_t { kWrap, kClamp, kMirror, kBorder, kLast = kBorder };

// Elements in device memory: rows of `width`, slices of `height` rows, `depth` slices or layers.
struct Image {
  report::ImageAbout about;
  std::uint64_t base = 0;
  std::uint64_t row_bytes = 0;  // from one row to the next
  bool is_signed = false;       // integers
  bool is_surface = false;
  // Of a texture.
  bool is_linear_memory = false;  // for tex1Dfetch alone
  bool is_filtered = false;
  bool has_normalised_coordinates = false;
  std::array<AddressMode, 3> modes = {};  // those in effect
  std::array<float, 4> border = {};

  std::uint64_t at(std::uint64_t x_bytes, std::uint64_t y, std::uint64_t z) const {
    return base + (z * about.height + y) * row_bytes + x_bytes;
  }
};

// Objects by number. Numbers are not used again, so one that was destroyed is recognised.
class Images {
 public:
  std::uint64_t add(const Image& image) {
    images_.emplace(++last_, image);
    return last_;
  }
  bool remove(std::uint64_t number) { return images_.erase(number) != 0; }
  const Image* find(std::uint64_t number) const {
    const auto found = images_.find(number);
    return found == images_.end() ? nullptr : &found->second;
  }
  std::size_t size() const { return images_.size(); }
  void clear() { images_.clear(); }

 private:
  std::uint64_t last_ = 0;  // 0 is what programs leave unset
  std::unordered_map<std::uint64_t, Image> images_;
};

// Ends the kernel where the object is no texture, or no surface.
const Image& image_of(Warp& warp, const code::Instruction& instruction, int lane,
                      std::uint64_t object, bool is_surface);

// "2d", "a1d", "cube" and similar among the instruction's words.
report::ImageShape shape_named(const code::Instruction& instruction);

// Coordinates: the elements of the vector behind the object, [object, {x, y}].
const std::vector<code::Operand>& coordinates_of(const code::Operand& address);

// A register's low 32 bits.
inline std::uint32_t low_word(Warp& warp, code::Slot slot, int lane) {
  if (slot.file == code::File::k32) return warp.row32<std::uint32_t>(slot.offset)[lane];
  return static_cast<std::uint32_t>(warp.row64<std::uint64_t>(slot.offset)[lane]);
}

// Asks the monitors about a read of elements; `access` has addresses and lanes. `rows`: where the
// elements go. Marks those that hold what nothing has written.
void admit_image_read(Warp& warp, Access& access, const std::array<code::Slot, 4>& rows);

// texture.cpp and surface.cpp; null: an instruction of the other, or of neither.
code::Handler texture_handler(code::Op& op, const code::Instruction& instruction, code::Function&);
code::Handler surface_handler(code::Op& op, const code::Instruction& instruction, code::Function&);

}  // namespace run
