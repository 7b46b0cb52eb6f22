# SPDX-License-Identifier: MIT
"""The model of time: each of its terms alone, the files of devices, and the sentence of a call."""

import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from rich.console import Console

from lockstep_grader.model.errors import InputError
from lockstep_grader.model.grades import Backend, Resources
from lockstep_grader.model.timing import (
    Launches,
    load_cycles,
    predict,
    resident_blocks,
    shares_of_peak,
    terms_of,
)
from lockstep_grader.student.profile.timing import (
    FOLDER,
    device_names,
    duration,
    limit_seconds,
    predicted,
    read_device,
    registers_of,
    sentence,
    shares_of_time,
    tell_time,
)

from profiles import size_profile
from repository import BENCH, REPOSITORY, bench_script

H200 = read_device("h200")
SECTORS = 1 << 21  # of 64 MiB


def launches(**features: float) -> Launches:
    """One launch of blocks enough for every multiprocessor, unless `features` have others."""
    made = {"launches": 1, "blocks": 132 * 8 * 16, "chain_loads": 132 * 8 * 16, **features}
    return Launches("kernel", (256, 1, 1), 0, 32, made)


def shape(block: int, registers: int = 32, shared: int = 0, **features: float) -> Launches:
    made = launches(**features)
    return replace(made, block=(block, 1, 1), registers=registers, shared_bytes=shared)


def copy(sectors: int = SECTORS, **features: float) -> Launches:
    kinds = {"distinct_{}_sectors": ("read", "written"), "l2_{}_sectors": ("read", "write")}
    names = [name.format(kind) for name, words in kinds.items() for kind in words]
    made = {**dict.fromkeys(names, sectors), "cold_read_sectors": sectors, **features}
    return launches(l1_sectors=2 * sectors, **made)


def test_a_copy_is_bound_by_the_memory() -> None:
    told = predict([copy()], H200)
    assert told.bound == "dram"
    at_the_limit = 2 * SECTORS * 32 / (H200.copy_gbps * 1e9)
    assert at_the_limit < told.seconds < 1.4 * at_the_limit


def test_half_the_memory_bandwidth_takes_twice_the_time() -> None:
    slow = replace(H200, dram_gbps=H200.dram_gbps / 2)
    ratio = (
        predict([copy(64 * SECTORS)], slow).seconds / predict([copy(64 * SECTORS)], H200).seconds
    )
    assert 1.8 < ratio < 2, "the rest of the copy hides under it, but not all"


def test_one_block_waits_for_its_loads() -> None:
    cold = {"distinct_read_sectors": 100, "cold_read_sectors": 100}
    one = launches(blocks=1, chain_loads=100, chain_cycles=400, **cold)
    told = predict([one], H200)
    assert told.bound == "loads"
    waits = (100 * H200.dram_cycles + 400) / H200.clock
    assert told.seconds == pytest.approx(waits + (H200.launch_us + H200.call_us) * 1e-6, rel=0.01)


def test_a_chain_of_instructions_is_steps_and_not_loads() -> None:
    assert predict([launches(blocks=1, chain_loads=1, chain_cycles=9e5)], H200).bound == "steps"


def test_the_longest_block_counts_where_it_is_longer_than_the_others_together() -> None:
    even = terms_of(launches(chain_loads=0), H200)["steps"]
    skewed = terms_of(launches(chain_loads=0, longest_cycles=9e6), H200)["steps"]
    assert skewed == pytest.approx(9e6 / H200.clock)
    assert even < skewed


def test_atomics_queue_at_a_line_a_slice_and_a_float() -> None:
    for feature, each_ns in (
        ("hottest_line", H200.atomic_ns),
        ("hottest_slice", H200.slice_ns),
        ("hottest_float", H200.float_sum_ns),
    ):
        told = predict([launches(**{feature: 1e7})], H200)
        assert told.bound == "atomics"
        assert told.seconds == pytest.approx(1e7 * each_ns * 1e-9, rel=0.05)


