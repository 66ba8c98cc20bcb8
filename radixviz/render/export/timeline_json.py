"""A timeline as JSON and back: `{"radixviz_timeline": version, ...}`, the fields of `radixviz.timeline.Timeline`.

Each dataclass is an object of its fields; an event has its class's name as "event" besides. Bytes are hexadecimal.
Nothing is trusted: what is read is checked field by field against the annotations.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, cast, get_args, get_origin, get_type_hints

from radixviz.errors import NotTimeline, TimelineCutOff, TimelineTooLarge, TimelineTooNew, system_name
from radixviz.events import Event
from radixviz.render.export.timeline_check import wrong_place
from radixviz.timeline import Timeline

VERSION = 1
MOST_BYTES = 64 * 1024 * 1024
_KEY, _TAG = "radixviz_timeline", "event"
_BEGIN = f'{{"{_KEY}":'
_EVENTS = {kind.__name__: kind for kind in get_args(Event)}


class _WrongError(Exception):
    """What is read is not what the annotations say; the text is the place."""


def write_timeline(timeline: Timeline) -> bytes:
    """Return the timeline as JSON in UTF-8; the same timeline gives the same bytes."""
    whole = {_KEY: VERSION, **cast("dict[str, object]", _plain(timeline))}
    return (json.dumps(whole, ensure_ascii=False, separators=(",", ":")) + "\n").encode()


def read_timeline_file(path: Path) -> Timeline:
    """Read a file that `write_timeline` made.

    Raises as `read_timeline` does, and NotTimeline for a file that cannot be read at all.
    """
    try:
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise TimelineTooLarge(path.name, size, MOST_BYTES)
        data = path.read_bytes()
    except OSError as error:
        raise NotTimeline(path.name, system_name(error)) from error
    return read_timeline(data, path.name)


def read_timeline(data: bytes, name: str) -> Timeline:
    """Return the timeline in `data`; `name` is that of the file, for what is said about it. A BOM is read over.

    Raises:
        TimelineTooLarge: more bytes than MOST_BYTES.
        TimelineTooNew: a later version wrote it.
        TimelineCutOff: it begins as ours does, but its JSON is not whole.
        NotTimeline: anything else that is not what `write_timeline` makes.
    """
    if len(data) > MOST_BYTES:
        raise TimelineTooLarge(name, len(data), MOST_BYTES)
    found = _parsed(data, name)
    version = found.pop(_KEY, None) if isinstance(found, dict) else None
    if type(version) is not int or version < 1:
        raise NotTimeline(name, _KEY)
    if version > VERSION:
        raise TimelineTooNew(name, version, VERSION)
    try:
        timeline = cast("Timeline", _read(Timeline, found, ""))
    except _WrongError as error:
        raise NotTimeline(name, str(error)) from None
    wrong = wrong_place(timeline) if timeline.frames else "frames"
    if wrong is not None:
        raise NotTimeline(name, wrong)
    return timeline


def _parsed(data: bytes, name: str) -> Any:
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        if error.end == len(data) and data.startswith(_BEGIN.encode()):
            raise TimelineCutOff(name) from None  # in the middle of a character
        raise NotTimeline(name, "UTF-8") from None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        if text.startswith(_BEGIN):
            raise TimelineCutOff(name) from None
        raise NotTimeline(name, "JSON") from None


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        tag = {_TAG: type(value).__name__} if type(value) in _EVENTS.values() else {}
        return {**tag, **{field.name: _plain(getattr(value, field.name)) for field in fields(value)}}
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return value.hex() if isinstance(value, bytes) else value


# ------------------------------------------------------------------------------------------------------------ reading
def _read(hint: Any, found: object, place: str) -> object:
    origin = get_origin(hint)
    if hint == Event:
        return _read_event(found, place)
    if origin in (Union, UnionType):
        return _read_union(get_args(hint), found, place)
    if origin is Literal:
        return _same(found, place, any(type(found) is type(one) and found == one for one in get_args(hint)))
    if origin is tuple:
        return _read_tuple(get_args(hint), found, place)
    if origin is not None and issubclass(origin, Mapping):
        return _read_mapping(get_args(hint), found, place)
    if is_dataclass(hint):
        return _read_fields(cast("type", hint), found, place)
    if hint is bytes:
        return _read_bytes(found, place)
    return _same(found, place, type(found) is (NoneType if hint is None else hint))


def _same(found: object, place: str, right: bool) -> object:
    if not right:
        raise _WrongError(place)
    return found


def _read_union(hints: tuple[Any, ...], found: object, place: str) -> object:
    for hint in hints:
        try:
            return _read(hint, found, place)
        except _WrongError:
            continue
    raise _WrongError(place)


def _read_tuple(hints: tuple[Any, ...], found: object, place: str) -> object:
    if not isinstance(found, list):
        raise _WrongError(place)
    if hints[1:] == (...,):
        return tuple([_read(hints[0], one, f"{place}[{index}]") for index, one in enumerate(found)])
    if len(hints) != len(found):
        raise _WrongError(place)
    return tuple([_read(hint, one, f"{place}[{i}]") for i, (hint, one) in enumerate(zip(hints, found, strict=True))])


def _read_mapping(hints: tuple[Any, ...], found: object, place: str) -> object:
    if not isinstance(found, dict):
        raise _WrongError(place)
    return {_read_key(hints[0], key, place): _read(hints[1], one, f"{place}.{key}") for key, one in found.items()}


def _read_key(hint: Any, key: str, place: str) -> object:
    if hint is not int:
        return key
    if not key.isascii() or not key.isdecimal() or str(int(key[:20])) != key:
        raise _WrongError(f"{place}.{key}")
    return int(key)


def _read_bytes(found: object, place: str) -> bytes:
    try:
        if isinstance(found, str) and found == found.lower():
            return bytes.fromhex(found)
    except ValueError:
        pass
    raise _WrongError(place)


def _read_event(found: object, place: str) -> object:
    if not isinstance(found, dict) or found.get(_TAG) not in _EVENTS:
        raise _WrongError(f"{place}.{_TAG}")
    return _read_fields(_EVENTS[found[_TAG]], {name: one for name, one in found.items() if name != _TAG}, place)


def _read_fields(kind: type, found: object, place: str) -> object:
    """Return the object of these fields. One that has a default may be missing: an earlier radixviz did not have it."""
    hints = _hints(kind)
    if not isinstance(found, dict):
        raise _WrongError(place)
    odd = (found.keys() - hints.keys()) | (hints.keys() - found.keys() - _optional(kind))
    if odd:
        raise _WrongError(f"{place}.{min(odd)}".lstrip("."))
    return kind(**{name: _read(hints[name], one, f"{place}.{name}".lstrip(".")) for name, one in found.items()})


@cache
def _optional(kind: type) -> frozenset[str]:
    return frozenset(one.name for one in fields(kind) if (one.default, one.default_factory) != (MISSING, MISSING))


@cache
def _hints(kind: type) -> Mapping[str, Any]:
    return get_type_hints(kind)
