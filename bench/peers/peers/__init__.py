"""The same network, weights and sample in other programs' hands, timed beside p2mpp on a CPU.

__main__      the command: rounds over p2mpp and all peers, the check, the table
comparison    one semantics: p2mpp and the peers that have it
problem       what every peer is given: parameters, template, local graph, images, cameras
preparation   makes the problem of a model folder and a sample
registry      which peers there are
worker        runs one peer in a process of its own
torch_network, torch_peers, onnx_export, onnxruntime_peer, openvino_peer    design_b
tensorflow_peer                                                            tf
gemm_floor    how fast a matrix product of the network's commonest shape can be
product       runs p2mpp itself
report        agreement, table, JSON

The network's layout and its template come from python/p2mpp/network, which run.sh puts on the path.

Shapes in docstrings: V views, N vertices, S hypotheses, F features a hypothesis, C channels.
"""
