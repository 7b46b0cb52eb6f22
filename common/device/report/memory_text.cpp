// SPDX-License-Identifier: MIT
#include "report/memory_text.h"

namespace report {
namespace {

// "thread 3 of block 0 reads 4 bytes"
std::string what_it_does(const std::string& thread, const Touch& touch) {
  return thread + (touch.writes ? " writes " : " reads ") + bytes(touch.size_bytes);
}

// "d_in (400 bytes)", "allocation 3 (400 bytes, allocated in line 12 of scan.cu)"
std::string name_of(const Room& room) {
  const std::string line = full_line_name(room.made_at);
  return room.name + " (" + bytes(room.size_bytes) +
         (line.empty() ? "" : ", allocated in " + line) + ")";
}

// ", index 100 in items of 4 bytes"; nothing where the address is between two of them.
std::string index_text(const Touch& touch, std::uint64_t base) {
  const std::uint64_t offset = touch.address - base;
  if (touch.size_bytes < 2 || offset % touch.size_bytes != 0) return "";
  return ", index " + std::to_string(offset / touch.size_bytes) + " in items of " +
         bytes(touch.size_bytes);
}

// "which has been freed in line 14 of scan.cu"
std::string freed(const Room& room) {
  const std::string line = full_line_name(room.freed_at);
  return "which has been freed" + (line.empty() ? "" : " in " + line);
}

std::string place_of(const Touch& touch, const Room* nearest) {
  if (nearest == nullptr) return " at " + hex(touch.address) + ", where nothing is allocated";
  const std::uint64_t end = nearest->base + nearest->size_bytes;
  const bool inside = touch.address >= nearest->base && touch.address < end;
  if (inside && !nearest->is_live) {
    return " of " + name_of(*nearest) + ", " + freed(*nearest) + ": no kernel may use it any more";
  }
  std::string text;
  if (inside) {
    text = ", of which the last " + bytes(touch.address + touch.size_bytes - end) + " lie past";
  } else if (touch.address >= end) {
    const std::uint64_t past = touch.address - end;
    text = past == 0 ? " right past" : ", " + bytes(past) + " past";
  } else {
    return ", " + bytes(nearest->base - touch.address) + " before the start of " +
           name_of(*nearest) + ": the index is negative or the pointer wrong";
  }
  return text + " the end of " + name_of(*nearest) +
         (nearest->is_live ? index_text(touch, nearest->base) : ", " + freed(*nearest));
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

// What lies past `end`: ", of which the last 4 bytes lie past", ", 12 bytes past".
std::string how_far_past(const Touch& touch, std::uint64_t end) {
  if (touch.address < end) {
    return ", of which the last " + bytes(touch.address + touch.size_bytes - end) + " lie past";
  }
  const std::uint64_t past = touch.address - end;
  return past == 0 ? " right past" : ", " + bytes(past) + " past";
}

}  // namespace

std::string short_name_of(const Room& room) {
  const std::string line = full_line_name(room.made_at);
  return room.name + (line.empty() ? "" : ", allocated in " + line);
}

std::string out_of_bounds_text(const std::string& thread, const Touch& touch, const Room* nearest) {
  return what_it_does(thread, touch) + place_of(touch, nearest);
}

std::string negative_unsigned_text(const std::string& thread, const Touch& touch, const Room& room,
                                   std::int64_t index) {
  constexpr std::int64_t kRange = std::int64_t{1} << 32;
  return what_it_does(thread, touch) + " far past the end of " + name_of(room) + ", index " +
         std::to_string(index + kRange) + " in items of " + bytes(touch.size_bytes) +
         ", which is " + std::to_string(index) +
         " in an int: the index is negative, and a variable or an operand of it is unsigned";
}

std::string null_pointer_text(const std::string& thread, const Place& failed_allocation) {
  const std::string line = full_line_name(failed_allocation);
  return thread + " dereferenced a null pointer; " +
         (line.empty()
              ? "if this pointer may be null, test for it first"
              : "an allocation failed in " + line +
                    " (cudaErrorMemoryAllocation): check its result before you use the pointer");
}

std::string past_dynamic_text(const std::string& thread, const Touch& touch, std::uint64_t end,
                              std::uint64_t dynamic_bytes) {
  return what_it_does(thread, touch) + how_far_past(touch, end) +
         " the end of the block's dynamic shared memory (" + bytes(dynamic_bytes) +
         ", the launch's third argument)";
}

std::string past_variable_text(const std::string& thread, const Touch& touch,
                               const SharedRoom& variable) {
  return what_it_does(thread, touch) + how_far_past(touch, variable.end()) + " the end of shared " +
         variable.name + " (" + bytes(variable.size_bytes) + ")" +
         index_text(touch, variable.offset);
}

std::string past_local_variable_text(const std::string& thread, const Touch& touch,
                                     const SharedRoom& variable) {
  const std::string name = "local " + variable.name + " (" + bytes(variable.size_bytes) + ")";
  if (touch.address < variable.offset) {
    return what_it_does(thread, touch) + ", " + bytes(variable.offset - touch.address) +
           " before the start of " + name + ": the index is negative or the pointer wrong";
  }
  return what_it_does(thread, touch) + how_far_past(touch, variable.end()) + " the end of " + name +
         index_text(touch, variable.offset);
}

std::string before_shared_text(const std::string& thread, const Touch& touch) {
  const auto before = -static_cast<std::uint32_t>(touch.address);
  return what_it_does(thread, touch) + ", " + bytes(before) +
         " before the start of the block's shared memory: the index is negative or the pointer wrong";
}

std::string no_shared_text(const std::string& thread, const Touch& touch) {
  return what_it_does(thread, touch) +
         " of shared memory, and the block has none: the launch's third argument is 0";
}

std::string other_local_text(const std::string& thread, const Touch& touch) {
  return what_it_does(thread, touch) +
         " of another thread's local variable: a thread's local memory is its own, and in any "
         "other thread such a pointer leads elsewhere; share values through shared or global "
         "memory, or by a shuffle";
}

std::string uninitialized_text(const std::string& thread, const Touch& touch,
                               const std::string& what, std::uint64_t base,
                               std::uint64_t unwritten_bytes) {
  const bool is_partly_written = unwritten_bytes < touch.size_bytes;
  return thread + (touch.is_update ? " updates " : " reads ") + bytes(touch.size_bytes) + " of " +
         what +
         (is_partly_written ? ", of which no thread has written " + bytes(unwritten_bytes) + " yet"
                            : " that no thread has written yet") +
         index_text(touch, base);
}

std::string allocation_text(const Room& room) {
  return room.made_at.is_known() ? name_of(room) : room.name;
}

std::string fill_before_text() {
  return "; fill it before: by a copy, by cudaMemsetAsync or in an earlier kernel";
}

std::string short_fill_text(const Fill& fill, std::string_view file) {
  return "; " + line_name(fill.at, file) + " fills only " +
         (fill.size_bytes == 1 ? "its first byte" : "its first " + bytes(fill.size_bytes)) +
         ": the size of a copy or fill is counted in bytes";
}

std::string copy_unwritten_text(std::uint64_t offset, std::uint64_t size_bytes,
                                const std::string& name) {
  return "this copy to the host reads byte " + std::to_string(offset) + " of its " +
         bytes(size_bytes) + " (" + name +
         "), which neither a kernel nor a copy has written: do the launches and copies before it "
         "cover all items?";
}

std::string unfilled_text(const std::string& thread, const Touch& touch, const std::string& what,
                          const CopyUnderWay& copy) {
  return thread + " reads " + bytes(touch.size_bytes) + " of " + what +
         " that a copy that thread " + std::to_string(copy.thread) + " began in " +
         line_name(copy.begun_at, touch.place.file) + " has not filled: " + why_unfilled(copy);
}

std::string host_pointer_text(const std::string& thread, const Touch& touch) {
  return what_it_does(thread, touch) + " at " + hex(touch.address) +
         ", which is memory of the host: a kernel can use only device memory, as cudaMalloc gives "
         "it; pass it a variable of the host by value, without & or *";
}

std::string host_access_text(const Touch& touch, const Room* allocation) {
  const bool is_inside = allocation != nullptr && touch.address >= allocation->base &&
                         touch.address < allocation->base + allocation->size_bytes;
  return std::string("the host ") + (touch.writes ? "writes " : "reads ") +
         bytes(touch.size_bytes) + " of " +
         (is_inside ? allocation->name : std::string("the device's memory")) +
         " itself: on a GPU that is a segmentation fault; " +
         (touch.writes ? "set it with cudaMemsetAsync, or copy with cudaMemcpyAsync"
                       : "copy it with cudaMemcpy");
}

std::string constant_text(const std::string& thread, const Touch& touch) {
  return what_it_does(thread, touch) +
         " of a __constant__ variable, which kernels can only read: the host writes it, with "
         "cudaMemcpyToSymbol";
}

std::string misaligned_text(const std::string& thread, const Touch& touch,
                            const std::string& place) {
  const std::string size = std::to_string(touch.size_bytes);
  return what_it_does(thread, touch) + " at once at " + place + ", which is " +
         bytes(touch.address % touch.size_bytes) + " past a multiple of " + size +
         ": an access of " + size + " bytes needs an address that is a multiple of " + size;
}

std::string alignas_text(const SharedRoom& variable, std::uint64_t alignment) {
  const std::uint64_t past = variable.offset % alignment;
  if (past == 0) return "";
  const std::string size = std::to_string(alignment);
  return ". " + variable.name + " begins " + bytes(past) + " past a multiple of " + size +
         ": declare it alignas(" + size + ")";
}

std::string misaligned_copy_text(const std::string& thread, const Touch& touch,
                                 const std::string& place, std::uint64_t size_bytes) {
  const std::string size = std::to_string(size_bytes);
  return thread + " copies " + bytes(size_bytes) + " asynchronously " +
         (touch.writes ? "to " : "from ") + place + ", which is " +
         bytes(touch.address % size_bytes) + " past a multiple of " + size + ": a copy of " + size +
         " bytes needs addresses that are multiples of " + size;
}

}  // namespace report
