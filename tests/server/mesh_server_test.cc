#include "server/mesh_server.h"

#include "server/mesh_server_fixture.h"
#include "support/zip_writer.h"

namespace p2mpp {
namespace {

TEST_F(MeshServerTest, ASampleBecomesAMesh) {
  start();
  HttpClient client(port());
  const ClientResponse answered = client.ask(mesh_request(R"({"id": "chair"})"));
  ASSERT_EQ(answered.status, 200U) << answered.body;
  const Json json = Json::parse(answered.body);
  EXPECT_EQ(json["id"], "chair");
  EXPECT_EQ(json["status"], "done");
  EXPECT_EQ(answered.body.find(folder_.path()), std::string::npos);          // no path of this machine
  const ClientResponse glb = client.ask(get_request(json["files"]["glb"]));  // on the same connection
  EXPECT_EQ(glb.status, 200U);
  EXPECT_EQ(glb.body.substr(0, 4), "glTF");
  EXPECT_EQ(ask(get_request(json["files"]["glb"].get<std::string>() + "x")).status, 404U);
  stop();
  EXPECT_EQ(statistics_.done, 1U);
}

TEST_F(MeshServerTest, AReferenceIsAFolderBelowTheRoot) {
  const ListEntry entry = add_sample("chair", "good");
  server_options_.api.root = options_.images_root / "chair";
  start();
  const auto refer = [&](const std::string& sample) {
    return ask(post_request("/v1/meshes", "application/json", Json{{"sample", sample}}.dump()));
  };
  const ClientResponse answered = refer("good");
  ASSERT_EQ(answered.status, 200U) << answered.body;
  EXPECT_EQ(Json::parse(answered.body)["id"], "good");
  std::filesystem::create_directory_symlink("/", server_options_.api.root / "link");
  for (const char* outside : {"..", "../chair", "/etc", "good/../..", "link", "link/etc", ""}) {
    EXPECT_EQ(refer(outside).status, 400U) << outside;
  }
  EXPECT_EQ(refer("nothing").status, 422U);
}

TEST_F(MeshServerTest, ARequestReadsNothingOfOthers) {
  const std::string png = tiny_png();
  start();
  HttpClient holding(port());  // keeps another client's files in the spool
  occupy(holding);
  std::string name;  // of their folder
  std::filesystem::path spool;
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder_.path())) {
    if (file.path().filename() != "input") continue;
    name = file.path().parent_path().filename().string();
    spool = file.path().parent_path().parent_path();
  }
  ASSERT_EQ(name.size(), 32U);
  std::filesystem::create_directories(spool / "images");
  const std::string camera = "1 PINHOLE 64 48 80 80 32 24\n";
  const auto model_of = [&](const std::string& first, const std::string& second) {
    return part("image", "own.png", png) + part("image", "own2.png", png) + part("cameras", "cameras.txt", camera) +
           part("cameras", "images.txt", "1 1 0 0 0 0 0 4 1 " + first + "\n\n2 1 0 0 0 0 0 4 1 " + second + "\n\n") +
           part("cameras", "points3D.txt", "") + "--b--\r\n";
  };
  // The folders above the client's are the spool's, and their files have names that could be photographs'.
  const std::vector<std::string> theirs = {"lock",
                                           "a.png",
                                           name + "/input/a.png",
                                           "input/a.png",
                                           "../" + name + "/input/a.png",
                                           (spool / name / "input/a.png").string()};
  for (const std::string& wanted : theirs) {
    for (const char* path : {"/v1/check", "/v1/meshes"}) {
      if (std::string_view(path) == "/v1/meshes") hold(false);
      const ClientResponse answered = ask(post_request(path, kMultipart, model_of(wanted, "b.png")));
      EXPECT_NE(answered.status, 200U) << wanted;
      if (wanted.find(name) == std::string::npos) {
        EXPECT_EQ(answered.body.find(name), std::string::npos) << wanted;
      }
      EXPECT_EQ(answered.body.find(spool.filename()), std::string::npos) << answered.body;
    }
  }
  // The same words for a file of theirs as for one that does not exist.
  const auto refusal_of_sample = [&](const std::string& named) {
    const std::string body = part("image", "own.png", png) + part("image", "own2.png", png) +
                             part("cameras", "reconstruction.json",
                                  R"([{"cameras": {"c": {"projection_type": "perspective", "width": 64, "height": 48,
                                   "focal": 1}}, "shots": {")" +
                                      named + R"(": {"camera": "c", "rotation": [0, 0, 0],
                                   "translation": [0, 0, 4]}}}])") +
                             "--b--\r\n";
    std::string reason = Json::parse(ask(post_request("/v1/check", kMultipart, body)).body)["reason"];
    const std::string last = named.substr(named.rfind('/') + 1);
    for (const std::string& said : {named, last}) {
      for (std::size_t at; (at = reason.find(said)) != std::string::npos;) reason.replace(at, said.size(), "NAME");
    }
    return reason;
  };
  EXPECT_EQ(refusal_of_sample("../../lock"), refusal_of_sample("../../none"));
  EXPECT_EQ(refusal_of_sample("/etc/passwd"), refusal_of_sample("/etc/passwx"));
  EXPECT_EQ(refusal_of_sample("../../" + name + "/input/a.png"), refusal_of_sample("../../" + name + "/input/q.png"));
}

