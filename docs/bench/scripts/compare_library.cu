// SPDX-License-Identifier: MIT
// Measures our solutions and every variant of NVIDIA's libraries that a user can call, in one
// process: sums, scans, selections of half of all items, sorts of keys and of pairs (CUB has an
// index type to choose), and products of square float matrices (cuBLAS, no TF32). Run it by
// `docs/bench/measure library`.
//
// Every round draws new data and calls all contenders, each time starting with another one. Each
// result of ours is compared with the library's; the exit status is 1 if any differs. CUDA events
// take two times of each call: "idle" on a device that waits for the call, so the launch counts;
// "queued" behind a kernel that keeps the device busy until the call is in the queue. For scans and
// selections it also times the limit: a call that only moves the same bytes.
#include <cublas_v2.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <cub/version.cuh>
#include <functional>
#include <string>
#include <vector>

#include "compaction.cuh"
#include "lab/cuda_error.cuh"
#include "lab/scratch.cuh"
#include "matmul.cuh"
#include "radix_sort.cuh"
#include "reduction.cuh"
#include "scan.cuh"

namespace lab {
// The names under which the solutions beyond the ladders are compiled here.
void reduce_sum_beyond(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                       cudaStream_t stream);
void exclusive_scan_beyond(const int* d_in, int num_items, int* d_out, Scratch& scratch,
                           cudaStream_t stream);
void compact_beyond(const int* d_in, int num_items, Predicate keep, int* d_out, int* d_count,
                    Scratch& scratch, cudaStream_t stream);
}  // namespace lab

namespace {

using lab::check;

constexpr int kBits = 32;
constexpr long long kBusyCycles = 400'000;  // 0.2 ms: longer than a call takes to be queued

std::uint64_t next_seed() {
  static std::uint64_t seed = 0;
  return ++seed << 32;
}

// SplitMix64. (G. Steele, D. Lea, C. Flood, "Fast Splittable Pseudorandom Number Generators", 2014)
__device__ std::uint32_t random_bits(std::uint64_t seed, std::size_t i) {
  std::uint64_t z = (seed + i + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return static_cast<std::uint32_t>((z ^ z >> 31) >> 32);
}

template <class Function>
__global__ void for_each_kernel(std::size_t num_items, Function function) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < num_items;
       i += stride) {
    function(i);
  }
}
template <class Function>
void for_each(std::size_t num_items, Function function) {
  for_each_kernel<<<1024, 256>>>(num_items, function);
  lab::check_launch();
}

__global__ void busy_kernel(long long num_cycles) {
  const long long begin = clock64();
  while (clock64() - begin < num_cycles) {
  }
}

template <class T>
class Array {
 public:
  explicit Array(std::size_t size) : size_(size) { check(cudaMalloc(&d_data_, size * sizeof(T))); }
  ~Array() { cudaFree(d_data_); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  T* get() const { return d_data_; }
  std::size_t size() const { return size_; }
  void poison() const { check(cudaMemsetAsync(d_data_, 0xcc, size_ * sizeof(T))); }
  void copy_from(const Array& other) const {
    check(cudaMemcpyAsync(d_data_, other.d_data_, size_ * sizeof(T), cudaMemcpyDeviceToDevice));
  }

 private:
  T* d_data_ = nullptr;
  std::size_t size_;
};

// One work of one size. The first contenders are the library's variants, the last is ours.
struct Contender {
  std::string name;
  std::function<void()> call;
  std::vector<double> idle_ms = {}, queued_ms = {};
};
struct Work {
  std::string name;
  double num_items;
  std::vector<Contender> contenders;
  std::function<void(int round)> refresh;  // round 0 is not timed
  std::function<void()> poison, keep;      // outputs: overwrite; keep as the reference
  std::function<bool(int round)> differs;  // whether they differ from the reference
  std::vector<Contender> limits = {};      // timed only: their outputs are not compared
};

class Timer {
 public:
  Timer() {
    check(cudaEventCreate(&begin_));
    check(cudaEventCreate(&end_));
  }
  double time_ms(const std::function<void()>& call, bool queued) const {
    check(cudaDeviceSynchronize());
    if (queued) busy_kernel<<<1, 1>>>(kBusyCycles);
    check(cudaEventRecord(begin_));
    call();
    check(cudaEventRecord(end_));
    check(cudaEventSynchronize(end_));
    float elapsed_ms = 0;
    check(cudaEventElapsedTime(&elapsed_ms, begin_, end_));
    return elapsed_ms;
  }

