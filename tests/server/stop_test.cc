// What a server has begun ends when nobody waits for it, and when the server's grace is over.
#include "base/clock.h"
#include "base/thread_scopes.h"
#include "server/mesh_server_fixture.h"

namespace p2mpp {
namespace {

// A server with slow readers: see keep_busy().
class StopTest : public MeshServerTest {
 protected:
  StopTest() {
    server_options_.grace = milliseconds(100);
    server_options_.service.threads = 2;
    server_options_.api.check = [this](const Sample&) {
      keep_busy();
      return nlohmann::ordered_json::object();
    };
    // Called while a sample is read.
    options_.on_warning = [this](const std::string&) { keep_busy(); };
  }

  ~StopTest() override { let_go_ = true; }

  // As a reader of a long file, which asks now and then whether it is wanted.
  void keep_busy() {
    ++busy_;
    while (!let_go_) {
      if (asks_) end_if_stopped();
      std::this_thread::sleep_for(milliseconds(1));
    }
  }

  // A client whose request is being read.
  [[nodiscard]] std::unique_ptr<HttpClient> client_of(const char* path) {
    auto client = std::make_unique<HttpClient>(port());
    const int before = busy_;
    client->send(post_request(path, kMultipart, sample_body()));
    for (int i = 0; i < 5000 && busy_ == before; ++i) std::this_thread::sleep_for(milliseconds(1));
    EXPECT_GT(busy_, before) << path;
    return client;
  }

  static constexpr const char *kMeshes = "/v1/meshes", *kCheck = "/v1/check";
  std::atomic<bool> asks_ = true, let_go_ = false;
  std::atomic<int> busy_ = 0;
};

TEST_F(StopTest, WhatIsReadEndsAfterTheGrace) {
  start();
  const auto mesh = client_of(kMeshes), check = client_of(kCheck);
  const Clock::time_point begun = Clock::now();
  stop();
  EXPECT_LT(Clock::now() - begun, std::chrono::seconds(1));
  EXPECT_EQ(mesh->receive().status, 503U);
  EXPECT_EQ(check->receive().status, 503U);
  EXPECT_EQ(statistics_.dropped, 2U);
}

TEST_F(StopTest, WhatIsReadForAClientThatLeavesEnds) {
  start();
  for (const char* path : {kMeshes, kCheck}) {
    for (int i = 0; i < 4; ++i) client_of(path)->leave();  // more than the threads
  }
  wait_for("p2mpp_in_work", 0);
}

TEST_F(StopTest, WhatHasBegunHasTheGrace) {
  server_options_.grace = std::chrono::seconds(20);
  start();
  const auto check = client_of(kCheck);
  std::jthread stopping([this] { stop(); });
  std::this_thread::sleep_for(milliseconds(300));
  let_go_ = true;
  EXPECT_EQ(check->receive().status, 200U);
  stopping.join();
  EXPECT_EQ(statistics_.dropped, 0U);
}

TEST_F(StopTest, WorkThatDoesNotAskEndsTheProgram) {
  asks_ = false;
  std::atomic<bool> has_ended = false;
  server_options_.most_overdue = milliseconds(100);
  server_options_.on_overdue = [&] {
    has_ended = true;
    let_go_ = true;
  };
  start();
  const auto check = client_of(kCheck);
  const Clock::time_point begun = Clock::now();
  stop();
  EXPECT_TRUE(has_ended);
  EXPECT_GE(Clock::now() - begun, milliseconds(200));
  EXPECT_EQ(check->receive().status, 503U);
  EXPECT_TRUE(spool_folder().empty());
}

}  // namespace
}  // namespace p2mpp
