// SPDX-License-Identifier: MIT
// The functions of one lab, callable by name with arguments from the judge. add_lab() generates one
// table per lab from its contract header; a rung that does not define a function leaves its weak
// declaration null.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "lab/scratch.cuh"
#include "protocol/wire.h"
#include "worker/host_copies.h"

namespace worker {

// What a call receives in addition to the judge's arguments.
struct Context {
  std::byte* d_arena;
  HostCopies* host_copies;
  lab::Scratch* scratch;
  cudaStream_t stream;
};

// Hands out a call's arguments one by one, as the types of the function's parameters.
class Arguments {
 public:
  Arguments(std::span<const wire::Arg> args, const Context& context)
      : rest_(args), context_(context) {}

  template <class T>
  T next() {
    if constexpr (std::is_same_v<T, lab::Scratch&>) {
      return *context_.scratch;
    } else if constexpr (std::is_same_v<T, cudaStream_t>) {
      return context_.stream;
    } else if constexpr (std::is_reference_v<T>) {
      return *place<std::remove_cvref_t<T>>();
    } else if constexpr (std::is_same_v<T, dim3>) {
      return dim3{next<unsigned>(), next<unsigned>(), next<unsigned>()};  // braces: in this order
    } else {
      return from_wire<T>(pop());
    }
  }
  // The address in host memory of one T, to read or to write.
  template <class T>
  T* place() {
    static_assert(std::is_trivially_copyable_v<T>, "it travels as its bytes");
    const wire::Arg arg = pop();
    if (arg.kind != wire::ArgKind::kHostBuffer) throw BadRequest("expected host memory");
    return from_wire<T*>(arg);
  }
  void expect_end() const {
    if (!rest_.empty()) throw BadRequest("too many arguments");
  }

 private:
  wire::Arg pop() {
    if (rest_.empty()) throw BadRequest("too few arguments");
    const wire::Arg arg = rest_.front();
    rest_ = rest_.subspan(1);
    return arg;
  }

  template <class T>
  T from_wire(const wire::Arg& arg) const {
    if constexpr (std::is_pointer_v<T>) {
      if (arg.kind == wire::ArgKind::kNull) return nullptr;
      if (arg.kind == wire::ArgKind::kHostBuffer) {
        return reinterpret_cast<T>(context_.host_copies->make(arg.bits));
      }
      if (arg.kind == wire::ArgKind::kPinnedBuffer) {
        return reinterpret_cast<T>(context_.host_copies->make_pinned(arg.bits));
      }
      if (arg.kind != wire::ArgKind::kBuffer) throw BadRequest("expected a buffer");
      return reinterpret_cast<T>(context_.d_arena + arg.bits);
    } else if constexpr (std::is_floating_point_v<T>) {
      if (arg.kind != wire::ArgKind::kReal) throw BadRequest("expected a real number");
      double value;
      std::memcpy(&value, &arg.bits, sizeof value);
      return static_cast<T>(value);
    } else if constexpr (wire::fits_argument<T>) {
      if (arg.kind != wire::ArgKind::kStruct) throw BadRequest("expected a struct");
      T value;
      std::memcpy(&value, &arg.bits, sizeof value);
      return value;
    } else {
      static_assert(std::is_integral_v<T> || std::is_enum_v<T>,
                    "a lab's parameters are pointers, numbers, dim3, "
                    "structs of at most 8 bytes or by const reference, Scratch& and cudaStream_t");
      if (arg.kind != wire::ArgKind::kInteger) throw BadRequest("expected an integer");
      return static_cast<T>(static_cast<std::int64_t>(arg.bits));
    }
  }

  std::span<const wire::Arg> rest_;
  const Context& context_;
};

using AnyFunction = void (*)();

struct Entry {
  const char* name;
  AnyFunction function;  // null: the rung does not define it
  void (*invoke)(AnyFunction, Arguments&);
  bool takes_stream;
};

// Calls the rung's function. Exceptions are told apart by their class names, and a rung may define
// a class with a name of ours. So a BadRequest from here is not the judge's fault.
template <class Function, class Values>
decltype(auto) call_rung(Function* function, Values& values) {
  try {
    return std::apply(function, values);
  } catch (const BadRequest&) {
    throw std::runtime_error("worker::BadRequest");
  }
}

template <class Returned, class... Params>
Entry make_entry(const char* name, Returned (*function)(Params...)) {
  return {name, reinterpret_cast<AnyFunction>(function),
          [](AnyFunction erased, Arguments& arguments) {
            // Braces, because function-call arguments have no defined order of evaluation.
            std::tuple<Params...> values{arguments.next<Params>()...};
            const auto typed = reinterpret_cast<Returned (*)(Params...)>(erased);
            if constexpr (std::is_void_v<Returned>) {
              arguments.expect_end();
              call_rung(typed, values);
            } else {
              Returned* const h_result = arguments.place<Returned>();
              arguments.expect_end();
              *h_result = call_rung(typed, values);
            }
          },
          (std::is_same_v<Params, cudaStream_t> || ...)};
}

// Defined by the lab's generated file.
std::span<const Entry> call_table();

}  // namespace worker
