#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "p2mpp/export.h"
#include "p2mpp/trained_views.h"

namespace p2mpp {

/// The three ways to compute the network. A checkpoint gives correct results only in the one that it was trained with.
/// docs/models.md has the table of differences.
enum class Semantics {
  kTf,       ///< the original TensorFlow code and its published checkpoints
  kDesignB,  ///< the PyTorch port
  kClean,    ///< p2mpp's own: every view samples its own feature maps, always bilinearly
};

/// "tf", "design_b", "clean"
[[nodiscard]] P2MPP_EXPORT std::string_view to_string(Semantics semantics);

/// Output channels and side of the square kernel of each convolution of an image CNN.
struct CnnSizes {
  std::vector<std::int64_t> channels;
  std::vector<std::int64_t> kernels;
};

/// The sizes of a network. Strides and the feature maps that are sampled are fixed (src/model/network_layout.h).
struct NetworkSizes {
  std::int64_t image_channels = 3;  ///< 3: blue, green, red; 4 (kClean only): also the object's coverage of the pixel
  CnnSizes stage1_cnn;
  CnnSizes stage2_cnn;
  std::int64_t hidden = 0;               ///< width of stage 1's graph convolutions
  std::vector<std::int64_t> gcn_layers;  ///< graph convolutions of each block, one block a level
  std::int64_t drb_hidden = 0;           ///< width of the local graph convolutions
  std::int64_t drb_blocks = 0;           ///< deformation reasoning blocks
  std::int64_t drb_layers = 0;           ///< local graph convolutions of each
  std::vector<std::int64_t> vertices;    ///< of each level, coarse to fine
  std::int64_t hypotheses = 0;           ///< around each vertex of the finest level
  std::vector<std::int64_t> faces = {};  ///< of each level; empty: not named
  /// Stage 2 also reads the distances to the masks' borders (src/backends/common/mask_evidence.h). Needs image_channels
  /// 4.
  bool stage2_mask_evidence = false;
};

/// Versions of the model folder's format. 1: the exported stages take camera rows only; 2: also any pinhole camera.
inline constexpr int kNewestModelFormat = 2;

/// The contents of model.json.
struct ModelInfo {
  int format_version = kNewestModelFormat;
  std::string name;
  Semantics semantics = Semantics::kClean;
  std::string weights_from;               ///< "random seed 1", or the files' names
  std::vector<std::size_t> view_indices;  ///< views of a numbered folder that the network was trained on
  TrainedViews trained_views = {};
  NetworkSizes sizes = {};
  /// [blocks][layers] of the deformation reasoning blocks: the largest magnitude of each layer's input on the samples
  /// used to calibrate FP8. Coordinates in the first layer's input are not included. Empty if not calibrated.
  std::vector<std::vector<float>> fp8_largest_inputs = {};
  std::filesystem::path folder;
  std::map<std::string, std::string> sha256 = {};  ///< file name to SHA-256, in hexadecimal digits
};

/// The check of hashes, because a TorchScript archive is a program. kRequire: an archive is loaded only if model.json
/// has its SHA-256. kSkip: the caller trusts the file.
enum class HashCheck { kRequire, kSkip };

/// Reads model.json only. Throws InputError.
[[nodiscard]] P2MPP_EXPORT ModelInfo read_model_info(const std::filesystem::path& folder);

/// The number of views that a model was trained with, within kMinViews to kMaxViews.
[[nodiscard]] P2MPP_EXPORT std::size_t trained_view_count(const ModelInfo& info);

/// The default model folder: $P2MPP_MODEL if it is set, and otherwise the bundled model. The bundled model is that of
/// the installation, unpacked archive or source folder to which the program (or the library with this code) belongs.
/// The working folder is not searched. Throws InputError listing these places.
[[nodiscard]] P2MPP_EXPORT std::filesystem::path default_model_folder();

}  // namespace p2mpp
