#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/input_file.h"
#include "base/json_text.h"
#include "p2mpp/error.h"
#include "server/child_process.h"
#include "server/mesh_api.h"
#include "server/sample_exchange.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;

constexpr const char* kName = "mesh";    // of the result's files
constexpr int kBadInput = 3, kPoor = 4;  // the program's exit codes
constexpr std::string_view kSays = "p2mpp-photos: ", kError = "error: ", kHowToGoOn = "; then go on with: ";
constexpr std::uintmax_t kMostOfDocument = std::uintmax_t{4} << 20;  // bytes

// "--surface-vertices", "20000" for {"surface_vertices": 20000}.
std::vector<std::string> parse_photographs_options(const WorkerRequest& asked) {
  std::vector<std::string> arguments;
  for (const auto& [key, value] : asked.options.items()) {
    std::string option = "--" + key;
    std::ranges::replace(option, '_', '-');
    arguments.push_back(std::move(option));
    arguments.push_back(value.is_string() ? value.get<std::string>() : value.dump());
  }
  if (asked.view_count > 0) arguments.insert(arguments.end(), {"--views", fmt::format("{}", asked.view_count)});
  return arguments;
}

std::vector<std::string> command_arguments(const PhotographsOptions& options, const WorkerRequest& asked) {
  std::vector<std::string> arguments = {SpoolFolder::kInput, "--out", SpoolFolder::kOutput, "--name", kName};
  arguments.insert(arguments.end(), options.arguments.begin(), options.arguments.end());
  for (const auto& distance : asked.known_distances) {
    arguments.emplace_back("--known-distance");
    arguments.insert(arguments.end(), distance.begin(), distance.end());
  }
  if (!asked.printed_bar.empty()) arguments.insert(arguments.end(), {"--printed-bar", asked.printed_bar});
  arguments.emplace_back("--");
  arguments.insert(arguments.end(), options.mesh_arguments.begin(), options.mesh_arguments.end());
  const std::vector<std::string> wanted = parse_photographs_options(asked);
  arguments.insert(arguments.end(), wanted.begin(), wanted.end());
  return arguments;
}

// A line of the program without the words for a terminal; sets `error` to that of an error.
std::string_view plain_line(std::string_view line, std::string& error) {
  if (!line.starts_with(kSays)) return line;
  line.remove_prefix(kSays.size());
  if (!line.starts_with(kError)) return line;
  line.remove_prefix(kError.size());
  line = line.substr(0, line.find(kHowToGoOn));
  error = line;
  return line;
}

// The program runs in the request's folder and names its files "output/masks.jpg".
std::string without_own_folders(std::string text) {
  const auto is_of_path = [](unsigned char c) { return std::isalnum(c) || std::strchr("/._-", c) != nullptr; };
  for (const std::string name : {"input/", "output/"}) {
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at)) {
      if (at > 0 && is_of_path(text[at - 1])) {
        at += name.size();
      } else {
        text.erase(at, name.size());
      }
    }
  }
  return text;
}

std::string describe_exit(int code, const ChildLimits& limits) {
  if (code == 128 + SIGXCPU) {
    return fmt::format("p2mpp-photos took more than {} s of a processor's time", limits.processor_time.count());
  }
  if (code > 128) return fmt::format("p2mpp-photos was ended by signal {}", code - 128);
  return fmt::format("p2mpp-photos ended with exit code {}; it may use {} MB of memory", code, limits.memory >> 20);
}

/// Of a poor mesh, too, whose grade is in photos.json.
bool is_done(int code) { return code == 0 || code == kPoor; }

unsigned exit_status(int code) {
  if (is_done(code)) return http_status::kOk;
  return code == kBadInput ? http_status::kUnprocessable : http_status::kFailed;
}

Json addressed_files(const SpoolFolder& folder, bool is_done) {
  constexpr std::array kFiles = {std::pair{"glb", "mesh.glb"}, std::pair{"view", "mesh_view.html"},
                                 std::pair{"report", "report.html"}, std::pair{"masks", "masks.jpg"},
                                 std::pair{"photographs", "photographs.jpg"}};
  auto files = Json::object();
  for (const auto& [kind, name] : kFiles) {
    std::error_code ignored;
    const bool is_picture = std::string_view(name).ends_with(".jpg");
    if (!(is_done || is_picture) || !fs::exists(folder.output() / name, ignored)) continue;
    files[kind] = file_url(folder, name);
  }
  return files;
}

}  // namespace

