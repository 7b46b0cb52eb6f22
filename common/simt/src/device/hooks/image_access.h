// SPDX-License-Identifier: MIT
// What kernels' functions for textures and for surfaces have in common.
#pragma once

#include <cstddef>

#include "simt/error.h"
#include "simt/image.h"

namespace simt::device {

enum class Direction { kRead, kWrite };

// Checks an access of the running kernel to an element, as the compiler's hooks do for others. It
// is not counted: a GPU's texture units have counters of their own.
void announce_image_access(const std::byte* address, std::size_t size_bytes, Direction direction,
                           const void* pc);

// Ends the kernel.
[[noreturn]] void end_for_wrong_object(const char* what, unsigned long long object, const void* pc);

// Ends the kernel unless the function is for such images.
void require_shape(const char* what, ImageShape called, const Image& image, const void* pc);

}  // namespace simt::device
