"""Pushes the project's repositories to the Hub under an organisation, and sets the release tag in each of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi
from huggingface_hub.errors import RepositoryNotFoundError
from huggingface_hub.hf_api import RepoFile

from openmeva.metrics.core.hub import HUB_ERRORS, blob_id
from openmeva.training.files import checksum
from openmeva.training.hub.layout import Repository

_KEPT = frozenset({".gitattributes"})  # the Hub's own
_CREATED = frozenset({"README.md"})  # what the Hub writes into a new Space
_RELEASE = re.compile(r"v\d+\.\d+\.\d+((a|b|rc|\.dev|\.post)\d+)?")  # tags of this project


@dataclass(frozen=True)
class RepositoryState:
    """The state of a repository on the Hub.

    Attributes:
        exists: whether it exists.
        same: whether its files are those to be published.
        stale: its files that are not to be published.
        tag: the commit of the release tag; empty where there is none.
        head: the commit of `main`.
        foreign: whether it has other files and no release of any version, so that this project did not publish it.
    """

    exists: bool
    same: bool = False
    stale: tuple[str, ...] = ()
    tag: str = ""
    head: str = ""
    foreign: bool = False

    @property
    def released(self) -> bool:
        """Whether nothing is left to do: the files are up to date, and the release tag is at their commit."""
        return self.same and self.tag == self.head != ""


def repository_state(api: HfApi, repository: Repository, revision: str) -> RepositoryState:
    """The state of a repository on the Hub, compared with the files to be published."""
    try:
        refs = api.list_repo_refs(repository.id, repo_type=repository.kind)
    except RepositoryNotFoundError:
        return RepositoryState(False)
    tree = api.list_repo_tree(repository.id, recursive=True, repo_type=repository.kind)
    published = {
        entry.path: entry.lfs.sha256 if entry.lfs else entry.blob_id
        for entry in tree
        if isinstance(entry, RepoFile) and entry.path not in _KEPT
    }
    files = repository.files()
    same = published.keys() == files.keys() and all(
        published[name] in (checksum(path), blob_id(path)) for name, path in files.items()
    )
    tag = next((ref.target_commit for ref in refs.tags if ref.name == revision), "")
    head = next((ref.target_commit for ref in refs.branches if ref.name == "main"), "")
    released = any(_RELEASE.fullmatch(ref.name) for ref in refs.tags)
    foreign = not released and not same and bool(published.keys() - _CREATED)
    return RepositoryState(True, same, tuple(sorted(published.keys() - files.keys())), tag, head, foreign)


def publish(
    api: HfApi,
    repositories: Sequence[Repository],
    version: str,
    move_tags: bool = False,
    note: str = "",
    *,
    replace: bool = False,
    private: bool = False,
) -> dict[str, str]:
    """Updates each repository on the Hub to its files, in one commit, and tags it `v<version>`.

    Repositories that are up to date are skipped, so that a publication that failed can be resumed; large files that
    were already uploaded are not sent again.

    Args:
        api: client with an endpoint and a token with write access.
        repositories: in the order of upload, weights before the modules that load them.
        version: version of the project.
        move_tags: allow an existing tag of the version to move to the new files.
        note: end of the commit message, such as the project's own commit.
        replace: allow the files of repositories that this project did not publish to be replaced.
        private: create private repositories; those that exist stay as they are.

    Returns:
        `kind id` to what was done: `created`, `updated`, `tagged` or `unchanged`.

    Raises:
        ValueError: a tag of the version is at other files, or at another commit than `main`, or a repository of the
            same name was not published by this project (all such repositories are named, before the first upload).
    """
    revision = f"v{version}"
    states = [repository_state(api, repository, revision) for repository in repositories]
    conflicting = [r.id for r, s in zip(repositories, states, strict=True) if s.tag and not s.released]
    if conflicting and not move_tags:
        raise ValueError(
            f"the tag {revision} is at other files in {', '.join(conflicting)}: raise the version in "
            f"metrics/core/version.py, or move the tags: --move-tags (MOVE_TAGS=1)"
        )
    foreign = [f"{r.kind} {r.id}" for r, s in zip(repositories, states, strict=True) if s.foreign]
    if foreign and not replace:
        raise ValueError(
            f"{', '.join(foreign)}: expected no such repository, or a release of this project, got other files. Publish "
            "under another organisation, or replace them, as after a first publication that stopped halfway: --replace"
        )
    done = {}
    for repository, state in zip(repositories, states, strict=True):
        done[f"{repository.kind} {repository.id}"] = _update(api, repository, state, revision, note, private)
    return done


def _update(
    api: HfApi, repository: Repository, state: RepositoryState, revision: str, note: str, private: bool
) -> str:
    kind = repository.kind
    if state.released:
        return "unchanged"
    if not state.exists:
        sdk = "gradio" if kind == "space" else None
        api.create_repo(repository.id, repo_type=kind, private=private or None, space_sdk=sdk, exist_ok=True)
    commit = state.head
    if not state.same:
        operations: list[CommitOperationDelete | CommitOperationAdd] = [
            *(CommitOperationDelete(name) for name in state.stale),
            *(CommitOperationAdd(name, path) for name, path in repository.files().items()),
        ]
        message = f"{revision} {note}".strip()
        commit = api.create_commit(
            repository.id,
            operations,
            commit_message=message,
            repo_type=kind,
            parent_commit=state.head or None,  # refused if somebody pushed since the state was read
        ).oid
    if state.tag:
        api.delete_tag(repository.id, tag=revision, repo_type=kind)
    try:
        api.create_tag(repository.id, tag=revision, revision=commit, repo_type=kind)
    except HUB_ERRORS:
        if state.tag:  # published modules load weights at this tag
            api.create_tag(repository.id, tag=revision, revision=state.tag, repo_type=kind)
        raise
    return "created" if not state.exists else "tagged" if state.same else "updated"
