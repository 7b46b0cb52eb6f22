// SPDX-License-Identifier: MIT
#include "report/image_text.h"

#include "report/words.h"

namespace simt::device {
namespace {

// "64 x 32 elements of 4 bytes, 3 layers"
std::string size_of(const Image& image) {
  std::string text = std::to_string(image.width);
  if (image.shape.dimensions > 1) text += " x " + std::to_string(image.height);
  if (image.shape.dimensions > 2) text += " x " + std::to_string(image.depth);
  text += (text == "1" ? " element of " : " elements of ") + bytes(image.element_bytes());
  if (image.shape.is_cube) return text + ", " + std::to_string(image.depth) + " faces";
  if (!image.shape.is_layered) return text;
  return text + ", " + std::to_string(image.depth) + (image.depth == 1 ? " layer" : " layers");
}

// "1 dimension", "2 dimensions and layers"
std::string shape_name(ImageShape shape) {
  const std::string dimensions =
      std::to_string(shape.dimensions) + (shape.dimensions == 1 ? " dimension" : " dimensions");
  return (shape.is_cube ? "six faces" : dimensions) + (shape.is_layered ? " and layers" : "");
}

}  // namespace

std::string no_object_text(const std::string& thread, const char* what, unsigned long long object) {
  return thread + " uses " + what + " object " + std::to_string(object) +
         ", which was never created or has been destroyed";
}

std::string wrong_shape_text(const std::string& thread, const char* what, ImageShape called,
                             const Image& image) {
  return thread + " calls a function for a " + what + " of " + shape_name(called) + ", but the " +
         what + " has " + shape_name(image.shape) + " (" + size_of(image) + ")";
}

std::string wrong_fetch_text(const std::string& thread, bool fetches) {
  return thread + (fetches
                       ? " calls tex1Dfetch for a texture that is not linear memory: use tex1D, "
                         "tex2D or tex3D"
                       : " samples a texture that is linear memory: use tex1Dfetch");
}

std::string wrong_type_text(const std::string& thread, ReadAs as, const Image& image) {
  const std::string bits = std::to_string(8 * image.channel_bytes) + "-bit ";
  if (as == ReadAs::kFloat) {
    return thread + " reads floating-point numbers from a texture that gives " + bits +
           "integers: it gets their bits, not their values; read an integer type, or make the "
           "texture with cudaReadModeNormalizedFloat";
  }
  const bool is_float = image.format.f == cudaChannelFormatKindFloat;
  return thread + " reads integers from a texture that gives floating-point numbers" +
         (is_float ? "" : " (its readMode is cudaReadModeNormalizedFloat)") +
         ": it gets their bits, not their values; read " +
         (is_float ? "float" : "float, or make the texture with cudaReadModeElementType");
}

std::string written_by_kernel_text(const std::string& thread, const std::string& line) {
  return thread + " reads through a texture or surface what this kernel has written in " + line +
         ": a kernel need not see its own writes there; read in the next launch, or read the "
         "memory itself";
}

std::string past_texture_text(const std::string& thread, int index, const Image& image) {
  return thread + " reads element " + std::to_string(index) + " of a texture of " + size_of(image);
}

std::string outside_surface_text(const std::string& thread, const char* verb, SurfacePlace at,
                                 std::size_t size_bytes, const Image& image) {
  std::string place = "byte " + std::to_string(at.x);
  if (image.shape.dimensions > 1) place += ", row " + std::to_string(at.y);
  if (image.shape.dimensions > 2) place += ", slice " + std::to_string(at.z);
  if (image.shape.is_cube) {
    place += ", face " + std::to_string(image.shape.is_layered ? at.layer : at.z);
  } else if (image.shape.is_layered) {
    place += ", layer " + std::to_string(at.layer);
  }
  std::string text = thread + " " + verb + " " + bytes(size_bytes) + " at " + place +
                     " of a surface of " + size_of(image);
  const std::size_t row_bytes = image.width * image.element_bytes();
  const bool fits = size_bytes <= row_bytes;
  const bool is_in_row =
      at.x >= 0 && fits && static_cast<std::size_t>(at.x) <= row_bytes - size_bytes;
  if (is_in_row) return text;
  text += ": x counts bytes";
  return fits ? text + ", from 0 to " + std::to_string(row_bytes - size_bytes) : text;
}

std::string misaligned_surface_text(const std::string& thread, const char* verb, int x_bytes,
                                    std::size_t size_bytes) {
  return thread + " " + verb + " " + bytes(size_bytes) +
         " of a surface at x = " + std::to_string(x_bytes) +
         ": x counts bytes, and must be a multiple of " + std::to_string(size_bytes);
}

}  // namespace simt::device
