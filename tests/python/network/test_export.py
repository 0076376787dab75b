"""p2mpp-export as a user runs it: folders, weights and states, and what is wrong with them."""

import hashlib
import json
from pathlib import Path

from exports import ExportTest
from support import SMALL, assert_equal, export, export_in_a_process, load_stages, np, torch
from p2mpp.network.naming import PortNaming
from p2mpp.network.sources import from_random
from p2mpp.network.weights import fit

FILES = ["local_graph.json", "model.json", "stage1.pt", "stage2.pt", "template.obj"]


def port_arrays(**sizes):
    """The two stages as the PyTorch port's converter names them, deeper convolutions included."""
    stages = []
    for source in from_random(1, **sizes):
        weights, naming = fit(source), PortNaming(source.naming.stage)
        stages.append({naming.name(parameter, weights.sizes): tensor.numpy()
                       for parameter, tensor in weights.parameters.items()})
    stages[1]["cnn.conv9.weight"] = np.ones((128, 64, 3, 3), np.float32)
    stages[1]["cnn.conv9.bias"] = np.ones(128, np.float32)
    return stages


class FolderTest(ExportTest):

    def test_a_model_folder(self):
        self.succeed("--random", 3, *SMALL)
        self.assertEqual(sorted(path.name for path in self.out.iterdir()), FILES)
        self.assertEqual([path.name for path in self.out.parent.iterdir()], ["new"])
        model = self.model_json()
        for name, facts in model["files"].items():
            content = (self.out / name).read_bytes()
            self.assertEqual(facts["sha256"], hashlib.sha256(content).hexdigest())
        self.assertEqual(sorted([*model["files"], "model.json"]), FILES)
        self.assertEqual((model["format"], model["version"], model["name"], model["semantics"]),
                         ("p2mpp-model", 2, "new", "clean"))
        self.assertEqual(model["weights_from"], "random seed 3")
        sizes = model["sizes"]
        self.assertEqual((sizes["hidden"], sizes["hypotheses"]), (8, 43))
        self.assertEqual(sizes["vertices"], [156, 618, 2466])
        self.assertEqual(sizes["stage1_channels"], [16, 32, 64, 128])
        self.assertEqual(sizes["stage2_channels"], [4, 8, 16])
        graph = json.loads((self.out / "local_graph.json").read_text())
        self.assertEqual(np.shape(graph["hypotheses"]), (43, 3))
        self.assertEqual(np.shape(graph["support"]), (43, 43))

    def test_weights_stored_in_half_the_bytes(self):
        self.succeed("--random", 3, *SMALL)
        exact = [stage.state_dict() for stage in load_stages(self.out)]
        size = (self.out / "stage1.pt").stat().st_size
        self.assertEqual(self.model_json()["stored_as"], "fp32")
        for name, stored in (("fp16", torch.float16), ("bf16", torch.bfloat16)):
            self.succeed("--random", 3, "--store", name, "--force", *SMALL)
            self.assertEqual(self.model_json()["stored_as"], name)
            self.assertLess((self.out / "stage1.pt").stat().st_size, 0.7 * size)
            for stage, weights in zip(load_stages(self.out), exact):
                assert_equal(dict(stage.state_dict()), {key: tensor.to(stored) for key, tensor in weights.items()})

    def test_the_same_source_gives_the_same_bytes_and_no_trace_of_the_machine(self):
        first = {}
        for run in (export_in_a_process, export):
            done = run("--out", self.out, "--random", 1, "--semantics", "tf", "--force", *SMALL)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            content = {name: (self.out / name).read_bytes() for name in FILES}
            self.assertEqual(first or content, content)
            first = content
        for name, content in first.items():
            self.assertNotIn(str(Path(__file__).parents[3]).encode(), content, name)

    def test_existing_folders(self):
        self.succeed("--random", 1, *SMALL)
        before = (self.out / "model.json").read_bytes()
        self.assertIn("--force", export("--out", self.out, "--random", 2, *SMALL, code=3).stderr)
        self.assertEqual((self.out / "model.json").read_bytes(), before)
        self.succeed("--random", 2, *SMALL, "--force")
        self.assertEqual(self.model_json()["weights_from"], "random seed 2")
        other = self.folder / "precious"
        other.mkdir()
        (other / "thesis.tex").write_text("x")
        self.assertIn("not a model folder", export("--out", other, "--random", 1, *SMALL, "--force", code=3).stderr)
        self.assertEqual([path.name for path in other.iterdir()], ["thesis.tex"])

    def test_a_place_that_cannot_be_written(self):
        (self.folder / "file").write_text("x")
        done = export("--out", self.folder / "file" / "new", "--random", 1, *SMALL, code=3)
        self.assertIn("cannot be written", done.stderr)

    def test_usage(self):
        for arguments, word in (
                ([], "required"), (["--random", "-1"], "whole number"),
                (["--random"], "expected one argument"),
                (["--random", "1", "--tf", "x"], "not allowed"),
                (["--tf", "x"], "need --template"), (["--state", "x", "--hidden", "8"], "--random"),
                (["--random", "1", "--semantics", "pt"], "invalid choice"),
                (["--random", "1", "--width", "0"], "--width"),
                (["--random", "1", "--hidden", "1"], "--hidden"),
                (["--random", "1", "--mask-evidence"], "goes with --image-channels 4"),
                (["--random", "1", "--rest"], "unrecognized")):
            with self.subTest(arguments=arguments):
                message = self.reject(2, *arguments)
                self.assertIn(word, message)
                self.assertEqual(message.count("\n"), 1)
        self.assertIn("examples:", export("--help", code=0).stdout)


