// SPDX-License-Identifier: MIT
// Rung 00: what the threads of a launch print.
#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <sstream>

#include "fixture.h"
#include "fixture/fixture.h"
#include "fixture/options.h"
#include "fixture/test_data.h"

namespace lab_judge {
namespace {

using judge::Failure;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string lower_case(std::string text) {
  for (char& letter : text) letter = static_cast<char>(std::tolower(letter));
  return text;
}

class Hello : public judge::Fixture {
 protected:
  struct Launch {
    int num_blocks;
    int threads_per_block;
  };

  std::optional<Failure> greet(const Launch& launch) {
    begin_case();
    const int num_threads = launch.num_blocks * launch.threads_per_block;
    std::vector<int> h_numbers(num_threads);
    // Five digits, each once in a case: a number says which item it is.
    const int first = 10000 + static_cast<int>(next_seed() % 5000);
    for (int i = 0; i < num_threads; ++i) h_numbers[i] = first + 7 * ((i * 37) % num_threads) + 1;
    if (num_threads % 37 == 0) std::ranges::reverse(h_numbers);
    const auto d_numbers = input("d_numbers", h_numbers);
    prescribe({{launch.num_blocks, launch.threads_per_block}});
    auto failure =
        call<decltype(lab::hello)>("hello", d_numbers, launch.num_blocks, launch.threads_per_block);
    const auto wrong = compare(launch, h_numbers);
    // Who printed says more than which launches there were.
    if (!failure || (failure->kind == judge::kind::kWrongResult && wrong)) failure = wrong;
    if (failure) {
      tell_case(*failure, counted(launch.num_blocks, "block") + " of " +
                              counted(launch.threads_per_block, "thread") + ": ");
    }
    return failure;
  }

  void expect(const std::vector<Launch>& launches) {
    for (const Launch& launch : launches) {
      if (const auto failure = greet(launch)) return fail(*failure);
    }
  }

 private:
  static std::string line(int block, int thread, int number) {
    return "block " + std::to_string(block) + ", thread " + std::to_string(thread) + ": " +
           std::to_string(number);
  }

  std::optional<Failure> compare(const Launch& launch, const std::vector<int>& h_numbers) const {
    const std::vector<std::string> got = lines_of(printed());
    if (got.empty()) {
      return Failure{
          judge::kind::kWrongResult, "no thread of a kernel printed anything",
          output().empty() ? "" : "the host prints the lines: printf must be in the kernel"};
    }
    std::map<std::string, int> missing;  // how often each line is still expected
    for (int i = 0; i < static_cast<int>(h_numbers.size()); ++i) {
      ++missing[line(i / launch.threads_per_block, i % launch.threads_per_block, h_numbers[i])];
    }
    std::string odd;
    for (const std::string& text : got) {
      const auto found = missing.find(text);
      if (found != missing.end() && found->second > 0) {
        --found->second;
      } else if (odd.empty()) {
        odd = text;
      }
    }
    std::erase_if(missing, [](const auto& entry) { return entry.second == 0; });
    if (missing.empty() && odd.empty()) return std::nullopt;
    std::string message;
    if (!missing.empty()) {
      message =
          "the line \"" + missing.begin()->first + "\" is missing" +
          (missing.size() > 1 ? ", and " + counted(int(missing.size()) - 1, "other line") : "");
    }
    if (!odd.empty()) {
      message += (message.empty() ? "" : ". Instead, ") + std::string("\"") + odd.substr(0, 80) +
                 "\" was printed" + (missing.empty() ? ", once too often or by no thread" : "");
    }
    return Failure{judge::kind::kWrongResult, message, explain(launch, h_numbers, got)};
  }

  static std::string explain(const Launch& launch, const std::vector<int>& h_numbers,
                             const std::vector<std::string>& got) {
    const int num_threads = static_cast<int>(h_numbers.size());
    if (got.size() == 1 && num_threads > 1) {
      return "the lines do not end: each needs \\n at its end";
    }
    const auto spelled = [&](const std::function<std::string(std::string)>& as) {
      std::vector<std::string> expected;
      for (int i = 0; i < num_threads; ++i) {
        expected.push_back(
            line(i / launch.threads_per_block, i % launch.threads_per_block, h_numbers[i]));
      }
      std::vector<std::string> changed = got;
      for (std::string& each : changed) each = as(each);
      std::ranges::sort(expected);
      std::ranges::sort(changed);
      return changed == expected;
    };
    if (spelled([](std::string text) { return text.erase(text.find_last_not_of(" \t\r") + 1); })) {
      return "a line has a blank at its end: compare your format with the contract's line";
    }
    if (spelled(lower_case)) return "letters are large that are small in the contract's line";
    const int width = launch.threads_per_block;
    const auto fits = [&](const auto& block, const auto& thread, const auto& item) {
      std::vector<std::string> lines;
      for (int i = 0; i < num_threads; ++i) {
        if (item(i) < 0) continue;
        lines.push_back(line(block(i), thread(i), h_numbers[item(i)]));
      }
      std::vector<std::string> sorted = got;
      std::ranges::sort(lines);
      std::ranges::sort(sorted);
      return lines == sorted;
    };
    const auto block = [=](int i) { return i / width; };
    const auto thread = [=](int i) { return i % width; };
    const auto own = [](int i) { return i; };
    if (fits(block, thread, thread)) {
      return "the item of d_numbers is chosen by threadIdx.x alone: add the threads of the blocks "
             "before, blockIdx.x * blockDim.x";
    }
    if (std::ranges::all_of(got, [&, i = 0](const std::string&) mutable {
          const int thread = i++;
          return std::ranges::count(got, line(thread / width, thread % width, thread)) == 1;
        })) {
      return "the thread's number in the grid is printed, and not the item of d_numbers there";
    }
    if (fits(block, own, own)) {
      return "the thread's number in the grid is printed, and not its threadIdx.x";
    }
    if (fits(thread, block, own)) return "blockIdx.x and threadIdx.x are swapped in the line";
    if (fits(block, thread, [=](int i) { return i % width == 0 ? i : -1; })) {
      return "only the first thread of each block prints";
    }
    if (fits(block, thread, [](int i) { return i == 0 ? i : -1; })) {
      return "only one thread prints";
    }
    return {};
  }
};

TEST_F(Hello, ComesFromOneThread) { expect({{1, 1}}); }

TEST_F(Hello, ComesFromEveryThreadOfABlock) { expect({{1, 4}, {1, 32}, {1, 100}}); }

// At most 140 lines: of a worker's output the judge keeps 4 KiB.
TEST_F(Hello, ComesFromEveryBlock) { expect({{2, 1}, {3, 4}, {4, 33}, {2, 64}}); }

TEST_F(Hello, ComesInAnyOrder) {
  expect_in_any_order(3, [&](int) { return greet({2 + static_cast<int>(next_seed() % 2), 40}); });
}

}  // namespace
}  // namespace lab_judge
