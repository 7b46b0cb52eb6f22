# SPDX-License-Identifier: MIT
"""Who uses which GPU: measurements alone, checkers together, each GPU for itself."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from lockstep_grader.machine.gpus import Gpu, GpuPool, GpuQueue, files_of_others, find_gpus

from conftest import runnable, wait_for

LARGE = 65536


class User:
    """A thread that takes a GPU, and keeps it until it is told to leave."""

    def __init__(self, use: AbstractContextManager[str]) -> None:
        self.gpu: str | None = None
        self._leave = threading.Event()
        self._thread = threading.Thread(target=self._hold, args=(use,), daemon=True)
        self._thread.start()

    def _hold(self, use: AbstractContextManager[str]) -> None:
        with use as gpu:
            self.gpu = gpu
            self._leave.wait(20)

    def leave(self) -> None:
        self._leave.set()
        self._thread.join(20)


@pytest.fixture
def users() -> Iterator[list[User]]:
    made: list[User] = []
    yield made
    for user in made:
        user.leave()


def have(users: Sequence[User]) -> list[str | None]:
    return [user.gpu for user in users]


def measurer(pool: GpuPool, users: list[User]) -> User:
    users.append(User(pool.measuring()))
    return users[-1]


def checker(pool: GpuPool, users: list[User]) -> User:
    users.append(User(pool.checking()))
    return users[-1]


def test_each_gpu_measures_one_at_a_time(users: list[User]) -> None:
    pool = GpuPool([Gpu("a", LARGE), Gpu("b", LARGE)], cores=8)
    first, second = measurer(pool, users), measurer(pool, users)
    wait_for(lambda: None not in have(users))
    assert set(have(users)) == {"a", "b"}
    third = measurer(pool, users)
    second.leave()
    wait_for(lambda: third.gpu is not None)
    assert third.gpu == second.gpu != first.gpu


def test_checkers_share_and_wait_for_who_measures(users: list[User]) -> None:
    pool = GpuPool([Gpu("a", LARGE)], cores=8)
    for _ in range(4):
        checker(pool, users)
    wait_for(lambda: have(users) == ["a"] * 4)
    one_more = checker(pool, users)  # eight cores, a judge and a worker each
    measures = measurer(pool, users)
    for user in users[:3]:
        user.leave()
    assert (one_more.gpu, measures.gpu) == (None, None)  # one still checks
    users[3].leave()
    wait_for(lambda: measures.gpu == "a")
    assert one_more.gpu is None
    measures.leave()
    wait_for(lambda: one_more.gpu == "a")


def test_measurements_wait_for_each_other_and_go_one_after_the_other(users: list[User]) -> None:
    pool = GpuPool([Gpu("a", LARGE)], cores=8, gathered=2)
    first = checker(pool, users)
    wait_for(lambda: first.gpu == "a")
    measures = [measurer(pool, users)]
    second = checker(pool, users)  # one measurement does not end the turn of the checkers
    wait_for(lambda: second.gpu == "a")
    measures.append(measurer(pool, users))
    wait_for(lambda: pool._uses[0].is_kept)
    late = checker(pool, users)
    first.leave()
    second.leave()
    wait_for(lambda: set(have(measures)) == {None, "a"})
    next(user for user in measures if user.gpu).leave()
    wait_for(lambda: have(measures) == ["a", "a"])
    assert late.gpu is None
    for user in measures:
        user.leave()
    wait_for(lambda: late.gpu == "a")


def test_checkers_go_on_while_another_gpu_measures(users: list[User]) -> None:
    pool = GpuPool([Gpu("a", LARGE), Gpu("b", LARGE)], cores=8, gathered=2)
    on_a, on_b = checker(pool, users), checker(pool, users)
    wait_for(lambda: {on_a.gpu, on_b.gpu} == {"a", "b"})
    measures = [measurer(pool, users) for _ in range(3)]
    wait_for(lambda: pool._waiting_to_measure == 3)
    kept = next(use.gpu.name for use in pool._uses if use.is_kept)
    next(user for user in (on_a, on_b) if user.gpu == kept).leave()
    wait_for(lambda: kept in have(measures))
    late = checker(pool, users)
    wait_for(lambda: late.gpu is not None)
    assert late.gpu != kept
    for _ in range(3):  # with the two that wait these are worth the other GPU, too
        measures.append(measurer(pool, users))
    wait_for(lambda: all(use.is_kept for use in pool._uses))
    one_more = checker(pool, users)
    late.leave()
    next(user for user in (on_a, on_b) if user.gpu != kept).leave()
    wait_for(lambda: {"a", "b"} <= set(have(measures)))
    assert one_more.gpu is None
    for _ in range(3):
        wait_for(lambda: any(user.gpu for user in measures))
        for user in [user for user in measures if user.gpu]:
            user.leave()
            measures.remove(user)
    wait_for(lambda: one_more.gpu is not None)


def test_graders_of_one_machine_queue_for_a_gpu(
    tmp_path: Path, users: list[User], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lockstep_grader.machine.gpus._SHORT_WAIT_SECONDS", 0.0)
    monkeypatch.setattr("lockstep_grader.machine.gpus._LOOK_SECONDS", 0.01)
    said: list[str] = []
    gpus = [Gpu("0", LARGE, "GPU-11")], [Gpu("GPU-11", LARGE, "GPU-11")]
    one, other = (GpuPool(named, 8, GpuQueue(tmp_path, said.append)) for named in gpus)
    first = checker(one, users)
    wait_for(lambda: first.gpu == "0")
    shares = checker(other, users)
    wait_for(lambda: shares.gpu == "GPU-11")
    measures = measurer(other, users)  # waits for the checker of its own process
    shares.leave()
    wait_for(lambda: said != [])
    assert said == ["GPU-11 is in use by another grader of this machine; waiting for it"]
    late = checker(one, users)  # behind the measurement, at the door
    wait_for(lambda: len(said) == 2)
    first.leave()
    wait_for(lambda: measures.gpu == "GPU-11")
    assert late.gpu is None
    measures.leave()
    wait_for(lambda: late.gpu == "0")


def test_a_small_gpu_checks_one_at_a_time(users: list[User]) -> None:
    pool = GpuPool([Gpu("a", 6000)], cores=64)
    first = checker(pool, users)
    wait_for(lambda: first.gpu == "a")
    second = checker(pool, users)
    first.leave()
    wait_for(lambda: second.gpu == "a")


def test_the_gpus_are_those_that_are_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    smi = tmp_path / "nvidia-smi"
    runnable(smi, "#!/bin/sh\necho '0, GPU-11, 8192'\necho '1, GPU-22, 4096'\n")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    assert find_gpus() == [Gpu("GPU-11", 8192), Gpu("GPU-22", 4096)]
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1, MIG-3")
    assert find_gpus() == [Gpu("1", 4096), Gpu("MIG-3", 0)]
    smi.unlink()
    assert find_gpus() == [Gpu("1"), Gpu("MIG-3")]
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES")
    assert find_gpus() == [Gpu("")]


def test_a_worker_sees_the_files_of_its_own_gpu(tmp_path: Path) -> None:
    for minor, uuid in (("0", "GPU-11"), ("3", "GPU-22"), ("10", "GPU-33")):
        folder = tmp_path / f"0000:{minor}:00.0"
        folder.mkdir()
        text = f"Model: \t\t NVIDIA H100\nGPU UUID: \t {uuid}\nDevice Minor: \t {minor}\nIRQ: 7\n"
        (folder / "information").write_text(text)
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "information").write_text("Model: unknown\n")
    assert files_of_others("GPU-22", tmp_path) == {"/dev/nvidia0", "/dev/nvidia10"}
    for unsure in ("", "1", "GPU-2", "MIG-22"):  # an index counts the GPUs that a process sees
        assert files_of_others(unsure, tmp_path) == set()
    assert files_of_others("GPU-22", tmp_path / "none") == set()
