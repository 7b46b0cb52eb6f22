// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

namespace simt::device {

// Holds what a folder above keeps for an object here. T is incomplete here, so its owner provides
// the deleter.
template <class T>
using Slot = std::unique_ptr<T, void (*)(T*)>;

template <class T>
Slot<T> empty_slot() {
  return {nullptr, [](T*) {}};
}

}  // namespace simt::device
