#pragma once

/// Marks what libp2mpp.so exports. Everything else in the library is hidden.
#define P2MPP_EXPORT __attribute__((visibility("default")))
