// Shares samples out over devices, an engine and a thread for each: devices cuda:0,cuda:1 SAMPLE... OUT
// On a machine without a GPU, "cpu,cpu" runs two engines. A sample that cannot be used is reported, and the next one is
// read; a device that fails ends its own work. The exit code is then 1.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "p2mpp/p2mpp.h"

namespace {

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> names;
  std::stringstream stream(list);
  for (std::string name; std::getline(stream, name, ',');) names.push_back(name);
  return names;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: devices DEVICE,DEVICE SAMPLE... OUT\n");
    return 2;
  }
  const std::filesystem::path out = argv[argc - 1];
  std::atomic<int> next = 2;      // the argument that is read next
  std::atomic<int> failures = 0;  // of samples and devices
  const auto work = [&](const std::string& device, int threads) {
    try {
      p2mpp::EngineOptions options;
      options.device = device;
      options.threads = threads;
      p2mpp::Engine engine(options);
      for (int i = next++; i + 1 < argc; i = next++) {
        try {
          const p2mpp::Sample sample = p2mpp::read_sample(argv[i], engine.model());
          p2mpp::write_mesh(out / (sample.id + ".glb"), p2mpp::reconstruct_mesh(engine, sample).mesh);
        } catch (const p2mpp::InputError& error) {
          std::fprintf(stderr, "%s\n", error.what());
          ++failures;
        }
      }
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s: %s\n", device.c_str(), error.what());
      ++failures;
    }
  };
  std::vector<std::thread> threads;
  const std::vector<std::string> devices = split(argv[1]);
  const int cores = p2mpp::physical_core_count();
  for (const std::string& device : devices) {
    threads.emplace_back(work, device, std::max(1, cores / static_cast<int>(devices.size())));
  }
  for (std::thread& thread : threads) thread.join();
  return failures > 0 ? 1 : 0;
}
