"""The loop: batches, steps, the schedule, evaluations, checkpoints."""

import math
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as np
import torch
from p2mpp.errors import InputError

from .batches import Draw, PackSource, random_of
from .checkpoint import check_same, checkpoint_file, load, plain_state, save_atomically
from .metrics import Metrics, mean_metrics
from .report import Log

WARM_UP_STEPS = 100
LAST_RATE_SHARE = 0.02
FINITE_CHECK_STEPS = 50
REPORT_STEPS = 100
LARGEST_NORM = 4.0  # of a gradient, as a multiple of the usual norm; longer ones are shortened
NORM_MEMORY = 0.98  # decay per step of the usual norm
AVERAGE_MEMORY = 0.999  # decay per step of the averaged weights, which have less noise
MEASURED_GROUPS = ("all", "people", "procedural")  # of the mean over all held-out samples


@dataclass(frozen=True)
class Settings:
    """The options for training a stage. It ends after `steps` or `minutes`, whichever comes first (0: no
    limit); `stop_after` steps a run stops to be resumed."""

    out: Path
    seed: int
    batch: int
    points: int  # ground-truth points a sample and step
    learning_rate: float
    steps: int
    minutes: float
    eval_every: int  # steps
    eval_samples: int
    eval_batch: int
    save_minutes: float
    stop_after: int
    workers: int  # threads that share a step's samples
    decay_from: float  # share of the training from which the learning rate falls


def prepare_worker(workers: int) -> None:
    """Sets PyTorch's options of a thread. Threads work on different samples: if they shared each
    operation, they would wait for each other after it."""
    torch.set_flush_denormal(True)
    if workers > 1:
        torch.set_num_threads(1)


def rate_share(step: int, progress: float, decay_from: float) -> float:
    """Learning rate as a share of its maximum: a linear rise, a plateau, then 1 - sqrt down to 2%
    (Haegele et al., 2024). `progress` is the share of the training that is done, 0..1, and
    `decay_from` the share from which the rate falls, below 1. Unlike with a cosine, the length of a
    run can be changed until the rate falls."""
    rise = min(1.0, (step + 1) / WARM_UP_STEPS)
    left = 1 - math.sqrt(max(0.0, progress - decay_from) / (1 - decay_from))
    return rise * (LAST_RATE_SHARE + (1 - LAST_RATE_SHARE) * left)


class Stopped(Exception):
    """The run was stopped and saved; --resume continues it."""


