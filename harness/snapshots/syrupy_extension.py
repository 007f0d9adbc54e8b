"""The same snapshots for a team's own pytest tests, through syrupy.

    def test_the_requests(snapshot):
        stored = snapshot.use_extension(snapshots_of("my-loop", folder="scenarios/__snapshots__"))
        assert text == stored(name="requests")

compares with ``scenarios/__snapshots__/my-loop/common/requests.txt``, relative to the test's file.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from syrupy.data import SnapshotCollections
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from harness.snapshots.placing import COMMON, FOLDER
from harness.snapshots.redaction import Redaction

if TYPE_CHECKING:
    from typing import Any

    from syrupy.location import PyTestLocation


class SnapshotFiles(SingleFileSnapshotExtension):
    """Single text files named after the snapshot alone, with what only its form tells redacted."""

    _write_mode = WriteMode.TEXT
    file_extension = "txt"
    folder = FOLDER

    def serialize(self, data: Any, **_how: Any) -> str:
        """The text as it would be kept by ``qa``."""
        return Redaction({}).apply(str(data)).text

    @classmethod
    def get_snapshot_name(cls, *, test_location: PyTestLocation, index: str | int = 0) -> str:
        """The name that was asked for."""
        if isinstance(index, str):
            return index
        return str(super().get_snapshot_name(test_location=test_location, index=index))

    @classmethod
    def dirname(cls, *, test_location: PyTestLocation) -> str:
        """The folder of the scenario's snapshots."""
        return str(PurePath(test_location.filepath).parent / cls.folder)

    def discover_snapshots(self, **_where: Any) -> SnapshotCollections:
        """None: what no test asks for belongs to a scenario, and syrupy must not delete it as unused."""
        return SnapshotCollections()


def snapshots_of(scenario: str, variant: str = COMMON, folder: str = FOLDER) -> type[SnapshotFiles]:
    """The extension for the snapshots of one scenario.

    Args:
        scenario: Its name.
        variant: ``common``, or agent and dialect, as the folder is named.
        folder: The folder of all snapshots, relative to the test's file.
    """
    return type("SnapshotFilesOfScenario", (SnapshotFiles,), {"folder": f"{folder}/{scenario}/{variant}"})
