#include "base/thread_scopes.h"
#include "server/mesh_server_fixture.h"
#include "support/zip_writer.h"

namespace p2mpp {
namespace {

constexpr std::size_t kPixelsOfSample = 2 * 4 * 4;  // of sample_body()

// A server whose meshes take forever while they are held, but ask whether they are still wanted.
class BoundedWorkTest : public MeshServerTest {
 protected:
  BoundedWorkTest() {
    options_.batch = 1;
    server_options_.service.threads = 2;
    engine_.on_mesh = [this] {
      if (endless_.exchange(false))
        ++begun_;
      else
        return;
      while (!let_go_) {
        end_if_stopped();
        std::this_thread::sleep_for(milliseconds(1));
      }
    };
  }

  ~BoundedWorkTest() override { let_go_ = true; }

  // The next mesh takes forever.
  void begin_endless(HttpClient& client, const std::string& request = "{}") {
    endless_ = true;
    const int before = begun_;
    client.send(mesh_request(request));
    while (begun_ == before) std::this_thread::sleep_for(milliseconds(1));
  }

  std::atomic<bool> endless_ = false, let_go_ = false;
  std::atomic<int> begun_ = 0;
};

TEST_F(BoundedWorkTest, TooManyPixelsAreRefusedBeforeTheyAreDecoded) {
  server_options_.api.max_request_pixels = kPixelsOfSample - 1;
  start();
  for (const char* path : {"/v1/meshes", "/v1/check"}) {
    const ClientResponse refused = ask(post_request(path, kMultipart, sample_body()));
    EXPECT_EQ(refused.status, 413U) << path;
    EXPECT_HOLDS(refused.body, "more than 31 pixels together (32 up to b.png)");
  }
  wait_for_empty_spool();
}

TEST_F(BoundedWorkTest, AsManyPixelsAsAllowedAreTaken) {
  server_options_.api.max_request_pixels = kPixelsOfSample;
  start();
  EXPECT_EQ(ask(mesh_request()).status, 200U);
}

TEST_F(BoundedWorkTest, PixelsOfAnArchiveAndBelowTheRootAreCountedToo) {
  const ListEntry entry = add_sample("chair", "good");
  server_options_.api.root = options_.images_root / "chair";
  server_options_.api.reading.trained_views = {0, 1, 2};
  options_.reading.max_total_pixels = server_options_.api.reading.max_total_pixels =
      kPixelsOfSample;  // of two pictures
  const std::string archive =
      zip_archive({{.name = "a.png", .bytes = tiny_png()},
                   {.name = "b.png", .bytes = tiny_png()},
                   {.name = "c.png", .bytes = tiny_png()},
                   {.name = "cameras.txt", .bytes = "0 27 0 0.75 25\n9 27 0 0.75 25\n18 27 0 0.75 25\n"}});
  start();
  for (const char* path : {"/v1/meshes", "/v1/check"}) {
    EXPECT_EQ(ask(post_request(path, kMultipart, part("capture", "a.zip", archive) + "--b--\r\n")).status, 413U)
        << path;
    EXPECT_EQ(ask(post_request(path, "application/json", R"({"sample": "good"})")).status, 413U) << path;
  }
}

TEST_F(BoundedWorkTest, AFullDiskIsNotTheRequestsFault) {
  engine_.on_mesh = [] { throw DiskError("mesh.glb: cannot be written: No space left on device"); };
  server_options_.api.check = [](const Sample&) -> nlohmann::ordered_json { throw DiskError("no space"); };
  start();
  for (const char* path : {"/v1/meshes", "/v1/check"}) {
    EXPECT_EQ(ask(post_request(path, kMultipart, sample_body())).status, 507U) << path;
  }
}

TEST_F(BoundedWorkTest, WorkForAClientThatLeavesIsGivenUp) {
  start();
  // What it sends before it leaves.
  for (const std::string& further : {std::string(), std::string("GET / HTTP/1.1\r\n"), std::string(100'000, 'x')}) {
    HttpClient client(port());
    begin_endless(client);
    client.send(further);
    std::this_thread::sleep_for(milliseconds(20));
    client.leave();
    wait_for("p2mpp_in_work", 0);
  }
  EXPECT_EQ(metric("p2mpp_requests_total{status=\"withdrawn\"}"), 3U);
  wait_for_empty_spool();
}

TEST_F(BoundedWorkTest, TheNextRequestWaitsForTheFirstOnesAnswer) {
  start();
  HttpClient client(port());
  begin_endless(client);
  client.send(get_request("/v1/health"));
  std::this_thread::sleep_for(milliseconds(20));
  let_go_ = true;
  EXPECT_EQ(client.receive().status, 200U);
  EXPECT_EQ(Json::parse(client.receive().body)["status"], "ok");
}

TEST_F(BoundedWorkTest, WorkIsGivenUpAtItsDeadline) {
  start();
  HttpClient client(port());
  const auto begin = std::chrono::steady_clock::now();
  begin_endless(client, R"({"deadline_ms": 100})");
  const ClientResponse late = client.receive();
  EXPECT_EQ(late.status, 504U);
  EXPECT_EQ(Json::parse(late.body)["reason"], "it was not finished before its deadline");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
  wait_for_empty_spool();
}

TEST_F(BoundedWorkTest, AStopGivesUpWhatIsNotFinishedSoon) {
  server_options_.grace = milliseconds(100);
  start();
  HttpClient client(port());
  begin_endless(client);
  const auto begin = std::chrono::steady_clock::now();
  stop();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
  const ClientResponse dropped = client.receive();
  EXPECT_EQ(dropped.status, 503U);
  EXPECT_EQ(Json::parse(dropped.body)["status"], "dropped");
  EXPECT_EQ(statistics_.dropped, 1U);
}

TEST_F(BoundedWorkTest, NobodyWaitsForALongRequest) {
  start();
  HttpClient client(port());
  begin_endless(client);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(ask(mesh_request()).status, 200U);
  let_go_ = true;
  EXPECT_EQ(client.receive().status, 200U);
}

TEST_F(BoundedWorkTest, NobodyWaitsForALongCheck) {
  std::atomic<int> checks = 0;
  server_options_.api.check_threads = 2;
  server_options_.api.check = [&](const Sample&) {
    const bool is_first = checks++ == 0;
    while (is_first) {
      end_if_stopped();
      std::this_thread::sleep_for(milliseconds(1));
    }
    return nlohmann::ordered_json::object();
  };
  server_options_.grace = milliseconds(50);
  start();
  HttpClient endless(port());
  endless.send(post_request("/v1/check", kMultipart, sample_body()));
  while (checks == 0) std::this_thread::sleep_for(milliseconds(1));
  EXPECT_EQ(ask(post_request("/v1/check", kMultipart, sample_body())).status, 200U);
  stop();
  EXPECT_EQ(endless.receive().status, 503U);
}

TEST_F(BoundedWorkTest, AsManyChecksAsAllowedWait) {
  std::atomic<int> checks = 0;
  server_options_.service.queue = 2;
  server_options_.api.check = [&](const Sample&) {
    ++checks;
    while (!let_go_) std::this_thread::sleep_for(milliseconds(1));
    return nlohmann::ordered_json::object();
  };
  start();
  std::vector<std::unique_ptr<HttpClient>> waiting;
  const auto check = [&] {
    waiting.push_back(std::make_unique<HttpClient>(port()));
    waiting.back()->send(post_request("/v1/check", kMultipart, sample_body()));
  };
  check();
  while (checks == 0) std::this_thread::sleep_for(milliseconds(1));
  check();
  check();
  std::this_thread::sleep_for(milliseconds(50));
  unsigned refused = 0;
  std::jthread fourth([&] { refused = ask(post_request("/v1/check", kMultipart, sample_body())).status; });
  std::this_thread::sleep_for(milliseconds(100));
  let_go_ = true;
  fourth.join();
  EXPECT_EQ(refused, 429U);
  for (const auto& client : waiting) EXPECT_EQ(client->receive().status, 200U);
}

TEST_F(BoundedWorkTest, ResultsGoWithoutBeingAskedFor) {
  server_options_.api.result_age = std::chrono::seconds(0);
  start();
  EXPECT_EQ(ask(mesh_request()).status, 200U);
  wait_for_empty_spool();
}

TEST(Spool, RemovesWhatKilledServersHaveLeft) {
  const TemporaryFolder parent;
  const Spool running(parent.path(), 1000);
  const auto folder = [&](const char* name, bool has_lock) {
    const std::filesystem::path path = parent.path() / name;
    std::filesystem::create_directory(path);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    write_file_atomically(path / "upload", "x");
    if (has_lock) write_file_atomically(path / "lock", "");
    return path;
  };
  const auto left = folder("p2mpp-serve-left", true), foreign = folder("p2mpp-serve-unknown", false),
             other = folder("others", true);
  std::filesystem::create_directory_symlink(other, parent.path() / "p2mpp-serve-link");
  const Spool next(parent.path(), 1000);
  EXPECT_FALSE(std::filesystem::exists(left));
  EXPECT_TRUE(std::filesystem::exists(running.path()));
  EXPECT_TRUE(std::filesystem::exists(foreign / "upload"));
  EXPECT_TRUE(std::filesystem::exists(other / "upload"));
}

}  // namespace
}  // namespace p2mpp
