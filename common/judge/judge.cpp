// SPDX-License-Identifier: MIT
#include "judge.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <vector>

#include "fixture/fixture.h"
#include "fixture/session.h"
#include "fixture/test_data.h"
#include "measure/counting.h"
#include "measure/first_times.h"
#include "measure/recording.h"
#include "measure/speed_record.h"
#include "process/family.h"
#include "protocol/device_limits.h"

// GoogleTest 1.11, that of Ubuntu 22.04, lacks them.
#ifndef GTEST_FLAG_GET
#define GTEST_FLAG_GET(name) ::testing::GTEST_FLAG(name)
#define GTEST_FLAG_SET(name, value) static_cast<void>(::testing::GTEST_FLAG(name) = (value))
#endif

namespace judge {
namespace {

// On cpu pages exist once touched; on cuda this is what a speed test needs, see speed.cpp.
constexpr std::size_t kArenaBytes = std::size_t{1} << 30;

// A checker writes its last findings when the program under it ends.
constexpr double kFarewellSeconds = 30;
constexpr double kCheckerSlowdown = 6;
// racecheck was seen to take more than 4 GiB for the many launches of 04-radix-sort/01_split.
constexpr std::size_t kCheckersOwnBytes = std::size_t{9} << 30;

// The driver gives a process's memory back only after the process is gone.
constexpr auto kMaxRelease = std::chrono::seconds(10);
constexpr std::size_t kReleaseSlackBytes = std::size_t{64} << 20;

// Exit statuses besides GoogleTest's 0 and 1.
constexpr int kFault = 3;  // ours, or the machine's
constexpr int kKilled = 4;

constexpr std::size_t kMaxRequestBytes = 256 << 10;

Options g_options;
std::unique_ptr<Session> g_session;
RungSuite g_rung;

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

double parse_factor(const std::string& option, const std::string& text) {
  double factor = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), factor);
  if (error != std::errc() || end != text.data() + text.size() || !(factor > 0)) {
    throw std::invalid_argument(option + " takes a factor above 0, not '" + text + "'");
  }
  return factor;
}

Stage parse_stage(const std::string& option, const std::string& text) {
  if (text == "all") return Stage::kAll;
  if (text == "all-but-measurements") return Stage::kAllButMeasurements;
  if (text == "measurements") return Stage::kMeasurements;
  throw std::invalid_argument(option + " takes all, all-but-measurements or measurements, not '" +
                              text + "'");
}

std::vector<std::size_t> parse_sizes(const std::string& option, const std::string& text) {
  std::vector<std::size_t> sizes;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) sizes.push_back(parse_number(option, part));
  return sizes;
}

// MULTIPROCESSORS,THREADS,SHARED_BYTES,L2_BYTES: of each multiprocessor, and the cache of all.
wire::Posed parse_gpu(const std::string& option, const std::string& text) {
  const std::vector<std::size_t> numbers = parse_sizes(option, text);
  if (numbers.size() != 4) throw std::invalid_argument(option + " takes four numbers");
  wire::Posed gpu;
  gpu.num_multiprocessors = static_cast<std::uint32_t>(numbers[0]);
  gpu.threads_per_multiprocessor = static_cast<std::uint32_t>(numbers[1]);
  gpu.shared_bytes_per_multiprocessor = static_cast<std::uint32_t>(numbers[2]);
  gpu.l2_bytes = static_cast<std::uint32_t>(numbers[3]);
  return gpu;
}

RungSuite suite_of(const std::string& rung, const LabJudge& lab) {
  for (const RungSuite& entry : lab.suites) {
    if (entry.rung == rung) return entry;
  }
  return {rung, lab.default_suite, lab.workload};
}

// Sets the session's running test.
class TestStarts : public ::testing::EmptyTestEventListener {
  void OnTestStart(const ::testing::TestInfo& test) override {
    session().begin_test(std::string(test.test_suite_name()) + "." + test.name());
  }
};

