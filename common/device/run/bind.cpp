// SPDX-License-Identifier: MIT
#include "run/bind.h"

#include <stdexcept>
#include <string>

#include "run/arithmetic/bind.h"
#include "run/engine.h"

namespace run {
namespace {

std::string spelling(const code::Instruction& instruction) {
  std::string text;
  for (const std::string_view word : instruction.words) {
    text += (text.empty() ? "" : ".") + std::string(word);
  }
  return text;
}

code::Handler handler_of(code::Op& op, const code::Instruction& instruction,
                         code::Function& function, const code::Program& program) {
  if (const auto handler = control_handler(op, instruction)) return handler;
  if (const auto handler = call_handler(op, instruction, function, program)) return handler;
  if (const auto handler = memory_handler(op, instruction, function)) return handler;
  if (const auto handler = atomic_handler(op, instruction, function)) return handler;
  if (const auto handler = async_handler(op, instruction, function)) return handler;
  if (const auto handler = matrix_handler(op, instruction, function)) return handler;
  if (const auto handler = product_handler(op, instruction, function)) return handler;
  if (const auto handler = warpgroup_handler(op, instruction, function)) return handler;
  if (const auto handler = warp_handler(op, instruction, function)) return handler;
  if (const auto handler = barrier_handler(op, instruction, function)) return handler;
  if (const auto handler = move_handler(op, instruction, function)) return handler;
  if (const auto handler = image_handler(op, instruction, function)) return handler;
  if (arithmetic::bind_arithmetic(op, instruction, function)) return op.handler;
  throw std::runtime_error("the machine does not know this instruction");
}

// What cannot be executed ends the kernel that comes to it.
struct Refusal {
  std::string message;
};

const code::Op* refuse(Warp& warp, const code::Op* op, std::uint32_t lanes) {
  end_kernel(warp, instruction_of(warp, op), report::Kind::kLaunchError,
             thread_name(warp, std::countr_zero(lanes)) + " comes to " +
                 static_cast<const Refusal*>(op->details)->message,
             cudaErrorLaunchFailure);
}

}  // namespace

std::vector<std::string> bind(code::Program& program) {
  std::vector<std::string> refusals;
  for (const auto& function : program.functions) {
    for (std::size_t i = 0; i < function->ops.size(); ++i) {
      code::Op& op = function->ops[i];
      code::Instruction& instruction = function->instructions[i];
      std::string why;
      try {
        op.handler = handler_of(op, instruction, *function, program);
      } catch (const std::runtime_error& error) {
        why = error.what();
      } catch (const std::out_of_range&) {
        why = "an operand is missing";
      }
      if (!why.empty()) {
        auto refusal = std::make_shared<Refusal>();
        refusal->message = spelling(instruction) + ": " + why;
        refusals.push_back(refusal->message);
        op.details = refusal.get();
        op.handler = refuse;
        function->details.push_back(std::move(refusal));
        instruction.words = {
            "refused"};  // what follows registers must not trust its operands either
        instruction.operands.clear();
        instruction.has_destination = false;
      }
    }
  }
  return refusals;
}

}  // namespace run
