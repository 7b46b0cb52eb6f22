// SPDX-License-Identifier: MIT
// Reads and writes through surface objects: suld.b and sust.b. x counts bytes.
#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "run/image.h"

namespace run {
namespace {

using code::Instruction;
using code::Op;

enum class Beyond : std::uint8_t { kTrap, kClamp, kZero };  // what is beyond the edge

struct SurfaceForm {
  Access prototype;
  report::ImageShape shape;
  Beyond beyond = Beyond::kTrap;
  std::uint32_t object_row = 0;
  code::Slot x, y, last;  // `last`: slice, layer or face; none: 0
  std::array<code::Slot, 4> rows = {};
};

// A cube's faces are layers to the instruction.
bool fits(const report::ImageShape& named, const report::ImageShape& shape) {
  if (named.is_layered && shape.is_cube) return named.dimensions == 2;
  return named == shape;
}

bool is_inside(const report::SurfaceTouch& touch, const Image& image) {
  const auto within = [](std::int64_t value, std::uint64_t size) {
    return value >= 0 && static_cast<std::uint64_t>(value) < size;
  };
  const std::uint64_t row_bytes = image.about.width * image.about.element_bytes();
  return within(touch.x, row_bytes) &&
         static_cast<std::uint64_t>(touch.x) + touch.size_bytes <= row_bytes &&
         within(touch.y, image.about.height) && within(touch.last, image.about.depth);
}

report::SurfaceTouch clamped(report::SurfaceTouch touch, const Image& image) {
  const auto into = [](std::int64_t value, std::uint64_t size) {
    const auto last = static_cast<std::int64_t>(size) - 1;
    return static_cast<std::int32_t>(std::clamp(value, std::int64_t{0}, last));
  };
  const std::uint64_t row_bytes = image.about.width * image.about.element_bytes();
  touch.x = into(touch.x, row_bytes - touch.size_bytes + 1);
  touch.y = into(touch.y, image.about.height);
  touch.last = into(touch.last, image.about.depth);
  return touch;
}

// Fills the lane's address; false: nowhere, in the mode that lets it pass.
bool find_place(Warp& warp, const SurfaceForm& form, Access& access, int lane) {
  const Instruction& instruction = *access.instruction;
  const Image& image =
      image_of(warp, instruction, lane, warp.row64<std::uint64_t>(form.object_row)[lane], true);
  const auto coordinate = [&](code::Slot slot) {
    return slot.exists() ? static_cast<std::int32_t>(low_word(warp, slot, lane)) : 0;
  };
  report::SurfaceTouch touch = {access.writes, coordinate(form.x), coordinate(form.y),
                                coordinate(form.last), access.size_bytes};
  if (!fits(form.shape, image.about.shape)) {
    end_kernel(
        warp, instruction, report::Kind::kOutOfBounds,
        report::wrong_shape_text(thread_name(warp, lane), "surface", form.shape, image.about),
        cudaErrorIllegalAddress);
  }
  if (touch.x % static_cast<std::int32_t>(access.size_bytes) != 0) {
    end_kernel(warp, instruction, report::Kind::kMisaligned,
               report::misaligned_surface_text(thread_name(warp, lane), touch),
               cudaErrorMisalignedAddress);
  }
  if (!is_inside(touch, image)) {
    if (form.beyond == Beyond::kZero) return false;
    const bool has_room = touch.size_bytes <= image.about.width * image.about.element_bytes();
    if (form.beyond == Beyond::kTrap || !has_room) {
      end_kernel(warp, instruction, report::Kind::kOutOfBounds,
                 report::outside_surface_text(thread_name(warp, lane), touch, image.about),
                 cudaErrorIllegalAddress);
    }
    touch = clamped(touch, image);
  }
  access.address[static_cast<std::size_t>(lane)] =
      image.at(static_cast<std::uint64_t>(touch.x), static_cast<std::uint64_t>(touch.y),
               static_cast<std::uint64_t>(touch.last));
  return true;
}

Access& begin(Warp& warp, const SurfaceForm& form, std::uint32_t lanes) {
  Access& access = warp.engine->access;
  access = form.prototype;
  for_each_lane(lanes, [&](int lane) {
    if (find_place(warp, form, access, lane)) access.lanes |= 1U << lane;
  });
  return access;
}

const Op* load(Warp& warp, const Op* op, std::uint32_t lanes) {
  const auto& form = *static_cast<const SurfaceForm*>(op->details);
  Access& access = begin(warp, form, lanes);
  if (access.lanes != 0) admit_image_read(warp, access, form.rows);
  for (std::uint32_t e = 0; e < access.num_elements; ++e) {
    const code::Slot row = form.rows[e];
    if (!row.exists()) continue;
    for_each_lane(lanes, [&](int lane) {
      std::uint64_t value = 0;
      if ((access.lanes >> lane & 1) != 0) {
        const std::uint64_t at = access.address[static_cast<std::size_t>(lane)];
        std::memcpy(&value, reinterpret_cast<const std::byte*>(at) + e * access.element_bytes,
                    access.element_bytes);
      }
      if (row.file == code::File::k64) {
        warp.row64<std::uint64_t>(row.offset)[lane] = value;
      } else {
        warp.row32<std::uint32_t>(row.offset)[lane] = static_cast<std::uint32_t>(value);
      }
    });
  }
  return op + 1;
}

const Op* store(Warp& warp, const Op* op, std::uint32_t lanes) {
  const auto& form = *static_cast<const SurfaceForm*>(op->details);
  Access& access = begin(warp, form, lanes);
  if (access.lanes == 0) return op + 1;
  classify(access);
  if (yields_before(warp, op, access)) return nullptr;
  for (std::uint32_t e = 0; e < access.num_elements; ++e) {
    const bool is_wide = form.rows[e].file == code::File::k64;
    access.values[e] = (is_wide ? warp.r64 : warp.r32) + form.rows[e].offset;
    access.value_stride = is_wide ? 8 : 4;
  }
  admit(access, warp);
  if (access.lanes == 0) return op + 1;
  for (std::uint32_t e = 0; e < access.num_elements; ++e) {
    for_each_lane(access.lanes, [&](int lane) {
      const std::uint64_t at = access.address[static_cast<std::size_t>(lane)];
      std::memcpy(reinterpret_cast<std::byte*>(at) + e * access.element_bytes,
                  access.values[e] + static_cast<std::size_t>(lane) * access.value_stride,
                  access.element_bytes);
    });
  }
  for (Monitor* const monitor : warp.engine->monitors) monitor->wrote(warp, access);
  return op + 1;
}

void set_access(Access& access, const Instruction& instruction, bool is_load) {
  access.instruction = &instruction;
  access.space = Space::kGlobal;
  access.lanes = 0;
  access.reads = is_load;
  access.writes = !is_load;
  access.num_elements = instruction.has("v4") ? 4 : instruction.has("v2") ? 2 : 1;
  for (const std::string_view word : instruction.words) {
    const ptx::Type type = ptx::type_named(word);
    if (type != ptx::Type::kNone) {
      access.element_bytes = static_cast<std::uint8_t>(ptx::size_of(type));
    }
  }
  access.size_bytes = std::uint32_t{access.element_bytes} * access.num_elements;
}

}  // namespace

code::Handler surface_handler(Op& op, const Instruction& instruction, code::Function& function) {
  const std::string_view opcode = instruction.words.front();
  const bool is_load = opcode == "suld";
  if (!is_load && opcode != "sust") return nullptr;
  if (!instruction.has("b")) throw std::runtime_error("formatted stores are not supported");
  auto form = std::make_shared<SurfaceForm>();
  set_access(form->prototype, instruction, is_load);
  form->shape = shape_named(instruction);
  form->beyond = instruction.has("zero")    ? Beyond::kZero
                 : instruction.has("clamp") ? Beyond::kClamp
                                            : Beyond::kTrap;
  const code::Operand& address = instruction.operands[is_load ? 1 : 0];
  const code::Operand& value = instruction.operands[is_load ? 0 : 1];
  const std::vector<code::Operand>& at = coordinates_of(address);
  const std::size_t first = form->shape.is_layered ? 1 : 0;  // behind the layer
  if (at.size() < first + form->shape.dimensions) throw std::runtime_error("too few coordinates");
  form->object_row = address.slot.offset;
  form->x = at[first].slot;
  if (form->shape.dimensions > 1) form->y = at[first + 1].slot;
  if (form->shape.dimensions > 2) form->last = at[2].slot;
  if (form->shape.is_layered) form->last = at[0].slot;
  const std::size_t num_rows = value.elements.empty() ? 1 : value.elements.size();
  if (num_rows != form->prototype.num_elements) throw std::runtime_error("no vector of its size");
  for (std::size_t i = 0; i < num_rows; ++i) {
    form->rows[i] = value.elements.empty() ? value.slot : value.elements[i].slot;
    if (!is_load && !form->rows[i].exists()) throw std::runtime_error("a store of nothing");
  }
  op.details = form.get();
  function.details.push_back(std::move(form));
  return is_load ? load : store;
}

}  // namespace run
