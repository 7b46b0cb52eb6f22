// SPDX-License-Identifier: MIT
// What the code of a worker's rung may call and write to. Each try ends its process.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iomanip>
#include <iostream>
#include <locale>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "simt/confine.h"
#include "simt/sealed.h"

namespace simt_test {
namespace {

using Function = void (*)();

int g_number = 1;
__device__ int d_number;
int* g_pointer = &g_number;
thread_local int t_number;

struct Shape {
  virtual ~Shape() = default;
  virtual int corners() const { return 0; }
};
struct Square : Shape {
  int corners() const override { return 4; }
};

int twice(int value) { return 2 * value; }
int compare(const void* left, const void* right) {
  return *static_cast<const int*>(left) - *static_cast<const int*>(right);
}

template <class T>
T hidden(T value) {
  volatile T same = value;
  return same;
}

// Not the program's: a function of the C library, whose address a rung may take.
Function strange() { return reinterpret_cast<Function>(hidden(&std::labs)); }

__global__ void call_kernel(int (*function)(int), int* out) { out[0] = function(out[0]); }

__global__ void free_kernel(cudaError_t (*function)(void*), void* at) { function(at); }

__global__ void larger_kernel(double (*larger)(double, double), int* out) {
  out[0] = static_cast<int>(larger(out[0], -1));
}

__global__ void what_kernel(const char* (*what)(const void*), const void* at) { what(at); }

__global__ void store_kernel(int* at) { *at = 0; }

int sum_of(int count, ...) {
  va_list numbers;
  va_start(numbers, count);
  int sum = 0;
  for (int i = 0; i < count; ++i) sum += va_arg(numbers, int);
  va_end(numbers);
  return sum;
}

__global__ void variadic_kernel(int* out) { *out = sum_of(2, *out, 3); }

void confine() { simt::confine({}); }

#if defined(__x86_64__)

// Sends the function elsewhere that calls it and will return to `own`.
__host__ __device__ [[gnu::noinline]] void redirect(void* own) {
  void** const words = static_cast<void**>(hidden(static_cast<void*>(&own)));
  for (int i = 1; i < 18; ++i) {
    if (words[i] == own) words[i] = reinterpret_cast<void*>(strange());
  }
}

__host__ __device__ [[gnu::noinline]] int stray(int value) {
  if (value > 1) return stray(value - 1) + 1;
  redirect(__builtin_return_address(0));
  return hidden(value);
}

__global__ void stray_kernel(int* out) { *out = stray(*out); }

// What qsort() calls here overwrites everything that looks like a return address to qsort()'s
// caller.
int compare_and_stray(const void* left, const void* right) {
  void** const words = static_cast<void**>(hidden(static_cast<void*>(&left)));
  for (int i = 1; i < 100; ++i) {
    const char* const word = static_cast<const char*>(words[i]);
    if (std::abs(word - reinterpret_cast<const char*>(&compare_and_stray)) < 10000)
      words[i] = nullptr;
  }
  return compare(left, right);
}

#endif

void call(Function function) {
  confine();
  function();
}

void store_to(void* at) {
  confine();
  *static_cast<volatile int*>(at) = 0;
}

// An exception whose table of virtual functions is forged.
void say() {
  std::runtime_error error("");
  const Function table[] = {strange(), strange(), strange()};
  const void* const address = table;
  std::memcpy(static_cast<void*>(&error), &address, sizeof address);
  confine();
  simt::text_of(error);
}

// Of the emulator: where it keeps the built-in variable.
int* emulators_own() { return hidden(const_cast<int*>(reinterpret_cast<const int*>(&threadIdx))); }

// All that an honest rung does.
void behave() {
  confine();
  const std::unique_ptr<Shape> shape = std::make_unique<Square>();
  const std::function<int(int)> function = hidden(&twice);
  int sorted[] = {3, 1, 2};
  std::qsort(sorted, 3, sizeof(int), compare);
  int sum = shape->corners() + function(sorted[2]) + sorted[0];
  std::string text;
  try {
    throw std::runtime_error(std::to_string(0.5) + std::to_string(sum));
  } catch (const std::exception& error) {
    text = error.what();
  }
  g_number = t_number = *g_pointer = static_cast<int>(std::stod(text));
  std::atomic<int> counter = 0;
  counter += 1;
  int* d_out = nullptr;
  cudaMalloc(&d_out, sizeof *d_out);
  cudaMemset(d_out, 0, sizeof *d_out);
  call_kernel<<<1, 1>>>(hidden(&twice), d_out);
  larger_kernel<<<1, 1>>>(hidden<double (*)(double, double)>(&fmax), d_out);
  store_kernel<<<1, 1>>>(&d_number);
  cudaLaunchHostFunc(
      nullptr, [](void* at) { *static_cast<int*>(at) = 5; }, &g_number);
  {
    const std::unique_ptr<char, decltype(&std::free)> from_c(static_cast<char*>(std::malloc(1)),
                                                             hidden(&std::free));
    const std::shared_ptr<int> owned(d_out, cudaFree);
    const std::function<cudaError_t()> last_error = hidden(&cudaGetLastError);
    if (last_error() != cudaSuccess) std::exit(2);
  }
  std::printf("%s %d %5.2f%% no\n", text.c_str(), g_number, 1.5);
  std::fprintf(stderr, "%zu of %-8s", sizeof text, "n");
  std::fputs("text", stderr);
  std::cout << std::fixed << std::setprecision(2) << std::setw(8) << std::setfill('0') << 1.5;
  std::cout.fill(std::cout.fill('*'));
  std::cout.flags(std::ios::hex);
  std::cerr << std::boolalpha << true << std::setw(4) << 1;
  std::wcout << std::hex << std::setw(4) << 255 << std::endl;
  std::string letters = "Ab";
  letters[0] = std::toupper(letters[0], std::locale());
  std::transform(letters.begin(), letters.end(), letters.begin(), hidden(&::tolower));
  std::vector<float> roots = {16, 81};
  std::transform(roots.begin(), roots.end(), roots.begin(), hidden(&sqrtf));
  if (letters != "ab" || roots[1] != 9) std::exit(3);
  std::fflush(nullptr);
  std::exit(text == "0.50000011" && g_number == 5 && sum_of(2, 3, 4) == 7 ? 0 : 1);
}

class Confine : public ::testing::Test {
 protected:
  void SetUp() override { ::testing::FLAGS_gtest_death_test_style = "threadsafe"; }
  static auto ended() { return ::testing::ExitedWithCode(simt::kSealedStatus); }
};

TEST_F(Confine, LeavesHonestCodeAlone) { EXPECT_EXIT(behave(), ::testing::ExitedWithCode(0), ""); }

#if defined(__x86_64__)  // see confine.h
TEST_F(Confine, EndsACallOfWhatIsNoFunctionOfTheProgram) {
  EXPECT_EXIT(call(strange()), ended(), "device_confine_test.cu:.*calls, through a pointer");
  const auto middle = reinterpret_cast<std::uintptr_t>(&behave) + 1;
  EXPECT_EXIT(call(reinterpret_cast<Function>(hidden(middle))), ended(), "");
}

TEST_F(Confine, EndsItInAKernel) {
  int* d_out = nullptr;
  cudaMalloc(&d_out, sizeof *d_out);
  cudaMemset(d_out, 0, sizeof *d_out);
  EXPECT_EXIT(
      {
        confine();
        call_kernel<<<1, 1>>>(reinterpret_cast<int (*)(int)>(strange()), d_out);
      },
      ended(), "calls, through a pointer");
  cudaFree(d_out);
}

TEST_F(Confine, EndsAKernelThatCallsTheLibrarysFunctionsOfObjects) {
  const std::runtime_error error("");
  const void* const* const table = *reinterpret_cast<const void* const* const*>(&error);
  const auto what = reinterpret_cast<const char* (*)(const void*)>(hidden(table[2]));
  int* d_out = nullptr;
  cudaMalloc(&d_out, 16);
  EXPECT_EXIT(
      {
        confine();
        if (what(&error)[0] != 0) std::exit(2);
        what_kernel<<<1, 1>>>(what, d_out);
        std::exit(cudaDeviceSynchronize() == cudaErrorLaunchFailure ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
  cudaFree(d_out);
}
#endif

TEST_F(Confine, EndsCallsThatOthersMakeForTheProgram) {
  EXPECT_EXIT(
      {
        confine();
        cudaLaunchHostFunc(nullptr, reinterpret_cast<cudaHostFn_t>(strange()), nullptr);
      },
      ended(), "");
  EXPECT_EXIT(
      {
        confine();
        const auto callback = reinterpret_cast<cudaStreamCallback_t>(strange());
        cudaStreamAddCallback(nullptr, callback, nullptr, 0);
      },
      ended(), "");
  EXPECT_EXIT(
      {
        confine();
        int items[2] = {};
        std::qsort(items, 2, sizeof(int),
                   reinterpret_cast<int (*)(const void*, const void*)>(strange()));
      },
      ended(), "");
  EXPECT_EXIT(say(), ended(), "");
}

TEST_F(Confine, EndsStoresToWhatIsNotTheProgramsOwn) {
  EXPECT_EXIT(store_to(stdout), ended(), "device_confine_test.cu:.*writes memory");
  EXPECT_EXIT(store_to(emulators_own()), ended(), "device_confine_test.cu:.*writes memory");
  EXPECT_EXIT(
      {
        confine();
        std::memset(static_cast<void*>(emulators_own()), 0, 4);
      },
      ended(), "");
  EXPECT_EXIT(
      {
        confine();
        reinterpret_cast<std::atomic<int>*>(emulators_own())->fetch_add(1);
      },
      ended(), "");
  EXPECT_EXIT(
      {
        confine();
        std::snprintf(reinterpret_cast<char*>(emulators_own()), 4, "%d", g_number);
      },
      ended(), "");
  EXPECT_EXIT(
      {
        confine();
        std::strtol("12", reinterpret_cast<char**>(emulators_own()), 10);
      },
      ended(), "");
  EXPECT_EXIT(
      {
        confine();
        store_kernel<<<1, 1>>>(emulators_own());
      },
      ended(), "");
}

TEST_F(Confine, LetsManipulatorsSetTheFormatOfAStreamAlone) {
  std::ios& stream = std::cout;
  // The first field, behind the pointer to virtual functions, is the precision. The width and the
  // flags follow, and then what decides whether a failure throws.
  auto* const base = reinterpret_cast<char*>(static_cast<std::ios_base*>(&stream));
  char* const precision = base + sizeof(void*);
  char* const flags = precision + 2 * sizeof(std::streamsize);
  EXPECT_EXIT(
      {
        confine();
        *reinterpret_cast<volatile int*>(precision) = 0;
        *reinterpret_cast<volatile int*>(flags) = 0;
        std::exit(stream.precision() == 0 && stream.flags() == 0 ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
  for (char* const other : {reinterpret_cast<char*>(&std::cout), base, flags + 2, flags + 4,
                            reinterpret_cast<char*>(&stream + 1) - 4}) {
    EXPECT_EXIT(store_to(other), ended(), "device_confine_test.cu:.*writes memory");
  }
}

#if defined(__x86_64__)

TEST_F(Confine, EndsFunctionsThatWouldReturnToElsewhere) {
  EXPECT_EXIT(
      {
        confine();
        stray(3);
      },
      ended(), "device_confine_test.cu:[1-9].*writes memory");
  EXPECT_EXIT(
      {
        confine();
        int* d_number_of_calls = nullptr;
        cudaMalloc(&d_number_of_calls, sizeof(int));
        cudaMemset(d_number_of_calls, 0, sizeof(int));
        stray_kernel<<<1, 1>>>(d_number_of_calls);
        cudaDeviceSynchronize();
      },
      ended(), "device_confine_test.cu:[1-9].*overwrote the return address");
}

TEST_F(Confine, EndsCallbacksThatOverwriteTheReturnAddressOfTheirCaller) {
  EXPECT_EXIT(
      {
        confine();
        std::vector<int> numbers(3);
        std::qsort(numbers.data(), numbers.size(), sizeof(int), compare_and_stray);
      },
      ended(), "device_confine_test.cu:.*writes memory");
}

#endif

[[gnu::noinline]] int store_to_own() {  // its frame lies below its caller's
  int own = 0;
  *hidden(&own) = 1;
  return own;
}

TEST_F(Confine, EndsStoresToOthersFrames) {
  int of_caller = 0;
  EXPECT_EXIT(
      {
        confine();
        simt::close_stack(&of_caller);
        *hidden(&of_caller) = 1;
      },
      ended(), "device_confine_test.cu:.*writes memory");
  EXPECT_EXIT(
      {
        confine();
        simt::close_stack(&of_caller);
        std::exit(store_to_own());
      },
      ::testing::ExitedWithCode(1), "");
}

TEST_F(Confine, EndsFormatsThatWriteToMemory) {
  static int written;
  const char* const format = hidden("%5d%%%-3hhn");
  EXPECT_EXIT(
      {
        confine();
        std::printf(format, 1, &written);
      },
      ended(), "device_confine_test.cu:.*uses %n");
  EXPECT_EXIT(
      {
        confine();
        char text[8];
        std::snprintf(text, sizeof text, format, 1, &written);
      },
      ended(), "uses %n");
  EXPECT_EXIT(
      {
        confine();
        std::fprintf(stderr, format, 1, &written);
      },
      ended(), "uses %n");
}

// In another program it may run: CUDA knows them.
TEST_F(Confine, EndsFunctionsWithAnEllipsisInKernels) {
  int* d_out = nullptr;
  cudaMalloc(&d_out, sizeof *d_out);
  cudaMemset(d_out, 0, sizeof *d_out);
  variadic_kernel<<<1, 1>>>(d_out);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EXIT(
      {
        confine();
        variadic_kernel<<<1, 1>>>(d_out);
        std::exit(cudaDeviceSynchronize() == cudaErrorLaunchFailure ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
  cudaFree(d_out);
}

TEST_F(Confine, EndsAKernelThatCallsCudaThroughAPointer) {
  int* d_out = nullptr;
  cudaMalloc(&d_out, sizeof *d_out);
  free_kernel<<<1, 1>>>(hidden(&cudaFree), d_out);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
}

TEST_F(Confine, EndsOutputToForgedStreams) {
  EXPECT_EXIT(
      {
        static char forged[sizeof(std::FILE)];
        confine();
        std::fputs("text", reinterpret_cast<std::FILE*>(forged));
      },
      ended(), "device_confine_test.cu:.*to a stream");
}

TEST_F(Confine, EndsAccessesToSealedMemory) {
  auto* const sealed = static_cast<int*>(simt::sealed_memory()->allocate(sizeof(int)));
  EXPECT_EXIT(static_cast<void>(hidden(*sealed)), ended(), "device_confine_test.cu:.*reads memory");
  EXPECT_EXIT(reinterpret_cast<std::atomic<int>*>(sealed)->store(0), ended(), "writes memory");
}

}  // namespace
}  // namespace simt_test
