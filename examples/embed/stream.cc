// Reconstructs many samples, with as many batches in flight as keep the device busy: stream SAMPLE... OUT
// Prints a line for each sample. One that fails does not end the program; the exit code is then 1.
#include <cstdio>
#include <deque>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "p2mpp/p2mpp.h"

namespace {

// Returns the number of failed samples.
int write_next(p2mpp::Engine& engine, std::deque<std::vector<p2mpp::Sample>>& in_flight,
               const std::filesystem::path& out) {
  int failures = 0;
  const std::vector<p2mpp::ReconstructionResult> results = engine.collect();
  for (std::size_t i = 0; i < results.size(); ++i) {
    const p2mpp::Sample& sample = in_flight.front()[i];
    try {
      p2mpp::write_mesh(out / (sample.id + ".glb"), p2mpp::fitted_mesh(engine, sample, results[i]).mesh);
      std::printf("%s: done\n", sample.id.c_str());
    } catch (const p2mpp::InputError& error) {
      std::printf("%s\n", error.what());
      ++failures;
    }
  }
  in_flight.pop_front();
  return failures;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: stream SAMPLE... OUT\n");
    return 2;
  }
  int failures = 0;
  try {
    p2mpp::EngineOptions options;
    p2mpp::Engine engine(options);
    // A submitted sample must stay where it is until it is collected.
    std::deque<std::vector<p2mpp::Sample>> in_flight;
    for (int i = 1; i + 1 < argc; ++i) {
      try {
        std::vector<p2mpp::Sample> batch = {p2mpp::read_sample(argv[i], engine.model())};
        if (in_flight.size() == engine.batches_in_flight()) failures += write_next(engine, in_flight, argv[argc - 1]);
        engine.submit(in_flight.emplace_back(std::move(batch)));
      } catch (const p2mpp::InputError& error) {
        std::printf("%s\n", error.what());
        ++failures;
      }
    }
    while (!in_flight.empty()) failures += write_next(engine, in_flight, argv[argc - 1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
  return failures > 0 ? 1 : 0;
}
