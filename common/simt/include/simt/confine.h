// SPDX-License-Identifier: MIT
// What the program may reach in a worker. It calls through pointers only functions of its own, and
// its host code stores only to its own variables, to the heap and to the stack. Else it could call
// any function that it finds in memory, and change what decides about points.
#pragma once

#include <exception>
#include <span>
#include <string>

namespace simt {

using AnyFunction = void (*)();

// From now on a call through a pointer must lead to the beginning of a function of the program's,
// to a door (doors/main.cpp), to free or to one of `others`, and a store of the host's to code or
// variables must be to the program's own, or to what manipulators set in std::cout and the other
// standard streams (program/stream_format.h). Otherwise the process ends, with kSealedStatus. On
// aarch64 g++ does not announce calls through pointers: there only those are checked that the
// emulator makes for the program.
void confine(std::span<const AnyFunction> others);

// From now on the host's code stores to no address of its stack from `from` on, where the frames of
// others begin.
void close_stack(const void* from);

// A function that the program wants called. Ends the process as its own call would.
void check_call(AnyFunction function);

// The function that what() of such an exception calls.
AnyFunction what_of(const std::exception& example);

// What the program has thrown says. what() is virtual, so it is a call of the program's, too.
std::string text_of(const std::exception& thrown);

}  // namespace simt
