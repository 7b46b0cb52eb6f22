# SPDX-License-Identifier: MIT
"""The notebook for a machine in the cloud is valid, and its cells run here, on this checkout."""

import os
import subprocess
from pathlib import Path
from typing import Any

import nbclient
import nbformat
import pytest

from conftest import runnable
from repository import REPOSITORY

NOTEBOOK = REPOSITORY / "docs" / "notebooks" / "lockstep.ipynb"


@pytest.fixture(scope="module")
def notebook() -> Any:
    return nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]


def said(notebook: Any, cell_id: str) -> str:
    """What the cell printed."""
    (cell,) = (cell for cell in notebook.cells if cell.id == cell_id)
    return "".join(output.get("text", "") for output in cell.outputs)


def test_the_notebook_is_valid_and_holds_no_output(notebook: Any) -> None:
    nbformat.validate(notebook)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(cell.outputs == [] and cell.execution_count is None for cell in cells)
    (parameters,) = (cell for cell in cells if "parameters" in cell.metadata.get("tags", []))
    assert "<this repository>" in parameters.source


def test_the_cell_that_gets_the_labs_may_run_twice_and_wants_an_address(
    notebook: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twice, since people run a notebook's cells again: a clone inside the clone would follow."""
    (cell,) = (cell for cell in notebook.cells if "git" in cell.source)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="write the address"):
        exec(cell.source, {"SOURCE": "<this repository>"})
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy" / "lab").write_text("")
    names = {"SOURCE": "copy", "os": os}
    for _ in range(2):
        exec(cell.source, names)
        assert Path.cwd() == tmp_path / "copy"


def test_findings_that_are_not_there_give_the_reason(
    notebook: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (cell,) = (cell for cell in notebook.cells if "json.loads" in cell.source)
    monkeypatch.chdir(tmp_path)
    runnable(tmp_path / "lab", "#!/bin/sh\necho 'lab: CMake is missing' >&2\nexit 3\n")
    exec(cell.source, {"subprocess": subprocess, "RUNG": "00/01"})
    assert "CMake is missing" in capsys.readouterr().out


@pytest.mark.e2e
def test_its_cells_run_on_the_cpu(
    notebook: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LOCKSTEP_ROOT", "LOCKSTEP_TOOLCHAIN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LOCKSTEP_SOURCE", str(REPOSITORY))
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")  # no nvidia-smi of this machine
    runnable(tmp_path / "nvidia-smi", "#!/bin/sh\nexit 9\n")
    nbclient.NotebookClient(notebook, timeout=900, kernel_name="python3").execute(cwd=str(tmp_path))
    assert "01_matrix_add" in said(notebook, "setup")
    assert "not written yet" in said(notebook, "check")
    assert "01_matrix_add: failed, 0.0 of 2.0 points" in said(notebook, "findings")
    assert "  todo: TODO: 01_matrix_add: write the kernel" in said(notebook, "findings")
    assert "hint 1 of" in said(notebook, "hint")
    assert "There is no GPU here" in said(notebook, "gpu")
    assert "9 files" in said(notebook, "submit")
