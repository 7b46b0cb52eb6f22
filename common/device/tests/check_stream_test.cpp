// SPDX-License-Identifier: MIT
// Races between launches, copies and the host.
#include "check_test.h"
#include "memory/address_map.h"

namespace check_test {
namespace {

class CheckStream : public CheckTest {
 protected:
  CheckStream() : data(allocate(4096)) {
    checker.streams().add_stream(11, true);
    checker.streams().add_stream(12, true);
    checker.streams().add_stream(13, false);
    kernel.readable = "first";
  }

  void writes(check::StreamId stream, std::uint32_t line = 5) {
    begin(1, 32, 0, stream);
    does(warp(), write(make(line, data)));
    end();
  }
  void reads(check::StreamId stream, std::uint32_t line = 6) {
    begin(1, 32, 0, stream);
    does(warp(), read(make(line, data)));
    end();
  }
  void copies(check::StreamId stream, bool is_written, std::uint32_t line = 60) {
    check::Work& work = checker.streams().begin_work(stream);
    work.issued_at = {"/home/a.cu", line};
    if (is_written) {
      checker.on_write(data, 128);
    } else {
      checker.on_read(data, 128);
    }
    checker.streams().end_work();
  }
  void host(bool does_write, std::uint32_t line = 61, std::uint64_t offset = 0) {
    checker.host_accesses({data + offset, 4, does_write, false, {"/home/a.cu", line}});
  }

  std::uint64_t data;
};

TEST_F(CheckStream, OneStreamIsInOrder) {
  writes(11);
  reads(11);
  copies(11, false);
  copies(11, true);
  expect_none();
}

class CheckConstantInStreams : public CheckStream {
 protected:
  CheckConstantInStreams() : table(memory::variable_room(4096)) {
    memory::declare(table, 64, "table", true, memory::Allocation::Kind::kConstant);
  }

  void reads_table(check::StreamId stream, std::uint32_t line = 6) {
    begin(1, 32, 0, stream);
    run::Access access = read(make(line, table));
    access.space = run::Space::kConst;
    access.lanes = 0xffff;
    does(warp(), access);
    end();
  }
  void fills_table(check::StreamId stream) {
    checker.streams().begin_work(stream).issued_at = {"/home/a.cu", 60};
    checker.on_write(table + 16, 4);
    checker.streams().end_work();
  }

