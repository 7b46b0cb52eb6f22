// SPDX-License-Identifier: MIT
// In the place of Thrust's header of that name, with what programs say to choose a stream:
// thrust::cuda::par.on(stream). The algorithm runs at once, after what the stream has been given.
#pragma once

#include_next <thrust/system/cpp/execution_policy.h>
#include <thrust/system/emulated/execution_policy.h>

#include "simt/stream_api.h"

THRUST_NAMESPACE_BEGIN
namespace system::cuda {
namespace detail {

struct par_t : thrust::system::emulated::detail::par_t {
  const par_t& on(cudaStream_t stream) const {
    cudaStreamSynchronize(stream);
    return *this;
  }
};

}  // namespace detail

inline constexpr detail::par_t par;
inline constexpr detail::par_t par_nosync;

}  // namespace system::cuda

namespace cuda {
using thrust::system::cuda::par;
using thrust::system::cuda::par_nosync;
}  // namespace cuda
THRUST_NAMESPACE_END
