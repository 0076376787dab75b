#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <nlohmann/json.hpp>
#include <thread>

#include "server/http_client.h"
#include "server/mesh_server.h"
#include "support/evaluation_fixture.h"

namespace p2mpp {
using std::chrono::milliseconds;

/// A server with an engine that can be held.
class MeshServerTest : public EvaluationFixture {
 protected:
  MeshServerTest() {
    server_options_.spool = folder_.path();
    server_options_.api.root = folder_.path() / "root";
    std::filesystem::create_directories(server_options_.api.root);
    server_options_.api.page = "<p>page";
    server_options_.api.check = [](const Sample& sample) {
      return nlohmann::ordered_json{{"views", sample.views.size()}};
    };
    options_.out.clear();
    options_.truth_root.clear();
    options_.batch = 4;
    options_.run.meshes.formats = {MeshFormat::kGlb};
  }

  ~MeshServerTest() override { stop(); }

  void SetUp() override {
#ifdef P2MPP_NO_HTTP
    GTEST_SKIP() << "this build has no server";
#endif
  }

  void start() {
    server_options_.service.evaluation = options_;
    server_options_.api.queue = server_options_.service.queue;
    engine_.on_collect = [this] {
      std::unique_lock lock(mutex_);
      ++held_;
      changed_.notify_all();
      changed_.wait(lock, [this] { return !is_held_; });
    };
    server_.emplace(server_options_, engine_, trace_, [this] { return stop_requested_.load(); });
    running_ = std::thread([this] { statistics_ = server_->run(); });
  }

  void hold(bool is_held) {
    const std::lock_guard lock(mutex_);
    is_held_ = is_held;
    changed_.notify_all();
  }

  // Until the engine has a batch, so that what follows has to wait.
  void occupy(HttpClient& client) {
    hold(true);
    client.send(mesh_request());
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return held_ > 0; });
  }

  // Clients that have sent this, with connections of their own.
  [[nodiscard]] std::vector<std::unique_ptr<HttpClient>> clients_with(int count, const std::string& request) const {
    std::vector<std::unique_ptr<HttpClient>> clients;
    for (int i = 0; i < count; ++i) {
      clients.push_back(std::make_unique<HttpClient>(port()));
      clients.back()->send(request);
    }
    return clients;
  }

  void stop() {
    hold(false);
    stop_requested_ = true;
    if (running_.joinable()) running_.join();
  }

  [[nodiscard]] unsigned short port() const { return server_->port(); }
  ClientResponse ask(const std::string& request) { return HttpClient(port()).ask(request); }

  static std::string part(const std::string& name, const std::string& filename, const std::string& bytes) {
    const std::string file = filename.empty() ? "" : fmt::format("; filename=\"{}\"", filename);
    return fmt::format("--b\r\nContent-Disposition: form-data; name=\"{}\"{}\r\n\r\n{}\r\n", name, file, bytes);
  }

  static std::string sample_body(const std::string& request = "{}", const std::string& first = "a.png") {
    return part("image", first, tiny_png()) + part("image", "b.png", tiny_png()) +
           part("cameras", "cameras.txt", "10 27 0 0.75 25\n20 27 0 0.75 25\n") + part("request", "", request) +
           "--b--\r\n";
  }

  static std::string mesh_request(const std::string& request = "{}", const std::string& fields = {}) {
    return post_request("/v1/meshes", kMultipart, sample_body(request), fields);
  }

  std::uint64_t metric(const std::string& line) {
    const std::string text = ask(get_request("/metrics")).body;
    const std::size_t at = text.find("\n" + line + " ");
    return at == std::string::npos ? 0 : std::stoull(text.substr(at + line.size() + 2));
  }

  void wait_for(const std::string& line, std::uint64_t value) {
    for (int i = 0; i < 1000 && metric(line) != value; ++i) std::this_thread::sleep_for(milliseconds(10));
    EXPECT_EQ(metric(line), value) << line;
  }

  /// The server's own; empty where there is none.
  [[nodiscard]] std::filesystem::path spool_folder() const {
    for (const auto& each : std::filesystem::directory_iterator(folder_.path())) {
      if (each.path().filename().string().starts_with("p2mpp-serve-")) return each.path();
    }
    return {};
  }

  /// Until no request has a folder.
  void wait_for_empty_spool() const {
    const auto has_folders = [spool = spool_folder()] {
      const auto is_folder = [](const auto& each) { return each.is_directory(); };
      return std::ranges::any_of(std::filesystem::directory_iterator(spool), is_folder);
    };
    for (int i = 0; i < 500 && has_folders(); ++i) std::this_thread::sleep_for(milliseconds(10));
    EXPECT_FALSE(has_folders());
  }

  static constexpr const char* kMultipart = "multipart/form-data; boundary=b";

  MeshServerOptions server_options_;
  std::atomic<bool> stop_requested_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_held_ = false;
  int held_ = 0;
  std::optional<MeshServer> server_;
  std::thread running_;
  WorkerStatistics statistics_;
};

}  // namespace p2mpp
