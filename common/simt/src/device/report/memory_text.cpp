// SPDX-License-Identifier: MIT
#include "report/memory_text.h"

#include <cstdlib>
#include <string_view>

#include "program/source_line.h"
#include "report/words.h"

namespace simt::device {
namespace {

// "thread 3 of block 0 reads 4 bytes"
std::string what_it_does(const std::string& thread, const Access& access) {
  return thread + (access.writes ? " writes " : " reads ") + bytes(access.size_bytes);
}

// "d_in (400 bytes)", "allocation 3 (400 bytes, allocated in line 12 of scan.cu)"
std::string name_of(const Allocation& allocation) {
  const std::string line = program_line_name(allocation.made_by);
  return allocation.name + " (" + bytes(allocation.size_bytes) +
         (line.empty() ? "" : ", allocated in " + line) + ")";
}

// "which has been freed in line 14 of scan.cu"
std::string freed(const Allocation& allocation) {
  const std::string line = program_line_name(allocation.freed_by);
  return "which has been freed" + (line.empty() ? "" : " in " + line);
}

std::string place_of(const Access& access, const Allocation* nearest) {
  if (nearest == nullptr) return " at " + hex(access.address) + ", where nothing is allocated";
  const auto base = reinterpret_cast<std::uintptr_t>(nearest->base);
  const std::uintptr_t end = base + nearest->size_bytes;
  const bool inside = access.address >= base && access.address < end;
  if (inside && !nearest->live) {
    return " of " + name_of(*nearest) + ", " + freed(*nearest) + ": no kernel may use it any more";
  }
  std::string text;
  if (inside) {
    text = ", of which the last " + bytes(access.address + access.size_bytes - end) + " lie past";
  } else if (access.address >= end) {
    const std::size_t past = access.address - end;
    text = past == 0 ? " right past" : ", " + bytes(past) + " past";
  } else {
    return ", " + bytes(base - access.address) + " before the start of " + name_of(*nearest) +
           ": the index is negative or the pointer wrong";
  }
  return text + " the end of " + name_of(*nearest) + (nearest->live ? "" : ", " + freed(*nearest));
}

std::string why_unfilled(const CopyUnderWay& copy) {
  if (copy.num_left != 0) {
    const std::string batches =
        copy.num_left == 1 ? "batch" : std::to_string(copy.num_left) + " batches";
    return "it is in the newest " + batches +
           ", which that thread's last wait left under way; wait for more of them before the "
           "barrier, and commit a batch in every round, also one without copies";
  }
  if (copy.is_committed) {
    return "that thread has committed the copy, but must also wait for it "
           "(__pipeline_wait_prior, or consumer_wait) before a barrier";
  }
  return "that thread must commit its copies and wait for them (__pipeline_commit and "
         "__pipeline_wait_prior, or consumer_wait) before a barrier";
}

}  // namespace

std::string out_of_bounds_text(const std::string& thread, const Access& access,
                               const Allocation* nearest) {
  return what_it_does(thread, access) + place_of(access, nearest);
}

std::string past_dynamic_text(const std::string& thread, const Access& access, std::uintptr_t low,
                              std::size_t size_bytes) {
  const std::uintptr_t end = low + size_bytes;
  const std::uintptr_t access_end = access.address + access.size_bytes;
  return what_it_does(thread, access) +
         (access.address < end ? ", of which the last " + bytes(access_end - end) + " lie past"
                               : ", " + bytes(access.address - end) + " past") +
         " the end of the block's dynamic shared memory (" + bytes(size_bytes) +
         ", the launch's third argument)";
}

std::string past_variable_text(const std::string& thread, const Access& access,
                               const SharedVariable& variable, std::uintptr_t end) {
  const std::string owner =
      "the end of shared " + variable.name + " (" + bytes(variable.size_bytes) + ")";
  const std::string start = what_it_does(thread, access);
  if (access.address < end) {
    return start + ", of which the last " + bytes(access.address + access.size_bytes - end) +
           " lie past " + owner;
  }
  const std::size_t past = access.address - end;
  return start + (past == 0 ? " right past " : ", " + bytes(past) + " past ") + owner;
}

std::string before_shared_text(const std::string& thread, const Access& access) {
  return what_it_does(thread, access) + " before the start of the block's shared memory";
}

std::string other_stack_text(const std::string& thread, const Access& access) {
  return what_it_does(thread, access) +
         " of another thread's local variable: a thread's local memory is its own, and in any "
         "other thread such a pointer leads elsewhere; share values through shared or global "
         "memory, or by a shuffle";
}

std::string uninitialized_text(const std::string& thread, const Access& access,
                               const std::string& what, std::size_t unwritten_bytes) {
  const bool is_partly_written = unwritten_bytes < access.size_bytes;
  return thread + (access.is_atomic && access.writes ? " updates " : " reads ") +
         bytes(access.size_bytes) + " of " + what +
         (is_partly_written ? ", of which no thread has written " + bytes(unwritten_bytes) +
                                  " yet (the size of a fill or a copy is counted in bytes)"
                            : " that no thread has written yet");
}

std::string unfilled_text(const std::string& thread, const Access& access, const std::string& what,
                          const CopyUnderWay& copy) {
  return thread + " reads " + bytes(access.size_bytes) + " of " + what +
         " that a copy that thread " + std::to_string(copy.thread) + " began in " +
         line_name(copy.pc, source_line(access.pc).file) + " has not filled: " + why_unfilled(copy);
}

std::string host_access_text(const Access& access, const Allocation* allocation) {
  const bool is_inside =
      allocation != nullptr && allocation->contains(reinterpret_cast<const void*>(access.address));
  return std::string("the host ") + (access.writes ? "writes " : "reads ") +
         bytes(access.size_bytes) + " of " +
         (is_inside ? allocation->name : std::string("the device's memory")) +
         " itself: on a GPU that is a segmentation fault; " +
         (access.writes ? "set it with cudaMemsetAsync, or copy with cudaMemcpyAsync"
                        : "copy it with cudaMemcpy");
}

std::string host_pointer_text(const std::string& thread, const Access& access) {
  return what_it_does(thread, access) + " at " + hex(access.address) +
         ", which is memory of the host: "
         "a kernel can use only device memory, as cudaMalloc gives it";
}

std::string host_memory_for_device_text(const std::string& algorithm, std::uintptr_t address) {
  return algorithm + " runs on the device, and gets a pointer to " + hex(address) +
         ", which is memory of the host: copy the items to a thrust::device_vector, or give the "
         "policy thrust::host";
}

std::string device_memory_for_host_text(const std::string& algorithm,
                                        const Allocation& allocation) {
  return algorithm + " runs on the host, and gets a plain pointer to " + name_of(allocation) +
         " of the device: on a GPU that is a segmentation fault; give the policy thrust::device, "
         "or wrap the pointer in thrust::device_ptr";
}

std::string host_object_text(const std::string& thread, const std::string& class_name) {
  return thread + " calls a virtual function of a " + class_name +
         " that the host made: the object points to the host's functions, which a GPU cannot call. "
         "Construct the object in a kernel, or choose the function with a template";
}

std::string constant_text(const std::string& thread, const Access& access) {
  return what_it_does(thread, access) +
         " of a __constant__ variable, which kernels can only read: "
         "the host writes it, with cudaMemcpyToSymbol";
}

std::string misaligned_text(const std::string& thread, const Access& access,
                            const std::string& place) {
  const std::string size = std::to_string(access.size_bytes);
  return what_it_does(thread, access) + " at once at " + place + ", which is " +
         bytes(access.address % access.size_bytes) + " past a multiple of " + size +
         ": an access of " + size + " bytes needs an address that is a multiple of " + size;
}

std::string misaligned_type_text(const std::string& thread, const TypedAccess& access,
                                 std::uintptr_t address, const std::string& place) {
  const std::string alignment = std::to_string(access.alignment);
  const bool vowel = std::string_view("aeiou").find(access.type[0]) != std::string_view::npos;
  const std::string object = (vowel ? "an " : "a ") + access.type;
  return thread + " " + access.verb + " " + object + " at " + place + ", which is " +
         bytes(address % access.alignment) + " past a multiple of " + alignment + ": " + object +
         " needs an address that is a multiple of " + alignment;
}

std::string alignas_text(const SharedVariable& variable, std::uintptr_t address,
                         std::size_t alignment) {
  const std::string size = std::to_string(alignment);
  return ". " + variable.name + " begins " + bytes(address % alignment) + " past a multiple of " +
         size + ": declare it alignas(" + size + ")";
}

std::string misaligned_copy_text(const std::string& thread, const char* direction,
                                 std::uintptr_t address, std::size_t size_bytes) {
  const std::string size = std::to_string(size_bytes);
  return thread + " copies " + bytes(size_bytes) + " asynchronously " + direction + " " +
         hex(address) + ", which is " + bytes(address % size_bytes) + " past a multiple of " +
         size + ": a copy of " + size + " bytes needs addresses that are multiples of " + size;
}

std::string impossible_copy_text(const std::string& thread, std::size_t size_bytes,
                                 std::size_t zero_bytes) {
  std::string text = thread + " copies " + bytes(size_bytes) + " asynchronously";
  if (zero_bytes > size_bytes) text += ", of which it sets " + bytes(zero_bytes) + " to zero";
  return text + ": __pipeline_memcpy_async copies 4, 8 or 16 bytes at a time";
}

std::string index_text(const std::string& thread, std::int64_t index,
                       const std::string& array_type) {
  const std::size_t bracket = array_type.find('[');
  std::string text =
      thread + " uses index " + std::to_string(index) + " of an array of type " + array_type;
  if (bracket != std::string::npos) {
    const unsigned long long length = std::strtoull(&array_type[bracket + 1], nullptr, 10);
    text += ", whose last element is number " + std::to_string(length - 1);
  }
  return text;
}

}  // namespace simt::device
