// SPDX-License-Identifier: MIT
// Fibers: stacks of their own that take turns on one OS thread. A CUDA thread that has to wait
// keeps its fiber; one that ends hands it on to the next thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "run/return_stack.h"

namespace simt::device {

struct Fiber {
  void* context = nullptr;       // where it goes on; meaningless while it runs
  std::uintptr_t stack_low = 0;  // [stack_low, stack_low + stack_bytes) is the thread's, exactly:
  std::size_t stack_bytes = 0;   // above, to the stack's end, the emulator begins threads
  std::uintptr_t stack_end = 0;
  ReturnStack returns = {};  // with the stack's shadow, where it has one
};

inline constexpr std::size_t kStackBytes = std::size_t{256} << 10;  // of each fiber

// Below it, without access: a page, of the largest size that the processor's systems have.
#if defined(__x86_64__)
inline constexpr std::size_t kGuardBytes = 4096;
#else
inline constexpr std::size_t kGuardBytes = std::size_t{64} << 10;
#endif

// Whether the address lies in the stack of any fiber.
bool is_fiber_stack(std::uintptr_t address);

// What every fiber runs. Defined by the scheduler; must not return.
[[noreturn]] void fiber_main();

// Suspends `from`, which is running, and continues `to`. Returns when something switches back.
void switch_fiber(Fiber& from, Fiber& to);

// All fibers that kernels run on. Their stacks are kept for ever; their pages arrive on use.
class FiberPool {
 public:
  // Returns an idle fiber: the last one released, whose stack is still in the cache, or a new one.
  // A released fiber goes on where it was suspended. Throws std::bad_alloc without address space.
  Fiber* acquire();

  void release(Fiber* fiber) { idle_.push_back(fiber); }

  // Forgets what all fibers were doing and makes them idle and new. Call from outside of them.
  void abandon_all();

  static constexpr std::size_t kStacksPerMapping = 64;

 private:
  void add_stacks();

  // Close together: a barrier's threads go from one to the next.
  std::vector<std::unique_ptr<std::array<Fiber, kStacksPerMapping>>> fibers_;
  std::vector<Fiber*> idle_;
};

}  // namespace simt::device