def test_a_store_costs_its_line_and_its_sectors_and_more_for_parts() -> None:
    def stores(lines: float, sectors: float, parts: float) -> float:
        made = {"l2_write_lines": lines, "l2_write_sectors": sectors, "l2_part_sectors": parts}
        return terms_of(launches(**made), H200)["stores"] * H200.clock * 132

    assert stores(lines=1, sectors=4, parts=0) == pytest.approx(3)
    assert stores(lines=2, sectors=8, parts=8) == pytest.approx(10)
    assert stores(lines=32, sectors=32, parts=32) == pytest.approx(64)


def test_blocks_of_clusters_leave_multiprocessors_without_work() -> None:
    alone = launches(blocks=132, issued=132e6, chain_loads=0)
    clustered = launches(blocks=136, cluster_blocks=8, issued=136e6, chain_loads=0)
    one, two = (terms_of(each, H200)["issue"] for each in (alone, clustered))
    assert two == pytest.approx(2 * one), "17 clusters, and 16 groups of 8 multiprocessors"


def test_a_barrier_waits_for_each_warp() -> None:
    made = {"blocks": 1, "barriers": 100, "chain_loads": 0}
    few, many = (terms_of(shape(block, **made), H200)["steps"] for block in (256, 1024))
    assert many == pytest.approx(4 * few)


@pytest.mark.parametrize(
    ("feature", "term", "rate"),
    [
        ("issued", "issue", H200.issue),
        ("fp32", "fp32", H200.fp32),
        ("integer", "integer", H200.integer),
        ("alu", "alu", H200.alu),
        ("adu", "adu", H200.adu),
        ("fp64", "fp64", H200.fp64),
        ("special", "special", H200.special),
        ("exchange", "exchange", H200.exchange),
        ("tensor_multiply_adds", "tensor", H200.tensor),
        ("wgmma_multiply_adds", "tensor", H200.wgmma),
        ("shared_wavefronts", "shared", 1),
        ("remote_packets", "remote", 1 / H200.remote_cycles),
        ("l1_sectors", "l1", H200.l1_sectors),
        ("l1_wavefronts", "l1", 1),
    ],
)
def test_each_pipe_takes_its_instructions_at_its_rate(feature: str, term: str, rate: float) -> None:
    terms = terms_of(launches(**{feature: 132e9}), H200)
    assert max(terms, key=lambda each: terms[each]) == term
    clock = H200.tensor_clock_ghz * 1e9 if term == "tensor" else H200.clock
    assert terms[term] == pytest.approx(1e9 / rate / clock)


def test_a_pipe_hides_under_the_issue_of_its_instructions() -> None:
    alone = predict([launches(issued=132e9)], H200)
    mixed = predict([launches(issued=132e9, fp32=132e9, integer=60e9)], H200)
    assert mixed.seconds == pytest.approx(alone.seconds)


def test_a_block_alone_has_its_work_in_its_path_and_asks_for_memory_in_turn() -> None:
    def seconds(block: int, blocks: int, **features: float) -> float:
        path = {"issued": 120e9, "chain_cycles": 132e9, "chain_loads": 0}
        made = launches(**path, **features, blocks=blocks)
        return predict([replace(made, block=(block, 1, 1), registers=64)], H200).seconds

    sectors = round(H200.dram_gbps * H200.dram_read * 1e9 / 32 / H200.clock_ghz)
    moved = {"distinct_read_sectors": sectors, "cold_read_sectors": sectors}
    alone = seconds(1024, 132)
    assert alone == pytest.approx(1 / H200.clock_ghz, rel=0.01), "not more for what it issues"
    assert seconds(1024, 132, **moved) > 1.3 * alone, "the path, and then the memory"
    assert seconds(512, 264, **moved) < seconds(1024, 132, **moved)


def test_products_of_matrices_are_not_hidden_under_the_issue_as_a_pipe_is() -> None:
    one = predict([launches(issued=528e9)], H200).seconds
    fp32 = predict([launches(issued=528e9, fp32=528e9)], H200).seconds
    both = launches(issued=528e9, tensor_multiply_adds=132e9 * H200.tensor)
    assert fp32 == pytest.approx(one)
    assert predict([both], H200).seconds > 1.1 * one