 private:
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

bool any_differs = false;

void measure(Work& work, int num_rounds) {
  static const Timer timer;
  const int num_contenders = static_cast<int>(work.contenders.size());
  for (int round = 0; round <= num_rounds; ++round) {
    work.refresh(round);
    work.poison();
    work.contenders[0].call();
    work.keep();
    for (Contender& limit : work.limits) {
      for (const bool queued : {false, true}) {
        work.poison();
        const double ms = timer.time_ms(limit.call, queued);
        if (round > 0) (queued ? limit.queued_ms : limit.idle_ms).push_back(ms);
      }
    }
    for (int i = 0; i < num_contenders; ++i) {
      Contender& contender = work.contenders[(i + round) % num_contenders];
      for (const bool queued : {false, true}) {
        work.poison();
        const double ms = timer.time_ms(contender.call, queued);
        if (round > 0) (queued ? contender.queued_ms : contender.idle_ms).push_back(ms);
        if (!work.differs(round)) continue;
        any_differs = true;
        std::fprintf(stderr, "%s of %.0f items: %s differs from %s\n", work.name.c_str(),
                     work.num_items, contender.name.c_str(), work.contenders[0].name.c_str());
      }
    }
  }
}

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1) + 0.5)];
}
std::string quartiles(const std::vector<double>& values) {
  char text[100];
  std::snprintf(text, sizeof text, "[%.5f, %.5f, %.5f]", quantile(values, 0.25),
                quantile(values, 0.5), quantile(values, 0.75));
  return text;
}

// Ours over the variant of the library that is fastest here: quartiles over the rounds.
void report(const Work& work, std::FILE* file) {
  static bool is_first = true;
  std::fprintf(file, "%s\n  {\"work\": \"%s\", \"items\": %.0f", is_first ? "" : ",",
               work.name.c_str(), work.num_items);
  is_first = false;
  for (const bool queued : {false, true}) {
    const char* const clock = queued ? "queued" : "idle";
    const auto times = [&](const Contender& c) -> const std::vector<double>& {
      return queued ? c.queued_ms : c.idle_ms;
    };
    const auto fastest =
        std::min_element(work.contenders.begin(), work.contenders.end() - 1,
                         [&](const Contender& a, const Contender& b) {
                           return quantile(times(a), 0.5) < quantile(times(b), 0.5);
                         });
    std::vector<double> ratios = times(*fastest);
    const std::vector<double>& ours_ms = times(work.contenders.back());
    for (std::size_t i = 0; i < ratios.size(); ++i) ratios[i] /= ours_ms[i];
    std::fprintf(file, ",\n   \"%s\": {\"ratio\": %s, \"fastest\": \"%s\"", clock,
                 quartiles(ratios).c_str(), fastest->name.c_str());
    for (const Contender& contender : work.contenders) {
      std::fprintf(file, ", \"%s_ms\": %s", contender.name.c_str(),
                   quartiles(times(contender)).c_str());
    }
    for (const Contender& limit : work.limits) {
      std::fprintf(file, ", \"%s_ms\": %s", limit.name.c_str(), quartiles(times(limit)).c_str());
    }
    std::fprintf(file, "}");
    std::printf("%-11s %10.0f items, %-6s: %.3f of %s, %.4f ms\n", work.name.c_str(),
                work.num_items, clock, quantile(ratios, 0.5), fastest->name.c_str(),
                quantile(ours_ms, 0.5));
  }
  std::fprintf(file, "}");
  std::fflush(stdout);
}

