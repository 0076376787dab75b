#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "p2mpp/mesh_template.h"

namespace p2mpp {

/// The three ways to compute the network; a checkpoint is right in the one that it was trained in. ARCHITECTURE.md has
/// the table of their differences.
enum class Semantics {
  kTf,       ///< the original TensorFlow code and its published checkpoints
  kDesignB,  ///< the PyTorch port
  kClean,    ///< ours: every view reads its own maps, everything is sampled bilinearly
};

/// "tf", "design_b", "clean"
[[nodiscard]] std::string_view to_string(Semantics semantics);

/// Of each convolution of an image CNN: output channels and the side of the square kernel.
struct CnnSizes {
  std::vector<std::int64_t> channels;
  std::vector<std::int64_t> kernels;
};

/// The sizes of a network. Strides, and which maps are read, are the same in all (src/model/network_layout.h).
struct NetworkSizes {
  CnnSizes stage1_cnn;
  CnnSizes stage2_cnn;
  std::int64_t hidden = 0;               ///< width of stage 1's graph convolutions
  std::vector<std::int64_t> gcn_layers;  ///< graph convolutions of each block, one block a level
  std::int64_t drb_hidden = 0;           ///< width of the local graph convolutions
  std::int64_t drb_blocks = 0;           ///< deformation reasoning blocks
  std::int64_t drb_layers = 0;           ///< local graph convolutions of each
  std::vector<std::int64_t> vertices;    ///< of each level, coarse to fine
  std::int64_t hypotheses = 0;           ///< around each vertex of the finest level
};

/// What model.json says.
struct ModelInfo {
  std::string name;
  Semantics semantics = Semantics::kClean;
  std::string weights_from;               ///< "random seed 1", or the files' names
  std::vector<std::size_t> view_indices;  ///< which views of a numbered folder the network was trained on
  NetworkSizes sizes = {};
  /// [blocks][layers] of the deformation reasoning blocks: the largest magnitude of each layer's input on the samples
  /// that FP8 was calibrated on, the coordinates among the first layer's left out; empty: not calibrated.
  std::vector<std::vector<float>> fp8_largest_inputs = {};
  std::filesystem::path folder;
  std::map<std::string, std::string> sha256 = {};  ///< of its files, as model.json names them
};

/// A model folder, read and checked, before any of its code has been opened.
struct Model {
  ModelInfo info;
  MeshTemplate mesh_template;
  Points hypotheses;  ///< [S,3] offsets around a vertex, in the object's unit
  /// [S,S] Chebyshev support T1 of the hypotheses' local graph.
  Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> local_support;
  std::string stage1_archive;  ///< bytes of stage1.pt
  std::string stage2_archive;  ///< bytes of stage2.pt
};

/// A TorchScript archive is a program. Either its SHA-256 is the one that model.json names, or somebody says that it
/// may run.
enum class Trust { kHashedFilesOnly, kAnyFile };

/// Reads a folder written by scripts/export_model.py. Throws InputError naming the file and what is wrong with it:
/// missing, malformed, of a newer format, with another hash than model.json says, or sizes that contradict each other.
[[nodiscard]] Model load_model(const std::filesystem::path& folder, Trust trust = Trust::kHashedFilesOnly);

/// model.json alone.
[[nodiscard]] ModelInfo read_model_info(const std::filesystem::path& folder);

/// The folder that is meant when none is named: $P2MPP_MODEL, models/p2mpp-shapes here, or the same beside the
/// executable's folder; the first that is there. Throws InputError listing the places that were looked at.
[[nodiscard]] std::filesystem::path default_model_folder();

}  // namespace p2mpp