class WeightsTest(ExportTest):

    def test_other_sizes_are_read_from_the_weights(self):
        stage1, stage2 = port_arrays(hidden=12, width=0.25)
        for block, layer in ((0, 12), (2, 13)):  # one inner layer less in two of the blocks
            for array in ("weights.0", "weights.1", "bias"):
                last = stage1.pop(f"gcn{block + 1}_layers.{layer + 1}.{array}")
                stage1[f"gcn{block + 1}_layers.{layer}.{array}"] = last
        weight = stage1["cnn.conv4.weight"]
        stage1["cnn.conv4.weight"] = np.pad(weight, ((0, 0), (0, 0), (1, 1), (1, 1)))
        self.succeed(*self.save_npz(stage1, stage2))
        sizes = self.model_json()["sizes"]
        self.assertEqual((sizes["hidden"], sizes["drb_hidden"]), (12, 12))
        self.assertEqual(sizes["gcn_layers"], [13, 14, 14])
        self.assertEqual(sizes["stage1_cnn"]["kernels"][:5], [3, 3, 3, 5, 3])

    def test_other_semantics_have_no_mask(self):
        self.assertIn("expected clean", self.reject(
            3, "--random", 1, *SMALL, "--image-channels", 4, "--semantics", "tf"))
        stages = [fit(source).parameters for source in from_random(1, 8, 0.25)]
        other = [fit(source).parameters for source in from_random(1, 8, 0.25, 4)]
        file = self.folder / "state.pt"
        torch.save({"stage1": stages[0], "stage2": other[1]}, file)
        self.assertIn("stage 2 4", self.reject(3, "--state", file))

    def test_npz_with_the_ports_names_is_the_network_that_was_drawn(self):
        output = self.succeed(*self.save_npz(*port_arrays(hidden=8, width=0.25)))
        self.assertIn("unused: cnn.conv9.weight", output)
        model = self.model_json()
        self.assertEqual((model["semantics"], model["weights_from"]), ("design_b", "one.npz, two.npz"))
        self.assertEqual(model["unused_variables"], ["cnn.conv9.bias", "cnn.conv9.weight"])
        self.check_same_as("--random", 1, "--semantics", "design_b", *SMALL)

    def test_weights_that_do_not_fit_are_all_listed(self):
        stage1, stage2 = port_arrays(hidden=8, width=0.25)
        del stage1["gcn2_layers.13.bias"], stage1["cnn.conv18.weight"]
        stage1["gcn1_layers.0.weights.1"] = stage1["gcn1_layers.0.weights.1"][1:]
        stage1["cnn.conv2.weight"] = stage1["cnn.conv2.weight"].transpose(2, 3, 1, 0)
        stage1["cnn.conv19.bias"] = np.zeros(4, np.float32)
        stage1["cnn.conv3.bias"] = stage1["cnn.conv3.bias"].astype(np.int32)
        stage1["gcn3_layers.7.bias"] = np.full(8, np.nan, np.float32)
        message = self.reject(3, *self.save_npz(stage1, stage2))
        for line in (
                "one.npz: its weights do not fit stage 1 (2 missing, 1 extra, 2 misshapen, "
                "1 not floating-point, 1 not finite); expected 165 weights",
                "  missing: cnn.conv18.weight, expected [128, 128, 3, 3]\n",
                "  missing: gcn2_layers.13.bias, expected [3]\n",
                "  extra: cnn.conv19.bias [4]\n",
                "  misshapen: gcn1_layers.0.weights.1, found [722, 8], expected [723, 8]\n",
                "  misshapen: cnn.conv2.weight, found [3, 3, 4, 4], expected [4, 4, 3, 3]\n",
                "  not floating-point: cnn.conv3.bias, found int32, expected float32\n",
                "  not finite: gcn3_layers.7.bias, found 8 of 8 numbers NaN or infinite"):
            self.assertIn(line, message)
        self.assertEqual(message.count("\n"), 8)

    def test_a_missing_last_layer_and_stages_in_the_wrong_order(self):
        stage1, stage2 = port_arrays(hidden=8, width=0.25)
        message = self.reject(3, *self.save_npz(stage2, stage1))
        self.assertIn("extra: drb2.local_conv6.bias [1]", message)
        self.assertIn("missing: gcn1_layers.0.weights.0", message)
        for array in ("weights.0", "weights.1", "bias"):
            del stage1[f"gcn3_layers.14.{array}"]
        message = self.reject(3, *self.save_npz(stage1, stage2))
        self.assertIn("missing: gcn3_layers.14.bias, expected [3]", message)
        self.assertEqual(message.count("\n"), 4)

    def test_files_that_are_no_npz(self):
        stage1, stage2 = port_arrays(hidden=8, width=0.25)
        arguments = self.save_npz(stage1, stage2)
        whole = arguments[1].read_bytes()
        for content in (b"", b"text", whole[:1000], whole[:len(whole) // 2], whole[:-30]):
            arguments[1].write_bytes(content)
            message = self.reject(3, *arguments)
            self.assertIn("one.npz", message)
            self.assertEqual(message.count("\n"), 1)
        np.savez(arguments[1], **{**stage1, "cnn.conv1.bias": np.array([None, 1], object)})
        self.assertIn("one.npz: damaged or not an .npz", self.reject(3, *arguments))
        arguments[1].unlink()
        self.assertIn("No such file", self.reject(3, *arguments))


class StateTest(ExportTest):

    def state(self, **more):
        stages = [fit(source).parameters for source in from_random(2, hidden=8, width=0.25)]
        return {"stage1": stages[0], "stage2": stages[1], **more}

    def save(self, state):
        file = self.folder / "state.pt"
        torch.save(state, file)
        return ["--state", file]

    def test_state(self):
        facts = {"steps": 1000, "data": "shapes", "lr": [1e-4]}
        self.succeed(*self.save(self.state(training=facts)))
        model = self.model_json()
        self.assertEqual((model["semantics"], model["training"]), ("clean", facts))
        self.assertEqual(model["weights_from"], "state.pt")
        self.check_same_as("--random", 2, *SMALL)

    VIEWS = {"cameras": "pinhole", "distance": [0.65, 3.0], "elevation_deg": [-10.0, 60.0]}

    def test_trained_views(self):
        """From the state or, before it, from a file."""
        source = self.save(self.state(training={"steps": 1, "trained_views": self.VIEWS}))
        self.succeed(*source)
        self.assertEqual(self.model_json()["trained_views"], self.VIEWS)
        self.assertEqual(self.model_json()["training"], {"steps": 1})
        file = self.folder / "views.json"
        file.write_text(json.dumps({**self.VIEWS, "typical_iou": [0.9, 0.05]}))
        self.succeed(*source, "--trained-views", file, "--force")
        self.assertEqual(self.model_json()["trained_views"]["typical_iou"], [0.9, 0.05])
        self.succeed("--random", 1, *SMALL, "--force")
        self.assertNotIn("trained_views", self.model_json())

    def test_bad_trained_views(self):
        file = self.folder / "views.json"
        for change, message in (({"cameras": "fisheye"}, "published or pinhole"),
                                ({"distance": [0, 1]}, "above 0"),
                                ({"distance": [1]}, "two finite"),
                                ({"elevation_deg": [60, -10]}, "the lowest and the highest"),
                                ({"elevation_deg": [0, 1e999]}, "two finite"),
                                ({"typical_iou": [87, 6]}, "of 0 to 1"), ({"angle": 1}, "at most")):
            file.write_text(json.dumps({**self.VIEWS, **change}))
            self.assertIn(message, self.reject(3, "--random", 1, *SMALL, "--trained-views", file))
        file.write_text("[")
        self.assertIn("views.json", self.reject(3, "--random", 1, *SMALL, "--trained-views", file))
        wrong = self.save(self.state(training={"trained_views": {}}))
        self.assertIn('state.pt: "trained_views"', self.reject(3, *wrong))

    def test_half_precision_is_kept_as_float32(self):
        state = self.state()
        state["stage1"] = {name: tensor.bfloat16() for name, tensor in state["stage1"].items()}
        self.succeed(*self.save(state))
        weight = load_stages(self.out)[0].state_dict()["gcn.0.0.weight0"]
        assert_equal(weight, state["stage1"]["gcn.0.0.weight0"].float())

    def test_a_weight_too_large_for_its_type(self):
        state = self.state()
        state["stage2"]["drb.0.3.bias"][1] = 1e5
        arguments = self.save(state)
        self.assertIn("drb.0.3.bias: holds numbers too large for fp16", self.reject(3, *arguments, "--store", "fp16"))
        self.succeed(*arguments, "--store", "bf16")

    def test_bad_states(self):
        state = self.state()
        extra = {**state["stage2"], "cnn.8.bias": torch.zeros(4)}
        for content, word in (
                ({"stage1": {}}, "holds ['stage1']"), ([1], "holds list"),
                ({**state, "optimizer": {}}, "optimizer"),
                ({**state, "stage1": [1]}, "stage1 is not"),
                ({**state, "training": {"loss": float("nan")}}, "JSON"),
                ({**state, "stage2": extra}, "extra: cnn.8.bias [4]"),
                (Path("x"), "not a state file")):
            with self.subTest(word=word):
                self.assertIn(word, self.reject(3, *self.save(content)))
        (self.folder / "state.pt").write_bytes(b"cos\nsystem\n(S'touch executed'\ntR.")
        self.reject(3, "--state", self.folder / "state.pt")
        self.assertFalse(Path("executed").exists())