def test_arrays_of_more_threads_than_l2_holds_go_to_memory() -> None:
    def dram(words: int, blocks: int = 132 * 64) -> float:
        made = launches(blocks=blocks, warps=8 * blocks, local_words=words)
        return terms_of(made, H200)["dram"]

    assert dram(8) == dram(640, blocks=1) == 0
    whole = 132 * 64 * 8 * 640 * 128
    assert dram(640) == pytest.approx(whole / (H200.dram_gbps * H200.dram_write * 1e9))


def test_shared_memory_l1_and_shuffles_are_of_one_unit() -> None:
    made = {"shared_wavefronts": 132e9, "l1_wavefronts": 132e9, "exchange": 132e9}
    one = predict([launches(shared_wavefronts=132e9)], H200)
    assert predict([launches(**made)], H200).seconds == pytest.approx(3 * one.seconds, rel=0.05)


def test_the_multiprocessor_of_a_long_block_has_more_to_do() -> None:
    made = {"blocks": 132, "issued": 132e9, "chain_cycles": 132e6, "chain_loads": 0}
    even, skewed = (
        terms_of(launches(**made, longest_cycles=cycles), H200)["issue"] for cycles in (1e6, 2e6)
    )
    assert skewed == pytest.approx(2 * even)


def test_launches_add_up() -> None:
    short = shape(block=32, blocks=1, chain_loads=0)
    one, ten = predict([short], H200).seconds, predict([short] * 10, H200)
    assert ten.bound == "launches"
    per_launch = (ten.seconds - H200.call_us * 1e-6) / 10
    assert one - H200.call_us * 1e-6 == pytest.approx(per_launch)
    same = shape(block=32, blocks=10, launches=10, chain_loads=0)
    assert predict([same], H200).seconds == pytest.approx(ten.seconds)


def test_a_fill_costs_a_launch_and_what_it_writes() -> None:
    written = {"launches": 1, "blocks": 0, "distinct_written_sectors": SECTORS}
    told = predict([Launches("cudaMemset", (0, 0, 0), 0, None, written)], H200)
    moved = SECTORS * 32 / (H200.dram_gbps * H200.dram_write * 1e9)
    assert told.seconds == pytest.approx(moved + (H200.launch_us + H200.call_us) * 1e-6, rel=0.05)


def test_what_was_read_before_and_fits_into_l2_is_not_read_from_memory_again() -> None:
    def dram(sectors: int, cold: int) -> float:
        return terms_of(copy(sectors, cold_read_sectors=cold), H200)["dram"]

    read = (1 << 14) * 32 / (H200.read_gbps * 1e9)
    assert dram(1 << 14, cold=1 << 14) == pytest.approx(dram(1 << 14, cold=0) + read)
    assert dram(64 * SECTORS, cold=64 * SECTORS) == pytest.approx(dram(64 * SECTORS, cold=0))


def test_l2_answers_blocks_that_ask_for_the_same_lines_together() -> None:
    def l2(rounds: int = 1, **features: float) -> float:
        return terms_of(launches(blocks=132 * 8 * rounds, **features), H200)["l2"]

    asked = {"l2_read_sectors": 64 * SECTORS}
    alone = l2(**asked, distinct_read_sectors=64 * SECTORS)
    together = l2(**asked, distinct_read_sectors=SECTORS)
    assert alone == pytest.approx(64 * SECTORS * 32 / (H200.l2_gbps * 1e9))
    assert together == pytest.approx(64 * SECTORS * 32 / (H200.l2_same_gbps * 1e9))
    assert together < l2(rounds=48, **asked, distinct_read_sectors=SECTORS) < alone
    written = l2(l2_write_sectors=64 * SECTORS)
    assert written == pytest.approx(64 * SECTORS * 32 / (H200.l2_write_gbps * 1e9))
    scattered = l2(**asked, distinct_read_sectors=SECTORS, l2_single_sectors=64 * SECTORS)
    assert scattered == pytest.approx(64 * SECTORS * 32 / (H200.l2_single_gbps * 1e9))


