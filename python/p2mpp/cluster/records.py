"""The records of OUT/manifest.jsonl, a sample each. What is refused is what src/pipeline/run_manifest.cc
and sample_result_json.cc refuse; tests/data/manifests.json has examples for both."""

import json
import math
import re
from typing import Any, List, Tuple

from ..errors import InputError

PARTS = 10  # of a sample's time
TEXTS = ("id", "category", "status", "reason")
STATUSES = ("done", "not_scored", "failed")
METRICS = ("chamfer_distance", "f1_tau", "precision_tau", "recall_tau", "f1_2tau", "precision_2tau",
           "recall_2tau", "hausdorff_90", "normal_consistency")
MEASURED = ("vertices", "surface", "coarse")
FIT_NUMBERS = ("iou_before", "iou_after", "mask_correction", "milliseconds")
FIT_COUNTS = ("masks", "used", "intersecting_before", "intersecting_after")
DEEPEST = 64  # as src/base/json_text.cc
LARGEST_COUNT, LARGEST_INT = 2**64 - 1, 2**31 - 1


def parse_line(line: bytes) -> Any:
    """A JSON document. Throws InputError (a clause) where other readers would refuse it or read
    something else."""
    if _depth(line) > DEEPEST:
        raise InputError(f"nests more than {DEEPEST} deep")
    try:
        document = json.loads(line, object_pairs_hook=_object, parse_float=_finite,
                              parse_int=_whole, parse_constant=_refuse)
        json.dumps(document, ensure_ascii=False).encode()  # half of a surrogate pair has no UTF-8
    except (ValueError, RecursionError):
        raise InputError("not valid JSON") from None
    return document


def _depth(line: bytes) -> int:
    """How deep it nests, or a number that is not too large."""
    if line.count(b"[") + line.count(b"{") <= DEEPEST:
        return 0
    deepest = depth = 0
    for token in re.findall(rb'"(?:[^"\\]|\\.)*"?|[\[{]|[\]}]', line):
        depth += (token in b"[{") - (token in b"]}")
        deepest = max(deepest, depth)
    return deepest


def problem_of(record: Any, identity: dict) -> str:
    """Why a run of this identity cannot have recorded it; empty where it can."""
    if not _is_record(record):
        return "it is not one that p2mpp writes"
    status, name, files = record["status"], record["id"], record["sha256"]
    if record["line"] == 0:
        return "it names line 0 of the list"
    if not _is_plain_name(record["category"]):
        return "its category cannot name files"
    if status == "failed":
        return "it failed, and has files or scores" if files or "scores" in record else ""
    if not name or not _is_plain_name(name):
        return "its id cannot name files"
    if status == "done" and record["reason"]:
        return "it is done, and has a reason"
    formats = identity.get("formats")
    if not (isinstance(formats, list) and formats):
        return "its run names no formats"
    if not all(isinstance(each, str) for each in formats):
        return "its run's formats are not names"
    return _problem_of_files(files, [f"{name}_predict.{each}" for each in formats]) or \
        _problem_of_scores(status, "scores" in record, identity)


def _is_plain_name(name: str) -> bool:
    return name not in (".", "..") and "/" not in name and "\0" not in name


def _shown(text: str) -> str:
    """Without what would control a terminal."""
    return repr(text)[1:-1]


def _problem_of_files(files: dict, written: List[str]) -> str:
    for file in written:
        if file not in files:
            return f"it has no hash of {_shown(file)}"
        if not re.fullmatch("[0-9a-f]{64}", files[file]):
            return f"it has no SHA-256 of {_shown(file)}"
    return "" if len(files) == len(written) else "it has files that its run does not write"


def _problem_of_scores(status: str, has_scores: bool, identity: dict) -> str:
    truth_root = identity.get("truth_root")
    is_scored = isinstance(truth_root, str) and truth_root != ""
    if has_scores == (is_scored and status == "done") and (is_scored or status != "not_scored"):
        return ""
    return f"it is {status}, and has {'' if has_scores else 'no '}scores"


def _is_record(record: Any) -> bool:
    if not (isinstance(record, dict) and all(_is_text(record, key) for key in TEXTS)):
        return False
    files, warnings, times = (record.get(key, []) for key in ("sha256", "warnings", "milliseconds"))
    return (record["status"] in STATUSES and _is_count(record, "line", LARGEST_COUNT)
            and isinstance(times, list) and len(times) == PARTS and all(map(_is_duration, times))
            and "compute_ms" in record and _is_duration(record["compute_ms"])
            and isinstance(files, dict) and all(isinstance(each, str) for each in files.values())
            and isinstance(warnings, list) and all(map(_is_warning, warnings))
            and ("fit" not in record or _is_fit(record["fit"]))
            and ("scores" not in record or _are_scores(record["scores"])))


def _is_warning(warning: Any) -> bool:
    return (isinstance(warning, dict) and _is_text(warning, "code") and _is_text(warning, "message")
            and "view" in warning
            and (warning["view"] is None or _is_count(warning, "view", LARGEST_COUNT)))


def _is_fit(fit: Any) -> bool:
    return (_has_numbers(fit, FIT_NUMBERS) and _is_text(fit, "note")
            and all(_is_count(fit, key, LARGEST_COUNT) for key in FIT_COUNTS)
            and _is_count(fit, "steps", LARGEST_INT))


def _are_scores(scores: Any) -> bool:
    return isinstance(scores, dict) and all(_has_numbers(scores.get(key), METRICS)
                                            for key in MEASURED)


def _is_text(document: dict, key: str) -> bool:
    return isinstance(document.get(key), str)


def _is_count(document: dict, key: str, largest: int) -> bool:
    value = document.get(key)
    return type(value) is int and 0 <= value <= largest  # True is an int


def _is_number(value: Any) -> bool:
    """None is NaN."""
    return value is None or type(value) in (int, float)


def _is_duration(value: Any) -> bool:
    return _is_number(value) and (value is None or value >= 0)


def _has_numbers(document: Any, keys: Tuple[str, ...]) -> bool:
    return isinstance(document, dict) and all(key in document and _is_number(document[key])
                                              for key in keys)


def _object(pairs: List[Tuple[str, Any]]) -> dict:
    document = dict(pairs)
    if len(document) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f'has the key "{_shown(twice)}" twice in an object')
    return document


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise InputError("holds a number that no double can be")
    return value


def _whole(text: str) -> int:
    _finite(text)
    return int(text)


def _refuse(constant: str) -> None:
    raise ValueError(constant)  # NaN, Infinity
