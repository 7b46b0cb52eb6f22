// SPDX-License-Identifier: MIT
// A question of a quiz as a program: `program ID NAME=VALUE...` prints one line, either
// `answer TEXT` or `counted FORMULA`, a formula over the emulator's counters.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

namespace quiz {

// What was drawn, by name.
class Drawn {
 public:
  Drawn(int count, char** words) {
    for (int i = 0; i < count; ++i) {
      const std::string word = words[i];
      const std::size_t middle = word.find('=');
      values_[word.substr(0, middle)] = std::stoll(word.substr(middle + 1));
    }
  }

  int operator[](const char* name) const { return static_cast<int>(values_.at(name)); }

 private:
  std::map<std::string, long long> values_;
};

// Zeroed memory that the host can read.
template <typename T>
class Array {
 public:
  explicit Array(std::size_t count) : count_(count) {
    cudaMalloc(&items_, count * sizeof(T));
    cudaMemset(items_, 0, count * sizeof(T));
  }
  explicit Array(const std::vector<T>& items) : Array(items.size()) {
    cudaMemcpy(items_, items.data(), count_ * sizeof(T), cudaMemcpyHostToDevice);
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() { cudaFree(items_); }

  T* get() const { return items_; }

  std::vector<T> read() const {
    std::vector<T> items(count_);
    cudaMemcpy(items.data(), items_, count_ * sizeof(T), cudaMemcpyDeviceToHost);
    return items;
  }

 private:
  std::size_t count_;
  T* items_ = nullptr;
};

inline void answer(long long number) { std::printf("answer %lld\n", number); }
inline void answer(int number) { std::printf("answer %d\n", number); }
inline void answer(double number) { std::printf("answer %.17g\n", number); }

template <typename T>
void answer(const std::vector<T>& items) {
  std::printf("answer");
  for (const T& item : items) {
    std::printf(" %lld", static_cast<long long>(item));
  }
  std::printf("\n");
}

inline void counted(const std::string& formula) { std::printf("counted %s\n", formula.c_str()); }

// A program that does not do what the question describes proves nothing about its key.
inline void require(bool holds, const char* what) {
  if (!holds) {
    std::printf("broken: %s\n", what);
    std::exit(1);
  }
}

__host__ __device__ constexpr int ceil_div(long long a, int b) {
  return static_cast<int>((a + b - 1) / b);
}

struct Question {
  const char* id;
  void (*work)(const Drawn&);
};

inline int run(int argc, char** argv, std::initializer_list<Question> questions) {
  if (argc == 1) {
    for (const Question& question : questions) {
      std::printf("%s\n", question.id);
    }
    return 0;
  }
  for (const Question& question : questions) {
    if (std::strcmp(question.id, argv[1]) == 0) {
      question.work(Drawn(argc - 2, argv + 2));
      return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
    }
  }
  return 2;
}

}  // namespace quiz