std::vector<std::string> command_of(const std::string& worker) {
  return worker.empty() ? std::vector<std::string>{} : std::vector<std::string>{worker};
}

SpeedResult speed_of(const WorkloadPlan& plan, std::size_t num_items, const Workload& workload) {
  session().clear_device();
  const FirstTimes first_times(g_options.first_times);
  const SpeedWorkers workers{submission_commands(g_options, "").worker,
                             limits(g_options),
                             command_of(g_options.anchors),
                             command_of(g_options.first),
                             first_times.find(workload.function, num_items),
                             command_of(g_options.reference)};
  std::future<double> host_ms = sequential_ms(plan, num_items, session().seeds());
  SpeedResult result = measure_speed(workload, workers, session().seeds());
  if (!result.failure) result.speedup_cpu = host_ms.get() / result.time_ms;
  if (result.first_ms) first_times.add(workload.function, num_items, *result.first_ms);
  return result;
}

// A test of efficiency, whether it runs or not. Wrong results earn no points for efficiency, so
// nothing is measured after a failure. That saves time: a class has many wrong submissions.
class MeasurementTest : public Fixture {
 public:
  explicit MeasurementTest(const WorkloadPlan& plan) : plan_(plan) {}

 protected:
  void SetUp() override {
    RecordProperty("part", "efficiency");
    if (::testing::UnitTest::GetInstance()->failed_test_count() > 0) {
      RecordProperty("message", "not measured, because a result was wrong");
      GTEST_SKIP();
    }
    if (g_options.stage == Stage::kAllButMeasurements) {
      RecordProperty("message", "not measured yet");
      GTEST_SKIP();
    }
    Fixture::SetUp();
  }
  const WorkloadPlan plan_;
};

// Measures the rung's workload at its full size.
class SpeedTest : public MeasurementTest {
 public:
  using MeasurementTest::MeasurementTest;

 private:
  void TestBody() override {
    const Workload workload = plan_.make(plan_.speed_items);
    record_speed(workload, speed_of(plan_, plan_.speed_items, workload));
  }
};

// Counts what the rung's workload does. Only a wrong result fails here: the grader applies the
// gates.
class BudgetTest : public MeasurementTest {
 public:
  using MeasurementTest::MeasurementTest;

 private:
  void TestBody() override { record_counts(count(plan_, plan_.budget_items)); }
};

// Adds the test that every rung with a workload gets, in a suite of its own: one suite cannot have
// two fixtures.
void register_measurement() {
  ::testing::RegisterTest("Measured", kOnGpu ? "ReachesItsSpeed" : "KeepsItsBudget", nullptr,
                          nullptr, __FILE__, __LINE__, []() -> ::testing::Test* {
                            if (kOnGpu) return new SpeedTest(g_rung.workload);
                            return new BudgetTest(g_rung.workload);
                          });
}

// Tests named OfManyItems are too large for a worker under a checker.
std::string filter_for(const RungSuite& rung) {
  const bool is_measured = !g_options.quick && rung.workload.make != nullptr;
  if (g_options.stage == Stage::kMeasurements) return is_measured ? "Measured.*" : "-*";
  const std::string tests = rung.suite + (is_measured ? ".*:Measured.*" : ".*");
  if (g_options.quick) return tests + "-*OfManyItems*:" + rung.without;
  return rung.without.empty() ? tests : tests + "-" + rung.without;
}

int judge_rung(const RungSuite& rung) {
  if (GTEST_FLAG_GET(filter) == "*") GTEST_FLAG_SET(filter, filter_for(rung));
  session().set_measured(rung.workload.make != nullptr);
  // Our own mistakes must end the judge, or they would count as the student's.
  GTEST_FLAG_SET(catch_exceptions, false);
  ::testing::Test::RecordProperty("seed", std::to_string(g_options.seed));
  const int status = RUN_ALL_TESTS();
  // Of several judges that share the tests of a rung, one may have none.
  const bool is_shard = std::getenv("GTEST_TOTAL_SHARDS") != nullptr;
  if (!is_shard && ::testing::UnitTest::GetInstance()->test_to_run_count() == 0) {
    throw std::invalid_argument("no test judges the rung " + g_options.rung);
  }
  return status;
}

