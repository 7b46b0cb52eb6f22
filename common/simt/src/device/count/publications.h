// SPDX-License-Identifier: MIT
// The longest chain of publications in a launch. A thread publishes by a volatile or an atomic
// store to global memory, or by an atomic operation that changes it; others learn of it by volatile
// or atomic loads. A publication follows those that its thread has learned of, itself or through
// threads that it has met: at a barrier, or in an operation of its warp. Whether the thread had to
// wait does not matter: one that sleeps first finds everything at its first look. But a block does
// not follow what was published before it started. Where tiles publish what they have alone before
// they look back, and publications are held back (see kHoldPublications), chains are short. Where
// each tile waits for the one before, a chain has as many as the device holds at a time.
#pragma once

#include <cstdint>

#include "program/place.h"

namespace simt::device {

// A launch begins: it does not follow what earlier ones published.
void forget_publications();

// Whether there is global memory at this address.
bool may_publish_at(std::uintptr_t address);

// By the running thread, which is counted.
void note_publication(std::uintptr_t address, Place place);
void note_published_read(std::uintptr_t address);

// It publishes by an operation that also reads the word: what it finds follows at least the word's
// first publication. Not the last: blocks that draw a ticket after each tile wait for no one.
void note_update(std::uintptr_t address, Place place);

}  // namespace simt::device
