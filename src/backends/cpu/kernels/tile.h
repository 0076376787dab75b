#pragma once

// The eight tile registers of AMX: those of the processor if P2MPP_HAS_TILES is defined, else an emulation of them. The
// emulation computes what the manual of the instructions says, in its order, except that it does not flush denormal
// numbers. It stops the program where the processor would raise an exception.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "backends/cpu/kernels/vector.h"

namespace p2mpp {
namespace {

constexpr int kTileCount = 8;
constexpr int kRowsOfTile = 16;
constexpr int kBytesOfTileRow = 64;

/// The operand of LDTILECFG.
struct TileConfiguration {
  std::uint8_t palette = 1;
  std::uint8_t first_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t row_bytes[16] = {};
  std::uint8_t rows[16] = {};
};
static_assert(sizeof(TileConfiguration) == 64);

#if defined(P2MPP_HAS_TILES)

// GCC's own intrinsics are such statements, too, but do not take the number of a register from a template.
struct Tile {
  P2MPP_INLINE static void configure(const TileConfiguration& configuration) {
    __asm__ volatile("ldtilecfg %0" ::"m"(configuration));
  }
  P2MPP_INLINE static void release() { __asm__ volatile("tilerelease"); }

  template <int kTile>
  P2MPP_INLINE static void zero() {
    __asm__ volatile("tilezero %%tmm%c0" ::"i"(kTile));
  }
  /// stride: bytes from one row to the next.
  template <int kTile>
  P2MPP_INLINE static void load(const void* from, std::size_t stride) {
    __asm__ volatile("tileloadd (%1,%2,1), %%tmm%c0" ::"i"(kTile), "r"(from), "r"(stride) : "memory");
  }
  template <int kTile>
  P2MPP_INLINE static void store(void* to, std::size_t stride) {
    __asm__ volatile("tilestored %%tmm%c0, (%1,%2,1)" ::"i"(kTile), "r"(to), "r"(stride) : "memory");
  }
  /// sums [rows, columns] += rows [rows, pairs] * columns [pairs, columns]
  template <int kSums, int kRows, int kColumns>
  P2MPP_INLINE static void multiply_add() {
    __asm__ volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(kSums), "i"(kRows), "i"(kColumns));
  }
};

#else

class Tile {
 public:
  static void configure(const TileConfiguration& configuration) {
    expect(!configured_, "the tiles are configured twice");
    for (int tile = 0; tile < kTileCount; ++tile) {
      expect(configuration.rows[tile] <= kRowsOfTile && configuration.row_bytes[tile] <= kBytesOfTileRow, "its shape");
    }
    configuration_ = configuration;
    configured_ = true;
    std::memset(rows_, 0, sizeof rows_);
  }
  static void release() { configured_ = false; }

  template <int kTile>
  static void zero() {
    expect(configured_, "the tiles are not configured");
    std::memset(rows_[kTile], 0, sizeof rows_[kTile]);
  }
  template <int kTile>
  static void load(const void* from, std::size_t stride) {
    zero<kTile>();
    for (std::size_t row = 0; row < configuration_.rows[kTile]; ++row) {
      std::memcpy(rows_[kTile][row], static_cast<const char*>(from) + row * stride, configuration_.row_bytes[kTile]);
    }
  }
  template <int kTile>
  static void store(void* to, std::size_t stride) {
    expect(configured_, "the tiles are not configured");
    for (std::size_t row = 0; row < configuration_.rows[kTile]; ++row) {
      std::memcpy(static_cast<char*>(to) + row * stride, rows_[kTile][row], configuration_.row_bytes[kTile]);
    }
  }
  template <int kSums, int kRows, int kColumns>
  static void multiply_add() {
    expect(configured_, "the tiles are not configured");
    expect(configuration_.rows[kSums] == configuration_.rows[kRows] &&
               configuration_.row_bytes[kSums] == configuration_.row_bytes[kColumns] &&
               configuration_.row_bytes[kRows] == 4 * configuration_.rows[kColumns],
           "the shapes of the tiles do not match");
    multiply_add(rows_[kSums], rows_[kRows], rows_[kColumns]);
  }

 private:
  static constexpr int kWords = kBytesOfTileRow / 4;
  static constexpr int kVectors = kWords / kLanes;
  using Row = std::uint32_t[kWords];

  static void expect(bool holds, const char* problem) {
    if (holds) return;
    std::fprintf(stderr, "emulation of AMX: %s\n", problem);
    std::abort();
  }

  // The pairs' first and second products are summed apart. Each product is exact.
  static void multiply_add(Row* sums, const Row* rows, const Row* columns) {
    for (int row = 0; row < kRowsOfTile; ++row) {
      Vector first[kVectors] = {};
      Vector second[kVectors] = {};
      for (int k = 0; k < kWords; ++k) {
        const auto pair = reinterpret_cast<UintVector>(broadcast(static_cast<std::int32_t>(rows[row][k])));
        for (int i = 0; i < kVectors; ++i) {
          UintVector column;
          std::memcpy(&column, &columns[k][i * kLanes], sizeof column);
          first[i] += reinterpret_cast<Vector>(pair << 16U) * reinterpret_cast<Vector>(column << 16U);
          second[i] += reinterpret_cast<Vector>(pair & 0xffff0000U) * reinterpret_cast<Vector>(column & 0xffff0000U);
        }
      }
      for (int i = 0; i < kVectors; ++i) {
        Vector sum;
        std::memcpy(&sum, &sums[row][i * kLanes], sizeof sum);
        sum += first[i] + second[i];
        std::memcpy(&sums[row][i * kLanes], &sum, sizeof sum);
      }
    }
  }

  static inline thread_local bool configured_ = false;
  static inline thread_local TileConfiguration configuration_;
  alignas(64) static inline thread_local Row rows_[kTileCount][kRowsOfTile];
};

#endif

}  // namespace
}  // namespace p2mpp
