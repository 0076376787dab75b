"""Programs that this one starts: none outlives it."""

import ctypes
import os
import signal
import subprocess
from typing import Any, Callable, List

DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG of <sys/prctl.h>
LIBC = ctypes.CDLL(None)


def start(command: List[Any], **options: Any) -> subprocess.Popen:
    """In a session of its own, so that Ctrl-C reaches only this program. If this one is killed, the child is, too."""
    return subprocess.Popen([os.fspath(each) if isinstance(each, os.PathLike) else str(each) for each in command], text=True,
                            errors="replace", stdin=subprocess.DEVNULL, start_new_session=True, preexec_fn=_bound_to(os.getpid()),
                            **options)


def _bound_to(parent: int) -> Callable[[], None]:
    def bind() -> None:
        LIBC.prctl(DIE_WITH_PARENT, signal.SIGKILL)
        if os.getppid() != parent:  # it ended before the call
            os._exit(1)
    return bind
