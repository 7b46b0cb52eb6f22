// SPDX-License-Identifier: MIT
// The longest chain of publications in a launch. A thread publishes by a volatile or an atomic
// store to global memory; others learn of it by volatile or atomic loads. A publication follows
// those that its thread has read before, itself or through threads that it has met: at a barrier,
// or in an operation of its warp. Where tiles publish what they have alone before they look back,
// chains are short. Where each tile waits for the one before, a chain has as many as there are
// tiles.
#pragma once

#include <cstdint>

#include "program/place.h"

namespace simt::device {

struct Warp;

// A launch begins: it does not wait for what earlier ones published.
void forget_publications();

// By the running thread, which is counted.
void note_publication(std::uintptr_t address, Place place);
void note_published_read(std::uintptr_t address);

// Of the chains that end at a publication which one of the lanes knows, the longest.
std::uint64_t longest_chain(const Warp& warp, std::uint32_t lanes);

// These lanes have met others that know one of this length.
void share_chain(Warp& warp, std::uint32_t lanes, std::uint64_t length);

}  // namespace simt::device