TEST_F(MeshServerTest, AnArchiveIsAFolder) {
  const std::string png = tiny_png();
  const auto send = [&](const char* path, const FileToPack& second) {
    const std::string archive =
        zip_archive({{.name = "chair/a.png", .bytes = png, .deflate = true},
                     second,
                     {.name = "chair/cameras.txt", .bytes = "0 27 0 0.75 25\n9 27 0 0.75 25\n"}});
    return ask(post_request(path, kMultipart, part("capture", "chair.zip", archive) + "--b--\r\n"));
  };
  start();
  const ClientResponse made = send("/v1/meshes", {.name = "chair/b.png", .bytes = png});
  EXPECT_EQ(made.status, 200U) << made.body;
  EXPECT_EQ(Json::parse(send("/v1/check", {.name = "chair/b.png", .bytes = png}).body)["views"], 2);
  for (const char* path : {"/v1/meshes", "/v1/check"}) {
    const ClientResponse damaged = send(path, {.name = "chair/b.png", .bytes = "x"});
    EXPECT_EQ(damaged.status, 422U);
    EXPECT_EQ(Json::parse(damaged.body)["reason"],
              "chair/b.png: is not an image; expected a PNG, a JPEG, a WebP or a BMP");
    const ClientResponse larger =
        send(path, {.name = "chair/b.png", .bytes = png + png, .size = static_cast<std::uint32_t>(png.size())});
    EXPECT_EQ(larger.status, 422U);
    EXPECT_EQ(Json::parse(larger.body)["reason"], "'chair/b.png': it has more bytes than the archive says");
  }
  EXPECT_EQ(send("/v1/meshes", {.name = "../b.png", .bytes = png}).status, 400U);
}

TEST_F(MeshServerTest, ACheckNeedsNoNetwork) {
  start();
  HttpClient occupying(port());
  occupy(occupying);
  const ClientResponse checked = ask(post_request("/v1/check", kMultipart, sample_body()));
  EXPECT_EQ(checked.status, 200U);
  EXPECT_EQ(Json::parse(checked.body)["views"], 2);
  const std::string bad = part("image", "a.png", "x") + part("image", "b.png", "x") +
                          part("cameras", "cameras.txt", "10 27 0 0.75 25\n20 27 0 0.75 25\n") + "--b--";
  const ClientResponse refused = ask(post_request("/v1/check", kMultipart, bad));
  EXPECT_EQ(refused.status, 422U);
  EXPECT_EQ(Json::parse(refused.body)["reason"].get<std::string>().substr(0, 5), "a.png");
}

TEST_F(MeshServerTest, HealthMetricsAndThePage) {
  start();
  EXPECT_EQ(Json::parse(ask(get_request("/v1/health")).body)["status"], "ok");
  EXPECT_EQ(ask(get_request("/")).body, "<p>page");
  EXPECT_HOLDS(ask(get_request("/")).head, "default-src 'none'");
  EXPECT_EQ(ask(mesh_request()).status, 200U);
  EXPECT_EQ(metric("p2mpp_requests_total{status=\"done\"}"), 1U);
  EXPECT_EQ(metric("p2mpp_mesh_seconds_count"), 1U);
}