def test_the_host_waits_for_what_is_copied_to_it() -> None:
    def copied(reads: float, writes: float) -> float:
        sectors = {"l2_read_sectors": reads, "l2_write_sectors": writes}
        made = replace(launches(chain_loads=0, **sectors), kernel="cudaMemcpy")
        return predict([made], H200).seconds

    assert copied(reads=1, writes=0) - copied(reads=1, writes=1) == pytest.approx(
        (H200.copy_us - H200.launch_us) * 1e-6, rel=0.01
    )
    assert copied(reads=0, writes=1) == pytest.approx(copied(reads=1, writes=1), rel=0.01)


def test_a_wait_is_for_the_slowest_of_its_loads() -> None:
    def cycles(loads_per_wait: int, missing: float, warps: int = 1, barriers: int = 0) -> float:
        blocks = 132 * 8 * 16
        loads = blocks * warps * loads_per_wait
        counts: dict[str, float] = {"blocks": blocks, "chain_loads": blocks}
        counts |= {"warps": blocks * warps, "barriers": blocks * barriers}
        counts |= {"global_loads": loads, "missing_loads": missing * loads}
        return load_cycles(replace(launches(**counts), block=(32 * warps, 1, 1)), H200)

    assert cycles(1, missing=0) == H200.l1_cycles
    assert cycles(1, missing=1) == H200.l2_cycles
    assert cycles(1, missing=0.5) == pytest.approx((H200.l1_cycles + H200.l2_cycles) / 2)
    two = H200.l1_cycles / 4 + H200.l2_cycles * 3 / 4
    assert cycles(2, missing=0.5) == pytest.approx(two)
    assert cycles(1, missing=0.5, warps=2) == cycles(1, missing=0.5)
    assert cycles(1, missing=0.5, warps=2, barriers=1) == pytest.approx(two), "all meet after it"


def test_shares_of_the_peaks_are_those_of_the_busiest_units() -> None:
    part = predict([copy(64 * SECTORS)], H200).parts[0]
    compute, memory = shares_of_peak(part, H200)
    assert compute == 0
    assert memory == pytest.approx(128 * SECTORS * 32 / (H200.dram_gbps * 1e9) / part.seconds)
    loads = launches(issued=264e9, memory=132e9, l1_wavefronts=132e9)
    compute, memory = shares_of_peak(predict([loads], H200).parts[0], H200)
    assert compute == pytest.approx(memory), "a load per cycle keeps both busy"
    assert compute > 0.9
    half = predict([launches(blocks=66, issued=264e9)], H200).parts[0]
    assert shares_of_peak(half, H200)[0] == pytest.approx(0.5, rel=0.05), "of all multiprocessors"


def test_tiles_that_look_back_wait_for_each_other() -> None:
    blocks = 132 * 64
    alone = shape(block=1024, blocks=blocks, chain_loads=blocks)
    narrow = shape(
        block=1024,
        blocks=blocks,
        chain_loads=blocks,
        look_back_blocks=blocks,
        look_back_width=blocks,
    )
    wide = shape(
        block=1024,
        blocks=blocks,
        chain_loads=blocks,
        look_back_blocks=blocks,
        look_back_width=32 * blocks,
    )
    short = replace(narrow, features={**narrow.features, "look_back_depth": 64})
    slow = replace(narrow, features={**narrow.features, "look_back_cycles": 100 * blocks})
    assert predict([narrow], H200).bound == "look-back"
    ordered = [predict([each], H200).seconds for each in (alone, wide, short, narrow, slow)]
    assert ordered == sorted(ordered), "work between looks is waited for"


def test_blocks_of_a_multiprocessor_are_limited_by_each_resource() -> None:
    assert resident_blocks(shape(block=256), H200) == 8  # warps
    assert resident_blocks(shape(block=32), H200) == 32  # blocks
    assert resident_blocks(shape(block=256, registers=128), H200) == 2
    assert resident_blocks(shape(block=256, shared=100_000), H200) == 2
    assert resident_blocks(shape(block=1024, registers=255), H200) == 1


