// SPDX-License-Identifier: MIT
// Rung 05: many steps of small launches, each with its key.
#include "fixture.h"

namespace lab_judge {
namespace {

class Graph : public judge::Fixture {
 protected:
  std::optional<Failure> attempt(int num_items, int num_steps) {
    begin_case();
    set_scratch_bytes(sizeof(std::uint32_t) * num_items + 256);
    const Words words = make_words(next_seed(), num_items);
    const Words keys = make_words(next_seed(), num_steps);
    const auto d_out = output<std::uint32_t>("d_out", words.size());
    if (auto failure = call<decltype(lab::mix_steps)>("mix_steps", input("d_in", words), num_items,
                                                      judge::on_host(input("h_keys", keys)),
                                                      num_steps, d_out)) {
      return failure;
    }
    const auto with_keys = [&](const std::function<std::uint32_t(std::size_t)>& key) {
      Words others(keys.size());
      for (std::size_t step = 0; step < keys.size(); ++step) others[step] = key(step);
      return after_steps(words, others);
    };
    const auto first = [&](int count) {
      return Words(keys.begin(), keys.begin() + std::clamp(count, 0, num_steps));
    };
    auto failure = compare(
        "d_out", d_out.download(), after_steps(words, keys),
        {{"every step has the key of the first one: the executable graph keeps the arguments that "
          "it was made with",
          [&] { return with_keys([&](std::size_t) { return keys.at(0); }); }},
         {"every step has the key with which the graph was captured",
          [&] { return with_keys([](std::size_t) { return 0U; }); }},
         {"every step has the key of the step before",
          [&] {
            return with_keys([&](std::size_t step) { return step == 0 ? 0 : keys[step - 1]; });
          }},
         {"every step has the key of the last one",
          [&] { return with_keys([&](std::size_t) { return keys.back(); }); }},
         {"no step was done", [&] { return Words(words); }},
         {"the last step is left out", [&] { return after_steps(words, first(num_steps - 1)); }},
         {"only the first step was done", [&] { return after_steps(words, first(1)); }}});
    if (failure) {
      failure->message = judge::counted(num_items, "item") + ", " +
                         judge::counted(num_steps, "step") + ": " + failure->message;
    }
    return failure;
  }
};

TEST_F(Graph, DoesOneStep) {
  expect_for_sizes({1, 2, 255, 256, 257, 3000}, [&](int size) { return attempt(size, 1); });
}

TEST_F(Graph, GivesEachStepItsKey) {
  for (const int num_steps : {2, 3, 20}) {
    if (const auto failure = attempt(700, num_steps)) return fail(*failure);
  }
}

TEST_F(Graph, CopiesInNoSteps) {
  auto failure = attempt(10, 0);
  if (!failure) failure = attempt(10, 4);  // here, a copy of the input is wrong
  if (failure) fail(*failure);
}

}  // namespace
}  // namespace lab_judge
