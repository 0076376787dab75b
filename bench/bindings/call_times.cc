// Times calls of the C++ interface for bench/bindings/measure.py: call_times MODEL SAMPLE. Computes the sample once for
// each line on stdin, in one thread of the CPU, and prints the milliseconds from decoded images to the mesh: by the
// clock, and of the processor.
#include <chrono>
#include <cstdio>
#include <ctime>
#include <exception>
#include <iostream>
#include <string>

#include "p2mpp/p2mpp.h"

namespace {

double processor_milliseconds() {
  std::timespec time = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: call_times MODEL SAMPLE\n");
    return 2;
  }
  try {
    p2mpp::EngineOptions options;
    options.model = argv[1];
    options.device = "cpu";
    options.threads = 1;
    p2mpp::Engine engine(options);
    const p2mpp::Sample sample = p2mpp::read_sample(argv[2], engine.model());
    for (std::string line; std::getline(std::cin, line);) {
      const double processor_begin = processor_milliseconds();
      const auto begin = std::chrono::steady_clock::now();
      const p2mpp::ReconstructedMesh mesh = p2mpp::reconstruct_mesh(engine, sample);
      const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
      std::printf("%.6f %.6f\n", time.count(), processor_milliseconds() - processor_begin);
      std::fflush(stdout);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
