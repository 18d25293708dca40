"""Typed configurations: dataclasses read from YAML; each key and type is checked.

If a field's dataclass has `named_in` (a folder of training/configs, as for corpora), the field takes the name of a
file there, or a mapping with `name` and overrides: `corpus: roc`, `corpus: {name: roc, max_stories: 4000}`. A field of
type `Annotated[dict, Shape]` is checked against the dataclass `Shape` but keeps its values, because they identify a stage.
"""

import dataclasses
import difflib
import json
import re
import types
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

import yaml
from pydantic import TypeAdapter, ValidationError

from openmeva.training.files import read_lines
from openmeva.training.paths import CONFIGS, ROOT

Config = TypeVar("Config")


class _Loader(yaml.SafeLoader):
    """PyYAML's YAML 1.1, except that `1e-4` is a number and `2020-01-01` a string, and no key is given twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        counts = Counter(key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode))
        if twice := [key for key, count in counts.items() if count > 1 and key != "<<"]:
            raise ValueError(f"key {twice[0]!r} is given twice")
        return super().construct_mapping(node, deep)


_Loader.yaml_implicit_resolvers = {
    key: [resolver for resolver in value if resolver[0] != "tag:yaml.org,2002:timestamp"]
    for key, value in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"^[-+]?[0-9]+(\.[0-9]*)?[eE][-+]?[0-9]+$"), list("-+0123456789")
)


# raised by PyYAML and JSON for text that is not YAML, or for values that JSON lacks: bytes, sets, recursive objects
_NO_YAML = (yaml.YAMLError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


def read_yaml(text: str, source: str | Path = "YAML") -> Any:
    """The content of a YAML text, as plain JSON values.

    Raises:
        ValueError: not YAML, or values that JSON lacks; the message begins with `source`.
    """
    try:
        content = yaml.load(text, Loader=_Loader)
        json.dumps(content)
    except _NO_YAML as error:
        message = " ".join(str(error).split())
        raise ValueError(f"{source}: expected YAML of plain values ({message:.200})") from error
    return content


def _read_file(file: str | Path) -> Any:
    return read_yaml("\n".join(line for _, line in read_lines(file)), file)


def config_file(folder: str, name: str | Path) -> Path:
    """A configuration's file: a path (relative to the working directory or to the project), or a name in training/configs/FOLDER.

    Raises:
        ValueError: no such file (the known names are listed).
    """
    configs = CONFIGS / folder
    for path in (Path(name), ROOT / name, configs / f"{name}.yaml"):
        if path.is_file():
            return path
    names = ", ".join(sorted(path.stem for path in configs.glob("*.yaml")))
    raise ValueError(f"{name}: no such configuration; training/configs/{folder} has {names}")


def read_config(kind: type[Config], file: str | Path, changes: Sequence[str] = ()) -> Config:
    """The configuration in a YAML file, with changes of the form `KEY.SUB=VALUE` (values in YAML) applied.

    Raises:
        ValueError: an unknown key (with the most similar known one), a value of the wrong type, or a malformed change; the
            message names the file and the key.
    """
    return parse(kind, _read_changed(kind, file, changes), str(file))


def read_configs(kind: type[Config], file: str | Path) -> dict[str, Config]:
    """The configurations in a YAML file that holds several, by name.

    Raises:
        ValueError: as `read_config`.
    """
    return {name: parse(kind, values, f"{file}, {name}") for name, values in _read_file(file).items()}


def read_mapping(kind: type[Any], file: str | Path, changes: Sequence[str] = ()) -> dict[str, Any]:
    """The checked configuration as a mapping of the file's values: names are resolved, defaults are not added."""
    values = _read_changed(kind, file, changes)
    parse(kind, values, str(file))
    return resolve_names(kind, values, str(file))


def parse(kind: type[Config], values: Mapping[str, Any], source: str = "configuration") -> Config:
    """A configuration from a mapping.

    Raises:
        ValueError: as `read_config`.
    """
    checked: Config = _validated(kind, resolve_names(kind, values, source), source)
    return checked


def as_mapping(config: Any) -> dict[str, Any]:
    """A configuration as plain JSON values, defaults included: what a manifest records."""
    mapping: dict[str, Any] = json.loads(json.dumps(dataclasses.asdict(config)))
    return mapping


def differences(before: Mapping[str, Any], after: Mapping[str, Any], path: str = "") -> list[str]:
    """The differences between two mappings, one line each: `corpus.max_stories: 4000, not 12000`."""
    lines = []
    for key in sorted({*before, *after}):
        old, new = before.get(key), after.get(key)
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            lines += differences(old, new, f"{path}{key}.")
        elif old != new:
            lines.append(f"{path}{key}: {json.dumps(old)}, not {json.dumps(new)}")
    return lines


@cache
def _adapter(kind: type[Any]) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


@cache
def _fields(kind: type[Any]) -> dict[str, Any]:
    hints = get_type_hints(kind, include_extras=True)
    return {field.name: hints[field.name] for field in dataclasses.fields(kind)}


def _validated(kind: Any, values: Any, source: str, path: str = "") -> Any:
    """An object of the dataclass from JSON values; types are checked without conversion."""
    try:
        return _adapter(kind).validate_json(json.dumps(values), strict=True)
    except ValidationError as error:
        raise ValueError(
            "\n".join(_error_message(detail, source, path) for detail in error.errors())
        ) from error


