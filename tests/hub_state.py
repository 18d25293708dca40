"""The state of the small Hub of `tests/small_hub.py`: repositories, commits, large files and requests."""

from dataclasses import dataclass, field

Files = dict[str, bytes]
TOKEN = "hf_test"
LARGE = (".safetensors", ".parquet")


@dataclass
class Repository:
    """Commits, oldest first, each with all its files, and tags by name."""

    commits: list[tuple[str, Files]]
    tags: dict[str, str] = field(default_factory=dict)
    private: bool = False

    @property
    def files(self) -> Files:
        """The files of the newest commit."""
        return self.commits[-1][1]

    def at(self, revision: str) -> tuple[str, Files] | None:
        """The commit that a branch, tag or digest names."""
        if revision in ("main", "refs/heads/main"):
            return self.commits[-1]
        wanted = self.tags.get(revision, revision)
        return next((commit for commit in self.commits if commit[0] == wanted), None)


@dataclass
class Hub:
    """The contents of the server, and the requests that it received.

    Attributes:
        endpoint: its address.
        repositories: by kind and id, such as `models/openmeva/union-roc`.
        large: contents of large files by SHA-256.
        requests: `METHOD path` of each request, in order.
        failures: requests whose `METHOD path` matches this pattern are answered with `failure_status`.
        fault: how downloads go wrong: `500`, `cut` (half a body), `wrong` (other bytes) or `slow` (a second each).
    """

    endpoint: str = ""
    repositories: dict[str, Repository] = field(default_factory=dict)
    large: dict[str, bytes] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    failures: str = ""
    failure_status: int = 403
    fault: str = ""
