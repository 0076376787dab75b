#pragma once

#include <memory>

#include "image/photograph_source.h"
#include "p2mpp/sample.h"

namespace p2mpp {

/// The images of a sample's views as photographs. The sample must outlive the result. decode() throws InputError naming
/// a view whose image has neither alpha nor a plain background.
[[nodiscard]] std::shared_ptr<const PhotographSource> views_as_photographs(const Sample& sample);

}  // namespace p2mpp
