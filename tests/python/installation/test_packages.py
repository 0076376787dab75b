"""scripts/package.sh: its packages make the same mesh on a Debian without p2mpp's libraries and without network.

The archive is unpacked; the .deb is installed and purged as packaging/Dockerfile does it, with the Dockerfile's own RUN and
ENTRYPOINT lines, from a repository of the packages that it needs; the wheel is installed by pip. Not tried of the
Dockerfiles: Docker itself (FROM: debootstrap makes the same system, but with manual pages), their first stage (its RUN line
is what setUpClass does, in this build folder), and Dockerfile.cuda, whose lines must be the same.
Slow: debootstrap takes a minute, packing another, the first compilation of the Python module several."""

import json
import os
import re
import shutil
import sys
import time
import unittest
from pathlib import Path

from bare_machine import ROOT, BareMachine, obstacle
from runs import run_command, without_comments

PROGRAM = Path(os.environ.get("P2MPP", "build/p2mpp")).resolve()
BUILD = PROGRAM.parent
WORK = BUILD / "packages-test"
SAMPLE = ROOT / "data/02691156/p2mpp0001"
REPOSITORY = ("rm -rf /etc/apt/sources.list.d/*\n"
              "echo 'deb [trusted=yes] file:/repository ./' >/etc/apt/sources.list\n")
FIRST_MESH = """
import sys, p2mpp
p2mpp.Engine(device="cpu").reconstruct(sys.argv[1]).save(sys.argv[2])
"""


def timed(name: str, function):
    begin = time.monotonic()
    result = function()
    print(f"{name}: {time.monotonic() - begin:.0f} s", flush=True)
    return result


def run(command, **options) -> str:
    return run_command(command, 0, **options).stdout


def draw_bus(folder: Path) -> None:
    """folder/photographs: 16 on a patterned ground."""
    sys.path[:0] = [str(ROOT / "tests" / "captures"), str(ROOT / "bench" / "quality")]
    try:
        from from_photographs import draw
        from p2mpp_captures.photographs import textured
        from p2mpp_captures.rig import RigOptions
        from p2mpp_captures.shapes import subject
    except ModuleNotFoundError as error:
        raise unittest.SkipTest(f"pycolmap is missing, or {error}") from error
    draw(textured(subject("02958343_p2mpp0003")), RigOptions(640, 480, 16, lens="simple_radial", centered=True), folder)


def last_stage(dockerfile: str):
    """(keyword, rest) of each instruction after the last FROM."""
    text = (ROOT / "packaging" / dockerfile).read_text(encoding="utf-8").replace("\\\n", " ")
    return re.findall(r"^([A-Z]+) (.*)$", text.rpartition("\nFROM ")[2], re.MULTILINE)


