// SPDX-License-Identifier: MIT
// Loads and stores with a cache hint. The hints change no result: these are plain accesses, which
// the hooks see at the caller's line. Programs poll the memory of other blocks with loads that
// bypass the first cache level, so those give other threads a turn.
#pragma once

#include <type_traits>

#include "simt/keywords.h"

namespace simt {

// This thread is about to read memory that another thread may change. If it polls repeatedly
// without success, other threads run first.
void poll(const void* address);

// This thread's next access to the address is meant to communicate with other threads, like a
// volatile one.
void expect_company(const void* address);

}  // namespace simt

#define SIMT_LOAD(name)                  \
  template <class T>                     \
  SIMT_INLINE T name(const T* address) { \
    return *address;                     \
  }
SIMT_LOAD(__ldg)
SIMT_LOAD(__ldca)
SIMT_LOAD(__ldcs)
SIMT_LOAD(__ldlu)
#undef SIMT_LOAD

#define SIMT_POLLING_LOAD(name)          \
  template <class T>                     \
  SIMT_INLINE T name(const T* address) { \
    simt::poll(address);                 \
    return *address;                     \
  }
SIMT_POLLING_LOAD(__ldcg)
SIMT_POLLING_LOAD(__ldcv)
#undef SIMT_POLLING_LOAD

#define SIMT_STORE(name)                                             \
  template <class T>                                                 \
  SIMT_INLINE void name(T* address, std::type_identity_t<T> value) { \
    *address = value;                                                \
  }
SIMT_STORE(__stwb)
SIMT_STORE(__stcs)
#undef SIMT_STORE

#define SIMT_PUBLISHING_STORE(name)                                  \
  template <class T>                                                 \
  SIMT_INLINE void name(T* address, std::type_identity_t<T> value) { \
    simt::expect_company(address);                                   \
    *address = value;                                                \
  }
SIMT_PUBLISHING_STORE(__stcg)
SIMT_PUBLISHING_STORE(__stwt)
#undef SIMT_PUBLISHING_STORE
