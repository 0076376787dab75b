"""A training run: its data, the network, both stages and the state file at the end."""

import ctypes
import sys
from pathlib import Path
from typing import Any, Dict, Optional

import torch
from p2mpp.errors import InputError
from p2mpp.network.dat_template import read_template
from p2mpp.network.layout import EVIDENCE_KEY, STAGE1_MAPS
from p2mpp.network.loaded_model import read_description

from .batches import MASKED_CHANNELS, PackSource
from .checkpoint import checkpoint_file, load, plain_state, save_atomically
from .hierarchy import make_hierarchy
from .hint_head import HintHead
from .losses import weights_from
from .pack import Source, open_pack
from .samples import read_generation, read_list
from .start import load_weights, make_stages
from .tasks import CoarseTask, RefinementTask
from .trainer import Settings, Trainer

DEFAULT_STEPS = 30000
BF16_INSTRUCTIONS = ("avx512_bf16", "amx_bf16", "bf16")  # as PyTorch names them; the last of Arm
CPU_EVAL_BATCH, GPU_EVAL_BATCH = 1, 8


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def choose_device(name: str) -> torch.device:
    """Throws InputError if CUDA is asked for and there is no device."""
    there = torch.cuda.is_available()
    if name == "cuda" and not there:
        raise InputError("--device cuda: PyTorch finds no CUDA device; expected one")
    return torch.device("cuda" if there and name != "cpu" else "cpu")


def choose_precision(options, device: torch.device) -> str:
    """"bf16" or "fp32", where `--precision auto` asks for either: as the run began, if it is
    resumed. Throws InputError."""
    if options.precision != "auto":
        return options.precision
    begun = checkpoint_file(options.out, 1)
    if options.resume and begun.is_file():
        return load(begun)["settings"]["precision"]
    return "bf16" if multiplies_bf16(device) else "fp32"


def multiplies_bf16(device: torch.device) -> bool:
    """Whether the device has instructions for products of bf16. A CPU without them emulates these
    products, which takes ten times as long as fp32 and more."""
    if device.type == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    there = torch.cpu.get_capabilities()
    return any(there.get(name, False) for name in BF16_INSTRUCTIONS)


def keep_freed_memory() -> None:
    """Makes glibc keep freed memory. Returning hundreds of megabytes to the system after each
    operation, page by page, takes a third of the time on a CPU."""
    mmap_max, trim_threshold, top_pad = -4, -1, -2
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return
    mallopt(mmap_max, 0)
    mallopt(trim_threshold, 2 ** 31 - 1)
    mallopt(top_pad, 2 ** 28)