def test_more_blocks_than_multiprocessors_share_them_evenly() -> None:
    times = [
        terms_of(launches(blocks=blocks, issued=blocks * 1e6, chain_loads=0), H200)["issue"]
        for blocks in (1, 132, 133, 264)
    ]
    assert times[0] == times[1]
    assert times[2] == times[3] == 2 * times[1]


# ---- devices


@pytest.mark.parametrize("name", device_names())
def test_every_device_is_whole_and_plausible(name: str) -> None:
    device = read_device(name)
    assert device.source
    assert 0.1 < device.error < 1
    assert device.l2_cycles < device.dram_cycles
    assert device.dram_gbps < device.l2_gbps < device.l2_same_gbps
    assert device.l2_single_gbps < device.l2_gbps
    assert device.dram_write <= device.dram_read < 1


def test_a_slower_device_takes_longer() -> None:
    assert predict([copy()], read_device("t4")).seconds > 5 * predict([copy()], H200).seconds


@pytest.mark.parametrize(
    ("number", "changed", "said"),
    [
        ("clock_ghz", "clock_ghz = fast", "not TOML"),
        ("clock_ghz", "clock_ghz = -1", "clock_ghz: is not more than 0"),
        ("clock_ghz", "clocks = 1", "clocks: there is no such key"),
        ("clock_ghz", "", "clock_ghz: is missing"),
        ("in_step", "in_step = 5", "in_step: is more than 1"),
    ],
)
def test_a_bad_device_file_is_a_line_that_names_it(
    tmp_path: Path, number: str, changed: str, said: str
) -> None:
    text = (FOLDER / "t4.toml").read_text("utf-8")
    file = tmp_path / "mine.toml"
    file.write_text(re.sub(f"(?m)^{number} = .*$", changed, text))
    with pytest.raises(InputError) as raised:
        read_device(str(file))
    assert str(file) in str(raised.value)
    assert said in str(raised.value)


def test_an_unknown_device_is_a_line_with_the_known_ones() -> None:
    with pytest.raises(InputError, match=r"no GPU t5: there are a100, b200, .* t4"):
        read_device("t5")


# ---- words


def shaped(**features: float) -> dict[str, Any]:
    made = launches(**features)
    extent = {"grid": [made.features["blocks"], 1, 1], "block": [256, 1, 1], "shared_bytes": 0}
    return {"shapes": [{"kernel": "kernel", **extent, "features": made.features}]}


def test_a_share_is_of_what_reads_or_copies_reach() -> None:
    for limit, gbps in (("read_bandwidth", H200.read_gbps), ("copy_bandwidth", H200.copy_gbps)):
        size = size_profile(limit=limit, limit_bytes=1e9)
        assert limit_seconds(size, H200) == pytest.approx(1 / gbps)
    assert H200.read_gbps > H200.copy_gbps


def test_a_sentence_says_time_share_bound_and_interval() -> None:
    data = shaped(**copy().features)
    size = size_profile(**data, limit="copy_bandwidth", limit_bytes=2 * SECTORS * 32)
    told = predicted(size, (), H200)
    assert told
    said = sentence(size, told)
    assert said.startswith(f"on an NVIDIA H200 about {duration(told.seconds)}, 0.")
    assert "of the copy bandwidth, limited by the memory's bandwidth (predicted; ±" in said


def test_a_line_has_the_share_of_time_that_its_warps_wait_there() -> None:
    made = shaped(chain_cycles=132 * 8 * 16 * 400, distinct_read_sectors=9, cold_read_sectors=9)
    line = {"file": "02_second.cu", "issued": 9}
    waits = [
        {**line, "line": 5, "cycles": 100, "loads": 1},
        {**line, "line": 7, "cycles": 100 + round(H200.dram_cycles), "loads": 0},
        {**line, "line": 9, "cycles": 0, "loads": 2},
    ]
    size = size_profile(shapes=[{**shape_, "lines": waits} for shape_ in made["shapes"]])
    told = predicted(size, (), H200)
    assert told
    found = {line: share for (_, line), share in shares_of_time(size, told).items()}
    whole = told.parts[0].seconds / told.seconds
    assert sum(found.values()) == pytest.approx(whole)
    assert found[5] == pytest.approx(found[7], rel=0.01)
    assert found[9] > found[5]