template <class T>
bool any_unequal(const Array<T>& a, const Array<T>& b, double tolerance) {
  static const Array<int> found(1);
  check(cudaMemsetAsync(found.get(), 0, sizeof(int)));
  for_each(a.size(), [d_a = a.get(), d_b = b.get(), d_found = found.get(),
                      tolerance] __device__(std::size_t i) {
    const double distance = fabs(static_cast<double>(d_a[i]) - static_cast<double>(d_b[i]));
    if (!(distance <= tolerance)) *d_found = 1;  // a NaN is not near anything
  });
  int h_found = 0;
  check(cudaMemcpy(&h_found, found.get(), sizeof(int), cudaMemcpyDeviceToHost));
  return h_found != 0;
}

using Words = Array<std::uint32_t>;
int* as_ints(const Words& words) { return reinterpret_cast<int*>(words.get()); }

// Each calls `with` with the number of items in one type that a user can choose; ours is last.
template <class Library, class Ours>
std::vector<Contender> contenders(std::size_t num_items, const Library& with, const Ours& ours) {
  return {{"cub_int", [=] { with(static_cast<int>(num_items)); }},
          {"cub_unsigned", [=] { with(static_cast<unsigned>(num_items)); }},
          {"cub_int64", [=] { with(static_cast<std::int64_t>(num_items)); }},
          {"cub_size_t", [=] { with(num_items); }},
          {"ours", ours}};
}

// Each sum of ours and the library's is off by at most the contract's bound (reduction.cuh): here,
// the terms' magnitudes add up to at most num_items.
using Reduce = decltype(lab::reduce_sum);
void measure_reduce(const char* name, Reduce* reduce, std::size_t num_items, int num_rounds,
                    std::FILE* file) {
  const Array<float> in(num_items), out(1), right(1);
  const std::size_t scratch_bytes = num_items / 4 + (std::size_t{16} << 20);
  const Array<char> scratch_data(scratch_bytes);
  const auto with_cub = [&](auto count) {
    std::size_t bytes = scratch_bytes;
    check(cub::DeviceReduce::Sum(scratch_data.get(), bytes, in.get(), out.get(), count));
  };
  const auto with_ours = [&] {
    lab::Scratch scratch(scratch_data.get(), scratch_bytes);
    reduce(in.get(), static_cast<int>(num_items), out.get(), scratch, nullptr);
  };
  Work work;
  work.name = name;
  work.num_items = static_cast<double>(num_items);
  work.contenders = contenders(num_items, with_cub, with_ours);
  // Round 0: integers from -32 to 31, whose sums are exact below 2^24. Then reals in [-1, 1).
  work.refresh = [&](int round) {
    for_each(num_items, [d_in = in.get(), seed = next_seed(), round] __device__(std::size_t i) {
      const auto bits = static_cast<std::int32_t>(random_bits(seed, i));
      d_in[i] =
          round == 0 ? static_cast<float>(bits >> 26) : static_cast<float>(bits >> 8) * 0x1p-23F;
    });
  };
  work.poison = [&] { check(cudaMemsetAsync(out.get(), 0xff, sizeof(float))); };  // NaN
  work.keep = [&] { right.copy_from(out); };
  const auto items = static_cast<double>(num_items);
  const double error = (32 + items / 32768) * 0x1p-24 * items;
  work.differs = [&](int round) {
    const bool is_exact = round == 0 && num_items < std::size_t{1} << 19;  // 2^19 * 32 is 2^24
    return any_unequal(out, right, is_exact ? 0 : (round == 0 ? 32 : 1) * 2 * error);
  };
  measure(work, num_rounds);
  report(work, file);
}

