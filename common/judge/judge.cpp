// SPDX-License-Identifier: MIT
#include "judge.h"

#include <gtest/gtest.h>
#include <sys/random.h>

#include <charconv>
#include <cstdio>
#include <sstream>
#include <stdexcept>

#include "session.h"

namespace judge {
namespace {

// On cpu pages exist once touched; on cuda this is what a speed test needs, see speed.h.
constexpr std::size_t kArenaBytes = std::size_t{1} << 30;

Options g_options;
std::unique_ptr<Session> g_session;

std::uint64_t random_seed() {
  std::uint64_t seed = 0;
  if (getrandom(&seed, sizeof seed, 0) != sizeof seed) {
    throw std::runtime_error("the system gave no random seed");
  }
  return seed;
}

std::uint64_t parse_number(const std::string& option, const std::string& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw std::invalid_argument(option + " takes a number from 0 to 2^64-1, not '" + text + "'");
  }
  return number;
}

std::vector<std::size_t> parse_sizes(const std::string& text) {
  std::vector<std::size_t> sizes;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');)
    sizes.push_back(parse_number("--bench", part));
  return sizes;
}

std::string suite_of(const std::string& rung, const LabJudge& lab) {
  for (const RungSuite& entry : lab.suites) {
    if (entry.rung == rung) return entry.suite;
  }
  return lab.default_suite;
}

// Tests of speed are named Reaches...: they mean something on a GPU only.
std::string filter_for(const std::string& suite) {
  return suite + ".*" + (kOnGpu ? "" : "-*.Reaches*");
}

int judge_rung(const std::string& suite) {
  if (GTEST_FLAG_GET(filter) == "*") GTEST_FLAG_SET(filter, filter_for(suite));
  // Our own mistakes must end the judge, or they would pass for the student's.
  GTEST_FLAG_SET(catch_exceptions, false);
  ::testing::Test::RecordProperty("seed", std::to_string(g_options.seed));
  const int status = RUN_ALL_TESTS();
  if (::testing::UnitTest::GetInstance()->test_to_run_count() == 0) {
    throw std::invalid_argument("no test judges the rung " + g_options.rung);
  }
  return status;
}

int bench_rung(const LabJudge& lab) {
  if (!kOnGpu) throw std::invalid_argument("--bench needs a GPU");
  const bool in_ladder = suite_of(g_options.rung, lab) == lab.default_suite;
  if (!lab.bench || !in_ladder) return 0;  // nothing to measure, and no line says so
  for (const std::size_t num_items : g_options.bench_sizes) {
    const SpeedPlan plan = lab.bench(num_items);
    std::puts(to_json(plan, num_items, measure_speed(plan)).c_str());
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace

Options parse_options(int argc, char** argv) {
  Options options;
  bool seeded = false;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const std::size_t equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : argument.substr(equals + 1);
    if (name == "--rung") {
      options.rung = value;
    } else if (name == "--worker") {
      options.worker = value;
    } else if (name == "--anchors") {
      options.anchors = value;
    } else if (name == "--first") {
      options.first = value;
    } else if (name == "--reference") {
      options.reference = value;
    } else if (name == "--bench") {
      options.bench_sizes = parse_sizes(value);
    } else if (name == "--wrap") {
      options.wrapper.push_back(value);
    } else if (name == "--seed") {
      options.seed = parse_number(name, value);
      seeded = true;
    } else {
      throw std::invalid_argument("unknown option " + argument);
    }
  }
  if (options.rung.empty() || options.worker.empty()) {
    throw std::invalid_argument("--rung=NAME and --worker=PATH are needed");
  }
  if (!seeded) options.seed = random_seed();
  return options;
}

std::vector<std::string> submission_command(const Options& options) {
  std::vector<std::string> command = options.wrapper;
  command.push_back(options.worker);
  return command;
}

const Options& options() { return g_options; }
Session& session() { return *g_session; }

Session::Session(const Options& options)
    : arena_(kArenaBytes), student_(submission_command(options), arena_), seeds_(options.seed) {}

int run(int argc, char** argv, const LabJudge& lab) {
  ::testing::InitGoogleTest(&argc, argv);
  int status = 3;
  try {
    g_options = parse_options(argc, argv);
    g_session = std::make_unique<Session>(g_options);
    const bool benches = !g_options.bench_sizes.empty();
    status = benches ? bench_rung(lab) : judge_rung(suite_of(g_options.rung, lab));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "judge: %s\n", error.what());
  }
  g_session.reset();
  return status;
}

}  // namespace judge
