// SPDX-License-Identifier: MIT
// What the checks cost: nanoseconds per access of a warp, compared with a monitor that does
// nothing. No instruction is executed; the accesses are those of well-known kernels.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "check/checker.h"
#include "code/program.h"
#include "memory/book.h"
#include "report/finding.h"
#include "run/fault.h"
#include "run/warp.h"

namespace {

using run::Access;
using run::Pattern;

constexpr std::uint32_t kWidth = 1024;  // of the matrices, which are square

struct Kernel {
  Kernel() {
    program.module.places.resize(100);
    program.files.resize(1);
    program.num_instructions = 100;
    auto made = std::make_unique<code::Function>();
    made->readable = "kernel";
    made->shared = {{0, "tile", 0, 8192}};
    made->dynamic_shared_offset = 8192 + 128;
    for (std::uint32_t id = 0; id < 100; ++id) {
      code::Instruction instruction;
      instruction.id = instruction.place = id;
      made->instructions.push_back(instruction);
    }
    function = made.get();
    program.functions.push_back(std::move(made));
  }
  code::Program program;
  code::Function* function;
};

class Bench {
 public:
  explicit Bench(run::Monitor& monitor) : monitor_(monitor) {}

  std::uint64_t num_accesses = 0;

  void begin(std::uint32_t num_blocks, std::uint32_t x, std::uint32_t y) {
    launch_.program = &kernel_.program;
    launch_.kernel = kernel_.function;
    launch_.grid = {num_blocks, 1, 1};
    launch_.block = {x, y, 1};
    num_started_ = 0;
    monitor_.launch_begins(launch_);
  }
  void end() { monitor_.launch_ends(launch_); }

  run::Block& start_block() {
    block_.launch = &launch_;
    block_.index = {num_started_, 0, 0};
    block_.ordinal = block_.linear = num_started_++;
    block_.num_threads = block_.live = static_cast<std::uint32_t>(launch_.block.count());
    block_.shared = shared_.data();
    block_.shared_bytes = kernel_.function->dynamic_shared_offset;
    while (block_.warps.size() < (block_.num_threads + 31) / 32) {
      auto warp = std::make_unique<run::Warp>();
      warp->block = &block_;
      warp->id = static_cast<std::uint32_t>(block_.warps.size());
      warp->existing = warp->live = ~0u;
      block_.warps.push_back(std::move(warp));
    }
    monitor_.block_starts(block_);
    return block_;
  }
  void end_block() { monitor_.block_ends(block_); }
  void barrier() { monitor_.block_meets(block_, kernel_.function->instructions[50]); }

  template <class AddressOf>
  void access(run::Warp& warp, std::uint32_t line, bool writes, Pattern pattern,
              AddressOf address_of, std::uint32_t size_bytes = 4, bool is_shared = false) {
    for (std::uint32_t lane = 0; lane < 32; ++lane) access_.address[lane] = address_of(lane);
    access_.instruction = &kernel_.function->instructions[line];
    access_.lanes = ~0u;
    access_.space = is_shared ? run::Space::kShared : run::Space::kGlobal;
    access_.pattern = pattern;
    access_.reads = !writes || access_.is_atomic;
    access_.writes = writes;
    access_.element_bytes = static_cast<std::uint8_t>(size_bytes < 4 ? size_bytes : 4);
    access_.num_elements = static_cast<std::uint8_t>(size_bytes < 4 ? 1 : size_bytes / 4);
    access_.size_bytes = size_bytes;
    access_.base = access_.address[0];
    access_.unwritten = {};
    access_.partly_written = 0;
    monitor_.access(warp, access_);
    ++num_accesses;
  }
  void set_atomic(bool is_atomic) {
    access_.is_atomic = is_atomic;
    access_.order = is_atomic ? run::Order::kRelaxed : run::Order::kWeak;
  }