def test_registers_are_those_of_the_instance_with_the_launchs_shared_memory() -> None:
    def instance(name: str, registers: int, shared: int) -> Resources:
        return Resources(f"kernel<{name}>", "9.0", registers, shared, 0, 0, None)

    known = [instance("1", 40, 512), instance("2", 90, 2048), instance("3", 80, 2048)]
    (shape_,) = size_profile(**shaped()).shapes
    assert registers_of(known, replace(shape_, shared_bytes=512)) == 40
    assert registers_of(known, replace(shape_, shared_bytes=2048)) == 90
    assert registers_of(known, shape_) == 90  # dynamic shared memory: of all
    assert registers_of(known, replace(shape_, kernel="other")) is None
    assert registers_of("nvcc is missing", shape_) is None


def test_a_call_without_a_launch_or_with_a_timeline_has_no_time() -> None:
    assert predicted(size_profile(shapes=[]), (), H200) is None
    assert predicted(size_profile(**shaped(), timeline="kernels AAbb"), (), H200) is None


def test_nothing_is_said_of_a_rung_whose_speed_no_gpu_judges() -> None:
    judged = SimpleNamespace(judgement=SimpleNamespace(is_right=True))
    result, rungs = SimpleNamespace(rungs=[judged]), [SimpleNamespace(speed=())]
    checked = SimpleNamespace(lab=None, rungs=rungs, result=result, backend=Backend.CPU)
    nothing: Any = None  # without a session nothing can be counted
    tell_time(Console(), nothing, cast(Any, checked))


def test_a_duration_has_two_digits_and_a_unit() -> None:
    times = (4.26e-6, 24.4e-6, 1.84e-3, 0.0301, 2.5)
    assert [duration(time) for time in times] == ["4.3 us", "24 us", "1.8 ms", "30 ms", "2.5 s"]


# ---- docs/bench


@pytest.fixture(scope="module")
def timing() -> Any:
    """The script that fits the model."""
    bench_script("app")
    return bench_script("timing")


def test_the_page_and_the_device_are_those_of_todays_files(timing: Any) -> None:
    rows = timing.read_rows()
    assert timing.fit(rows, H200) == H200, "docs/bench/measure time fits it anew"
    for name in set(device_names()) - {"h200"}:
        other = read_device(name)
        assert replace(other, **timing.in_proportion(H200, other)) == other
    page = (REPOSITORY / "docs" / "time.md").read_text("utf-8")
    without = timing.left_out(rows, H200)
    assert timing.table(rows, H200, without) in page
    assert timing.example(rows, H200) in page
    assert timing.sizes_table(without) in page
    assert timing.others_table(H200) in page
    assert timing.bounds_table(rows, H200) in page
    assert timing.figure(rows, without) == (BENCH / timing.FIGURE).read_text("utf-8")


def test_a_fit_finds_the_number_that_made_the_times(timing: Any) -> None:
    rows = [
        replace(row, seconds=row.predicted(H200).seconds)
        for row in timing.read_rows()
        if row.lab in ("01-reduction", "13-sparse")
    ]
    wrong = replace(H200, copy_us=3 * H200.copy_us)
    found = timing.fit(rows, wrong)
    assert timing.loss(rows, found) < 0.2 * timing.loss(rows, wrong)
    assert found.copy_us == pytest.approx(H200.copy_us, rel=0.1)


def test_a_lab_that_is_left_out_does_not_change_its_own_device(
    timing: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timing, "fit", lambda rows, _: {row.lab for row in rows})
    rows = timing.read_rows()
    labs = {row.lab for row in rows}
    assert timing.left_out(rows, H200) == {lab: labs - {lab} for lab in labs}


