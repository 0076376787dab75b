"""The steps that p2mpp's program does: check, mesh, pictures. What it prints is passed on once."""

import json
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Callable, Dict, List

from p2mpp.photos import children
from p2mpp.photos.steps import StepError, StepFailure

ERROR = "p2mpp: error: "
PATIENCE = 10  # seconds, until a stopped program is killed
USAGE, BAD_INPUT = 2, 3  # exit codes


class Engine:
    """The program. say: gets its lines."""

    def __init__(self, program: Path, say: Callable[[str], None]):
        self.program, self.say = program, say

    def run(self, step: str, arguments: List[Any], quiet: bool = False) -> str:
        """stdout. Raises StepError or StepFailure with the program's own words."""
        with ThreadPoolExecutor(1) as reader, children.start([self.program, *arguments], stdout=subprocess.PIPE,
                                                             stderr=subprocess.PIPE) as child:
            try:
                reading = reader.submit(child.stdout.read)  # a full pipe would stop the program
                error = self._pass_on(child, quiet)
                out, code = reading.result(), child.wait()
            except BaseException:
                child.terminate()  # it removes what it has begun
                try:
                    child.wait(PATIENCE)
                except subprocess.TimeoutExpired:
                    child.kill()
                raise
        if code != 0:
            kind = StepError if code in (USAGE, BAD_INPUT) else StepFailure
            raise kind(step, error or f"p2mpp {arguments[0]} ended with exit code {code}")
        return out

    def _pass_on(self, child: subprocess.Popen, quiet: bool) -> str:
        """The lines of stderr as they come; the text of the last error."""
        error = ""
        for line in child.stderr:
            line = line.rstrip("\n")
            if line.startswith(ERROR):
                error = line[len(ERROR):]
            elif line and not quiet:
                self.say(line)
        return error

    def refused(self, photographs: List[Path]) -> Dict[str, str]:
        """The names of photographs that the program does not read, with its reasons: it is stricter than Pillow with damaged ones."""
        shown = photographs if len(photographs) > 1 else 2 * photographs
        with tempfile.TemporaryDirectory() as folder:
            for number, path in enumerate(shown):
                Path(folder, f"{number}{path.suffix}").symlink_to(path.resolve())
            Path(folder, "cameras.txt").write_text("".join(f"{30 * number} 20 0 1 25\n" for number in range(len(shown))))
            try:
                self.run("photographs", ["check", folder, "--no-network", "--views", ",".join(map(str, range(len(shown)))), "--threads", 1],
                         quiet=True)
                return {}
            except StepError as error:
                reason = str(error).rpartition(f"{folder}/")[2].partition(": ")[2]
        if len(photographs) == 1:
            return {photographs[0].name: reason}
        half = len(photographs) // 2
        return {**self.refused(photographs[:half]), **self.refused(photographs[half:])}

    def json(self, step: str, arguments: List[Any], quiet: bool = False) -> Dict[str, Any]:
        return json.loads(self.run(step, [*arguments, "--json"], quiet))
