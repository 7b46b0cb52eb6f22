# SPDX-License-Identifier: MIT
"""clangd, asked over the language server protocol as an editor asks it."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from lockstep_grader.model.compat import Self

ERROR, WARNING = 1, 2  # the protocol's severities
CLANGD = str(Path(sys.executable).with_name("clangd"))  # of requirements-dev.txt


class Clangd:
    """A running clangd for the folder `root`; `env` is added to its environment."""

    def __init__(self, root: Path, env: Mapping[str, str] | None = None) -> None:
        argv = [CLANGD, "--background-index=false", "--pch-storage=memory", "--log=error"]
        self._process = subprocess.Popen(
            argv,
            cwd=root,
            env={**os.environ, **(env or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._last_id = 0
        self._versions: dict[str, int] = {}  # of the open files, by URI
        self._found: dict[tuple[str, int], list[dict[str, Any]]] = {}
        markdown = {"hover": {"contentFormat": ["plaintext"]}}
        self._ask(
            "initialize",
            {
                "processId": None,
                "rootUri": root.as_uri(),
                "capabilities": {"textDocument": markdown},
            },
        )
        self._tell("initialized", {})

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.communicate()

    def diagnostics(self, files: Iterable[Path]) -> Iterator[tuple[Path, dict[str, Any]]]:
        """What an editor would underline in each of `files`, opened one after another."""
        for file in files:
            for found in self.diagnostics_of(file, file.read_text()):
                yield file, found
            self._close(file)

    def diagnostics_of(self, file: Path, text: str) -> list[dict[str, Any]]:
        """What would be underlined in `file`, were `text` its content.

        The file stays open: clangd reads the headers above its first declaration again only
        when those #include lines change. That is nearly all of its work.
        """
        version = self._versions.get(file.as_uri(), 0) + 1
        self._versions[file.as_uri()] = version
        document = {"uri": file.as_uri(), "version": version}
        if version == 1:
            opened = {**document, "languageId": "cuda-cpp", "text": text}
            self._tell("textDocument/didOpen", {"textDocument": opened})
        else:
            changed = {"textDocument": document, "contentChanges": [{"text": text}]}
            self._tell("textDocument/didChange", changed)
        self._read_until(lambda: (file.as_uri(), version) in self._found)
        return self._found.pop((file.as_uri(), version))

    def completions(self, file: Path, text: str) -> list[str]:
        """The names offered where the `|` is, were `text` the content of `file`."""
        reply = self._ask_at("completion", file, text)
        return [item.get("filterText", item["label"]) for item in reply["items"]]

    def hover(self, file: Path, text: str) -> str:
        """What is shown for the name after the `|`."""
        reply = self._ask_at("hover", file, text)
        return str(reply["contents"]["value"]) if reply else ""

    def _ask_at(self, request: str, file: Path, text: str) -> Any:
        before, _, after = text.partition("|")
        # Until it has read the file, it answers by words. To the same text again it says nothing.
        self.diagnostics_of(file, f"{before}{after}\n// {self._last_id}\n")
        place = {"line": before.count("\n"), "character": len(before.rpartition("\n")[2])}
        return self._ask(
            f"textDocument/{request}",
            {"textDocument": {"uri": file.as_uri()}, "position": place},
        )

    def _close(self, file: Path) -> None:
        del self._versions[file.as_uri()]
        self._tell("textDocument/didClose", {"textDocument": {"uri": file.as_uri()}})

    def _ask(self, method: str, parameters: Any) -> Any:
        self._last_id += 1
        self._send({"id": self._last_id, "method": method, "params": parameters})
        replies: list[Any] = []
        self._read_until(lambda: bool(replies), replies)
        assert "result" in replies[0], replies[0]
        return replies[0]["result"]

    def _tell(self, method: str, parameters: Any) -> None:
        self._send({"method": method, "params": parameters})

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self._process.stdin.flush()

    def _read_until(self, done: Callable[[], bool], replies: list[Any] | None = None) -> None:
        while not done():
            message = self._read()
            if message.get("method") == "textDocument/publishDiagnostics":
                parameters = message["params"]
                if "version" in parameters:  # else the file was closed, and has none any more
                    about = (parameters["uri"], parameters["version"])
                    self._found[about] = parameters["diagnostics"]
            elif replies is not None and message.get("id") == self._last_id:
                replies.append(message)

    def _read(self) -> Any:
        assert self._process.stdout
        length = 0
        while (line := self._process.stdout.readline()) not in (b"\r\n", b""):
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        assert length, "clangd ended"
        return json.loads(self._process.stdout.read(length))