  std::uint64_t table;
};

TEST_F(CheckConstantInStreams, OneStreamIsInOrder) {
  reads_table(11);
  fills_table(11);
  checker.streams().host_waits_for_all();
  fills_table(13);
  expect_none();
}

TEST_F(CheckConstantInStreams, ACopyMeetsAKernelThatReads) {
  reads_table(11);
  fills_table(12);
  expect(Kind::kRace, 60, {"first, which may still run on another stream, reads in line 6"});
}

TEST_F(CheckConstantInStreams, ACopyMeetsAKernelThatWaitsForTheHost) {
  begin(1, 32, 0, 11);
  run::Access access = read(make(6, table, 0xffff));
  access.space = run::Space::kConst;
  does(warp(), access);
  checker.streams().set_work_aside();
  fills_table(12);
  expect(Kind::kRace, 60, {"first, which may still run on another stream, reads in line 6"});
  checker.streams().resume_work();
  end();
}

TEST_F(CheckConstantInStreams, AKernelReadsWhatACopyMayStillWrite) {
  fills_table(12);
  reads_table(11);
  expect(Kind::kRace, 6, {"reads constant memory in line 6", "line 60"});
}

TEST_F(CheckStream, TwoStreamsAreNot) {
  writes(11);
  reads(12);
  expect(Kind::kRace, 6,
         {"thread 0 of block 0 reads global memory (allocation ",
          ", allocated in line 70 of a.cu)"
          " in line 6 that thread 0 of first, which may "
          "still run on another stream, writes in line 5",
          "cudaStreamWaitEvent"});
}

TEST_F(CheckStream, TheWorkOfADestroyedStreamMayGoOn) {
  writes(11);
  checker.streams().remove_stream(11);
  checker.streams().add_stream(14, false);  // must not get the number of that stream yet
  reads(12);
  expect(Kind::kRace, 6, {"which may still run on another stream, writes in line 5"});
  writes(14, 7);
  expect(Kind::kRace, 7, {"writes in line 5"});
}

TEST_F(CheckStream, AHostThatHasWaitedKnowsADestroyedStreamsWork) {
  writes(11);
  checker.streams().host_waits_for(11);
  checker.streams().remove_stream(11);
  checker.streams().add_stream(14, false);
  reads(14);
  expect_none();
}

TEST_F(CheckStream, TwoReadersAreNoRace) {
  reads(11);
  reads(12);
  expect_none();
  writes(13, 7);
  expect(Kind::kRace, 7, {"reads in line 6"});
}

TEST_F(CheckStream, TheLegacyStreamWaitsForBlockingStreams) {
  writes(11);
  reads(0);
  writes(12, 7);
  expect_none();
  writes(13, 8);  // does not wait for it
  expect(Kind::kRace, 8);
}

// CUDA Runtime API, "Stream synchronization behavior": all blocking streams wait for an action in
// the legacy stream, such as cudaStreamWaitEvent, which waits for all of them.
TEST_F(CheckStream, AnActionInTheLegacyStreamOrdersBlockingStreams) {
  writes(11);
  checker.streams().stream_waits_for(0, checker.streams().record_event(13));
  writes(12, 7);
  checker.streams().record_event(0);
  writes(11, 8);
  expect_none();
  writes(13, 9);  // does not wait for it
  expect(Kind::kRace, 9);
}

TEST_F(CheckStream, AFunctionOfTheHostTellsItsThreadNothing) {
  copies(11, true);
  checker.streams().begin_host_function(11);
  host(false, 62);  // the stream's work is done
  checker.streams().end_host_function();
  expect_none();
  host(false, 63);
  expect(Kind::kRace, 63);
}

TEST_F(CheckStream, AFunctionOfTheHostRacesWithOtherStreams) {
  copies(11, true);
  checker.streams().begin_host_function(12);
  host(false);
  checker.streams().end_host_function();
  expect(Kind::kRace, 61);
}

TEST_F(CheckStream, AnEventOrdersTwoStreams) {
  writes(11);
  const check::StreamClock event = checker.streams().record_event(11);
  checker.streams().stream_waits_for(12, event);
  reads(12);
  expect_none();
}

TEST_F(CheckStream, AnEventBeforeTheWorkDoesNot) {
  const check::StreamClock event = checker.streams().record_event(11);
  writes(11);
  checker.streams().stream_waits_for(12, event);
  reads(12);
  expect(Kind::kRace, 6);
}

TEST_F(CheckStream, TheHostOrdersThemByWaiting) {
  writes(11);
  checker.streams().host_waits_for(11);
  reads(12);
  writes(13, 7);
  EXPECT_EQ(findings().size(), 1u);  // line 7 against line 6
  checker.streams().host_waits_for_all();
  reads(11);
  expect_none();
}

TEST_F(CheckStream, ACopyAndAKernel) {
  writes(11);
  copies(12, false);
  expect(Kind::kRace, 60,
         {"the copy or fill in line 60 of a.cu reads memory that first, which may still run "
          "on another stream, writes in line 5"});
}

TEST_F(CheckStream, AKernelAndACopy) {
  copies(11, true);
  reads(12);
  expect(Kind::kRace, 6,
         {"that the copy or fill in line 60 of a.cu may still write on another stream"});
}

TEST_F(CheckStream, TwoCopies) {
  copies(11, false);
  copies(12, false, 62);
  expect_none();
  copies(13, true, 63);
  expect(Kind::kRace, 63,
         {"the copy or fill in line 63 of a.cu writes memory that the copy "
          "or fill in line 62 of a.cu may still read on another stream"});
}

TEST_F(CheckStream, AFreeInTheOrderOfAStream) {
  reads(11);
  checker.streams().begin_work(12).kind = report::CopyKind::kFree;
  checker.streams().current_work()->issued_at = {"/home/a.cu", 64};
  memory::release(data, memory::Allocation::Kind::kDevice, {});
  checker.streams().end_work();
  expect(Kind::kRace, 64, {"the free in line 64 of a.cu ends memory that first"});
}

TEST_F(CheckStream, AnAllocationInTheOrderOfAStream) {
  check::Work& work = checker.streams().begin_work(11);
  work.kind = report::CopyKind::kAllocation;
  work.issued_at = {"/home/a.cu", 64};
  data = memory::allocate(4096, memory::Allocation::Kind::kDevice, {});
  checker.streams().end_work();
  writes(12);
  expect(Kind::kRace, 5, {"the allocation in line 64 of a.cu may still provide"});
}

TEST_F(CheckStream, TheHostReadsWhatAKernelMayStillWrite) {
  writes(11);
  host(false);
  expect(Kind::kRace, 61,
         {"the host reads memory that first, which may still run, writes in line 5",
          "a launch returns at once: wait for the kernel first (cudaDeviceSynchronize)"});
  host(false);
  expect_none();  // said already
  host(false, 62, 1024);
  checker.streams().host_waits_for_all();
  host(false, 63);
  expect_none();
}

TEST_F(CheckStream, TheHostMayReadWhatAKernelReads) {
  reads(11);
  host(false);
  expect_none();
  host(true, 62);
  expect(Kind::kRace, 62, {"the host writes memory that first", "reads in line 6"});
}

TEST_F(CheckStream, TheHostMaySetAFlag) {
  begin(1, 32, 0, 11);
  does(warp(), with_order(read(make(6, data, 1)), run::Order::kVolatile));
  end();
  host(true);
  expect_none();
}

TEST_F(CheckStream, AFlagTellsTheHost) {
  writes(11);
  checker.host_accesses({data + 512, 4, false, true, {"/home/a.cu", 61}});
  host(false, 62);
  expect_none();
}

TEST_F(CheckStream, TheHostAndACopy) {
  copies(11, true);
  host(false);
  expect(Kind::kRace, 61,
         {"the host reads memory that the copy or fill in line 60 of a.cu may still write",
          "wait for it first (cudaStreamSynchronize)"});
}

TEST_F(CheckStream, AKernelThatIsSetAsideIsUnfinished) {
  check::StreamOrder& streams = checker.streams();
  streams.begin_work(11);
  streams.set_work_aside();
  EXPECT_TRUE(streams.is_behind_unfinished(11));
  EXPECT_TRUE(streams.is_behind_unfinished(check::kLegacyStream));
  EXPECT_FALSE(streams.is_behind_unfinished(13));
  EXPECT_TRUE(streams.is_behind_unfinished(streams.record_event(11)));
  streams.resume_work();
  streams.end_work();
  EXPECT_FALSE(streams.is_behind_unfinished(11));
}

TEST_F(CheckStream, ManyReadersOfTwoLaunches) {
  for (const check::StreamId stream : {11, 12}) {
    begin(4, 64, 0, stream);
    for (std::uint32_t block = 0; block < 4; ++block) {
      for (std::uint32_t id = 0; id < 2; ++id) does(warp(block, id), read(make(6, data)));
    }
    end();
  }
  expect_none();
  copies(13, true);
  expect(Kind::kRace, 60);
}

}  // namespace
}  // namespace check_test
