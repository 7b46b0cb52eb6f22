// SPDX-License-Identifier: MIT
// Asynchronous copies to a block's shared memory that have begun but not arrived. Until a copy
// arrives, its destination counts as unwritten, so that an early read is reported.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "check/shared_shadow.h"
#include "code/program.h"

namespace check {

class AsyncCopies {
 public:
  struct Copy {
    std::uint32_t thread = 0;
    std::uint64_t offset = 0;
    std::uint64_t size_bytes = 0;
    const code::Instruction* begun_by = nullptr;
    std::uint32_t batch = 0;
  };
  // A copy that has not arrived, and why.
  struct Late {
    const Copy* copy;
    bool is_committed;
    std::uint32_t
        num_left;  // batches that its thread's last wait left; 0: no wait since the commit
  };

  void clear() { threads_.clear(); }

  void begin(const Copy& copy, SharedShadow& shadow);
  void commit(std::uint32_t thread);
  void wait(std::uint32_t thread, std::uint32_t num_left);
  void arrive(const Copy& copy, SharedShadow& shadow);  // the batch does not matter

  // A copy to some byte of the range.
  std::optional<Late> find(std::uint64_t offset, std::uint64_t size_bytes) const;

 private:
  struct Thread {
    std::uint32_t num_batches = 0;         // committed
    std::uint32_t num_batches_waited = 0;  // as many as there were at the last wait
    std::uint32_t num_left = 0;            // by the last wait
    std::vector<Copy> under_way;           // in order of their beginning
  };
  Thread& thread(std::uint32_t number);

  std::vector<Thread> threads_;
};

}  // namespace check
