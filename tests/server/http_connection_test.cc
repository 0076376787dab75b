#include "server/mesh_server_fixture.h"

namespace p2mpp {
namespace {

using HttpConnectionTest = MeshServerTest;

TEST_F(HttpConnectionTest, TheOldestIdleOneMakesRoom) {
  server_options_.http.connections = 6;  // half of them of one address
  start();
  std::vector<std::unique_ptr<HttpClient>> open;
  for (int i = 0; i < 4; ++i) {
    open.push_back(std::make_unique<HttpClient>(port()));
    EXPECT_EQ(open.back()->ask(get_request("/v1/health")).status, 200U);
  }
  EXPECT_EQ(open[0]->receive().status, 0U);  // closed
  for (int i = 1; i < 4; ++i) EXPECT_EQ(open[i]->ask(get_request("/v1/health")).status, 200U);
}

TEST_F(HttpConnectionTest, IdleSocketsShutNobodyOut) {
  server_options_.http.connections = 8;
  start();
  std::vector<std::unique_ptr<HttpClient>> idle;
  for (unsigned i = 0; i < 60; ++i) {
    idle.push_back(std::make_unique<HttpClient>(port(), 1 + i % 5));
    if (i % 2 == 0) idle.back()->send("GET / HT");
    if (i % 20 != 19) continue;
    EXPECT_EQ(ask(mesh_request()).status, 200U);
  }
}

TEST_F(HttpConnectionTest, HealthAnswersWhereAllOthersAreBusy) {
  server_options_.http.connections = 4;
  options_.batch = 1;
  start();
  hold(true);
  std::vector<std::unique_ptr<HttpClient>> busy;
  const auto in_work = [&] {
    return Json::parse(HttpClient(port(), 3).ask(get_request("/v1/health")).body)["in_work"].get<std::size_t>();
  };
  for (const unsigned from : {1U, 1U, 2U, 2U}) {
    busy.push_back(std::make_unique<HttpClient>(port(), from));
    busy.back()->send(mesh_request());
    while (in_work() != busy.size()) std::this_thread::sleep_for(milliseconds(1));
  }
  EXPECT_EQ(ask(mesh_request()).status, 503U);
  std::vector<std::unique_ptr<HttpClient>> silent;  // they take each other's places
  for (std::size_t i = 0; i < 2 * HttpServer::kSpare; ++i) silent.push_back(std::make_unique<HttpClient>(port(), 3));
  EXPECT_EQ(ask(get_request("/v1/health")).status, 200U);
  hold(false);
  for (const auto& client : busy) EXPECT_EQ(client->receive().status, 200U);
}

TEST_F(HttpConnectionTest, AnAddressHasAShare) {
  server_options_.http.connections = 4;
  options_.batch = 1;
  start();
  hold(true);
  const auto busy = clients_with(2, mesh_request());
  HttpClient other(port(), 2);
  while (other.ask(get_request("/metrics")).body.find("p2mpp_in_work 2") == std::string::npos) {
    std::this_thread::sleep_for(milliseconds(1));
  }
  EXPECT_EQ(ask(get_request("/metrics")).status, 503U);
  hold(false);
}

TEST_F(HttpConnectionTest, ASlowBodyEnds) {
  server_options_.http.body_time = milliseconds(200);
  start();
  HttpClient client(port());
  client.send(mesh_request().substr(0, 300));
  const auto begin = std::chrono::steady_clock::now();
  while (client.send("x") && std::chrono::steady_clock::now() - begin < std::chrono::seconds(5)) {
    std::this_thread::sleep_for(milliseconds(20));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
}

TEST_F(HttpConnectionTest, AnAnswerThatNobodyTakesEnds) {
  server_options_.http.write_time = milliseconds(100);
  server_options_.api.page = std::string(std::size_t{16} << 20, 'x');
  start();
  HttpClient client(port());
  client.send(get_request("/"));
  wait_for("p2mpp_connections_timed_out_total", 1);
}

// A proxy in front of the server might see two requests where the server sees one.
TEST_F(HttpConnectionTest, AmbiguousRequestsAreRefusedAndClosed) {
  start();
  const std::string get = "GET /v1/health HTTP/1.1\r\nHost: localhost\r\n";
  for (const std::string fields :
       {"Transfer-Encoding: xchunked\r\n", "Transfer-Encoding: identity\r\n",
        "Transfer-Encoding: chunked, identity\r\n", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "Content-Length: 0\r\nContent-Length: 5\r\n",
        "Host: localhost\r\n"}) {
    HttpClient client(port());
    const ClientResponse refused = client.ask(get + fields + "\r\n0\r\n\r\n" + get_request("/v1/health"));
    EXPECT_EQ(refused.status, 400U) << fields;
    EXPECT_HOLDS(refused.head, "Connection: close") << fields;
    EXPECT_EQ(client.receive().status, 0U) << fields;
  }
  EXPECT_EQ(ask("GET /v1/health HTTP/1.0\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n").status,
            400U);
}

TEST_F(HttpConnectionTest, HeadIsGetWithoutABodyAndAWrongMethodIsToldTheRightOne) {
  start();
  HttpClient client(port());
  client.send("HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n" + get_request("/"));
  // The client reads as many bytes as Content-Length says: those of the second response.
  const ClientResponse head = client.receive();
  EXPECT_EQ(head.status, 200U);
  EXPECT_HOLDS(head.head, "Content-Length: 7");
  EXPECT_EQ(head.body, "HTTP/1.");
  EXPECT_HOLDS(ask(get_request("/v1/meshes")).head, "Allow: POST");
  EXPECT_HOLDS(ask(post_request("/", "text/plain", "")).head, "Allow: GET, HEAD");
  // Its Content-Length is of a body that does not come.
  EXPECT_EQ(ask("HEAD /v1/check HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").status, 405U);
  // What follows and is no request has an answer with a body.
  HttpClient other(port());
  other.send("HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\nno request\r\n\r\n");
  EXPECT_EQ(other.receive().body, "HTTP/1.");
  EXPECT_HOLDS(other.receive().body, "is not an HTTP request");
}

TEST_F(HttpConnectionTest, EveryLoopbackAddressIsThisMachine) {
  start();
  const auto status_for = [&](const std::string& host) {
    return ask("GET /v1/health HTTP/1.1\r\nHost: " + host + "\r\n\r\n").status;
  };
  EXPECT_EQ(status_for("127.0.0.2:8080"), 200U);
  EXPECT_EQ(status_for("[::1]:8080"), 200U);
  EXPECT_EQ(status_for("LOCALHOST:8080"), 200U);
  for (const char* other : {"127.0.0.1.example", "128.0.0.1", "127.1", "10.0.0.1", "[::2]"}) {
    EXPECT_EQ(status_for(other), 403U) << other;
  }
}

TEST_F(HttpConnectionTest, NoAnswerNamesAFolderOfThisMachine) {
  const ListEntry entry = add_sample("chair", "good");
  server_options_.api.root = options_.images_root / "chair";
  std::filesystem::remove(server_options_.api.root / "good/rendering/01.png");
  start();
  for (const std::string sample : {"good", "nothing", "good/rendering/00.png", "good/rendering"}) {
    for (const char* path : {"/v1/meshes", "/v1/check"}) {
      const ClientResponse answered = ask(post_request(path, "application/json", Json{{"sample", sample}}.dump()));
      EXPECT_EQ(answered.body.find(folder_.path()), std::string::npos) << answered.body;
    }
  }
  std::filesystem::remove_all(server_options_.api.root);
  const ClientResponse without_root = ask(post_request("/v1/meshes", "application/json", R"({"sample": "good"})"));
  EXPECT_EQ(without_root.body.find(folder_.path()), std::string::npos) << without_root.body;
}

}  // namespace
}  // namespace p2mpp