using Scan = decltype(lab::exclusive_scan);
void measure_scan(const char* name, Scan* scan, std::size_t num_items, int num_rounds,
                  std::FILE* file) {
  const Words in(num_items), out(num_items), right(num_items);
  const std::size_t scratch_bytes = num_items / 4 + (std::size_t{16} << 20);
  const Array<char> scratch_data(scratch_bytes);
  const auto with_cub = [&](auto count) {
    std::size_t bytes = scratch_bytes;
    check(cub::DeviceScan::ExclusiveSum(scratch_data.get(), bytes, in.get(), out.get(), count));
  };
  const auto with_ours = [&] {
    lab::Scratch scratch(scratch_data.get(), scratch_bytes);
    scan(as_ints(in), static_cast<int>(num_items), as_ints(out), scratch, nullptr);
  };
  Work work;
  work.name = name;
  work.num_items = static_cast<double>(num_items);
  work.contenders = contenders(num_items, with_cub, with_ours);
  work.limits = {{"memcpy", [&] {
                    check(cudaMemcpyAsync(out.get(), in.get(), num_items * sizeof(int),
                                          cudaMemcpyDeviceToDevice));
                  }}};
  work.refresh = [&](int) {
    for_each(num_items, [d_in = in.get(), seed = next_seed()] __device__(std::size_t i) {
      d_in[i] = random_bits(seed, i);
    });
  };
  work.poison = [&] { out.poison(); };
  work.keep = [&] { right.copy_from(out); };
  work.differs = [&](int) { return any_unequal(out, right, 0); };
  measure(work, num_rounds);
  report(work, file);
}

// Reads all vectors and writes half as many bytes. One vector per thread.
__global__ void select_limit_kernel(const uint4* d_in, int num_vectors, uint2* d_out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= num_vectors) return;
  const uint4 vector = d_in[i];
  d_out[i] = make_uint2(vector.x ^ vector.z, vector.y ^ vector.w);
}

using Compact = decltype(lab::compact);
void measure_select(const char* name, Compact* compact, std::size_t num_items, int num_rounds,
                    std::FILE* file) {
  const Words in(num_items), out(num_items), right(num_items), count(1), right_count(1);
  const std::size_t scratch_bytes = num_items * 9 + (std::size_t{16} << 20);
  const Array<char> scratch_data(scratch_bytes);
  const lab::Predicate is_even{1, 0};
  const auto with_cub = [&](auto num) {
    std::size_t bytes = scratch_bytes;
    check(cub::DeviceSelect::If(scratch_data.get(), bytes, as_ints(in), as_ints(out),
                                as_ints(count), num, is_even));
  };
  const auto with_ours = [&] {
    lab::Scratch scratch(scratch_data.get(), scratch_bytes);
    compact(as_ints(in), static_cast<int>(num_items), is_even, as_ints(out), as_ints(count),
            scratch, nullptr);
  };
  Work work;
  work.name = name;
  work.num_items = static_cast<double>(num_items);
  work.contenders = contenders(num_items, with_cub, with_ours);
  work.limits = {{"read_all_write_half", [&] {
                    const int num_vectors = static_cast<int>(num_items / 4);
                    select_limit_kernel<<<(num_vectors + 255) / 256, 256>>>(
                        reinterpret_cast<const uint4*>(in.get()), num_vectors,
                        reinterpret_cast<uint2*>(out.get()));
                    lab::check_launch();
                  }}};
  work.refresh = [&](int) {
    for_each(num_items, [d_in = in.get(), seed = next_seed()] __device__(std::size_t i) {
      d_in[i] = random_bits(seed, i);
    });
  };
  work.poison = [&] {
    out.poison();
    count.poison();
  };
  work.keep = [&] {
    right.copy_from(out);
    right_count.copy_from(count);
  };
  work.differs = [&](int) {  // after the kept items, both hold poison
    return any_unequal(count, right_count, 0) || any_unequal(out, right, 0);
  };
  measure(work, num_rounds);
  report(work, file);
}

