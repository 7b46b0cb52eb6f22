// SPDX-License-Identifier: MIT
// The longest chain of publications in a launch. A thread publishes by a volatile or an atomic
// store to global memory; others learn of it by volatile or atomic loads. A publication follows
// those that its thread has waited for, itself or through threads that it has met: at a barrier, or
// in an operation of its warp. It has waited if it had read the word before that. What it finds
// at its first look costs no wait: in a grid of more blocks than fit, that may be any prefix. Where
// tiles publish what they have alone before they look back, chains are short. Where each tile waits
// for the one before, a chain has as many as there are tiles.
#pragma once

#include <cstdint>

#include "program/place.h"

namespace simt::device {

// A launch begins: it does not wait for what earlier ones published.
void forget_publications();

// By the running thread, which is counted.
void note_publication(std::uintptr_t address, Place place);
void note_published_read(std::uintptr_t address);

}  // namespace simt::device