def test_calls_are_compared_whose_kernels_were_all_timed(timing: Any) -> None:
    """Nsight Compute leaves out copies, and stops after some launches."""
    rows = timing.read_kernels()
    calls = {(f"{row.lab}/{row.rung}", row.num_items) for row in rows}
    assert {size for rung, size in calls if rung == "02-scan/06_decoupled_look_back"} == {
        1 << shift for shift in (18, 20, 22, 24)
    }
    assert not [size for rung, size in calls if rung == "04-radix-sort/03_bitonic_merge"]
    assert all(any(launch.block) for row in rows for launch in row.launches)


def test_errors_and_orders_are_counted(timing: Any) -> None:
    def row(rung: str, seconds: float, share: float) -> Any:
        """Of a call that is predicted to take `share` of the measured time."""
        made = launches(hottest_line=seconds * share * 1e9 / H200.atomic_ns, chain_loads=0)
        return timing.Row("01-demo", rung, 64, seconds, (made,))

    rows = [row("01_a", 4e-2, 1.0), row("02_b", 2e-2, 1.5), row("03_c", 1.9e-2, 2.0)]
    found = timing.validate(rows, {"01-demo": H200})
    assert sorted(found.errors) == pytest.approx([1, 1.5, 2], rel=0.01)
    assert found.orders == [True, False]


NCU = """==PROF== Connected
"Kernel Name","gpu__time_duration.sum","sm__throughput.avg.pct_of_peak_sustained_elapsed",\
"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",\
"l1tex__throughput.avg.pct_of_peak_sustained_active",\
"lts__throughput.avg.pct_of_peak_sustained_elapsed",\
"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"
"","ns","%","%","%","%","%"
"void lab::<unnamed>::scatter<int>(int *)","1,200","20","30","1","2","3"
"fill(int)","2,000","5","6","7","8","9"
"void lab::<unnamed>::scatter<int>(int *)","5,000","70.26","40","1","2","3"
"""


def test_the_longest_kernel_has_the_throughputs_of_its_longest_launch() -> None:
    bounds = bench_script("bounds")
    launches = bounds.launches_of(NCU)
    first, second = bounds.kernels_of(launches)
    shares = {"compute": 70.3, "memory": 40.0, "l1": 1.0, "l2": 2.0, "dram": 3.0}
    assert first == {"kernel": "scatter", "us": 6.2, **shares}
    assert (second["kernel"], second["us"]) == ("fill", 2.0)
    assert bounds.time_of(launches) == {"launches": 3, "us": 8.2}


@pytest.mark.parametrize(
    ("compute", "memory", "said"),
    [
        (0.5, 0.59, "latency"),
        (0.9, 0.2, "compute"),
        (0.2, 0.61, "memory"),
        (0.7, 0.75, "balanced"),
    ],
)
def test_a_bound_is_named_as_nsight_compute_does(
    timing: Any, compute: float, memory: float, said: str
) -> None:
    assert timing.named(compute, memory) == said


def test_only_kernels_that_both_sides_know_are_compared() -> None:
    others = bench_script("others")

    def launch(spelled: str, us: float) -> dict[str, Any]:
        return {"spelled": spelled, "us": us, "registers": 40}

    def shape_of(kernel: str, launches: int) -> dict[str, Any]:
        features = {"launches": launches, "blocks": 7}
        return {"kernel": kernel, "block": [64, 1, 1], "shared_bytes": 0, "features": features}

    measured = {
        "both": [launch("both", 5.0), launch("both", 7.0)],
        "once": [launch("once", 5.0), launch("once", 5.0)],
        "short": [launch("short", 1.0)],
        "many": [launch("many<1>", 9.0), launch("many<2>", 9.0)],
    }
    shapes = [shape_of("both", 2), shape_of("once", 1), shape_of("short", 1), shape_of("many", 2)]
    (found,) = others.records({"program": "p"}, measured, shapes)
    assert (found["program"], found["kernel"], found["us"]) == ("p", "both", 12.0)
    assert found["launches"][0][:4] == ["both", [64, 1, 1], 0, 40]