class Trainer:
    """Trains one task. `train` and `held_out` are packs, or Shards and HeldOutShards. `wanted` are
    settings that a checkpoint must share to be resumed."""

    def __init__(self, task, train, held_out, settings: Settings,
                 device: torch.device, wanted: Dict[str, Any], say: Callable[[str], None]):
        self.task = task
        self.train, self.held_out = (PackSource(each) if isinstance(each, np.ndarray) else each
                                     for each in (train, held_out))
        self.settings, self.device, self.say = settings, device, say
        self.wanted = {**wanted, "stage": task.stage}
        self.file = checkpoint_file(settings.out, task.stage)
        self.log = Log(settings.out)
        self.optimiser = torch.optim.Adam(task.trained.parameters(), lr=settings.learning_rate,
                                          fused=True)
        self.step, self.seconds = 0, 0.0
        self.metrics: Optional[Metrics] = None
        self.groups: Dict[str, Dict[str, float]] = {}  # measurements of the held-out groups
        self.sums: Dict[str, float] = {}  # of loss terms, over `summed` steps since the last row
        self.summed = 0
        self.stop_requested = False
        self.usual_norm = 0.0
        self.started_from: Optional[str] = None  # folder of the model that the run began with
        self.parameters = list(task.trained.parameters())
        self.restart_average()
        self.workers = ThreadPoolExecutor(settings.workers, initializer=prepare_worker,
                                          initargs=(settings.workers,))

    def begin_with(self, model: Optional[str]) -> None:
        """Notes the folder of the model whose weights the stage began with, if there is one."""
        self.started_from = model
        if model:
            self.task.all_blocks = self.task.trained_before = True

    def restart_average(self) -> None:
        """Sets the averaged weights to the current weights."""
        self.average = [parameter.detach().clone() for parameter in self.parameters]

    def resume(self, plan: bool = True) -> bool:
        """Loads the stage's checkpoint; False if there is none. `plan`: also the shards that its
        steps draw from. Throws InputError."""
        if not self.file.is_file():
            return False
        saved = load(self.file)
        check_same(self.file, saved["settings"], self.wanted)
        self.task.trained.load_state_dict(saved["module"])
        self.optimiser.load_state_dict(saved["optimiser"])
        self.average = saved.get("average") or [each.detach().clone() for each in self.parameters]
        self.task.all_blocks = saved["all_blocks"]
        self.begin_with(saved.get("started_from"))
        self.step, self.seconds = saved["step"], saved["seconds"]
        self.sums, self.summed = saved["sums"], saved["summed"]
        self.metrics = Metrics(*saved["metrics"]) if saved["metrics"] else None
        self.groups, self.usual_norm = saved["groups"], saved["usual_norm"]
        if saved["plan"] and plan:
            self.train.resume(saved["plan"])
        return True

    def check_finite(self) -> None:
        """Throws InputError if the loss is not finite, so that such weights are never saved."""
        if self.sums and not math.isfinite(float(self.sums["loss"])):
            raise InputError(f"stage {self.task.stage}, step {self.step}: the loss is not finite; "
                             "expected --resume with a lower --learning-rate")

    def save(self) -> None:
        self.check_finite()
        save_atomically({
            "settings": self.wanted, "module": plain_state(self.task.trained),
            "average": self.average,
            "optimiser": self.optimiser.state_dict(), "all_blocks": self.task.all_blocks,
            "started_from": self.started_from,
            "step": self.step, "seconds": self.seconds, "summed": self.summed,
            "sums": {name: float(value) for name, value in self.sums.items()},
            "metrics": list(self.metrics) if self.metrics else None, "groups": self.groups,
            "plan": getattr(self.train, "plan", None),
            "usual_norm": self.usual_norm}, self.file)

    def progress(self) -> float:
        """Share of the training that is done, 0..1."""
        shares = [0.0]
        if self.settings.steps:
            shares.append(self.step / self.settings.steps)
        if self.settings.minutes:
            shares.append(self.seconds / (60 * self.settings.minutes))
        return min(1.0, max(shares))

    def learning_rate(self, progress: float) -> float:
        share = rate_share(self.step, progress, self.settings.decay_from)
        return self.settings.learning_rate * share

    def draw(self, step: int) -> Draw:
        random = random_of(self.settings.seed, self.task.stage, step)
        return self.train.draw(random, step, self.settings.batch, self.settings.points)

    def run(self) -> None:
        """Train to the end. Throws Stopped, and InputError where the loss is no longer finite."""
        self.log.resume(self.task.stage, self.step or -1)
        if self.step == 0:
            self.evaluate()
        with ThreadPoolExecutor(1) as reader:
            self.loop(reader)
        self.exchange()  # the averaged weights are the stage's result
        self.restart_average()
        self.save()

    def loop(self, reader: ThreadPoolExecutor) -> None:
        begun, saved, first = time.monotonic() - self.seconds, time.monotonic(), self.step
        coming = reader.submit(self.draw, self.step)
        while self.progress() < 1.0:
            drawn, coming = coming.result(), reader.submit(self.draw, self.step + 1)
            for name, value in self.update(drawn).items():
                self.sums[name] = self.sums.get(name, 0.0) + value
            self.step, self.summed = self.step + 1, self.summed + 1
            self.seconds = time.monotonic() - begun
            if self.step % FINITE_CHECK_STEPS == 0:
                self.check_finite()
                self.look_for_more()
            if self.step % REPORT_STEPS == 0:
                of_all = f" of {self.settings.steps}" if self.settings.steps else ""
                self.say(f"stage {self.task.stage}, step {self.step}{of_all}, "
                         f"{self.seconds / 60:.1f} min, "
                         + ", ".join(f"{name} {float(value) / self.summed:.3g}"
                                     for name, value in self.sums.items()))
            done = self.progress() >= 1.0
            if done or self.step % self.settings.eval_every == 0:
                pause = time.monotonic()
                self.evaluate()
                begun += time.monotonic() - pause
            if done or time.monotonic() - saved > 60 * self.settings.save_minutes:
                self.save()
                saved = time.monotonic()
            asked = self.settings.stop_after and self.step - first >= self.settings.stop_after
            if (asked or self.stop_requested) and not done:
                self.save()
                raise Stopped

    def look_for_more(self) -> None:
        """Uses shards that were added during the run."""
        first = self.train.look_for_more(self.step) if hasattr(self.train, "plan") else None
        if first is not None:
            self.say(f"from step {first} on: {self.train.count()} samples")

    def update(self, drawn: Draw) -> Dict[str, torch.Tensor]:
        """One step. Returns its loss terms."""
        progress = self.progress()
        blocks_before = self.task.all_blocks
        self.task.enter(progress)
        for group in self.optimiser.param_groups:
            group["lr"] = self.learning_rate(progress)
        parts = drawn.split(self.settings.workers)
        randoms = [random_of(self.settings.seed, self.task.stage, self.step, 1 + part)
                   for part in range(len(parts))]
        found = list(self.workers.map(self.gradients, parts, randoms))
        for parameter, *gradients in zip(self.parameters, *(each[1] for each in found)):
            known = [gradient for gradient in gradients if gradient is not None]
            parameter.grad = sum(known[1:], known[0]) if known else None
        self.shorten_gradient()
        self.optimiser.step()
        self.update_average(restart=self.task.all_blocks != blocks_before)
        return {name: sum(terms[name] for terms, _ in found) for name in found[0][0]}

    @torch.no_grad()
    def update_average(self, restart: bool) -> None:
        """Averages over fewer steps at the beginning, when weights change fast."""
        memory = 0.0 if restart else min(AVERAGE_MEMORY, (1 + self.step) / (10 + self.step))
        torch._foreach_lerp_(self.average, [each.detach() for each in self.parameters],
                             1 - memory)

    @torch.no_grad()
    def exchange(self) -> None:
        """Swaps the weights and their average."""
        for parameter, average in zip(self.parameters, self.average):
            held = parameter.detach().clone()
            parameter.copy_(average)
            average.copy_(held)

    def shorten_gradient(self) -> None:
        """Limits the gradient's norm to LARGEST_NORM times the usual one; a gradient that is not
        finite becomes zero."""
        grads = [parameter.grad for parameter in self.parameters if parameter.grad is not None]
        norm = float(torch.linalg.vector_norm(torch.stack(torch._foreach_norm(grads))))
        if not math.isfinite(norm):
            torch._foreach_zero_(grads)
            return
        if self.usual_norm and norm > LARGEST_NORM * self.usual_norm:
            torch._foreach_mul_(grads, LARGEST_NORM * self.usual_norm / norm)
            norm = LARGEST_NORM * self.usual_norm
        memory = NORM_MEMORY if self.usual_norm else 0.0
        self.usual_norm = memory * self.usual_norm + (1 - memory) * norm

    def gradients(self, part: Draw, random: np.random.Generator) -> tuple:
        """(loss and its terms by name, gradients of all parameters) of a part of a step's samples,
        weighted by its share of the batch."""
        share = part.samples() / self.settings.batch
        terms = {name: share * term
                 for name, term in self.task.loss(part.to(self.device), random).items()}
        loss = sum(terms.values())
        gradients = torch.autograd.grad(loss, self.parameters, allow_unused=True)
        terms["loss"] = loss
        return {name: term.detach() for name, term in terms.items()}, gradients

    def evaluate(self) -> None:
        """Measures the averaged weights on the held-out samples, and reports in the log and to the
        user."""
        self.check_finite()
        self.exchange()
        self.metrics = self.measure_held_out()
        self.exchange()
        means = {name: float(value) / self.summed for name, value in self.sums.items()}
        self.sums, self.summed = {}, 0
        self.log.add({"stage": self.task.stage, "step": self.step, "seconds": self.seconds,
                      "learning_rate": self.learning_rate(self.progress()), **means,
                      **self.metrics._asdict(), **self.columns()})
        loss = f", loss {means['loss']:.4g}" if means else ""
        self.say(f"stage {self.task.stage}, step {self.step}, {self.seconds / 60:.1f} min{loss}: "
                 f"held out CD {1000 * self.metrics.cd:.3f}e-3, F1@tau {self.metrics.f1_tau:.2f}, "
                 f"F1@2tau {self.metrics.f1_2tau:.2f}" + "".join(
                     f"; {name} F1 {each['f1_tau']:.1f} CD {1000 * each['cd']:.3f}" + "".join(
                         f" {kind} {value:.3f}" for kind, value in each.items() if kind not in ("f1_tau", "cd"))
                     for name, each in self.groups.items()))

    def columns(self) -> Dict[str, float]:
        """The groups' measurements by the log's column names."""
        return {f"{kind}_{name}": value for name, each in self.groups.items()
                for kind, value in each.items()}

    def measure_held_out(self) -> Metrics:
        """The mean over the held-out samples of MEASURED_GROUPS; sets `groups` to the mean of each
        group."""
        self.task.prepare()
        pieces = self.held_out.pieces(self.settings.eval_samples, self.settings.eval_batch)
        found = list(self.workers.map(lambda piece: self.measure_some(piece[1]), pieces))
        every: Dict[str, list] = {}
        for (group, _), some in zip(pieces, found):
            every.setdefault(group, []).extend(some)
        self.groups = {}
        for group, some in every.items():
            self.groups[group] = {name: sum(each[name] for each in some) / len(some)
                                  for name in some[0] if name != "f1_2tau"}
        return mean_metrics([Metrics(*(each[name] for name in Metrics._fields))
                             for group in MEASURED_GROUPS for each in every.get(group, [])])

    def measure_some(self, make: Callable[[], Draw]) -> List[Dict[str, float]]:
        """Metrics of a batch of held-out samples by name, those of Metrics among them."""
        return self.task.measure(make().to(self.device))
