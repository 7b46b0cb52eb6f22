// SPDX-License-Identifier: MIT
// mma and wmma.mma: the arithmetic of tensor cores is in run/arithmetic. Here all lanes of the warp
// must take part, and the monitors are told.
#include <cstdio>
#include <memory>
#include <string>

#include "run/access.h"
#include "run/arithmetic/bind.h"
#include "run/engine.h"

namespace run {
namespace {

using code::Instruction;
using code::Op;

struct Product {
  Op arithmetic;
  const Instruction* instruction = nullptr;
  std::uint64_t multiply_adds = 0;  // of the whole warp
};

const Op* multiply(Warp& warp, const Op* op, std::uint32_t lanes) {
  const auto& product = *static_cast<const Product*>(op->details);
  require_all_lanes(warp, *product.instruction, lanes);
  for (Monitor* const monitor : warp.engine->monitors) {
    monitor->multiplies(warp, *product.instruction, product.multiply_adds);
  }
  product.arithmetic.handler(warp, &product.arithmetic, lanes);
  return op + 1;
}

std::uint64_t multiply_adds_of(const Instruction& instruction) {
  for (const std::string_view word : instruction.words) {
    unsigned m = 0, n = 0, k = 0;
    if (std::sscanf(std::string(word).c_str(), "m%un%uk%u", &m, &n, &k) == 3) {
      return std::uint64_t{m} * n * k;
    }
  }
  return 0;
}

}  // namespace

code::Handler product_handler(Op& op, const Instruction& instruction, code::Function& function) {
  const std::string_view opcode = instruction.words.front();
  if (opcode != "mma" && !(opcode == "wmma" && instruction.has("mma"))) return nullptr;
  function.needs_whole_warps = true;
  arithmetic::bind_arithmetic(op, instruction, function);
  auto product = std::make_shared<Product>();
  product->arithmetic = op;
  product->instruction = &instruction;
  product->multiply_adds = multiply_adds_of(instruction);
  op.details = product.get();
  function.details.push_back(std::move(product));
  return multiply;
}

}  // namespace run
