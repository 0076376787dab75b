#define P2MPP_HAS_TILES  // see tile.h
#include "backends/cpu/kernels/all.h"
#include "backends/cpu/kernels/tile_product.h"

namespace p2mpp {

const Kernels<Bfloat16>& amx_bf16_bfloat16_kernels() { return kTileTable; }

}  // namespace p2mpp
