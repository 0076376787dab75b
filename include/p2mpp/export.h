#pragma once

/// Marks what libp2mpp.so exports; everything else in it is hidden.
#define P2MPP_EXPORT __attribute__((visibility("default")))