class Run:
    """Both stages and their data. `options` are those of p2mpp-train."""

    def __init__(self, options):
        self.options = options
        self.device = choose_device(options.device)
        self.precision = choose_precision(options, self.device)
        if options.threads:
            torch.set_num_threads(options.threads)
        if self.device.type == "cpu":
            keep_freed_memory()
        torch.set_flush_denormal(True)
        torch.backends.cudnn.benchmark = True
        self.generation = None  # record of p2mpp-generate, if it made the data
        self.current = None
        self.stop_requested = False

    def request_stop(self, *_) -> None:
        """Finishes the current step and saves; a second request ends the run at once."""
        if self.stop_requested:
            raise KeyboardInterrupt
        self.stop_requested = True
        if self.current is not None:
            self.current.stop_requested = True

    def go(self, learning_rates: Dict[int, float]) -> None:
        """Throws InputError and Stopped."""
        options = self.options
        packs = self.shards() if options.shards else self.packs()
        if options.pack_only:
            return
        self.check_out()
        say(f"precision: {self.precision}, device: {self.device.type}")
        trainers = self.trainers(packs, learning_rates)
        for trainer in trainers.values():
            self.train(trainer, trainers)

    def shards(self) -> list:
        """[training data, held-out data] from the shards of p2mpp-shards."""
        from .shards import HeldOutShards, Shards  # needs numba
        return [Shards(self.options.shards),
                HeldOutShards(self.options.validate, self.options.eval_samples)]

    def packs(self) -> list:
        """[training data, held-out data] from sample folders."""
        options = self.options
        names, held_out = self.names()
        self.generation = read_generation(options.data)
        folder = options.pack or options.out / "packed"
        workers = self.workers()
        packs = []
        for each in (names, held_out):
            source = Source(options.data, options.truth_root or options.data, each, options.views,
                            options.points)
            packs.append(open_pack(folder, source, workers, say))
        return [PackSource(pack) for pack in packs]

    def names(self) -> tuple:
        """(ids to train on, ids held out): no id is in both."""
        held_out = read_list(self.options.held_out)
        kept = set(held_out)
        names = [name for name in read_list(self.options.list) if name not in kept]
        if not names:
            raise InputError(f"{self.options.list}: all of its ids are held out; expected others")
        return names, held_out

    def check_out(self) -> None:
        """Throws InputError if a run would be overwritten, or stage 1 is missing."""
        out, stage = self.options.out, self.options.stage
        out.mkdir(parents=True, exist_ok=True)
        first = 2 if stage == "2" else 1
        there = [file for file in (self.checkpoint(k) for k in range(first, 3))
                 if file.is_file()]
        if there and not self.options.resume:
            raise InputError(f"{there[0]}: a run is there; expected --resume or another --out")
        if stage == "2" and not (self.options.start or self.checkpoint(1).is_file()):
            raise InputError(f"{self.checkpoint(1)}: not there; expected stage 1, trained, or --start")

    def trainers(self, packs: list, learning_rates: Dict[int, float]) -> Dict[int, Trainer]:
        """The trainers of both stages, by number."""
        options = self.options
        options.start = self.first_model()
        template = read_template(options.template)
        hierarchy = make_hierarchy(template.mesh, template.local_graph, self.device)
        modules = [each.to(self.device, memory_format=torch.channels_last)
                   for each in make_stages(options.seed, options.hidden, options.width,
                                           MASKED_CHANNELS if options.shards else 3,
                                           mask_evidence=self.reads_evidence())]
        precision = torch.bfloat16 if self.precision == "bf16" else torch.float32
        weights = {stage: weights_from(options.loss, stage) for stage in (1, 2)}
        head = None
        if options.shards and weights[1].hint:
            channels = [len(modules[0].cnn[index].bias) for index in STAGE1_MAPS]
            head = HintHead(channels, options.seed).to(self.device,
                                                       memory_format=torch.channels_last)
        coarse = CoarseTask(modules[0], hierarchy, weights[1], precision, head)
        tasks = {1: coarse, 2: RefinementTask(modules[1], coarse, weights[2], options.disturb)}
        wanted = {"seed": options.seed, "hidden": options.hidden, "width": options.width,
                  "precision": self.precision, "batch": options.batch,
                  "points": options.points_a_step}
        if not options.shards:  # shards may be added during a run
            wanted["samples"] = packs[0].count()
        return {stage: Trainer(task, *packs, self.settings(stage, learning_rates[stage]),
                               self.device, wanted, say) for stage, task in tasks.items()}

    def first_model(self) -> Optional[Path]:
        """The model of --start, or that with which the resumed run began."""
        if not self.options.start and self.options.resume:
            for file in (self.checkpoint(stage) for stage in (1, 2)):
                model = load(file).get("started_from") if file.is_file() else None
                if model:
                    return Path(model)
        return self.options.start

    def reads_evidence(self) -> bool:
        """Stage 2 reads the masks' evidence if shards train it. Otherwise it stays as --start has
        it."""
        kept = (self.options.stage == "1" and self.options.start
                and not self.checkpoint(2).is_file())
        if kept:
            return bool(read_description(self.options.start).get("sizes", {}).get(EVIDENCE_KEY))
        return bool(self.options.shards)

    def checkpoint(self, stage: int) -> Path:
        return checkpoint_file(self.options.out, stage)

    def workers(self) -> int:
        """Threads of a CPU."""
        return self.options.threads or torch.get_num_threads()

    def settings(self, stage: int, learning_rate: float) -> Settings:
        options = self.options
        steps, minutes = options.steps or 0, options.minutes or 0.0
        if options.samples:
            steps = -(-options.samples // options.batch)
        if not steps and not minutes:
            steps = DEFAULT_STEPS
        if stage == 2:
            if options.stage2_samples:
                options.stage2_steps = -(-options.stage2_samples // max(1, options.batch // 2))
            steps = options.stage2_steps or (0 if options.stage2_minutes else (steps + 1) // 2)
            minutes = options.stage2_minutes or (0.0 if options.stage2_steps else minutes / 4)
        batch = options.batch if stage == 1 else max(1, options.batch // 2)
        on_gpu = self.device.type == "cuda"
        return Settings(options.out, options.seed, batch, options.points_a_step,
                        options.learning_rate or learning_rate, steps, minutes, options.eval_every,
                        options.eval_samples, GPU_EVAL_BATCH if on_gpu else CPU_EVAL_BATCH,
                        options.save_minutes, options.stop_after,
                        1 if on_gpu else min(batch, self.workers()), options.decay_from)

    def train(self, trainer: Trainer, trainers: Dict[int, Trainer]) -> None:
        """Trains a stage, if it is asked for, and writes the state file."""
        stage, asked = trainer.task.stage, self.options.stage
        wanted = asked in (str(stage), "both")
        if not wanted and stage == 2:
            return
        if wanted and stage == 1:
            self.keep_stage2(trainers[2])
        resumed = trainer.resume() if self.options.resume or not wanted else False
        if not wanted:
            if not resumed and asked == "2":
                self.start(trainer)
                trainer.save()
            return
        if not resumed:
            self.start(trainer)
        self.current = trainer
        trainer.stop_requested = self.stop_requested
        trainer.run()
        state = {f"stage{number}": plain_state(each.task.module)
                 for number, each in trainers.items()}
        file = self.options.out / "state.pt"
        save_atomically({**state, "training": self.facts(trainers)}, file)
        say(f"{file}: written; p2mpp-export --state reads it")

    def keep_stage2(self, trainer: Trainer) -> None:
        """While stage 1 is trained, stage 2 stays as the run or the model of --start has it."""
        resumed = self.options.resume and trainer.resume(plan=False)
        if not resumed and self.options.start:
            load_weights(trainer.task.module, self.options.start, 2)

    def start(self, trainer: Trainer) -> None:
        """A new stage: from the weights of --start, or stage 2 from stage 1's convolutions."""
        if self.options.start:
            load_weights(trainer.task.module, self.options.start, trainer.task.stage)
            trainer.begin_with(str(self.options.start.resolve()))
        elif trainer.task.stage == 2:
            trainer.task.start_cnn()
        trainer.restart_average()

    def facts(self, trainers: Dict[int, Trainer]) -> Dict[str, Any]:
        """The record of the training for model.json; metrics are of the held-out samples."""
        stages = {}
        for number, trainer in trainers.items():
            stages[f"stage{number}"] = {
                "steps": trainer.step, "batch": trainer.settings.batch,
                "minutes": round(trainer.seconds / 60, 1),
                "learning_rate": trainer.settings.learning_rate,
                "held_out": trainer.metrics._asdict() if trainer.metrics else None,
                "groups": trainer.groups}
        untrained = [name for name, facts in stages.items() if not facts["steps"]]
        if untrained and self.options.start:  # they are the other model's
            training = read_description(self.options.start).get("training") or {}
            stages.update({name: training.get(name) for name in untrained})
        views = {"trained_views": trainers[1].train.trained_views()} if self.options.shards else {}
        return {**views, "data": self.generation, "samples": trainers[1].train.count(),
                "started_from": self.options.start.name if self.options.start else None,
                "held_out_samples": trainers[1].held_out.count(), "seed": self.options.seed,
                "precision": self.precision, **stages}