 private:
  run::Monitor& monitor_;
  Kernel kernel_;
  run::Launch launch_;
  run::Block block_;
  Access access_;
  std::uint32_t num_started_ = 0;
  alignas(64) std::array<std::byte, 16384> shared_ = {};
};

struct Data {
  std::uint64_t a, b, c;
};

// C = A * B without tiles, in blocks of width x width threads.
void naive_product(Bench& bench, const Data& data, std::uint32_t width) {
  const std::uint32_t rows_per_warp = 32 / width;
  const std::uint32_t num_warps = width * width / 32;
  constexpr std::uint32_t kBlocks = 48;
  bench.begin(kBlocks, width, width);
  for (std::uint32_t n = 0; n < kBlocks; ++n) {
    run::Block& block = bench.start_block();
    const std::uint32_t column = n * width % kWidth;
    const std::uint32_t row = n * width / kWidth * width;
    for (std::uint32_t w = 0; w < num_warps; ++w) {
      const std::uint32_t first_row = row + w * rows_per_warp;
      const Pattern one = rows_per_warp == 1 ? Pattern::kUniform : Pattern::kOther;
      const Pattern all = rows_per_warp == 1 ? Pattern::kContiguous : Pattern::kOther;
      for (std::uint32_t k = 0; k < kWidth; ++k) {
        bench.access(*block.warps[w], 1, false, one, [&](std::uint32_t lane) {
          return data.a + 4 * ((first_row + lane / width) * std::uint64_t{kWidth} + k);
        });
        bench.access(*block.warps[w], 2, false, all, [&](std::uint32_t lane) {
          return data.b + 4 * (k * std::uint64_t{kWidth} + column + lane % width);
        });
      }
      bench.access(*block.warps[w], 3, true, all, [&](std::uint32_t lane) {
        return data.c +
               4 * ((first_row + lane / width) * std::uint64_t{kWidth} + column + lane % width);
      });
    }
    bench.end_block();
  }
  bench.end();
}

void tiled_product(Bench& bench, const Data& data, std::uint32_t width) {
  const std::uint32_t rows_per_warp = 32 / width;
  const std::uint32_t num_warps = width * width / 32;
  const Pattern one = rows_per_warp == 1 ? Pattern::kUniform : Pattern::kOther;
  const Pattern all = rows_per_warp == 1 ? Pattern::kContiguous : Pattern::kOther;
  const std::uint32_t num_blocks = 32 * 32 / width;
  bench.begin(num_blocks, width, width);
  for (std::uint32_t n = 0; n < num_blocks; ++n) {
    run::Block& block = bench.start_block();
    const std::uint32_t column = n * width % kWidth;
    for (std::uint32_t tile = 0; tile < kWidth / width; ++tile) {
      for (std::uint32_t w = 0; w < num_warps; ++w) {
        const std::uint32_t y = w * rows_per_warp;
        for (std::uint32_t side = 0; side < 2; ++side) {
          bench.access(*block.warps[w], 1 + side, false, all, [&](std::uint32_t lane) {
            const std::uint64_t row = y + lane / width + (side == 0 ? 0 : tile * width);
            const std::uint32_t x = lane % width + (side == 0 ? tile * width : column);
            return (side == 0 ? data.a : data.b) + 4 * (row * kWidth + x);
          });
          bench.access(
              *block.warps[w], 3 + side, true, Pattern::kContiguous,
              [&](std::uint32_t lane) { return 4 * (side * width * width + y * width + lane); }, 4,
              true);
        }
      }
      bench.barrier();
      for (std::uint32_t w = 0; w < num_warps; ++w) {
        const std::uint32_t y = w * rows_per_warp;
        for (std::uint32_t k = 0; k < width; ++k) {
          bench.access(
              *block.warps[w], 5, false, one,
              [&](std::uint32_t lane) { return 4 * ((y + lane / width) * width + k); }, 4, true);
          bench.access(
              *block.warps[w], 6, false, all,
              [&](std::uint32_t lane) { return 4 * (width * width + k * width + lane % width); }, 4,
              true);
        }
      }
      bench.barrier();
    }
    bench.end_block();
  }
  bench.end();
}

// Blocks of 256 threads, whose warps make four accesses each.
template <class AddressOf>
void stream(Bench& bench, bool writes, Pattern pattern, AddressOf address_of,
            std::uint32_t size_bytes = 4) {
  constexpr std::uint32_t kBlocks = 1024;
  bench.begin(kBlocks, 256, 1);
  for (std::uint32_t n = 0; n < kBlocks; ++n) {
    run::Block& block = bench.start_block();
    for (std::uint32_t w = 0; w < 8; ++w) {
      for (std::uint32_t step = 0; step < 4; ++step) {
        bench.access(
            *block.warps[w], 1, writes, pattern,
            [&](std::uint32_t lane) { return address_of((n * 8 + w) * 4 + step, lane); },
            size_bytes);
      }
    }
    bench.end_block();
  }
  bench.end();
}

double seconds() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

double nanoseconds(run::Monitor& monitor, const std::function<void(Bench&)>& work) {
  double best = 1e9;
  for (int i = 0; i < 3; ++i) {
    Bench bench(monitor);
    const double begin = seconds();
    work(bench);
    const double spent = (seconds() - begin) / static_cast<double>(bench.num_accesses) * 1e9;
    best = spent < best ? spent : best;
  }
  return best;
}

class Nothing : public run::Monitor {};

}  // namespace

