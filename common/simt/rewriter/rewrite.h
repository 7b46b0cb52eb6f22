// SPDX-License-Identifier: MIT
// Rewrites CUDA's additions to C++ as C++. Each function reads one piece of code (a file's, or a
// macro's body) and records its changes; all throw SyntaxError for code that they cannot read.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "edits.h"
#include "token.h"

namespace simt::rewriter {

// kernel<<<grid, block, shared, stream>>>(args) becomes a call of simt::launch, with the kernel's
// call in a generic lambda, so that template argument deduction and default arguments work as ever.
void rewrite_launches(const Tokens& code, const std::vector<std::string_view>& macro_parameters,
                      Edits& edits);

// cudaLaunchKernel((void*)kernel, ...) becomes simt::launch_by_pointer(site, cooperative, kernel,
// ...), which sees the kernel's parameter types.
void rewrite_kernel_pointers(const Tokens& code,
                             const std::vector<std::string_view>& macro_parameters, Edits& edits);

// Kernels' names: of the functions that are declared with __global__.
void find_kernels(const Tokens& code, std::set<std::string, std::less<>>& found);

// (void*)kernel becomes ::simt::kernel_address(site, kernel), which notes the parameters' types. To
// be called last: leaves alone what other rewrites have changed.
void rewrite_kernel_addresses(const Tokens& code, const std::set<std::string, std::less<>>& kernels,
                              const std::vector<std::string_view>& macro_parameters, Edits& edits);

// asm statements that are PTX become C++. Returns whether there are any; what they need is in
// simt/ptx.h.
bool rewrite_inline_ptx(const Tokens& code, Edits& edits);

// extern __shared__ T x[]; becomes T (&x)[] = ::simt::DynamicShared{};
// __shared__ alignas(16) T x[8]; becomes alignas(16) __shared__ T x[8];
void rewrite_shared(const Tokens& code, Edits& edits);

// __launch_bounds__(256) void k(...) {...} gets a first statement ::simt::check_launch_bounds(256);
void rewrite_launch_bounds(const Tokens& code, Edits& edits);

// __noinline__ becomes __attribute__((noinline)), unless it is part of an attribute already. As a
// macro it would break the headers of libstdc++, which name that attribute in both of C++'s
// spellings.
// extern "C" goes before __global__: in a function that has it, g++ refuses the attribute of
// __shared__ for a variable of an unnamed class.
void rewrite_keywords(const Tokens& code, Edits& edits);

// Names that are declared with __device__ or __shared__, with __managed__, or with __constant__.
// Functions' names are among them, and those of static variables in a device's functions.
struct DeviceVariables {
  std::size_t size() const { return device.size() + managed.size() + constant.size(); }

  std::vector<std::string_view> device;
  std::vector<std::string_view> managed;
  std::vector<std::string_view> constant;
};
void find_device_variables(const Tokens& code, DeviceVariables& found);

// Where classes are named after `struct`, `class` or `union`, as offsets.
std::vector<std::size_t> find_classes(const Tokens& code);

// All of them, for all code of a source.
inline void rewrite_all(const Source& source, const std::set<std::string, std::less<>>& kernels,
                        Edits& edits) {
  rewrite_launches(source.code, {}, edits);
  rewrite_kernel_pointers(source.code, {}, edits);
  rewrite_shared(source.code, edits);
  rewrite_launch_bounds(source.code, edits);
  rewrite_keywords(source.code, edits);
  rewrite_kernel_addresses(source.code, kernels, {}, edits);
  rewrite_inline_ptx(source.code, edits);
  for (const Macro& macro : source.macros) {
    rewrite_launches(macro.body, macro.parameters, edits);
    rewrite_kernel_pointers(macro.body, macro.parameters, edits);
    rewrite_shared(macro.body, edits);
    rewrite_launch_bounds(macro.body, edits);
    rewrite_keywords(macro.body, edits);
    rewrite_kernel_addresses(macro.body, kernels, macro.parameters, edits);
    rewrite_inline_ptx(macro.body, edits);
  }
}

// tokens[begin, end) as one line of C++.
std::string spell(const Tokens& tokens, std::size_t begin, std::size_t end);

// An expression for a string literal that names tokens[begin, end), in which macro parameters
// appear as the macro's arguments.
std::string spell_name(const Tokens& tokens, std::size_t begin, std::size_t end,
                       const std::vector<std::string_view>& macro_parameters);

// `::simt::LaunchSite{name, __FILE__, __LINE__}` for a kernel spelt by tokens[begin, end).
std::string launch_site(const Tokens& tokens, std::size_t begin, std::size_t end,
                        const std::vector<std::string_view>& macro_parameters);

}  // namespace simt::rewriter
