// SPDX-License-Identifier: MIT
#include "run/image.h"

#include <stdexcept>
#include <string_view>

namespace run {
namespace {

using code::Instruction;
using code::Op;

// txq and suq: what an object is.
struct QueryForm {
  const Instruction* instruction = nullptr;
  bool is_surface = false;
  code::Slot to;
  std::uint32_t object_row = 0;
  std::uint64_t (*answer)(const Image& image) = nullptr;
};

std::uint64_t num_layers(const Image& image) {
  const report::ImageShape& shape = image.about.shape;
  if (!shape.is_layered) return 1;
  return shape.is_cube ? image.about.depth / 6 : image.about.depth;
}

auto answer_named(const Instruction& instruction) -> std::uint64_t (*)(const Image&) {
  if (instruction.has("width")) return [](const Image& image) { return image.about.width; };
  if (instruction.has("height")) return [](const Image& image) { return image.about.height; };
  if (instruction.has("depth")) {
    return [](const Image& image) {
      return image.about.shape.dimensions == 3 ? image.about.depth : 1;
    };
  }
  if (instruction.has("array_size")) return num_layers;
  if (instruction.has("num_mipmap_levels") || instruction.has("num_samples")) {
    return [](const Image&) { return std::uint64_t{1}; };
  }
  if (instruction.has("normalized_coords")) {
    return [](const Image& image) { return std::uint64_t{image.has_normalised_coordinates}; };
  }
  throw std::runtime_error("the machine does not know this question about an image");
}

const Op* query(Warp& warp, const Op* op, std::uint32_t lanes) {
  const auto& form = *static_cast<const QueryForm*>(op->details);
  for_each_lane(lanes, [&](int lane) {
    const std::uint64_t object = warp.row64<std::uint64_t>(form.object_row)[lane];
    const Image& image = image_of(warp, *form.instruction, lane, object, form.is_surface);
    warp.row32<std::uint32_t>(form.to.offset)[lane] =
        static_cast<std::uint32_t>(form.answer(image));
  });
  return op + 1;
}

}  // namespace

const Image& image_of(Warp& warp, const Instruction& instruction, int lane, std::uint64_t object,
                      bool is_surface) {
  const Images* const images = warp.block->launch->images;
  const Image* const found = images == nullptr ? nullptr : images->find(object);
  if (found == nullptr || found->is_surface != is_surface) {
    end_kernel(
        warp, instruction, report::Kind::kOutOfBounds,
        report::no_object_text(thread_name(warp, lane), is_surface ? "surface" : "texture", object),
        cudaErrorIllegalAddress);
  }
  return *found;
}

report::ImageShape shape_named(const Instruction& instruction) {
  for (const std::string_view word : instruction.words) {
    if (word == "1d") return {1, false, false};
    if (word == "2d") return {2, false, false};
    if (word == "3d") return {3, false, false};
    if (word == "a1d") return {1, true, false};
    if (word == "a2d") return {2, true, false};
    if (word == "cube") return {2, false, true};
    if (word == "acube") return {2, true, true};
  }
  throw std::runtime_error("the machine does not know images of this shape");
}

const std::vector<code::Operand>& coordinates_of(const code::Operand& address) {
  if (address.elements.size() != 1 || address.slot.file != code::File::k64) {
    throw std::runtime_error("the machine knows images by objects alone, without samplers");
  }
  const code::Operand& vector = address.elements.front();
  return vector.elements.empty() ? address.elements : vector.elements;
}

void admit_image_read(Warp& warp, Access& access, const std::array<code::Slot, 4>& rows) {
  access.unwritten = {};
  access.partly_written = 0;
  classify(access);
  admit(access, warp);
  for (Monitor* const monitor : warp.engine->monitors) monitor->reads_image(warp, access);
  std::uint32_t any = 0;
  for (const std::uint32_t lanes : access.unwritten) any |= lanes;
  if (any == 0) return;
  const auto read = std::make_shared<const Access>(access);
  for (std::uint32_t e = 0; e < access.num_elements; ++e) {
    if (!rows[e].exists()) continue;
    const std::uint32_t lanes = access.unwritten[e];
    mark_unwritten(warp, rows[e], lanes & ~access.partly_written, false, e, read);
    mark_unwritten(warp, rows[e], lanes & access.partly_written, true, e, read);
  }
}

code::Handler image_handler(Op& op, const Instruction& instruction, code::Function& function) {
  const std::string_view opcode = instruction.words.front();
  if (opcode != "txq" && opcode != "suq") {
    const code::Handler texture = texture_handler(op, instruction, function);
    return texture != nullptr ? texture : surface_handler(op, instruction, function);
  }
  auto form = std::make_shared<QueryForm>();
  form->instruction = &instruction;
  form->is_surface = opcode == "suq";
  form->to = instruction.operands[0].slot;
  form->object_row = instruction.operands[1].slot.offset;
  form->answer = answer_named(instruction);
  if (form->to.file != code::File::k32 || instruction.operands[1].slot.file != code::File::k64) {
    throw std::runtime_error("the machine does not know this form of a question about an image");
  }
  op.details = form.get();
  function.details.push_back(std::move(form));
  return query;
}

}  // namespace run