void measure_sort(std::size_t num_items, bool has_values, int num_rounds, std::FILE* file) {
  const Words keys(num_items), values(num_items), keys_out(num_items), values_out(num_items);
  const Words right_keys(num_items), right_values(num_items);
  const std::size_t scratch_bytes = num_items * 16 + (std::size_t{16} << 20);
  const Array<char> scratch_data(scratch_bytes);
  const auto with_cub = [&](auto count) {
    std::size_t bytes = scratch_bytes;
    if (has_values) {
      check(cub::DeviceRadixSort::SortPairs(scratch_data.get(), bytes, keys.get(), keys_out.get(),
                                            values.get(), values_out.get(), count, 0, kBits));
    } else {
      check(cub::DeviceRadixSort::SortKeys(scratch_data.get(), bytes, keys.get(), keys_out.get(),
                                           count, 0, kBits));
    }
  };
  const auto with_ours = [&] {
    lab::Scratch scratch(scratch_data.get(), scratch_bytes);
    const int count = static_cast<int>(num_items);
    if (has_values) {
      lab::sort_pairs(keys.get(), values.get(), count, keys_out.get(), values_out.get(), scratch,
                      nullptr);
    } else {
      lab::radix_sort(keys.get(), count, keys_out.get(), scratch, nullptr);
    }
  };
  Work work;
  work.name = has_values ? "pairs" : "keys";
  work.num_items = static_cast<double>(num_items);
  work.contenders = contenders(num_items, with_cub, with_ours);
  work.refresh = [&](int) {
    for_each(num_items, [d_keys = keys.get(), d_values = values.get(),
                         seed = next_seed()] __device__(std::size_t i) {
      d_keys[i] = random_bits(seed, i);
      d_values[i] = static_cast<std::uint32_t>(i);  // so an unstable sort shows
    });
  };
  work.poison = [&] {
    keys_out.poison();
    if (has_values) values_out.poison();
  };
  work.keep = [&] {
    right_keys.copy_from(keys_out);
    if (has_values) right_values.copy_from(values_out);
  };
  work.differs = [&](int) {
    return any_unequal(keys_out, right_keys, 0) ||
           (has_values && any_unequal(values_out, right_values, 0));
  };
  measure(work, num_rounds);
  report(work, file);
}

void check_cublas(cublasStatus_t status) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  std::fprintf(stderr, "cuBLAS: %s\n", cublasGetStatusString(status));
  std::exit(3);
}