int main() {
  check::Checker checker;
  Nothing nothing;
  constexpr std::uint64_t kBytes = std::uint64_t{4} * kWidth * kWidth;
  const auto kind = memory::Allocation::Kind::kDevice;
  const Data data = {memory::allocate(kBytes, kind, {}), memory::allocate(kBytes, kind, {}),
                     memory::allocate(kBytes, kind, {})};
  checker.on_write(data.a, kBytes);
  checker.on_write(data.b, kBytes);
  const auto run = [&](const char* name, const std::function<void(Bench&)>& work) {
    const double checked = nanoseconds(checker, work);
    std::printf("%-44s %7.1f ns\n", name, checked - nanoseconds(nothing, work));
    for (const report::Finding& finding : report::take_findings()) {
      std::printf("  %s\n", finding.message.c_str());
    }
  };
  const auto hash = [](std::uint32_t x) {
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
  };
  run("product, 32 x 32 threads: row, column", [&](Bench& b) { naive_product(b, data, 32); });
  run("product, 16 x 16 threads: half warps", [&](Bench& b) { naive_product(b, data, 16); });
  run("tiles of 32 x 32 in shared memory", [&](Bench& b) { tiled_product(b, data, 32); });
  run("tiles of 16 x 16 in shared memory", [&](Bench& b) { tiled_product(b, data, 16); });
  run("contiguous read, once", [&](Bench& b) {
    stream(b, false, Pattern::kContiguous, [&](std::uint32_t step, std::uint32_t lane) {
      return data.a + 128 * std::uint64_t{step % 32768} + 4 * lane;
    });
  });
  run("contiguous write", [&](Bench& b) {
    stream(b, true, Pattern::kContiguous, [&](std::uint32_t step, std::uint32_t lane) {
      return data.c + 128 * std::uint64_t{step % 32768} + 4 * lane;
    });
  });
  run("contiguous read, 16 bytes per lane", [&](Bench& b) {
    stream(
        b, false, Pattern::kContiguous,
        [&](std::uint32_t step, std::uint32_t lane) {
          return data.a + 512 * std::uint64_t{step % 8192} + 16 * lane;
        },
        16);
  });
  run("contiguous read, 1 byte per lane", [&](Bench& b) {
    stream(
        b, false, Pattern::kContiguous,
        [&](std::uint32_t step, std::uint32_t lane) {
          return data.a + 32 * std::uint64_t{step} + lane;
        },
        1);
  });
  run("column of a matrix, read", [&](Bench& b) {
    stream(b, false, Pattern::kOther, [&](std::uint32_t step, std::uint32_t lane) {
      return data.a +
             4 * (std::uint64_t{(step / 1024 * 32 + lane) % kWidth} * kWidth + step % 1024);
    });
  });
  run("random read", [&](Bench& b) {
    stream(b, false, Pattern::kOther, [&](std::uint32_t step, std::uint32_t lane) {
      return data.a + 4 * std::uint64_t{hash(step * 32 + lane) % (kWidth * kWidth)};
    });
  });
  run("atomic, 256 random bins", [&](Bench& b) {
    b.set_atomic(true);
    stream(b, true, Pattern::kOther, [&](std::uint32_t step, std::uint32_t lane) {
      return data.b + 4 * std::uint64_t{hash(step * 32 + lane) % 256};
    });
  });
}
