"""The commands p2mpp-NAME of the Python package: each is installed, begins by occupying closed streams, prints its help
without any package, imports none but those of its extras in pyproject.toml, and says in one line if they are missing."""

import ast
import re
import subprocess
import sys
import unittest
from importlib import metadata

from runs import ROOT

PYTHON = ROOT / "python"
PROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
NAMES = sorted(path.stem for path in (PYTHON / "p2mpp/commands").glob("*.py") if path.name != "__init__.py")
# Prints what is imported beside the standard library and p2mpp, from the named modules alone.
IMPORT_ONLY = """
import importlib.metadata
allowed, modules = {allowed!r}, {modules!r}
class Blocker:
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top in blocked: raise ModuleNotFoundError(f"{{name}} is of no extra of this command", name=name)
blocked = {{name for name, owners in importlib.metadata.packages_distributions().items()
           if not allowed & {{re.sub("[-_.]+", "-", owner).lower() for owner in owners}}}} - {{"p2mpp"}}
sys.meta_path.insert(0, Blocker())
for module in modules: importlib.import_module(module)
"""


def program(name: str) -> str:
    return "p2mpp-" + name.replace("_", "-")


def run_python(code: str, *flags: str) -> subprocess.CompletedProcess:
    code = f"import importlib, re, sys; sys.path.insert(0, {str(PYTHON)!r})\n{code}"
    return subprocess.run([sys.executable, *flags, "-c", code], capture_output=True, text=True, timeout=100, check=False)


def run_without_packages(name: str, *arguments: str) -> subprocess.CompletedProcess:
    return run_python(f"sys.argv[1:] = {list(arguments)!r}; import p2mpp.commands; sys.exit(p2mpp.commands.run_{name}())", "-S")


def normal(name: str) -> str:
    return re.sub("[-_.]+", "-", name).lower()


def extras():
    """Of pyproject.toml: extra to (requirements, the commands in the comment behind it)."""
    section = PROJECT.partition("[project.optional-dependencies]\n")[2].partition("\n\n")[0]
    found = re.findall(r"^(\w+) = \[(.*)\](?:  # (.*))?$", section, re.MULTILINE)
    return {name: (re.findall(r'"([^"]+)"', listed), re.findall(r"p2mpp-[a-z-]+", comment)) for name, listed, comment in found}


def closure(requirements):
    """The distributions that these requirements install, as far as they are installed here."""
    found, left = set(), list(requirements)
    while left:
        requirement = left.pop()
        if own := re.match(r"p2mpp\[(.*)\]", requirement):
            left += [each for extra in own.group(1).split(",") for each in extras()[extra][0]]
            continue
        name = normal(re.match(r"[A-Za-z0-9._-]+", requirement).group())
        if name in found or "extra ==" in requirement:
            continue
        found.add(name)
        try:
            left += metadata.requires(name) or []
        except metadata.PackageNotFoundError:
            pass
    return found


def imports(module: str):
    """The imports anywhere in a module of p2mpp."""
    path = PYTHON / (module.replace(".", "/") + ".py")
    package = module.rpartition(".")[0]
    if not path.exists():
        path, package = PYTHON / module.replace(".", "/") / "__init__.py", module
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")
            source = ".".join(parts[:len(parts) - node.level + 1] + [node.module] * bool(node.module)) if node.level else node.module
            yield source
            yield from (f"{source}.{each.name}" for each in node.names)


def is_own(name: str) -> bool:
    path = PYTHON / name.replace(".", "/")
    return path.with_suffix(".py").exists() or (path / "__init__.py").exists()


def modules_of(command: str):
    """(modules of p2mpp, top-level names of other packages) that a command imports, now or later."""
    own, others, left = set(), set(), [f"p2mpp.commands.{command}"]
    while left:
        name = left.pop()
        if is_own(name):
            if name not in own and name != "p2mpp":
                own.add(name)
                left += imports(name)
        elif name.partition(".")[0] != "p2mpp":
            others.add(name.partition(".")[0])
    return own, others - set(sys.stdlib_module_names)


class CommandsTest(unittest.TestCase):

    def test_every_command_is_installed_and_has_an_extra(self):
        self.assertIn("train", NAMES)
        for name in NAMES:
            self.assertIn(f'\n{program(name)} = "p2mpp.commands:run_{name}"\n', PROJECT)
            self.assertTrue([extra for extra, (_, commands) in extras().items() if program(name) in commands], name)

    def test_help_needs_no_package(self):
        for name in NAMES:
            done = run_without_packages(name, "--help")
            self.assertEqual((done.returncode, done.stderr), (0, ""), name)
            self.assertRegex(done.stdout, rf"\Ausage: {program(name)} ")

    def test_missing_packages_are_one_line(self):
        arguments = {"calibrate": ("model",), "eval_on_ray": ("l", "--images-root", "i", "--out", "o"),
                     "export": ("--out", "o", "--random", "1"), "generate": ("--out", "o"),
                     "photos": ("photographs", "--out", "o"), "shards": ("procedural", "--out", "o", "--objects", "1"),
                     "train": ("--out", "o", "--shards", "s", "--validate", "v"),
                     "volume": ("truth", "--shards", "s")}
        self.assertEqual(sorted(arguments), NAMES)
        for name in NAMES:
            done = run_without_packages(name, *arguments[name])
            self.assertEqual(done.returncode, 1, done.stderr)
            line = re.fullmatch(rf"{program(name)}: error: No module named '\w+'; expected .*`pip install '\w+\[(\w+)\]'.*\n",
                                done.stderr)
            self.assertTrue(line, done.stderr)
            self.assertIn(program(name), extras()[line.group(1)][1])
            self.assertNotIn("'p2mpp[", done.stderr)  # a stranger could take p2mpp's name in a package index
            if name == "photos":
                self.assertIn("; expected `scripts/setup.sh --photos` ", done.stderr)

    def test_a_command_imports_only_what_its_extras_install(self):
        base = re.findall(r'"([^"]+)"', re.search(r"^dependencies = \[(.*)\]", PROJECT, re.MULTILINE).group(1))
        owners = metadata.packages_distributions()
        modules_by_allowed = {}  # commands with the same extras are imported in one process
        for name in NAMES:
            mine = [extra for extra, (_, commands) in extras().items() if program(name) in commands]
            allowed = closure(base + [each for extra in mine for each in extras()[extra][0]])
            own, others = modules_of(name)
            for package in others:
                self.assertTrue(allowed & {normal(each) for each in (*owners.get(package, ()), package)},
                                f"{program(name)} imports {package}; expected it in an extra of {mine}")
            if others <= set(owners):  # else a package is not installed here
                modules_by_allowed.setdefault(frozenset(allowed), set()).update(own)
        for allowed, modules in modules_by_allowed.items():
            done = run_python(IMPORT_ONLY.format(allowed=set(allowed), modules=sorted(modules)))
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_errors_control_no_terminal(self):
        said = run_python("from p2mpp.network.command_line import print_error; print_error('p2mpp-x', 'a\\x1b[31m\\nb\\u202e \\u00e4')")
        self.assertEqual(said.stderr, "p2mpp-x: error: a\\x1b[31m\\nb\\u202e \u00e4\n")
        for name in NAMES:  # a wrong command line is one line
            done = run_without_packages(name, "--no-such-\x1b[31m-option")
            self.assertEqual(done.returncode, 2)
            self.assertNotIn("\x1b", done.stderr)
            self.assertRegex(done.stderr, rf"\A{program(name)}: error: [^\n]*; see {program(name)} --help\n\Z")