// A rung without a workload has nothing to measure, so it prints no line.
int bench_rung(const RungSuite& rung) {
  if (!kOnGpu) throw std::invalid_argument("--bench needs a GPU");
  if (rung.workload.make == nullptr) return 0;
  for (const std::size_t num_items : g_options.bench_sizes) {
    const Workload workload = rung.workload.make(num_items);
    const SpeedResult result = speed_of(rung.workload, num_items, workload);
    std::puts(to_json(workload, num_items, result).c_str());
    std::fflush(stdout);
  }
  return 0;
}

int profile_rung(const RungSuite& rung) {
  if (kOnGpu && g_options.wrapper.empty()) {
    throw std::invalid_argument(
        "--profile needs the cpu backend, whose device counts; "
        "on a GPU it can only make the call for a profiler that --wrap starts");
  }
  if (rung.workload.make == nullptr) {
    throw std::invalid_argument("the rung " + rung.rung + " has no workload to profile");
  }
  for (const std::size_t size : g_options.profile_sizes) {
    const std::size_t num_items = size == 0 ? rung.workload.budget_items : size;
    const CountResult result =
        g_options.timed ? count_timed(rung.workload, num_items) : count(rung.workload, num_items);
    std::puts(to_json(result, num_items).c_str());
    std::fflush(stdout);
  }
  return 0;
}

// The tests again as in the run that had this seed. Each call that finds something new has a line;
// the kernels as they are written may find what the compiled ones do not.
int replay_tests(const RungSuite& rung) {
  std::vector<Submission*> all = {&session().student()};
  if (Submission* const written = session().as_written()) all.push_back(written);
  for (Submission* const each : all)
    each->record(wire::kFirstWithFinding, g_options.recorded_kernel);
  session().begin_case(0);
  session().set_measured(rung.workload.make != nullptr);
  [[maybe_unused]] const int status = RUN_ALL_TESTS();
  std::vector<Recorded> told = all[0]->faults();
  if (session().as_written() != nullptr) {  // it was not given up
    const std::vector<Recorded>& more = all[1]->faults();
    told.insert(told.end(), more.begin(), more.end());
  }
  if (told.empty()) told = {all[0]->recorded()};
  for (Recorded& each : told) {
    if (!each.failure) each.failure = session().first_failure();
    std::puts(to_json(each, true).c_str());
  }
  return 0;
}

// One call of the workload at the wanted size. A rung without a workload has its tests' calls
// recorded instead, of which the longest recording is kept.
int record_rung(const RungSuite& rung) {
  if (kOnGpu) throw std::invalid_argument("--record needs the cpu backend, whose device records");
  if (g_options.replays) return replay_tests(rung);
  Submission& student = session().student();
  student.record(wire::kFirst, g_options.recorded_kernel, g_options.recorded_order);
  const bool has_workload = rung.workload.make != nullptr;
  Recorded recorded;
  if (has_workload) {
    make_small_values();
    recorded = record(rung.workload.counted(*g_options.recorded_size));
  } else {
    g_options.quick = true;
    if (GTEST_FLAG_GET(filter) == "*") GTEST_FLAG_SET(filter, filter_for(rung));
    [[maybe_unused]] const int status = RUN_ALL_TESTS();  // a test that fails is recorded, too
    recorded = student.recorded();
  }
  std::puts(to_json(recorded, has_workload).c_str());
  return 0;
}

