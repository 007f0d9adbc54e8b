"""Changes and folders of snapshots that tests are about."""

from __future__ import annotations

from pathlib import Path

from harness.snapshots.placing import Placed
from harness.snapshots.store import Change, SnapshotStore

PI, CODEX = "pi-openai-chat", "codex-openai-responses"


class Folder:
    """A scenario's snapshots and the store that reviews them."""

    def __init__(self, folder: Path) -> None:
        self.store = SnapshotStore(folder)
        self.root = folder / "scenarios" / "__snapshots__" / "loop"

    def run(self, text: str, variant: str = PI, artifact: str = "screen") -> Placed:
        """What a run on a terminal does: compare, and keep what differs."""
        found = self.store.compare(text, self.root, artifact, variant)
        if found.state == "matched":
            self.store.forget(self.root, artifact, variant)
        else:
            self.store.keep(found, text, self.root, artifact, variant, "loop.yaml:3:5", "runs/0001")
        return found

    def accepted(self, text: str, variant: str = PI, artifact: str = "screen") -> None:
        self.run(text, variant, artifact)
        self.store.accept(self.change)

    @property
    def change(self) -> Change:
        (change,) = self.store.changes()
        return change

    @property
    def files(self) -> dict[str, str]:
        return {str(p.relative_to(self.root)): p.read_text() for p in sorted(self.root.rglob("*.txt*"))}


def change(before: str | None, after: str, artifact: str = "requests") -> Change:
    """A change that lies nowhere."""
    target = Path("scenarios/__snapshots__/loop/common") / f"{artifact}.txt"
    state = "new" if before is None else "changed"
    place, record = "loop.yaml:3:5", Path(".qa/pending/1.json")
    return Change(f"loop/common/{artifact}", state, before, after, PI, place, "runs/0001", target, record)
