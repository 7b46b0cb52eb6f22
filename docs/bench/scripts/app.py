# SPDX-License-Identifier: MIT
"""The command line of docs/bench/measure: lists the measurements, or runs one by name."""

import sys
from importlib import import_module
from typing import Any

try:
    import typer
    from rich.console import Console
    from rich.table import Table
except ModuleNotFoundError as error:
    sys.exit(f"measure: {error.name} is missing; use the grader's Python: docs/bench/measure")

from measurements import GPU, MEASUREMENTS, SCRIPTS, MeasurementError

HELPERS = ("app", "corpus", "measurements", "sources", "system", "timed_calls")
for module in sorted(file.stem for file in SCRIPTS.glob("*.py") if file.stem not in HELPERS):
    import_module(module)

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
for declared in MEASUREMENTS.values():
    app.command(declared.name)(declared.run)

# The base of typer's complaints about arguments; its module differs between typer's versions.
ArgumentError: type[Exception] = next(
    base for base in typer.BadParameter.__mro__ if base.__name__ == "ClickException"
)


@app.callback(invoke_without_command=True)
def list_all(ctx: typer.Context) -> None:
    """Make a table or a figure of this repository again. Without NAME: list them."""
    if ctx.invoked_subcommand is None:
        print_list()


def print_list() -> None:
    console = Console(highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = 400
    table = Table("name", "what", "needs", "writes", box=None, pad_edge=False)
    for each in sorted(MEASUREMENTS.values(), key=lambda each: (GPU in each.needs, each.name)):
        table.add_row(each.name, each.what, each.needs or "-", ", ".join(each.writes))
    console.print(table)
    console.print("\ndocs/bench/measure NAME runs one; NAME --help describes its arguments.")
    console.print("Files are in docs/bench; GPU stands for the name of the GPU, such as h200.")


def main(arguments: list[str]) -> int:
    try:
        status = app(args=arguments, prog_name="docs/bench/measure", standalone_mode=False)
    except ArgumentError as error:
        return complain(f"{message_of(error)} (docs/bench/measure lists all)", 2)
    except MeasurementError as error:
        return complain(str(error), 3)
    return int(status or 0)


def message_of(error: Any) -> str:
    return str(error.format_message())


def complain(message: str, status: int) -> int:
    print(f"measure: {' '.join(message.split())}", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
