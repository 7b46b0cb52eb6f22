// SPDX-License-Identifier: MIT
// The fixture under every lab's tests: buffers that are watched, calls that are checked, causes
// that are named.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "call_encoding.h"
#include "session.h"

namespace judge {

class LabTest : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  // Forgets the buffers of the case before.
  void begin_case();

  // Device memory that the submission reads. A pristine copy is kept and compared after each call.
  template <class T>
  Buffer<T> input(const std::string& name, const std::vector<T>& h_values) {
    Buffer<T> buffer(session().arena(), name, h_values.size());
    buffer.upload(h_values);
    watch(name, buffer.offset(), h_values.data(), h_values.size() * sizeof(T));
    return buffer;
  }

  // Device memory that the submission writes: poisoned, and unreadable until written.
  template <class T>
  Buffer<T> output(const std::string& name, std::size_t count) {
    return Buffer<T>(session().arena(), name, count);
  }

  // Calls one function; checks that inputs and the memory around the buffers are as they were.
  //   call<decltype(lab::reduce_sum)>("reduce_sum", d_in, num_items, d_out)
  template <class Signature, class... Values>
  std::optional<Failure> call(const char* function, const Values&... values) {
    return run({encode_call<Signature>(function, values...)});
  }
  std::optional<Failure> run(std::vector<wire::Call> calls);

  // Bytes of scratch that each call receives, and the order in which the emulator runs lanes, warps
  // and blocks (0: natural).
  void set_scratch_bytes(std::size_t size_bytes) { scratch_bytes_ = size_bytes; }
  void set_schedule(std::uint64_t seed) { schedule_seed_ = seed; }

  // Tries `attempt(round)` under `num_rounds` other orders of lanes, warps and blocks; fails the
  // test with the first failure, naming the order. On a GPU the rounds are just repetitions.
  void expect_in_any_order(int num_rounds,
                           const std::function<std::optional<Failure>(int round)>& attempt);

  // One case of a test; returns what is wrong, or nothing. Begins with begin_case().
  using Attempt = std::function<std::optional<Failure>(int num_items)>;

  // Tries the sizes in the order given. At the first failure, looks for the smallest size that
  // fails, and fails the test with what it found there. Under a checker (Options::quick) large
  // sizes are left out.
  void expect_for_sizes(const std::vector<int>& sizes, const Attempt& attempt);

  // How many smaller cases a failed one is worth. One once another test has shown a smallest
  // case: it only tells whether a pattern holds at another size, too.
  static int max_bisections();

  // True once calling again is of no use: a call timed out, or is not written yet.
  bool is_fatal() const { return fatal_; }

  // Fails the test. The student reads `failure.message`.
  void fail(const Failure& failure);

  std::uint64_t next_seed() { return session().seeds().next(); }

 private:
  struct Watched {
    std::string name;
    std::size_t offset;
    std::vector<std::byte> pristine;
  };
  void watch(const std::string& name, std::size_t offset, const void* h_data,
             std::size_t size_bytes);
  std::optional<Failure> find_damage() const;
  void keep_findings(const Outcome& outcome);
  std::pair<int, Failure> find_smallest(int passing, int failing, Failure failure,
                                        const Attempt& attempt);

  std::size_t scratch_bytes_ = std::size_t{4} << 20;
  std::uint64_t schedule_seed_ = 0;
  std::vector<Watched> watched_;
  std::vector<wire::Finding> findings_;
  bool fatal_ = false;
};

}  // namespace judge
