"""p2mpp-export of TensorFlow's checkpoints: how they are found, what they hold."""

import importlib.util
import unittest

from exports import ExportTest, published_variables
from support import np
from templates import BUNDLED_OBJ
from p2mpp.network.draw import draw


@unittest.skipUnless(importlib.util.find_spec("tensorflow"),
                     "tensorflow is not installed (scripts/requirements-tensorflow.txt)")
class TensorFlowTest(ExportTest):
    """Checkpoints that TensorFlow itself wrote."""

    def save(self, folder, checkpoint, variables):
        import tensorflow as tf
        folder.mkdir(parents=True, exist_ok=True)
        names = list(variables)
        tf.raw_ops.SaveV2(prefix=str(folder / checkpoint), tensor_names=names,
                          shape_and_slices=[""] * len(names), tensors=list(variables.values()))

    def published(self):
        return {checkpoint: {name: draw(name, shape, 1) for name, shape in variables.items()}
                for checkpoint, variables in published_variables().items()}

    def test_the_published_variables_are_the_network_that_was_drawn(self):
        (first, stage1), (second, stage2) = self.published().items()
        stage1["meshnetmvp2m/cnn/conv2d_1/W/Adam:0"] = np.zeros((3, 3, 3, 16), np.float32)
        stage1["beta1_power:0"] = np.float32(0.9)
        stage2["global_step:0"] = np.int64(10)
        self.save(self.folder / "results" / "coarse_mvp2m" / "models", first, stage1)
        self.save(self.folder / "results" / "refine_p2mpp" / "models", second, stage2)
        output = self.succeed("--tf", self.folder / "results", "--template", BUNDLED_OBJ)
        model = self.model_json()
        self.assertEqual((model["semantics"], model["weights_from"]), ("tf", f"{first}, {second}"))
        unused = model["unused_variables"]
        self.assertEqual(len(unused), 2 + 1 + 2 * 10)
        for name in unused:
            self.assertIn(f"unused: {name}\n", output)
        self.assertIn("meshnet/cnn/conv2d_18/W:0", unused)
        self.check_same_as("--random", 1, "--semantics", "tf")

    def test_variables_that_do_not_fit(self):
        (first, stage1), (second, stage2) = self.published().items()
        del stage1["meshnetmvp2m/cnn/conv2d_7/b:0"]
        moved = stage1.pop("meshnetmvp2m/pixel2mesh/graph_conv_blk2_3_layer_19_vars/bias:0")
        stage1["meshnetmvp2m/pixel2mesh/graph_conv_blk2_3_layer_20_vars/bias:0"] = moved
        folder = self.folder / "tf"
        self.save(folder, first, stage1)
        self.save(folder, second, stage2)
        message = self.reject(3, "--tf", folder, "--template", BUNDLED_OBJ)
        self.assertIn("missing: meshnetmvp2m/cnn/conv2d_7/b, expected [64]", message)
        self.assertIn("extra: meshnetmvp2m/pixel2mesh/graph_conv_blk2_3_layer_20_vars/bias:0 [192]", message)
        self.assertEqual(message.count("\n"), 4)

    def test_damaged_checkpoints(self):
        folder = self.folder / "tf"
        for checkpoint in published_variables():
            self.save(folder, checkpoint, {"a": np.zeros(3, np.float32)})
        data = next(folder.glob("meshnetmvp2m*.data-*"))
        for damage in (lambda: data.write_bytes(b"123"), data.unlink):
            damage()
            self.assertIn("not a readable TensorFlow checkpoint",
                          self.reject(3, "--tf", folder, "--template", BUNDLED_OBJ))
        next(folder.glob("meshnetmvp2m*.index")).write_bytes(b"text")
        self.assertIn("not a readable TensorFlow checkpoint",
                      self.reject(3, "--tf", folder, "--template", BUNDLED_OBJ))


class CheckpointSearchTest(ExportTest):

    def arguments(self):
        return ["--tf", self.folder, "--template", BUNDLED_OBJ]

    def test_missing_and_ambiguous_checkpoints(self):
        message = self.reject(3, "--tf", self.folder / "x", "--template", BUNDLED_OBJ)
        self.assertIn("no such folder", message)
        self.assertIn("no meshnetmvp2m.ckpt-STEP.index", self.reject(3, *self.arguments()))
        for step in (50, 60):
            (self.folder / f"meshnetmvp2m.ckpt-{step}.index").write_bytes(b"")
        message = self.reject(3, *self.arguments())
        self.assertIn("2 checkpoints fit", message)
        self.assertEqual(message.count("\n"), 1)

    @unittest.skipIf(importlib.util.find_spec("tensorflow"), "tensorflow is installed")
    def test_without_tensorflow(self):
        for name in ("meshnetmvp2m.ckpt-50.index", "meshnet.ckpt-10.index"):
            (self.folder / name).write_bytes(b"")
        message = self.reject(1, *self.arguments())
        self.assertIn("pip install '.[tensorflow]'", message)
        self.assertNotIn("'p2mpp[", message)
