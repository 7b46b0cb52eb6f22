// SPDX-License-Identifier: MIT
// Messages about textures and surfaces. `thread`: the name of the thread that uses one.
#pragma once

#include <string>

#include "simt/image.h"

namespace simt::device {

// "texture" or "surface": the object is none, or has been destroyed.
std::string no_object_text(const std::string& thread, const char* what, unsigned long long object);

// The function is for an image of the shape `called`.
std::string wrong_shape_text(const std::string& thread, const char* what, ImageShape called,
                             const Image& image);

// tex1Dfetch is for linear memory alone.
std::string wrong_fetch_text(const std::string& thread, bool fetches);

// The template argument is a floating-point type where the texture gives integers, or the reverse.
std::string wrong_type_text(const std::string& thread, ReadAs as, const Image& image);

// The element that is read was written by the same kernel, in the line of that name.
std::string written_by_kernel_text(const std::string& thread, const std::string& line);

// tex1Dfetch of an index that the texture lacks.
std::string past_texture_text(const std::string& thread, int index, const Image& image);

// The access of size_bytes leaves the surface.
std::string outside_surface_text(const std::string& thread, const char* verb, SurfacePlace at,
                                 std::size_t size_bytes, const Image& image);

// x of the access is not divisible by its size.
std::string misaligned_surface_text(const std::string& thread, const char* verb, int x_bytes,
                                    std::size_t size_bytes);

}  // namespace simt::device