@unittest.skipIf(obstacle(), obstacle())
class PackagesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        shutil.rmtree(WORK, ignore_errors=True)
        WORK.mkdir()
        cls.machine = timed("debootstrap", lambda: BareMachine(BUILD / "bare-machine"))
        # The wheel must be of the bare machine's Python.
        environment = os.environ | {"PATH": f"/usr/bin:{os.environ['PATH']}"}
        out = timed("packages", lambda: run([ROOT / "scripts/package.sh", "--build", BUILD, "--out", WORK / "packages"],
                                            env=environment))
        cls.packages = [Path(line) for line in out.splitlines()]
        for frame in ("camera0", "world"):
            run([PROGRAM, "predict", SAMPLE, "--device", "cpu", "--frame", frame, "--out", WORK / frame])
        cls.make_repository()

    @classmethod
    def make_repository(cls):
        """The packages that the bare machine lacks, as apt derives them from its list of installed packages."""
        folder = WORK / "repository"
        (folder / "partial").mkdir(parents=True)
        timed("apt's downloads", lambda: run(
            ["apt-get", "install", "--download-only", "-y", "-q", "--no-install-recommends", "-o", "Debug::NoLocking=1",
             "-o", f"Dir::State::status={cls.machine.root}/var/lib/dpkg/status", "-o", f"Dir::Cache::archives={folder}/",
             "-o", f"Dir::State::extended_states={WORK}/extended_states", "-o", "Dir::Cache::pkgcache=",
             "-o", "Dir::Cache::srcpkgcache=", cls.package("p2mpp_*.deb"), "python3-venv"]))
        (folder / "partial").rmdir()
        (folder / "Packages").write_text(run(["dpkg-scanpackages", "."], cwd=folder), encoding="utf-8")

    @classmethod
    def package(cls, pattern: str) -> Path:
        found, = (path for path in cls.packages if path.match(pattern))
        return found

    def run_there(self, script: str, out: Path) -> str:
        """Runs a shell script as root on the bare machine, which forgets what it changes outside of `out`."""
        out.mkdir()
        mounts = [(ROOT, str(ROOT), "ro"), (WORK / "repository", "/repository", "ro"), (WORK / "packages", "/made", "ro"),
                  (WORK / "wheels", "/wheels", "ro"), (WORK / "photos", "/photos", "ro"), (out, "/out", "rw")]
        done = self.machine.run(["sh", "-exc", script], [each for each in mounts if each[0].exists()],
                                {"DEBIAN_FRONTEND": "noninteractive"}, keep=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def assert_same_mesh(self, made: Path, frame: str):
        self.assertEqual(without_comments(made), without_comments(WORK / frame / "p2mpp0001_predict.obj"))

    def test_what_is_printed_is_what_is_there(self):
        self.assertEqual(sorted(self.packages), sorted((WORK / "packages").iterdir()))
        for path in self.packages:
            print(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB")

    def test_the_archive_needs_nothing_else(self):
        (WORK / "unpacked").mkdir()
        run(["tar", "-xf", self.package("*.tar.gz"), "-C", WORK / "unpacked"])
        folder, = (WORK / "unpacked").iterdir()
        (WORK / "out").mkdir()
        done = timed("archive", lambda: self.machine.run(
            [f"/p2mpp/{folder.name}/bin/p2mpp", "predict", SAMPLE, "--frame", "camera0", "--out", "/out", "--preview", "--view"],
            [(ROOT, str(ROOT), "ro"), (WORK / "unpacked", "/p2mpp", "ro"), (WORK / "out", "/out", "rw")], keep=False))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_same_mesh(WORK / "out/p2mpp0001_predict.obj", "camera0")
        licences = {path.name for path in (folder / "share/doc/p2mpp/licences").iterdir()}
        self.assertTrue({"libembree3-3", "libspng0", "libfmt9"} <= licences, licences)

    def test_the_deb_as_the_dockerfile_installs_it_and_its_removal(self):
        stage = last_stage("Dockerfile")
        self.assertEqual({keyword for keyword, _ in stage}, {"COPY", "RUN", "WORKDIR", "ENTRYPOINT"})
        lines = dict(stage)
        copied = re.fullmatch(r"--from=build /packages/(\S+) /packages/", lines["COPY"]).group(1)
        entry = " ".join(json.loads(lines["ENTRYPOINT"]))
        timed("deb", lambda: self.run_there(
            f"{REPOSITORY} mkdir /packages\n cp /made/{copied} /packages/\n {lines['RUN']}\n"
            f"mkdir -p {lines['WORKDIR']}\n cd {lines['WORKDIR']}\n"
            f"{entry} predict {SAMPLE} --frame camera0 --out /out --preview --view\n"
            "test -s /usr/share/man/man1/p2mpp-predict.1\n test -s /usr/share/bash-completion/completions/p2mpp\n"
            "dpkg --verify p2mpp\n dpkg --listfiles p2mpp >/out/installed\n"
            "apt-get purge -y p2mpp\n ! command -v p2mpp\n"
            "find / -xdev -name '*p2mpp*' ! -path '/proc/*' >/out/left\n", WORK / "deb"))
        self.assert_same_mesh(WORK / "deb/p2mpp0001_predict.obj", "camera0")
        self.assertIn("/usr/bin/p2mpp\n", (WORK / "deb/installed").read_text(encoding="utf-8"))
        self.assertEqual((WORK / "deb/left").read_text(encoding="utf-8"), "")

    def test_the_other_dockerfile_does_the_same(self):
        cuda = [each for each in last_stage("Dockerfile.cuda") if each[0] not in ("COPY", "ENV")]
        self.assertEqual(cuda, [each for each in last_stage("Dockerfile") if each[0] != "COPY"])

    def test_the_wheel(self):
        wheel = self.package("*.whl")
        (WORK / "wheels").mkdir()
        # 3.11 is Debian 12's.
        timed("NumPy's download", lambda: run(
            [BUILD / "venv/bin/pip", "download", "--no-deps", "--only-binary=:all:", "--python-version=3.11", "--dest",
             WORK / "wheels", "numpy"]))
        timed("wheel", lambda: self.run_there(
            f"{REPOSITORY} apt-get update\n apt-get install -y --no-install-recommends python3-venv\n"
            f"python3 -m venv /venv\n /venv/bin/pip install --no-index --find-links /wheels /made/{wheel.name}\n cd /tmp\n"
            f"/venv/bin/python -c '{FIRST_MESH}' {SAMPLE} /out/mesh.obj\n"
            "/venv/bin/p2mpp-calibrate model 2>/out/calibrate && exit 9\n"
            "/venv/lib/python3*/site-packages/p2mpp/p2mpp info --json >/out/info.json\n"
            "ls /venv/lib/python3*/site-packages/p2mpp.libs >/out/libraries\n"
            "ls /venv/lib/python3*/site-packages/p2mpp-*.dist-info/licenses >/out/licences\n"
            "/venv/bin/pip uninstall -y p2mpp\n find /venv -name '*p2mpp*' >/out/left\n", WORK / "wheel"))
        self.assert_same_mesh(WORK / "wheel/mesh.obj", "world")
        self.assertEqual(json.loads((WORK / "wheel/info.json").read_text(encoding="utf-8"))["model"]["name"], "p2mpp-shapes")
        self.assertRegex((WORK / "wheel/calibrate").read_text(encoding="utf-8"), r"\Ap2mpp-calibrate: error: expected --data DIR")
        licences = (WORK / "wheel/licences").read_text(encoding="utf-8").split()
        self.assertTrue({"LICENSE", "THIRD_PARTY.md", "libembree3-3", "libspng0", "nanobind", "robin-map"} <= set(licences))
        self.assertTrue((WORK / "wheel/libraries").read_text(encoding="utf-8"))
        self.assertEqual((WORK / "wheel/left").read_text(encoding="utf-8"), "")

    def test_photographs_become_a_mesh_with_the_wheel(self):
        """One command after `pip install`: a GLB with a texture."""
        wheel, folder = self.package("*.whl"), WORK / "photos"
        timed("downloads for photographs", lambda: run(
            [BUILD / "venv/bin/pip", "download", "--only-binary=:all:", "--python-version=3.11", "--dest", folder / "wheels",
             f"{wheel}[photos]"]))
        draw_bus(folder / "bus")
        timed("photographs", lambda: self.run_there(
            f"{REPOSITORY} apt-get update\n apt-get install -y --no-install-recommends python3-venv\n"
            f"python3 -m venv /venv\n /venv/bin/pip install --no-index --find-links /photos/wheels '/made/{wheel.name}[photos]'\n"
            "/venv/bin/p2mpp-photos /photos/bus/photographs --name bus --out /out\n", WORK / "from-photographs"))
        self.assertIn(b'"baseColorTexture"', (WORK / "from-photographs/bus.glb").read_bytes())

    def test_the_debs_name_what_they_need(self):
        facts = {}
        for path in self.packages:
            if path.suffix == ".deb":
                text = run(["dpkg-deb", "--field", path])
                facts[re.search(r"^Package: (.*)$", text, re.MULTILINE).group(1)] = (path, text)
        self.assertTrue({"p2mpp", "libp2mpp-dev"} <= set(facts))
        path, text = facts["p2mpp"]
        depends = re.search(r"^Depends: (.*)$", text, re.MULTILINE).group(1)
        for name in ("libc6", "libembree3-3", "libspng0", "libssl3"):
            self.assertIn(name, depends)
        self.assertNotRegex(depends, "torch|python|cuda")
        contents = run(["dpkg-deb", "--contents", path])
        for name in ("./usr/bin/p2mpp", "./usr/share/p2mpp/models/p2mpp-shapes/stage1.pt", "./usr/share/man/man1/p2mpp.1",
                     "./usr/share/bash-completion/completions/p2mpp", "./usr/share/doc/p2mpp/LICENSE"):
            self.assertIn(name, contents)
        self.assertNotRegex(contents, r"libp2mpp_(cuda|torchscript)\.so|\.h$")
        if "p2mpp-cuda" in facts:
            self.assertRegex(facts["p2mpp-cuda"][1], r"Depends: .*p2mpp \(= ")


class SourceDistributionTest(unittest.TestCase):
    def test_it_configures_and_install_finds_what_a_build_makes(self):
        """Without what pyproject.toml leaves out of it, with a CUDA toolkit if there is one."""
        project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
        left_out = json.loads(re.search(r"^sdist\.exclude = (\[.*\])$", project, re.MULTILINE).group(1))
        source, build = WORK / "source", WORK / "source-build"
        for folder in (source, build):
            shutil.rmtree(folder, ignore_errors=True)
        for name in ("CMakeLists.txt", "LICENSE", "THIRD_PARTY.md", "cmake", "include", "models", "python", "src", "bench", "tests"):
            if name not in left_out:
                (source / name).parent.mkdir(parents=True, exist_ok=True)
                (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, source / name)
        self.assertEqual({"bench", "tests"} & set(left_out), {"bench", "tests"})
        timed("configuration without bench and tests", lambda: run(
            ["cmake", "-G", "Ninja", "-S", source, "-B", build, "-DCMAKE_BUILD_TYPE=Release", "-DP2MPP_BUILD_TESTS=OFF",
             "-DP2MPP_TORCHSCRIPT=off", "-DP2MPP_CUDA_ARCHITECTURES=80", "-DP2MPP_PYTHON_MODULE=off"]))
        made = run(["ninja", "-C", build, "-t", "commands", "all"])
        scripts = "".join(path.read_text(encoding="utf-8") for path in build.rglob("cmake_install.cmake"))
        wanted = [Path(path) for files in re.findall(r"file\(INSTALL [^)]* FILES ([^)]*)\)", scripts)
                  for path in re.findall(rf'"({build}/[^"]+)"', files)]
        self.assertIn(build / "libp2mpp.so", wanted)
        for path in wanted:
            if not path.exists():
                self.assertIn(str(path.relative_to(build)), made)