// What the command line asks for. Returns the exit status.
int run_once(int argc, char** argv, const LabJudge& lab) {
  int status = kFault;
  try {
    g_options = parse_options(argc, argv);
    g_session = std::make_unique<Session>(g_options);
    g_rung = suite_of(g_options.rung, lab);
    status = !g_options.bench_sizes.empty()     ? bench_rung(g_rung)
             : !g_options.profile_sizes.empty() ? profile_rung(g_rung)
             : g_options.recorded_size          ? record_rung(g_rung)
                                                : judge_rung(g_rung);
  } catch (const WorkerKilled& killed) {
    std::fprintf(stderr, "judge: %s\n", killed.what());
    status = kKilled;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "judge: %s\n", error.what());
  }
  g_session.reset();
  return status;
}

// Ends this process, and so its worker, when the grader has gone.
void end_with_the_grader() {
  pollfd grader{STDIN_FILENO, 0, 0};  // a hang-up is always reported
  while (poll(&grader, 1, -1) <= 0) {
  }
  _exit(kFault);
}

// Several runs, one after the other: a process that uses a GPU is slow to start and to end. Each
// message on standard input, a socket, has the words of one command line, separated by zeros; the
// reply is the exit status. GoogleTest's options hold for all runs. After a fault we end.
int serve(const char* program, const LabJudge& lab) {
  std::thread(end_with_the_grader).detach();
  std::string request;
  while (true) {
    request.assign(kMaxRequestBytes, '\0');
    const ssize_t size = recv(STDIN_FILENO, request.data(), request.size() - 1, 0);
    if (size <= 0) return 0;
    std::vector<char*> words{const_cast<char*>(program)};
    for (char* word = request.data(); word < request.data() + size; word += std::strlen(word) + 1) {
      words.push_back(word);
    }
    GTEST_FLAG_SET(filter, "*");
    const int status = run_once(static_cast<int>(words.size()), words.data(), lab);
    std::fflush(nullptr);
    if (status == kFault || status == kKilled) return status;
    const char reply = static_cast<char>(status);
    if (send(STDIN_FILENO, &reply, sizeof reply, MSG_NOSIGNAL) != sizeof reply) return kFault;
  }
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
    } else if (name == "--first-times") {
      options.first_times = value;
    } else if (name == "--reference") {
      options.reference = value;
    } else if (name == "--images") {
      options.images = value;
    } else if (name == "--bench") {
      options.bench_sizes = parse_sizes(name, value);
    } else if (name == "--profile") {
      options.profile_sizes = parse_sizes(name, value);
    } else if (name == "--record") {
      options.recorded_size = parse_number(name, value);
    } else if (name == "--kernel") {
      options.recorded_kernel = value;
    } else if (name == "--order") {
      options.recorded_order = parse_number(name, value);
    } else if (argument == "--replay") {
      options.replays = true;
    } else if (argument == "--quick") {
      options.quick = true;
    } else if (argument == "--few-launches") {
      options.few_launches = true;
    } else if (name == "--stage") {
      options.stage = parse_stage(name, value);
    } else if (name == "--sandbox") {
      options.sandbox.push_back(value);
    } else if (name == "--device") {
      options.device = value;
    } else if (name == "--ptx") {
      options.ptx = value;
    } else if (name == "--written") {
      options.written = value;
    } else if (name == "--device-sandbox") {
      options.device_sandbox.push_back(value);
    } else if (name == "--wrap") {
      options.wrapper.push_back(value);
    } else if (name == "--checker-log") {
      options.checker_log = value;
    } else if (name == "--gpu") {
      options.gpu = parse_gpu(name, value);
    } else if (name == "--shapes") {
      options.shapes = true;
    } else if (name == "--timed") {
      options.timed = true;
    } else if (name == "--seek-kind") {
      options.sought.kinds.push_back(value);
    } else if (name == "--seek-line") {
      options.sought.line = static_cast<int>(parse_number(name, value));
    } else if (name == "--seek-message") {
      options.sought.message = value;
    } else if (name == "--patience") {
      options.patience = parse_factor(name, value);
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
  if (options.device.empty() != options.ptx.empty()) {
    throw std::invalid_argument("--device=PATH and --ptx=PATH are needed together");
  }
  if (!seeded) options.seed = random_seed();
  return options;
}