class PhotographsExchange : public SampleExchange {
 public:
  PhotographsExchange(MeshApi& api, const RequestHead& head, const std::string& key)
      : SampleExchange(api, head, UploadKind::kPhotographs) {
    if (api.options_.photographs.program.empty()) {
      throw Refusal(http_status::kNotFound,
                    "this server takes no photographs without cameras: it did not find p2mpp-photos when it started; "
                    "expected `scripts/setup.sh --photos` (docs/photos.md)");
    }
    progress_ = key.empty() ? std::make_shared<Progress>() : api.progress_.open(key);
  }

  std::optional<std::chrono::milliseconds> complete(Respond respond) override {
    WorkerRequest asked = request();
    const std::chrono::milliseconds most = api_.options_.photographs.most_time;
    const std::chrono::milliseconds deadline = std::min(asked.deadline.value_or(most), most);
    auto run = [&api = api_, asked, folder = folder_, progress = progress_, images = images()] {
      // A client that has its answer may use the key again.
      const std::shared_ptr<void> closing(nullptr, [&](void*) { progress->close(); });
      return answered(api, asked, images, *progress, folder);
    };
    number_ = api_.photographs_.add(std::move(asked), std::move(run), std::move(respond));
    if (!number_) refuse_full("requests with photographs");
    return deadline;
  }

  void late() override { end({http_status::kExpired, "the mesh was not finished before its deadline"}); }

  void abandon() override { end({http_status::kUnavailable, "the client has left"}); }

 private:
  void end(const Refusal& reason) {
    if (number_) api_.photographs_.end(*number_, reason);
  }

  // Runs the program. Throws nothing but Stopped.
  static Response answered(MeshApi& api, const WorkerRequest& asked, std::size_t images, Progress& progress,
                           const std::shared_ptr<SpoolFolder>& folder) {
    const Clock::time_point begun = Clock::now();
    Json json = {{"id", asked.id}, {"status", "failed"}, {"reason", ""}};
    Response response{.status = http_status::kFailed};
    const auto plain = [&](std::string_view text) {
      return without_own_folders(api.without_folders(std::string(text), folder->path()));
    };
    try {
      std::string failure;
      const int code = run(api, asked, images, *folder,
                           [&](std::string_view line) { progress.add(plain(plain_line(line, failure))); });
      std::error_code ignored;
      fs::remove_all(folder->output() / "work", ignored);
      response.status = exit_status(code);
      if (is_done(code)) {
        json["status"] = "done";
        json["result"] = parse_ordered_json(read_file(folder->output() / "photos.json", kMostOfDocument));
        change_texts(json["result"], plain);
        json["result"].erase("files");
        json["result"].erase("report");
      } else {
        json["reason"] = failure.empty() ? describe_exit(code, api.options_.photographs.limits) : plain(failure);
      }
      json["files"] = addressed_files(*folder, is_done(code));
      folder->drop_input();
      folder->count_written();
      if (!json["files"].empty()) api.results_.keep(folder);
    } catch (const Refusal& refusal) {
      response.status = refusal.status();
      json["reason"] = refusal.what();
    } catch (const std::exception& error) {
      json["reason"] = plain(error.what());
    }
    const std::chrono::duration<double, std::milli> elapsed = Clock::now() - begun;
    api.statistics_.add_duration(elapsed.count() / 1000);
    json["milliseconds"] = {{"total", elapsed.count()}};
    response.body = json_line(json);
    return response;
  }

  // Returns the program's exit code. Throws Refusal if it writes too much.
  static int run(MeshApi& api, const WorkerRequest& asked, std::size_t images, SpoolFolder& folder,
                 const std::function<void(std::string_view)>& on_line) {
    const PhotographsOptions& options = api.options_.photographs;
    ChildLimits limits = options.limits;
    limits.file = options.bytes_each * images;
    const auto stop = [](const std::string& why) {
      throw Refusal(http_status::kNoRoom, "p2mpp-photos was stopped: " + why);
    };
    return run_child({options.program, command_arguments(options, asked), folder.path(), limits}, on_line, [&] {
      if (!folder.count_written()) stop("the server has no room for further files from this address; try again later");
      if (folder.written() <= limits.file) return;
      stop(fmt::format("it wrote {} bytes for {} photographs; expected at most {}", folder.written(), images,
                       limits.file));
    });
  }

  std::shared_ptr<Progress> progress_;
  std::optional<std::size_t> number_;
};

std::unique_ptr<Exchange> photographs_exchange(MeshApi& api, const RequestHead& head, const std::string& key) {
  return std::make_unique<PhotographsExchange>(api, head, key);
}

}  // namespace p2mpp