void measure_product(int edge, int num_rounds, std::FILE* file) {
  const std::size_t num_items = std::size_t{1} * edge * edge;
  const Array<float> a(num_items), b(num_items), c(num_items), right(num_items);
  const std::size_t scratch_bytes = std::size_t{64} << 10;
  const Array<char> scratch_data(scratch_bytes);
  cublasHandle_t handle = nullptr;
  check_cublas(cublasCreate(&handle));
  check_cublas(cublasSetMathMode(handle, CUBLAS_DEFAULT_MATH));
  const float one = 1, zero = 0;
  Work work;
  work.name = "product";
  work.num_items = static_cast<double>(num_items);
  // cuBLAS stores by columns: it sees the transposed matrices, and C' = B' A'.
  work.contenders = {
      {"cublas",
       [&] {
         check_cublas(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, edge, edge, edge, &one, b.get(),
                                  edge, a.get(), edge, &zero, c.get(), edge));
       }},
      {"ours", [&] {
         lab::Scratch scratch(scratch_data.get(), scratch_bytes);
         lab::matmul(a.get(), b.get(), edge, edge, edge, c.get(), scratch, nullptr);
       }}};
  // Round 0: integers from -32 to 31, whose sums of up to 2^13 products are exact. Then reals in
  // [-1, 1): each result is off by at most gamma * edge (matmul.cuh), their difference by twice
  // that.
  work.refresh = [&](int round) {
    for (const Array<float>* factor : {&a, &b}) {
      for_each(num_items,
               [d_factor = factor->get(), seed = next_seed(), round] __device__(std::size_t i) {
                 const auto bits = static_cast<std::int32_t>(random_bits(seed, i));
                 d_factor[i] = round == 0 ? static_cast<float>(bits >> 26)
                                          : static_cast<float>(bits >> 8) * 0x1p-23F;
               });
    }
  };
  work.poison = [&] { check(cudaMemsetAsync(c.get(), 0xff, num_items * sizeof(float))); };  // NaN
  work.keep = [&] { right.copy_from(c); };
  const double error = edge * 0x1p-24 / (1 - edge * 0x1p-24) * edge;
  work.differs = [&](int round) { return any_unequal(c, right, round == 0 ? 0 : 2 * error); };
  measure(work, num_rounds);
  report(work, file);
  check_cublas(cublasDestroy(handle));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: compare_library FILE.json [WORK...]\n");
    return 2;
  }
  std::FILE* const file = std::fopen(argv[1], "w");
  if (file == nullptr) {
    std::perror(argv[1]);
    return 3;
  }
  cudaDeviceProp device;
  check(cudaGetDeviceProperties(&device, 0));
  int driver = 0, runtime = 0;
  check(cudaDriverGetVersion(&driver));
  check(cudaRuntimeGetVersion(&runtime));
  char date[20];
  const std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
  std::fprintf(file,
               "{\"gpu\": \"%s\", \"multiprocessors\": %d, \"date\": \"%s\",\n"
               " \"driver_supports_cuda\": %d, \"cuda\": %d, \"cub\": %d, \"cublas\": %d,\n"
               " \"command\": \"docs/bench/measure library\",\n"
               " \"unit\": \"ms: quartiles of the rounds; ratio: the library's time over ours\",\n"
               " \"results\": [",
               device.name, device.multiProcessorCount, date, driver, runtime, CUB_VERSION,
               CUBLAS_VERSION);
  const auto is_wanted = [&](const std::string& work) {
    return argc == 2 || std::find(argv + 2, argv + argc, work) != argv + argc;
  };
  for (const int edge : {256, 512, 1000, 1024, 2048, 4096, 8192}) {
    if (is_wanted("product")) measure_product(edge, edge > 4096 ? 9 : 21, file);
  }
  const auto for_sizes = [&](const char* work, const auto& measure_size) {
    if (!is_wanted(work)) return;
    for (const int log2 : {12, 16, 20, 22, 24, 26, 28}) {
      measure_size(std::size_t{1} << log2, log2 > 26 ? 15 : 21);
    }
  };
  for_sizes("reduce", [&](std::size_t num_items, int num_rounds) {
    measure_reduce("reduce", lab::reduce_sum, num_items, num_rounds, file);
  });
  for_sizes("reduce_beyond", [&](std::size_t num_items, int num_rounds) {
    measure_reduce("reduce_beyond", lab::reduce_sum_beyond, num_items, num_rounds, file);
  });
  for_sizes("scan", [&](std::size_t num_items, int num_rounds) {
    measure_scan("scan", lab::exclusive_scan, num_items, num_rounds, file);
  });
  for_sizes("scan_beyond", [&](std::size_t num_items, int num_rounds) {
    measure_scan("scan_beyond", lab::exclusive_scan_beyond, num_items, num_rounds, file);
  });
  for_sizes("select", [&](std::size_t num_items, int num_rounds) {
    measure_select("select", lab::compact, num_items, num_rounds, file);
  });
  for_sizes("select_beyond", [&](std::size_t num_items, int num_rounds) {
    measure_select("select_beyond", lab::compact_beyond, num_items, num_rounds, file);
  });
  for (const bool has_values : {false, true}) {
    for_sizes(has_values ? "pairs" : "keys", [&](std::size_t num_items, int num_rounds) {
      measure_sort(num_items, has_values, num_rounds, file);
    });
  }
  std::fprintf(file, "\n ]}\n");
  std::fclose(file);
  return any_differs ? 1 : 0;
}
