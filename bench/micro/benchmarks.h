#pragma once

namespace p2mpp::micro {

// One source file each; main() calls them in this order.

void add_product_benchmarks();
void add_convolution_benchmarks();
void add_neighbour_benchmarks();
void add_projection_benchmarks();
void add_graph_convolution_benchmarks();
void add_deformation_reasoning_benchmarks();
void add_preprocess_benchmarks();

}  // namespace p2mpp::micro