Commands submission_commands(const Options& options, const std::string& ptx) {
  std::vector<std::string> worker = options.sandbox;
  worker.insert(worker.end(), options.wrapper.begin(), options.wrapper.end());
  worker.push_back(options.worker);
  if (options.quick) worker.emplace_back("--checked");
  if (options.device.empty()) return worker;
  std::vector<std::string> device = options.device_sandbox;
  device.push_back(options.device);
  device.push_back("--ptx=" + ptx);
  return {std::move(worker), std::move(device)};
}

Limits limits(const Options& options) {
  Limits limits;
  limits.sandboxed = !options.sandbox.empty();
  limits.checker_log = options.checker_log;
  if (const char* const group = std::getenv("LOCKSTEP_DIVIDED_GROUP")) limits.memory_group = group;
  limits.names_slow_kernels = !kOnGpu;
  limits.call_cpu_seconds *= options.patience;
  limits.call_wall_seconds *= options.patience;
  limits.all_calls_seconds *= options.patience;
  // A program that is known to hang needs no generous limit.
  const auto& sought = options.sought.kinds;
  if (!kOnGpu && std::ranges::find(sought, kind::kTimeout) != sought.end()) {
    limits.call_cpu_seconds /= 4;
  }
  // Our own process holds the arena: where its driver maps device memory as it maps pinned memory,
  // the two cannot be told apart.
  limits.counts_pinned =
      kOnGpu && options.wrapper.empty() && driver_bytes_of(getpid()) < kArenaBytes;
  if (!options.wrapper.empty()) {  // a checker slows the worker down, and reports at its end
    limits.memory_bytes += kCheckersOwnBytes;
    limits.call_cpu_seconds *= kCheckerSlowdown;
    limits.call_wall_seconds *= kCheckerSlowdown;
    limits.farewell_seconds = kFarewellSeconds;
  }
  return limits;
}

const Options& options() { return g_options; }
Session& session() { return *g_session; }

Session::Session(const Options& options)
    : arena_(kArenaBytes),
      student_(submission_commands(options, options.ptx), arena_, limits(options)),
      free_device_bytes_((prepare_device(), free_device_bytes())),
      seed_(options.seed),
      seeds_(options.seed, ""),
      search_(options.sought) {
  if (options.written.empty() || options.device.empty()) return;
  as_written_.emplace(submission_commands(options, options.written), arena_, limits(options));
}

void Session::begin_case(int num_items) {
  case_items_ = num_items;
  const std::size_t wanted = options().replays ? options().recorded_size.value_or(0) : 0;
  const bool is_recorded = wanted == 0 || wanted == static_cast<std::size_t>(num_items);
  student_.set_recording(is_recorded);
  if (as_written_) as_written_->set_recording(is_recorded);
}

void Session::clear_device() {
  student_.end();
  const auto deadline = std::chrono::steady_clock::now() + kMaxRelease;
  while (free_device_bytes() + kReleaseSlackBytes < free_device_bytes_ &&
         std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

int run(int argc, char** argv, const LabJudge& lab) {
  // No process of this user may read the process that knows the answers: /proc/PID/mem, ptrace.
  prctl(PR_SET_DUMPABLE, 0);
  // Our kernels need device memory, too. They get it now, not when a submission has taken it all.
  setenv("CUDA_MODULE_LOADING", "EAGER", 1);
  // Nor more than one queue to the device, in any worker. With the driver's eight, starting a
  // process takes twice as long, and processes start one after the other. (The sandbox sets it,
  // too: see sandbox.py.)
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", 1);
  ::testing::InitGoogleTest(&argc, argv);
  ::testing::UnitTest::GetInstance()->listeners().Append(new TestStarts);
  register_measurement();
  if (argc == 2 && std::string_view(argv[1]) == "--serve") return serve(argv[0], lab);
  return run_once(argc, argv, lab);
}

}  // namespace judge
