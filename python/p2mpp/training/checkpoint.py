"""Checkpoints of a run, and the state file that p2mpp-export reads."""

import os
from pathlib import Path
from typing import Any, Dict

import torch
from p2mpp.errors import InputError


def checkpoint_file(out: Path, stage: int) -> Path:
    """A stage's checkpoint in a run's folder."""
    return out / f"stage{stage}.ckpt"


def save_atomically(content: Any, file: Path) -> None:
    """Writes a temporary file, syncs and renames it, so that the file is always complete."""
    partial = file.with_name(file.name + ".partial")
    with open(partial, "wb") as stream:
        torch.save(content, stream)
        stream.flush()
        os.fsync(stream.fileno())
    os.replace(partial, file)


def load(file: Path) -> Dict[str, Any]:
    """A file of tensors and plain values. Throws InputError."""
    try:
        return torch.load(file, map_location="cpu", weights_only=True)
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}; expected a checkpoint") from None
    except Exception as error:  # a damaged archive or pickle may raise anything
        raise InputError(f"{file}: not a checkpoint ({type(error).__name__}); expected one that "
                         "p2mpp-train wrote") from None


def check_same(file: Path, found: Dict[str, Any], wanted: Dict[str, Any]) -> None:
    """Throws InputError if a checkpoint's settings differ from the run's."""
    for name, value in wanted.items():
        if found.get(name) != value:
            raise InputError(f"{file}: made with {name} {found.get(name)}; expected {value}, or "
                             "another --out")


def plain_state(module) -> Dict[str, torch.Tensor]:
    """Parameters by name on the CPU, contiguous."""
    return {name: tensor.detach().cpu().contiguous().clone()
            for name, tensor in module.state_dict().items()}
