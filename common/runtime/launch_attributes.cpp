// SPDX-License-Identifier: MIT
#include "launch_attributes.h"

#include <algorithm>

#include "call.h"
#include "device_limits.h"
#include "error_state.h"
#include "stream.h"

namespace runtime {
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

cudaError_t read_attributes(const cudaLaunchConfig_t& config, LaunchConfig* launch) {
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const cudaLaunchAttributeValue& value = config.attrs[i].val;
    switch (config.attrs[i].id) {
      case cudaLaunchAttributeCooperative:
        launch->is_cooperative = value.cooperative != 0;
        break;
      case cudaLaunchAttributeClusterDimension:
        launch->cluster = {value.clusterDim.x, value.clusterDim.y, value.clusterDim.z};
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

}  // namespace runtime

using namespace runtime;

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                   const cudaStreamAttrValue* value) {
  RUNTIME_CALL;
  if (!is_valid_stream(stream)) {
    return set_last_error(cudaErrorInvalidResourceHandle);
  }
  const bool is_fine = value != nullptr && is_valid(attribute, *value);
  return set_last_error(is_fine ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaCtxResetPersistingL2Cache() {
  RUNTIME_CALL;
  return set_last_error(cudaSuccess);
}
