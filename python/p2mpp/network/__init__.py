"""The Pixel2Mesh++ network as TorchScript modules, and everything that turns weights into a model
folder, reads one back and calibrates it.

Parameter names. The modules, a state file's dictionaries and every backend that reads stage1.pt and
stage2.pt find a parameter by the same name; this is the one place where the naming is written down.
Indices count from 0.

  stage 1, stage 2   cnn.I.weight    [out, in, kernel, kernel]   convolution I
                     cnn.I.bias      [out]
  stage 1            gcn.B.L.weight0 [in, out]   graph convolution L of block B, multiplies x itself
                     gcn.B.L.weight1 [in, out]   multiplies x before the Chebyshev support T1
                     gcn.B.L.bias    [out]
  stage 2            drb.B.L.weight0, drb.B.L.weight1, drb.B.L.bias   the same for local graph
                     convolution L of deformation reasoning block B

Stage 1 has all 18 convolutions of its CNN, stage 2 only the 8 that it reads.
"""
