#pragma once

#include <string>
#include <string_view>

#include "base/option.h"
#include "p2mpp/fit.h"
#include "p2mpp/texture.h"

namespace p2mpp {

/// Which colours a result has.
struct TextureChoice {
  enum class Kind {
    kNone,
    kAutomatic,  ///< a texture for a capture, nothing for another sample
    kTexture,
    kVertices,  ///< colours of vertices
  };
  Kind kind = Kind::kNone;
  int size = 0;              ///< texels along a side, for kTexture
  bool fill_unseen = false;  ///< as TextureOptions
};

/// `predict`, `refine`, `worker`, `serve` and `texture` have it.
[[nodiscard]] inline Option fill_unseen_option() {
  return {"--fill-unseen",
          "Colour what no photograph shows like what is around it. Without it, it fades to grey, so that it does not "
          "pass for what photographs show"};
}

/// Reads "auto", "vertex", "none" or a power of two. Throws UsageError.
void from_text(std::string_view text, TextureChoice& choice);

/// The text that from_text() reads.
[[nodiscard]] std::string to_string(const TextureChoice& choice);

/// The texts that from_text() reads, for options.
[[nodiscard]] ValueCheck texture_text();

/// The options of a texture for a mesh; `fit`: the figures of its fit, null if there was none. Photographs are blended
/// in wider bands where the mesh agrees less with the masks.
[[nodiscard]] TextureOptions texture_options(const TextureChoice& choice, const FitFigures* fit, int threads);

/// "2048x2048 texels, 24 photographs, 18 charts, 2.1% of the surface unseen, 3200 ms"
[[nodiscard]] std::string texture_summary(const TextureFigures& figures);

}  // namespace p2mpp
