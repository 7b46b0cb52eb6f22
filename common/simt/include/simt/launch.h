// SPDX-License-Identifier: MIT
// Running a kernel: what `kernel<<<grid, block, shared_bytes, stream>>>(args)` becomes.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "simt/error.h"
#include "simt/keywords.h"
#include "simt/limits.h"
#include "simt/stream.h"
#include "simt/vector_types.h"

namespace simt {

// Where the launch is in the source, and the kernel as written there ("scan_kernel<256>").
// Names appear in findings and counters; both pointers must outlive the launch.
struct LaunchSite {
  const char* kernel;
  const char* file;
  int line;
};

struct LaunchConfig {
  LaunchConfig(dim3 grid_, dim3 block_, std::size_t shared_bytes_ = 0,
               cudaStream_t stream_ = nullptr)
      : grid(grid_), block(block_), shared_bytes(shared_bytes_), stream(stream_) {}

  dim3 grid;                 // in blocks
  dim3 block;                // in threads
  std::size_t shared_bytes;  // of dynamic shared memory for each block
  cudaStream_t stream;
  bool cooperative = false;  // all blocks must be resident at once, and may use sync_grid()
};

// The base of the running block's dynamic shared memory (`extern __shared__ T x[]`): the same
// address for every block, aligned for every type.
void* dynamic_shared();

// cudaFuncSetAttribute(kernel, MaxDynamicSharedMemorySize, size_bytes): launches may use that much
// from now on. One limit applies to all kernels; never lowers it.
void raise_dynamic_shared_limit(std::size_t size_bytes);

// The first statement of a kernel with __launch_bounds__(max_threads, ...). With larger blocks the
// launch fails with cudaErrorInvalidValue.
void check_launch_bounds(unsigned max_threads) noexcept;
SIMT_INLINE void check_launch_bounds(unsigned max_threads, unsigned /*min_blocks*/,
                                     unsigned /*max_cluster_blocks*/ = 0) noexcept {
  check_launch_bounds(max_threads);
}

// Whether kernels may launch kernels, as in programs that nvcc compiles with -rdc=true. Otherwise,
// and by default, such a launch is a finding and launches nothing.
void allow_nested_launches(bool allowed);

namespace detail {

// The kernel and its arguments. Nearly all are no more than their bytes. Those have null for the
// last three: a rung with functions of its own for each launch would compile longer. See
// simt/closure.h.
struct Closure {
  void* object;
  std::size_t size_bytes;
  void (*run)(void* object);    // runs one device thread
  void* (*keep)(void* object);  // moves it to where it outlives the caller
  void* (*copy)(void* object);  // copies it there; moves what cannot be copied
  void (*drop)(void* object);   // ends what the two have made
};

// Checks the launch against the device's limits and runs the grid to its end, or until it waits for
// the host (see run/set_aside.h). Returns (and records for cudaGetLastError)
//   cudaErrorInvalidValue               a dimension that is 0 or too large, too many threads per
//                                       block (__launch_bounds__ included), or too much dynamic
//                                       shared memory
//   cudaErrorInvalidResourceHandle      not a stream
//   cudaErrorCooperativeLaunchTooLarge  a cooperative grid that cannot be resident as a whole
//   cudaErrorNotSupported               a launch from inside a kernel, unless these are allowed
//   the sticky error                    an earlier kernel faulted; nothing ran
// A kernel that faults is reported as a finding and sets the sticky error; the launch itself
// returns cudaSuccess then, as an asynchronous launch does.
cudaError_t run_grid(const LaunchSite& site, const LaunchConfig& config, const Closure& closure);
// The same errors, without a launch.
cudaError_t check_launch(const LaunchConfig& config);

// A copy of a kernel's argument. Not made by the class's copy constructor, which would be
// announced as the kernel's own code that reads memory of the host.
template <class T>
inline constexpr bool kIsCopiedAsBytes = std::is_class_v<T>&& std::is_trivially_copyable_v<T>;

template <class T>
requires kIsCopiedAsBytes<T> SIMT_UNTRACED SIMT_INLINE T argument(T& original) {
  return __builtin_bit_cast(T, original);
}
template <class T>
SIMT_UNTRACED SIMT_INLINE T& argument(T& original) {
  return original;
}

template <class Object>
SIMT_UNTRACED void call(void* object) {
  (*static_cast<Object*>(object))();
}

template <class Object>
SIMT_UNTRACED void* keep(void* object) {
  return new Object(std::move(*static_cast<Object*>(object)));
}

template <class Object>
SIMT_UNTRACED void* copy(void* object) {
  if constexpr (std::is_copy_constructible_v<Object>) {
    return new Object(*static_cast<const Object*>(object));
  } else {
    return keep<Object>(object);
  }
}

template <class Object>
SIMT_UNTRACED void drop(void* object) {
  delete static_cast<Object*>(object);
}

template <class Object>
SIMT_UNTRACED SIMT_INLINE Closure closure_around(Object* object) {
  constexpr bool kIsItsBytes =
      std::is_trivially_copyable_v<Object> && alignof(Object) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__;
  if constexpr (kIsItsBytes) {
    return {object, sizeof(Object), &call<Object>, nullptr, nullptr, nullptr};
  } else {
    return {object, sizeof(Object), &call<Object>, &keep<Object>, &copy<Object>, &drop<Object>};
  }
}

template <class Kernel, class... Args>
SIMT_UNTRACED cudaError_t run_with(const LaunchSite& site, const LaunchConfig& config,
                                   Kernel kernel, Args... args) {
  auto closure = [kernel, ... args = std::move(args)]()
                     SIMT_UNTRACED { kernel(argument(const_cast<Args&>(args))...); };
  return run_grid(site, config, closure_around(&closure));
}

// An object of a class without copies that holds memory, say, and converts to its pointer. CUDA
// converts it to the kernel's parameter when it launches. That type is not known here: unary plus
// gives the pointer or number that the class converts to.
template <class T>
inline constexpr bool kIsConverted =
    std::is_class_v<T> && !std::is_copy_constructible_v<T> && requires(T & object) {
  +object;
};

template <class T>
SIMT_UNTRACED SIMT_INLINE auto converted(T&& argument) {
  if constexpr (kIsConverted<std::remove_cvref_t<T>>) {
    return +argument;
  } else {
    return std::decay_t<T>(std::forward<T>(argument));
  }
}

}  // namespace detail

// Runs `kernel` on every thread of the grid before it returns, unless it waits for the host. Each
// thread gets its own copies of `args`. The outcome is in cudaGetLastError(), as after <<<>>>.
template <class Kernel, class... Args>
requires(!detail::kIsConverted<Args> && ...) SIMT_UNTRACED
    void launch(LaunchSite site, LaunchConfig config, Kernel kernel, Args... args) {
  detail::run_with<Kernel, Args...>(site, config, kernel, std::move(args)...);
}
template <class Kernel, class... Args>
requires(detail::kIsConverted<std::remove_cvref_t<Args>> || ...) SIMT_UNTRACED
    void launch(LaunchSite site, LaunchConfig config, Kernel kernel, Args&&... args) {
  detail::run_with(site, config, kernel, detail::converted(std::forward<Args>(args))...);
}

// The same for cudaLaunchKernel and cudaLaunchCooperativeKernel, where the i-th element of `args`
// points to the i-th argument.
template <class... Params>
SIMT_UNTRACED cudaError_t launch_with_pointers(LaunchSite site, LaunchConfig config,
                                               void (*kernel)(Params...), void** args) {
  const auto run = [&]<std::size_t... I>(std::index_sequence<I...>) SIMT_UNTRACED {
    return detail::run_with(site, config, kernel,
                            *static_cast<std::remove_cvref_t<Params>*>(args[I])...);
  };
  return run(std::index_sequence_for<Params...>{});
}

}  // namespace simt
