#pragma once

/// Everything for programs that embed p2mpp: read a sample, reconstruct it, write and score the mesh.
#include "p2mpp/camera.h"
#include "p2mpp/engine.h"
#include "p2mpp/error.h"
#include "p2mpp/files.h"
#include "p2mpp/fit.h"
#include "p2mpp/frame.h"
#include "p2mpp/mesh_texture.h"
#include "p2mpp/metrics.h"
#include "p2mpp/reconstruct.h"
#include "p2mpp/sample.h"
#include "p2mpp/surface.h"
#include "p2mpp/texture.h"
#include "p2mpp/triangle_mesh.h"
#include "p2mpp/version.h"
