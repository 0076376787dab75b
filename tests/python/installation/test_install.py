"""An installation by `cmake --install` works from any folder and finds its own model and no other; programs embed it.
The files come from the target package_files, which the tests' build makes."""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from runs import ROOT, SharedFolderTest, run_command, without_comments

BUILD = Path(os.environ.get("P2MPP", "build/p2mpp")).resolve().parent
TINY = Path(os.environ.get("P2MPP_CLI_INPUTS", "build-fixtures/cli_inputs")).resolve() / "models/tiny"
SAMPLES = [str(ROOT / "data/02691156" / name) for name in ("p2mpp0001", "p2mpp0002")]


class InstallTest(SharedFolderTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        installed = cls.folder / "installed"
        for component in ("runtime", "cuda", "development"):
            run_command(["cmake", "--install", BUILD, "--prefix", installed, "--component", component], 0)
        cls.prefix = cls.folder / "moved"  # nothing may depend on where it was installed
        installed.rename(cls.prefix)
        cls.expected = cls.folder / "expected"
        cls.run_in(cls.folder, [BUILD / "p2mpp", "predict", SAMPLES[0], "--frame", "world", "--out", cls.expected])

    @staticmethod
    def run_in(folder: Path, command, code: int = 0, **variables) -> subprocess.CompletedProcess:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("P2MPP")}
        environment.update(variables)
        return run_command(command, code, cwd=folder, env=environment)

    def test_the_program_finds_its_own_model_and_not_the_working_folders(self):
        with tempfile.TemporaryDirectory() as elsewhere:
            decoy = Path(elsewhere) / "models/p2mpp-shapes"
            decoy.mkdir(parents=True)
            (decoy / "model.json").write_text("not a model", encoding="utf-8")
            program = self.prefix / "bin/p2mpp"
            self.run_in(Path(elsewhere), [program, "predict", SAMPLES[0], "--frame", "world", "--out", "out"])
            self.assertEqual(without_comments(Path(elsewhere) / "out/p2mpp0001_predict.obj"),
                             without_comments(self.expected / "p2mpp0001_predict.obj"))

    def test_a_program_without_its_model_says_where_it_looked(self):
        with tempfile.TemporaryDirectory() as elsewhere:
            shutil.copy(self.prefix / "bin/p2mpp", elsewhere)
            models = Path(elsewhere) / "models/p2mpp-shapes"
            shutil.copytree(self.prefix / "share/p2mpp/models/p2mpp-shapes", models)
            models.rename(Path(elsewhere) / "elsewhere")
            done = self.run_in(Path(elsewhere), ["./p2mpp", "predict", SAMPLES[0]], code=3)
            self.assertRegex(done.stderr, r"no model: there is none of .*share/p2mpp/models/p2mpp-shapes.*--model FOLDER")

    def test_no_path_of_the_build_is_inside(self):
        files = [self.prefix / "bin/p2mpp", *self.prefix.glob("lib/*.so*"), *self.prefix.glob("lib/p2mpp/*.so")]
        self.assertGreaterEqual(len(files), 2)
        for path in files:
            self.assertNotIn(str(ROOT).encode(), path.read_bytes(), path)

    def test_binaries_are_hardened(self):
        built = [BUILD / f"lib{name}.so" for name in ("p2mpp_torchscript", "p2mpp_cuda")]
        built += BUILD.glob("python/p2mpp/_core*.so")
        for path in (self.prefix / "bin/p2mpp", next(self.prefix.glob("lib/libp2mpp.so.*")), *filter(Path.exists, built)):
            headers = run_command(["readelf", "-W", "-l", "-d", path], 0).stdout
            self.assertIn("GNU_RELRO", headers)
            self.assertRegex(headers, r"BIND_NOW|Flags: NOW")
            self.assertRegex(headers, r"GNU_STACK .* RW +0x")
            symbols = run_command(["nm", "-D", path], 0).stdout
            self.assertIn("__stack_chk_fail", symbols)
            self.assertRegex(symbols, r"__\w+_chk\b")

    def test_the_library_exports_p2mpp_alone(self):
        library = next(self.prefix.glob("lib/libp2mpp.so"))
        symbols = run_command(["nm", "-DC", "--defined-only", library], 0).stdout
        functions = re.findall(r"^[0-9a-f]+ T (.*)$", symbols, re.MULTILINE)
        self.assertIn("p2mpp::version[abi:cxx11]()", functions)
        for name in functions:
            self.assertRegex(name, r"^p2mpp::", name)
        exported = {re.match(r"p2mpp::(\w+)", name).group(1) for name in functions}
        for header in (self.prefix / "include/p2mpp").glob("*.h"):
            text = re.sub(r"//.*", "", header.read_text(encoding="utf-8"))
            for name in re.findall(r"(?<!class )(?<!struct )(?<!define )P2MPP_EXPORT\s[^;({]*?(\w+)\(", text):
                self.assertIn(name, exported, header.name)

    def test_completions(self):
        self.assertIn("p2mpp", (self.prefix / "share/bash-completion/completions/p2mpp").read_text(encoding="utf-8"))

    def test_every_command_has_a_manual_page(self):
        if shutil.which("help2man") is None:
            self.skipTest("help2man is not installed")
        text = self.run_in(self.folder, [self.prefix / "bin/p2mpp", "--help"]).stdout
        listed = text.partition("\nSubcommands:\n")[2].partition("\n\n")[0]
        commands = re.findall(r"^  (\w+) ", listed, re.MULTILINE)
        self.assertIn("predict", commands)
        self.assertEqual(sorted(path.name for path in (self.prefix / "share/man/man1").iterdir()),
                         sorted(["p2mpp.1", *(f"p2mpp-{name}.1" for name in commands)]))

    def test_manual_pages_read_well(self):
        if shutil.which("help2man") is None or shutil.which("groff") is None:
            self.skipTest("help2man or groff is not installed")
        version = re.search(r"^project\(p2mpp VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE).group(1)
        for path in (self.prefix / "share/man/man1").iterdir():
            done = self.run_in(self.folder, ["groff", "-man", "-Tutf8", "-P-c", "-P-b", "-P-u", "-ww", path])
            self.assertEqual(done.stderr, "", path.name)
            examples = done.stdout.partition("\nEXAMPLES\n")[2].splitlines()
            self.assertRegex(examples[0], r"^ {8,}(source <\()?p2mpp [^ ]", path.name)
            footer = examples[-1].split()
            self.assertEqual((footer[:2], footer[-1]), (["p2mpp", version], f"{path.stem.upper()}(1)"), path.name)
            self.assertEqual(len(footer), 5, path.name)  # and the date, in the middle
        self.assertIn("p2mpp-render - draw meshes", " ".join(self.page("p2mpp-render").split()))
        self.assertIn(f"{11 * ' '}p2mpp predict data/02691156/p2mpp0001\n{11 * ' '}p2mpp predict capture --masks",
                      self.page("p2mpp-predict"))

    def page(self, name: str) -> str:
        return self.run_in(self.folder, ["groff", "-man", "-Tutf8", "-P-c", "-P-b", "-P-u",
                                         self.prefix / f"share/man/man1/{name}.1"]).stdout

    def test_programs_embed_it(self):
        build = self.folder / "embed"
        self.run_in(self.folder, ["cmake", "-S", ROOT / "examples/embed", "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}",
                                  "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror -O0"])
        self.run_in(self.folder, ["cmake", "--build", build, "--parallel", "2"])
        self.run_in(self.folder, [build / "one_sample", SAMPLES[0], "one.obj"])
        self.assertEqual(without_comments(self.folder / "one.obj"),
                         without_comments(self.expected / "p2mpp0001_predict.obj"))
        done = self.run_in(self.folder, [build / "one_sample", "nowhere", "one.obj"], code=3)
        self.assertIn("bad input: nowhere: no such folder", done.stderr)
        # The others with a small model, in a tenth of the time.
        tiny = {"P2MPP_MODEL": str(TINY)}
        self.run_in(self.folder, [build / "one_sample", SAMPLES[0], "one.obj"], **tiny)
        views = list(self.views_of(Path(SAMPLES[0]) / "rendering"))
        self.run_in(self.folder, [build / "pixels", *views, "pixels.obj"], **tiny)
        self.assertEqual(without_comments(self.folder / "pixels.obj"), without_comments(self.folder / "one.obj"))
        done = self.run_in(self.folder, [build / "pixels", *views[:3], "0,0,0", "pixels.obj"], code=3, **tiny)
        self.assertIn("bad input: view 1: camera: distance is 0; expected a positive number", done.stderr)
        self.check_several(build, tiny)

    @staticmethod
    def views_of(folder: Path):
        """IMAGE AZIMUTH,ELEVATION,DISTANCE of each view that there is."""
        rows = (folder / "rendering_metadata.txt").read_text(encoding="utf-8").splitlines()
        for number, row in enumerate(rows):
            if (folder / f"{number:02d}.png").is_file():
                azimuth, elevation, _, distance, _ = row.split()
                yield from (str(folder / f"{number:02d}.png"), f"{azimuth},{elevation},{distance}")

    def check_several(self, build: Path, tiny: dict):
        """Many samples have the bytes of one, and a bad one ends no other's work."""
        expected = {}
        for sample in SAMPLES:
            path = self.folder / f"{Path(sample).name}.glb"
            self.run_in(self.folder, [build / "one_sample", sample, path], **tiny)
            expected[path.name] = path.read_bytes()
        for command in ([build / "stream"], [build / "devices", "cpu"], [build / "devices", "cpu,cpu"]):
            out = self.folder / "several"
            shutil.rmtree(out, ignore_errors=True)
            out.mkdir()
            done = self.run_in(self.folder, [*command, SAMPLES[0], "nowhere", SAMPLES[1], out], code=1, **tiny)
            self.assertIn("nowhere: no such folder", done.stdout + done.stderr)
            self.assertEqual({path.name: path.read_bytes() for path in out.iterdir()}, expected, command)
        done = self.run_in(self.folder, [build / "stream", SAMPLES[0], out], **tiny)
        self.assertEqual(done.stdout, "p2mpp0001: done\n")