TEST_F(MeshServerTest, EveryRefusalHasItsStatus) {
  start();
  const std::string json_type = "application/json";
  EXPECT_EQ(ask("nonsense\r\n\r\n").status, 400U);
  EXPECT_EQ(ask("GET / HTTP/1.1\r\n\r\n").status, 400U);  // no host
  EXPECT_EQ(ask(get_request("/", "X: " + std::string(20'000, 'x') + "\r\n")).status, 431U);
  EXPECT_EQ(ask(get_request("/../etc/passwd")).status, 404U);
  EXPECT_EQ(ask(get_request("/v1/meshes/../../etc/passwd")).status, 404U);
  EXPECT_EQ(ask(get_request("/v1/meshes")).status, 405U);
  EXPECT_EQ(ask(post_request("/", "text/plain", "")).status, 405U);
  EXPECT_EQ(ask("GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello").status, 413U);
  EXPECT_EQ(ask(post_request("/v1/meshes", "text/plain", "hello")).status, 400U);
  EXPECT_EQ(ask(post_request("/v1/meshes", json_type, "nonsense")).status, 400U);
  EXPECT_EQ(ask(post_request("/v1/meshes", json_type, std::string(70'000, ' '))).status, 413U);
  EXPECT_EQ(ask(post_request("/v1/meshes", kMultipart, "nonsense")).status, 400U);
  EXPECT_EQ(ask(post_request("/v1/meshes", kMultipart, sample_body("{}", "../a.png"))).status, 400U);
  EXPECT_EQ(ask(post_request("/v1/meshes", kMultipart, sample_body("{}", "b.png"))).status, 400U);
  EXPECT_EQ(ask(post_request("/v1/meshes", kMultipart, part("image", "a.png", "x") + "--b--")).status, 400U);
  EXPECT_EQ(ask("POST /v1/meshes HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; "
                "boundary=b\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")
                .status,
            400U);
  EXPECT_EQ(ask(mesh_request()).status, 200U);  // it is well
}

TEST_F(MeshServerTest, OtherPagesAndNamesMustNotAsk) {
  start();
  EXPECT_EQ(ask("GET /v1/health HTTP/1.1\r\nHost: evil.example\r\n\r\n").status, 403U);
  EXPECT_EQ(ask(mesh_request("{}", "Origin: https://evil.example\r\n")).status, 403U);
  EXPECT_EQ(ask(mesh_request("{}", "Origin: null\r\n")).status, 403U);
  EXPECT_EQ(ask(mesh_request("{}", "Origin: http://localhost\r\n")).status, 200U);
}

TEST_F(MeshServerTest, WithATokenOnlyThoseWhoHaveItMayAsk) {
  server_options_.api.token = "0123456789abcdef";
  start();
  EXPECT_EQ(ask(mesh_request()).status, 401U);
  EXPECT_EQ(ask(mesh_request("{}", "Authorization: Bearer 0123456789abcdee\r\n")).status, 401U);
  EXPECT_EQ(ask(get_request("/metrics")).status, 401U);
  EXPECT_EQ(ask(get_request("/v1/meshes/x/mesh.glb")).status, 401U);
  EXPECT_EQ(ask(get_request("/v1/health")).status, 200U);
  EXPECT_EQ(ask(get_request("/")).status, 200U);
  EXPECT_EQ(ask(mesh_request("{}", "Authorization: Bearer 0123456789abcdef\r\n")).status, 200U);
}

TEST_F(MeshServerTest, BodiesAreBounded) {
  server_options_.api.max_upload = 3000;
  server_options_.spool_bytes = 2000;
  start();
  const std::string image = part("image", "a.png", std::string(2500, 'x'));
  EXPECT_EQ(ask(post_request("/v1/meshes", kMultipart, image)).status, 507U);
  EXPECT_EQ(ask(post_request("/v1/meshes", kMultipart, image + image)).status, 413U);
  std::string chunked =
      "POST /v1/meshes HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; "
      "boundary=b\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string piece = part("request", "", std::string(7000, ' '));
  for (int i = 0; i < 3; ++i) chunked += fmt::format("{:x}\r\n{}\r\n", piece.size(), piece);
  EXPECT_EQ(ask(chunked).status, 413U);
  wait_for("p2mpp_spool_bytes", 0);
}

TEST_F(MeshServerTest, AFullQueueIsSaidBeforeTheBodyIsSent) {
  options_.batch = 1;
  server_options_.service.queue = 1;
  start();
  HttpClient occupying(port());
  occupy(occupying);
  // Those in the hands of the pipeline's threads, and the one in the queue.
  std::vector<std::unique_ptr<HttpClient>> waiting;
  for (int i = 0; i < 20 && metric("p2mpp_waiting") == 0; ++i) {
    waiting.push_back(std::make_unique<HttpClient>(port()));
    waiting.back()->send(mesh_request());
    std::this_thread::sleep_for(milliseconds(50));
  }
  const ClientResponse refused =
      ask("POST /v1/meshes HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; "
          "boundary=b\r\nContent-Length: 100000\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(refused.status, 429U);
  EXPECT_HOLDS(refused.head, "Retry-After");
  hold(false);
  for (const auto& client : waiting) EXPECT_EQ(client->receive().status, 200U);
}

TEST_F(MeshServerTest, ALateRequestIsNotBegun) {
  options_.batch = 1;
  start();
  HttpClient occupying(port());
  occupy(occupying);
  const auto others = clients_with(6, mesh_request());  // so that the late one has to wait in the queue
  wait_for("p2mpp_in_work", 7);
  const ClientResponse late = ask(mesh_request(R"({"deadline_ms": 30, "priority": -1})"));
  EXPECT_EQ(late.status, 504U);
  EXPECT_EQ(Json::parse(late.body)["status"], "expired");
}

TEST_F(MeshServerTest, NobodyComputesForAClientThatHasLeft) {
  options_.batch = 1;
  start();
  HttpClient occupying(port());
  occupy(occupying);
  const auto leaving = clients_with(10, mesh_request(R"({"priority": -1})"));
  wait_for("p2mpp_in_work", 11);
  for (const auto& client : leaving) client->leave();
  wait_for("p2mpp_clients_gone_total", 10);
  EXPECT_GE(metric("p2mpp_requests_total{status=\"withdrawn\"}"), 6U);
  hold(false);
  EXPECT_EQ(occupying.receive().status, 200U);
  wait_for("p2mpp_in_work", 0);
}

TEST_F(MeshServerTest, SlowClientsCostNobodyElse) {
  server_options_.http.head_time = server_options_.http.stall_time = milliseconds(300);
  server_options_.http.connections = 40;  // half of them of one address
  start();
  std::vector<std::unique_ptr<HttpClient>> slow;
  for (int i = 0; i < 10; ++i) {
    slow.push_back(std::make_unique<HttpClient>(port()));
    slow.back()->send(i % 2 == 0 ? "POST /v1/meshes HT" : mesh_request().substr(0, 300));
  }
  EXPECT_EQ(ask(mesh_request()).status, 200U);
  for (const auto& client : slow) EXPECT_EQ(client->receive().status, 0U);  // closed
  EXPECT_GE(metric("p2mpp_connections_timed_out_total"), 10U);
}

TEST_F(MeshServerTest, ManyClientsShareBatchesAndNoneIsLost) {
  constexpr int kClients = 200;
  server_options_.service.batch_timeout = milliseconds(50);
  start();
  std::atomic<int> done = 0;
  {
    std::vector<std::jthread> clients;
    for (int i = 0; i < kClients; ++i) {
      clients.emplace_back([&] { done += ask(mesh_request()).status == 200 ? 1 : 0; });
    }
  }
  EXPECT_EQ(done, kClients);
  EXPECT_GT(metric("p2mpp_batches_total{size=\"4\"}"), 0U);
}

TEST_F(MeshServerTest, AStopAnswersEverybody) {
  options_.batch = 1;
  start();
  HttpClient occupying(port());
  occupy(occupying);
  const auto waiting = clients_with(10, mesh_request());
  wait_for("p2mpp_in_work", 11);
  stop_requested_ = true;
  std::this_thread::sleep_for(milliseconds(300));
  stop();
  EXPECT_EQ(occupying.receive().status, 200U);
  int dropped = 0;
  for (const auto& client : waiting) {
    const unsigned status = client->receive().status;
    EXPECT_TRUE(status == 200 || status == 503) << status;
    dropped += status == 503 ? 1 : 0;
  }
  EXPECT_GE(dropped, 5);
  EXPECT_EQ(statistics_.dropped, static_cast<std::size_t>(dropped));
  EXPECT_TRUE(std::filesystem::exists(folder_.path()));
  server_.reset();
  EXPECT_TRUE(spool_folder().empty());
}

}  // namespace
}  // namespace p2mpp
