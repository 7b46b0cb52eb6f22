// SPDX-License-Identifier: MIT
#include "simt/launch_attributes.h"

#include <algorithm>

#include "simt/error_state.h"
#include "simt/function_api.h"
#include "simt/properties.h"

namespace simt {
namespace {

bool is_valid(const cudaAccessPolicyWindow& window) {
  return window.num_bytes <= kMaxAccessPolicyWindowBytes && window.hitRatio >= 0 &&
         window.hitRatio <= 1;
}

bool is_valid(cudaStreamAttrID attribute, const cudaStreamAttrValue& value) {
  switch (attribute) {
    case cudaStreamAttributeAccessPolicyWindow:
      return is_valid(value.accessPolicyWindow);
    case cudaStreamAttributeSynchronizationPolicy:
    case cudaStreamAttributePriority:
      return true;
    default:
      return false;
  }
}

}  // namespace

cudaError_t read_config(const cudaLaunchConfig_t& config, LaunchConfig* launch) {
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const cudaLaunchAttributeValue& value = config.attrs[i].val;
    switch (config.attrs[i].id) {
      case cudaLaunchAttributeCooperative:
        launch->cooperative = value.cooperative != 0;
        break;
      case cudaLaunchAttributeClusterDimension:
        if (std::max({value.clusterDim.x, value.clusterDim.y, value.clusterDim.z}) > 1) {
          set_last_error(cudaErrorNotSupported);
          explain_last_error("cudaLaunchKernelEx (the emulator has no clusters of blocks)");
          return cudaErrorNotSupported;
        }
        break;
      case cudaLaunchAttributeAccessPolicyWindow:
        if (!is_valid(value.accessPolicyWindow)) return set_last_error(cudaErrorInvalidValue);
        break;
      default:  // hints, and permissions to start early
        break;
    }
  }
  return cudaSuccess;
}

}  // namespace simt

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                   const cudaStreamAttrValue* value) {
  if (!simt::is_valid_stream(stream)) {
    return simt::set_last_error(cudaErrorInvalidResourceHandle);
  }
  const bool is_valid = value != nullptr && simt::is_valid(attribute, *value);
  return simt::set_last_error(is_valid ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaCtxResetPersistingL2Cache() { return simt::set_last_error(cudaSuccess); }
