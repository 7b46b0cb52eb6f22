// SPDX-License-Identifier: MIT
// Every form of access, of several types, with helper functions inlined and called: each is
// announced exactly once, in the right direction and size. docs/decisions/0003 says how.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <functional>
#include <new>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "device_counting.h"

namespace simt_test::access_test {
namespace {

template <class T>
struct Box {
  T item;
};
template <class T>
struct List {
  T items[1];
};
template <class T>
union Either {
  T item;
  unsigned char bytes[sizeof(T)];
};

// The same memory, seen as another type.
template <class T>
__device__ Box<T>* box(T* p) {
  return reinterpret_cast<Box<T>*>(p);
}
template <class T>
__device__ const Box<T>* box(const T* p) {
  return reinterpret_cast<const Box<T>*>(p);
}
template <class T>
__device__ const List<T>* list(const T* p) {
  return reinterpret_cast<const List<T>*>(p);
}
template <class T>
__device__ Either<T>* either(T* p) {
  return reinterpret_cast<Either<T>*>(p);
}
template <class T>
__device__ const Either<T>* either(const T* p) {
  return reinterpret_cast<const Either<T>*>(p);
}

// Hides from the compiler which function is called.
template <class Object>
__device__ __noinline__ Object* hide(Object* object) {
  asm volatile("" : "+r"(object));
  return object;
}

#define HELPER __device__ __attribute__((always_inline)) inline
namespace inlined {
#include "access_helpers.inc"
#define FORM(name, num_reads, num_writes, ...)                                           \
  template <class T>                                                                     \
  struct name {                                                                          \
    static __device__ void run([[maybe_unused]] T* to, [[maybe_unused]] const T* from) { \
      __VA_ARGS__;                                                                       \
    }                                                                                    \
  };
#include "access_forms.inc"
}  // namespace inlined
#undef HELPER

#define HELPER __device__ __attribute__((noinline))
namespace called {
// The forms use the helpers, so the order counts.
// clang-format off
#include "access_helpers.inc"
#include "access_forms.inc"
// clang-format on
}  // namespace called
#undef HELPER
#undef FORM

constexpr int kNumLanes = 32;
constexpr int kNumItems = 2 * kNumLanes;  // forms may use a second one, 32 further on

enum class Space { kGlobal, kShared };

template <class Form, class T>
__global__ void form_kernel(T* to, const T* from, Space space) {
  extern __shared__ __align__(16) unsigned char memory[];
  T* const tile = reinterpret_cast<T*>(memory);
  if (space == Space::kShared) {
    for (int i = 0; i < kNumItems; i += kNumLanes) {
      tile[i + threadIdx.x] = from[i + threadIdx.x];
      tile[kNumItems + i + threadIdx.x] = to[i + threadIdx.x];
    }
    from = tile;
  }
  Form::run((space == Space::kShared ? tile + kNumItems : to) + threadIdx.x, from + threadIdx.x);
  if (space == Space::kShared) to[threadIdx.x] = tile[kNumItems + threadIdx.x];
}
// What the kernel above does besides the form, in shared memory, per thread.
constexpr std::uint64_t kTileReads = 1, kTileWrites = 4;

template <class T>
struct Row {
  const char* name;
  std::uint64_t num_reads, num_writes;  // by each thread
  void (*kernel)(T* to, const T* from, Space space);
};

template <class T>
const std::vector<Row<T>>& rows() {
  static const std::vector<Row<T>> all = {
#define FORM(name, num_reads, num_writes, ...)                                 \
  {"inlined " #name, num_reads, num_writes, form_kernel<inlined::name<T>, T>}, \
      {"called " #name, num_reads, num_writes, form_kernel<called::name<T>, T>},
#include "access_forms.inc"
#undef FORM
  };
  return all;
}

struct Pair {
  float value;
  int key;
  bool operator==(const Pair&) const = default;
};
struct Padded {
  char tag;
  int value;
  bool operator==(const Padded&) const = default;
};
struct Large {
  double items[6];
  bool operator==(const Large&) const = default;
};
bool operator==(const float4& a, const float4& b) {
  return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w;
}

template <class T>
T item(int i);
template <>
int item(int i) {
  return i + 1;
}
template <>
Pair item(int i) {
  return {static_cast<float>(i), -i};
}
template <>
Padded item(int i) {
  return {'a', i};
}
template <>
float4 item(int i) {
  const auto x = static_cast<float>(i);
  return {x, 2 * x, 3 * x, 1};
}
template <>
Large item(int i) {
  return {{double(i), 1, 2, 3, 4, -double(i)}};
}

// Virtual functions are read from a table among the program's constants.
bool reads_table(std::string_view name) { return name.find(" Virtual") != std::string_view::npos; }

using simt::CounterSet;

class Access : public CountingTest {
 protected:
  template <class T>
  static void expect_each_once() {
    for (const Row<T>& row : rows<T>()) {
      SCOPED_TRACE(row.name);
      const CounterSet global = run(row, Space::kGlobal);
      const std::uint64_t bytes = kNumLanes * sizeof(T);
      const std::uint64_t table_bytes = reads_table(row.name) ? kNumLanes * sizeof(void*) : 0;
      EXPECT_EQ(global[Counter::kGlobalReadBytes], row.num_reads * bytes + table_bytes);
      EXPECT_EQ(global[Counter::kGlobalWriteBytes], row.num_writes * bytes);
      // Shared memory has no counter of bytes: the tile's own accesses are the measure.
      const CounterSet shared = run(row, Space::kShared);
      const std::uint64_t lanes = shared[Counter::kGlobalWriteLanes];  // of one T per thread
      EXPECT_EQ(shared[Counter::kSharedReadLanes], (row.num_reads + kTileReads) * lanes);
      EXPECT_EQ(shared[Counter::kSharedWriteLanes], (row.num_writes + kTileWrites) * lanes);
    }
  }

 private:
  template <class T>
  static CounterSet run(const Row<T>& row, Space space) {
    Managed<T> to(kNumItems), from(kNumItems);
    for (int i = 0; i < kNumItems; ++i) from[i] = item<T>(i);
    const std::size_t shared_bytes = 2 * kNumItems * sizeof(T);
    const KernelCounters kernel =
        counted([&] { row.kernel<<<1, kNumLanes, shared_bytes>>>(to.get(), from.get(), space); });
    for (int i = 0; i < kNumLanes; ++i) EXPECT_TRUE(to[i] == item<T>(i)) << "item " << i;
    return kernel.counters;
  }
};

TEST_F(Access, OfAnIntIsSeenOnce) { expect_each_once<int>(); }
TEST_F(Access, OfAPairIsSeenOnce) { expect_each_once<Pair>(); }
TEST_F(Access, OfAStructWithPaddingIsSeenOnce) { expect_each_once<Padded>(); }
TEST_F(Access, OfAVectorIsSeenOnce) { expect_each_once<float4>(); }
TEST_F(Access, OfALargeStructIsSeenOnce) { expect_each_once<Large>(); }

}  // namespace
}  // namespace simt_test::access_test