def _read_changed(kind: type[Any], file: str | Path, changes: Sequence[str]) -> dict[str, Any]:
    values = _read_file(file) or {}
    if not isinstance(values, dict):
        raise ValueError(f"{file}: expected a mapping, got {type(values).__name__}")
    if changes:  # a change applies to the configurations that the names stand for
        values = resolve_names(kind, values, str(file))
    for change in changes:
        path, separator, value = change.partition("=")
        if not separator:
            raise ValueError(f"--set: expected KEY=VALUE or KEY.SUB=VALUE, got {change!r}")
        keys = path.split(".")
        if len(keys) > 1 and keys[0] not in values:  # the rest of the default stays
            values |= _default_mapping(kind, keys[0])
        _set_value(values, keys, read_yaml(value, f"--set {change}"), change)
    return values


def _default_mapping(kind: type[Any], name: str) -> dict[str, Any]:
    """A field's default by its name, if it is itself a configuration; else an empty mapping."""
    for field in dataclasses.fields(kind):
        default = field.default
        if field.default_factory is not dataclasses.MISSING:
            default = field.default_factory()
        if field.name == name and dataclasses.is_dataclass(default):
            return {name: as_mapping(default)}
    return {}


def _set_value(values: Any, keys: list[str], value: Any, change: str) -> None:
    in_list = False  # items of a list are addressed by their `name` or index
    for key in keys[:-1]:
        in_list = isinstance(values, list)
        if isinstance(values, list):
            index = int(key) if key.isdigit() else -1
            matches = [
                i for i, item in enumerate(values) if isinstance(item, dict) and item.get("name") == key
            ]
            index = matches[0] if matches else index
            if not 0 <= index < len(values):
                raise ValueError(f"--set {change}: expected a place or a name in the list, got {key!r}")
            values = values[index]
            continue
        if not isinstance(values.get(key), dict | list):
            values[key] = {"name": values[key]} if isinstance(values.get(key), str) else {}
        values = values[key]
    if keys[-1] == "name" and len(keys) > 1 and isinstance(values, dict) and not in_list:
        parent = ".".join(keys[:-1])
        raise ValueError(
            f"--set {change}: the name stands for all settings of {parent}; expected {parent}={value}"
        )
    if not isinstance(values, dict):
        raise ValueError(f"--set {change}: expected a key of a mapping, got {keys[-1]!r}")
    values[keys[-1]] = value


def resolve_names(kind: Any, value: Any, source: str, path: str = "") -> Any:
    """A value of a configuration with its names resolved; an unknown key is an error."""
    if get_origin(kind) is Annotated:
        shape = next((item for item in get_args(kind)[1:] if dataclasses.is_dataclass(item)), None)
        resolved = resolve_names(shape or get_args(kind)[0], value, source, path)
        if shape:
            _validated(shape, resolved, source, path)
        return resolved
    choices = get_args(kind) if get_origin(kind) in (Union, types.UnionType) else (kind,)
    for choice in choices:
        if dataclasses.is_dataclass(choice) and isinstance(value, Mapping | str):
            return _resolve_fields(choice, value, source, path)
        inner = get_args(choice)
        if isinstance(value, list | tuple) and get_origin(choice) in (tuple, list) and inner:
            return [
                resolve_names(inner[0], item, source, f"{path}{index}.") for index, item in enumerate(value)
            ]
        if isinstance(value, Mapping) and len(inner) == 2:
            return {
                key: resolve_names(inner[1], item, source, f"{path}{key}.") for key, item in value.items()
            }
    return value


def _resolve_fields(kind: Any, value: Mapping[str, Any] | str, source: str, path: str) -> Any:
    folder = getattr(kind, "named_in", None)
    if folder and (isinstance(value, str) or "name" in value):
        name, changes = (value, {}) if isinstance(value, str) else (value["name"], value)
        if not isinstance(name, str):
            raise ValueError(
                f"{source}: {path}name: expected a name in training/configs/{folder}, got {name!r}"
            )
        file = config_file(folder, name)
        base = _read_file(file)
        if not isinstance(base, dict):
            raise ValueError(f"{file}: expected a mapping, got {type(base).__name__}")
        value = {**resolve_names(kind, base, str(file)), **{k: v for k, v in changes.items() if k != "name"}}
    if isinstance(value, str):
        return value  # the wrong type: validation reports it
    fields = _fields(kind)
    for key in value:
        if key not in fields:
            closest = difflib.get_close_matches(str(key), fields, 1, 0.0)
            raise ValueError(f"{source}: unknown key {path}{key}; did you mean {path}{closest[0]}?")
    return {key: resolve_names(fields[key], item, source, f"{path}{key}.") for key, item in value.items()}


def _error_message(error: Any, source: str, path: str) -> str:
    path += ".".join(str(key) for key in error["loc"])
    if error["type"] == "missing":
        return f"{source}: {path} is missing"
    got = "" if error["type"] == "value_error" else f", got {error['input']!r}"
    message = error["msg"].removeprefix("Value error, ")
    return f"{source}: {f'{path}: ' if path else ''}{message[:1].lower()}{message[1:]}{got}"
