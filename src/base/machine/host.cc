#include "base/machine/host.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <thread>
#include <vector>

#include "p2mpp/device.h"

namespace p2mpp {
namespace {

constexpr std::size_t kBytes = std::size_t{192} << 20U;  // of each of two arrays
constexpr int kRounds = 5;
constexpr double kGiga = 1e9;

// Linux names an Arm processor by numbers: the implementer, and the implementer's number of the core. These are Arm's.
struct ArmProcessor {
  std::string_view part;
  std::string_view name;
};
constexpr std::array kArmProcessors = {
    ArmProcessor{"0xd08", "Arm Cortex-A72"},  ArmProcessor{"0xd0b", "Arm Cortex-A76"},
    ArmProcessor{"0xd0c", "Arm Neoverse N1"}, ArmProcessor{"0xd40", "Arm Neoverse V1"},
    ArmProcessor{"0xd49", "Arm Neoverse N2"}, ArmProcessor{"0xd4f", "Arm Neoverse V2"}};

// Each thread copies a part of the bytes.
void copy(const std::vector<std::byte>& from, std::vector<std::byte>& to, int threads) {
  const auto count = static_cast<std::size_t>(threads);
  std::vector<std::jthread> workers;
  for (std::size_t i = 0; i < count; ++i) {
    workers.emplace_back([&, begin = kBytes * i / count, end = kBytes * (i + 1) / count] {
      std::memcpy(to.data() + begin, from.data() + begin, end - begin);
    });
  }
}

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// Cores that share an entry of this file are threads of one physical core.
std::string find_core(int cpu) {
  const std::string siblings =
      first_line(fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", cpu));
  return siblings.empty() ? std::to_string(cpu) : siblings;
}

// The limit of this process's control group. The file contains "max 100000" or "150000 100000": microseconds of
// processor time in each period, and the period.
int control_group_limit() {
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  double quota = 0;
  double period = 0;
  if (!(file >> quota >> period) || period <= 0) return CPU_SETSIZE;
  return std::max(1, static_cast<int>(quota / period));
}

// The number after `name` in a file of lines "NAME NUMBER"; 0 if it is missing.
std::uint64_t number_after(const std::string& path, std::string_view name) {
  std::ifstream file(path);
  std::string word;
  std::uint64_t number = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    if (words >> word >> number && word == name) return number;
  }
  return 0;
}

// The memory of this process's control group, if that is limited; the limit "max" does not parse as a number.
std::optional<MemoryState> control_group_memory() {
  const std::string folder = "/sys/fs/cgroup/";
  std::uint64_t limit = 0;
  std::uint64_t used = 0;
  if (!(std::ifstream(folder + "memory.max") >> limit) || !(std::ifstream(folder + "memory.current") >> used)) {
    return std::nullopt;
  }
  used -= std::min(used, number_after(folder + "memory.stat", "inactive_file"));
  return MemoryState{.total = limit, .available = limit - std::min(limit, used)};
}

}  // namespace

double measure_copied_gb_per_s(int threads) {
  const std::vector<std::byte> from(kBytes, std::byte{1});
  std::vector<std::byte> to(kBytes);
  double best = 0;
  for (int round = 0; round < kRounds; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    copy(from, to, threads);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    best = std::max(best, 2 * static_cast<double>(kBytes) / elapsed.count() / kGiga);
  }
  return best;
}

std::string cpu_name_in(std::istream& cpuinfo) {
  std::string implementer;
  std::string part;
  for (std::string line; std::getline(cpuinfo, line);) {
    const auto colon = line.find(": ");
    if (colon == std::string::npos) continue;
    if (line.starts_with("model name")) return line.substr(colon + 2);
    if (line.starts_with("CPU implementer")) implementer = line.substr(colon + 2);
    if (line.starts_with("CPU part")) part = line.substr(colon + 2);
  }
  if (implementer.empty()) return "unknown processor";
  const auto* found = std::ranges::find_if(
      kArmProcessors, [&](const ArmProcessor& each) { return implementer == "0x41" && part == each.part; });
  if (found != kArmProcessors.end()) return std::string(found->name);
  return fmt::format("Arm processor (implementer {}, part {})", implementer, part.empty() ? "unknown" : part);
}

std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  return cpu_name_in(file);
}

int physical_core_count() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 1;
  std::set<std::string> cores;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &allowed)) cores.insert(find_core(cpu));
  }
  return std::clamp(static_cast<int>(cores.size()), 1, control_group_limit());
}

MemoryState host_memory() {
  constexpr std::uint64_t kKibibyte = 1024;
  MemoryState memory{.total = kKibibyte * number_after("/proc/meminfo", "MemTotal:"),
                     .available = kKibibyte * number_after("/proc/meminfo", "MemAvailable:")};
  if (const auto group = control_group_memory()) {
    memory.total = std::min(memory.total, group->total);
    memory.available = std::min(memory.available, group->available);
  }
  return memory;
}

std::uint64_t peak_resident_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace p2mpp
