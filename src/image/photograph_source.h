#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "geometry/lens.h"
#include "geometry/rigid3.h"
#include "p2mpp/image.h"

namespace p2mpp {

/// A calibrated photograph of an object. Its pixels are not in memory.
struct SourcePhotograph {
  std::string name;           ///< for messages
  Lens lens;                  ///< in pixels of an image of this size; the decoded one may have another size
  int width = 0, height = 0;  ///< pixels
  Rigid3 cam_from_world;      ///< in OpenCV's axes: x right, y down, z forward
  double sharpness = 0;       ///< compared with other photographs of the same object; 0: unknown
};

/// The pixels of a photograph.
struct DecodedSource {
  Image image;
  Mask mask;                         ///< of the image's size
  Lens lens;                         ///< in pixels of the image
  std::shared_ptr<void> share = {};  ///< of a bound on decoded pixels
};

/// Calibrated photographs of an object, each decoded when it is asked for.
class PhotographSource {
 public:
  PhotographSource() = default;
  PhotographSource(const PhotographSource&) = delete;
  PhotographSource& operator=(const PhotographSource&) = delete;
  virtual ~PhotographSource() = default;

  [[nodiscard]] const std::vector<SourcePhotograph>& photographs() const { return photographs_; }

  /// Throws InputError naming a file that can no longer be read. Thread-safe.
  [[nodiscard]] virtual DecodedSource decode(std::size_t photograph) const = 0;

 protected:
  std::vector<SourcePhotograph> photographs_;
};

}  // namespace p2mpp
