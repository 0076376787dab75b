#pragma once

#include <CLI/CLI.hpp>

#include "render/picture.h"

namespace p2mpp::cli {

/// --size, --samples, --background, --shading and --no-ground, which read the same in every command that draws.
void add_picture_options(CLI::App& command, PictureOptions& picture);

}  // namespace p2mpp::cli
