// SPDX-License-Identifier: MIT
#include "report/race_text.h"

#include <utility>

namespace report {
namespace {

constexpr const char* kStreamRemedy =
    "; nothing orders the two streams: use one stream for both, in a launch as the fourth value in "
    "<<<...>>>, or let one wait for an event of the other (cudaEventRecord, cudaStreamWaitEvent), "
    "or the host for the first (cudaStreamSynchronize); in a graph, add an edge between the two "
    "nodes";

// Where a barrier lies between the two lines, and the threads come back from the second line to the
// first one: by a loop, or by a second call of a function. Otherwise nothing.
std::string on_the_way_back(const Race& race) {
  const Place& barrier = race.last_barrier;
  if (!barrier.is_known()) return "";
  const Place* first = &race.earlier_place;
  const Place* second = &race.place;
  if (first->file != barrier.file || second->file != barrier.file) return "";
  if (second->line < first->line) std::swap(first, second);
  if (barrier.line <= first->line || barrier.line >= second->line) return "";
  const auto line = [](const Place& place) { return "line " + std::to_string(place.line); };
  return "; the __syncthreads() in " + line(barrier) + " stands between " + line(*first) + " and " +
         line(*second) + ", but none on the way back to " + line(*first) +
         ", in a loop or in another call: put a second barrier there, or move the first one";
}

std::string remedy(const Race& race) {
  if (race.is_polled) {
    return "; the loop waits for this by a plain load, which a compiler may make once, before the "
           "loop: read it through a volatile pointer or by an atomic operation";
  }
  if (!race.other_kernel.empty()) return kStreamRemedy;
  if (race.is_shared && !race.is_same_block) {
    return "; __syncthreads() orders the threads of one block: between blocks of a cluster, use "
           "cluster.sync(), or an atomic if both mean to update this value";
  }
  const bool is_in_block = race.is_same_block;
  if (is_in_block && race.is_shared && race.is_earlier_async) {
    return race.earlier_writes
               ? "; wait for the phase of the copy's mbarrier, to which expect_tx has announced all "
                 "of the bytes, before you use them"
               : "; it reads until the wait for its group has returned (wgmma.wait_group, or "
                 "cp.async.bulk.wait_group.read of a copy): only after that may a thread say that "
                 "the memory is free";
  }
  // The same statement: a lost update, or an index by which two threads meet that should not.
  if (race.place.line == race.earlier_place.line) {
    return is_in_block
               ? "; no barrier stands between them: if both mean to update this value, use an "
                 "atomic; if each step reads what the last one wrote, use __syncthreads(); if the "
                 "two should never meet, check the index"
               : "; blocks run in any order: if both mean to update this value, use an atomic; if "
                 "they should never meet, check the index";
  }
  if (is_in_block) {
    std::string way_back = on_the_way_back(race);
    if (!way_back.empty()) return way_back;
    std::string text = "; no __syncthreads() (or, within a warp, __syncwarp()) stands between them";
    if (race.writes && race.earlier_writes) {
      text += "; if the two should never meet, check the index";
    }
    return text;
  }
  return "; blocks run in any order: if they should never meet, check the index; else use an "
         "atomic, a fence and a flag, or a second launch";
}

const char* name(CopyKind kind) {
  if (kind == CopyKind::kAllocation) return "the allocation";
  if (kind == CopyKind::kCallers) return "the caller's own work in its stream";
  return kind == CopyKind::kFree ? "the free" : "the copy or fill";
}

// What it does to memory; `ending`: "s" or nothing.
std::string verb(const StreamCopy& copy, const char* ending) {
  if (copy.kind == CopyKind::kAllocation) return std::string("provide") + ending;
  if (copy.kind == CopyKind::kFree) return std::string("end") + ending;
  return std::string(copy.is_written ? "write" : "read") + ending;
}

std::string name_copy(const StreamCopy& copy, const std::string& does) {
  const std::string line = full_line_name(copy.issued_at);
  return std::string(name(copy.kind)) + (line.empty() ? "" : " in " + line) + " " + does;
}

// "the copy or fill in line 3 of a.cu may still write"
std::string name_running(const StreamCopy& copy) {
  return name_copy(copy, "may still " + verb(copy, ""));
}

const char* stream_remedy(const StreamCopy& copy) {
  return copy.kind == CopyKind::kCallers
             ? "; nothing orders the two streams. The contract says that all work is queued on the "
               "stream that the function receives: pass it on, to each launch as the fourth value "
               "in <<<...>>>, and to cudaMemcpyAsync and cudaMemsetAsync; a stream of your own must "
               "wait for its events at the beginning, and it for yours at the end"
             : kStreamRemedy;
}

// The copy "writes" or "reads" what `rest` says.
std::string copy_meets(const StreamCopy& copy, const std::string& rest) {
  return name_copy(copy, verb(copy, "s")) + " memory that " + rest + stream_remedy(copy);
}

// "the host reads memory that "
std::string host_meets(bool writes) {
  return std::string("the host ") + (writes ? "writes" : "reads") + " memory that ";
}

}  // namespace

std::string race_text(const Race& race) {
  const std::string& file = race.place.file;
  std::string other = race.earlier_thread;
  if (!race.other_kernel.empty()) {
    other += " of " + race.other_kernel + ", which may still run on another stream,";
  } else {
    other += race.is_same_block ? " of the same block" : " of another block";
  }
  return race.thread + (race.writes ? " writes " : " reads ") + race.memory + " in " +
         line_name(race.place, file) + " that " + other +
         (race.earlier_writes ? " writes in " : " reads in ") +
         line_name(race.earlier_place, file) + remedy(race);
}

std::string guarded_update_text(const std::string& thread, const Place& place, bool is_shared,
                                const Place& update) {
  return thread + " reads " + (is_shared ? "shared" : "global") + " memory in " +
         line_name(place, place.file) +
         " by a plain load, and other threads update it by the "
         "atomic in " +
         line_name(update, place.file) +
         ": CUDA's memory model calls that a race; write a relaxed load of a cuda::atomic_ref, or "
         "read through a volatile pointer";
}

std::string unfenced_text(const std::string& thread, const Place& place, std::uint32_t writer,
                          const Place& written) {
  return thread +
         " reads shared memory by wgmma or a bulk copy, which go through the async proxy; thread " +
         std::to_string(writer) + " of the same block wrote it in " +
         line_name(written, place.file) +
         ", without fence.proxy.async: after its writes, and before the barrier, each thread must "
         "make that fence";
}

std::string product_reads_text(const std::string& thread, const Place& place, std::uint32_t reader,
                               const Place& product) {
  return thread + " writes shared memory that the wgmma in " + line_name(product, place.file) +
         " may still read: the warp of thread " + std::to_string(reader) +
         " has started the product, but has not waited for it. The memory is free when "
         "wgmma.wait_group has returned for the product's group";
}

std::string bulk_copy_reads_text(const std::string& thread, const Place& place,
                                 std::uint32_t reader, const Place& copy) {
  return thread + " writes shared memory that the bulk copy in " + line_name(copy, place.file) +
         " may still read: thread " + std::to_string(reader) +
         " has started the copy, but has not waited for it. After cp.async.bulk.commit_group, the "
         "memory is free when cp.async.bulk.wait_group.read has returned for the copy's group";
}

std::string bulk_copy_writes_text(const std::string& thread, const Place& place, bool writes,
                                  const std::string& storer, const Place& copy) {
  return thread + (writes ? " writes" : " reads") + " global memory that the bulk copy in " +
         line_name(copy, place.file) +
         " may not have written yet: " + (storer == thread ? "it" : storer) +
         " has started the copy, but has not waited until it is complete. After "
         "cp.async.bulk.commit_group, cp.async.bulk.wait_group waits for that; with .read it waits "
         "only until the copy has read its source";
}

std::string owner_ends_text(const std::string& thread, bool writes, const Place& place,
                            const ThreadId& owner) {
  return thread + (writes ? " writes" : " reads") + " shared memory of " +
         block_name(owner.block, owner.grid_dim) + " in " + line_name(place, place.file) +
         ", and nothing makes that block wait until then: its shared memory is gone when it has "
         "ended. Let the cluster meet before its blocks end (cluster.sync())";
}

std::string same_value_text() {
  return "; both store the same value here, which does no harm as long as they do";
}

std::string copy_race_text(const std::string& thread, const Place& place, const std::string& does,
                           const StreamCopy& copy) {
  return thread + " " + does + " in " + line_name(place, place.file) + " that " +
         name_running(copy) + " on another stream" + stream_remedy(copy);
}

std::string copy_meets_kernel_text(const StreamCopy& copy, const std::string& kernel,
                                   const Place& place, bool kernel_writes) {
  return copy_meets(copy, kernel + ", which may still run on another stream, " +
                              (kernel_writes ? "writes" : "reads") + " in " +
                              line_name(place, copy.issued_at.file));
}

std::string copy_meets_copy_text(const StreamCopy& copy, const StreamCopy& other) {
  return name_copy(copy, verb(copy, "s")) + " memory that " + name_running(other) +
         " on another stream" + stream_remedy(other.kind == CopyKind::kCallers ? other : copy);
}

std::string host_meets_kernel_text(bool writes, const Place& at, const std::string& kernel,
                                   const Place& place, bool kernel_writes) {
  return host_meets(writes) + kernel + ", which may still run, " +
         (kernel_writes ? "writes" : "reads") + " in " + line_name(place, at.file) +
         "; a launch returns at once: wait for the kernel first (cudaDeviceSynchronize)";
}

std::string host_meets_copy_text(bool writes, const StreamCopy& copy) {
  return host_meets(writes) + name_running(copy) +
         "; an asynchronous copy returns at once: wait for it first (cudaStreamSynchronize)";
}

}  // namespace report
