// Reconstructs one sample or capture with the bundled model: one_sample SAMPLE MESH
#include <cstdio>
#include <exception>

#include "p2mpp/p2mpp.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: one_sample SAMPLE MESH\n");
    return 2;
  }
  try {
    p2mpp::EngineOptions options;
    p2mpp::Engine engine(options);
    const p2mpp::Sample sample = p2mpp::read_sample(argv[1], engine.model());
    p2mpp::write_mesh(argv[2], p2mpp::reconstruct_mesh(engine, sample).mesh);
  } catch (const p2mpp::InputError& error) {
    std::fprintf(stderr, "bad input: %s\n", error.what());
    return 3;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
