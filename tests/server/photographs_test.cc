// Photographs without cameras, with a shell script in place of p2mpp-photos.
#include "base/atomic_file.h"
#include "base/input_file.h"
#include "server/http.h"
#include "server/mesh_server_fixture.h"
#include "server/progress.h"
#include "server/upload.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPath = "/v1/photographs/0123456789abcdef";
constexpr std::string_view kMakesAMesh = R"(
mkdir "$here/$3" "$here/$3/work"
ls "$here/$1" > images
echo "$*" > arguments
echo "p2mpp-photos: photographs: 5 of 5; all in $3/photographs.jpg" >&2
until [ -e go ]; do sleep 0.01; done
for each in work/large mesh.glb mesh_view.html report.html masks.jpg; do echo $each > "$here/$3/$each"; done
echo "{\"notes\": [\"look at $3/masks.jpg\"], \"report\": \"$3/report.html\", \"sample\": {\"vertices\": 3}}" > "$here/$3/photos.json"
)";
constexpr std::string_view kRunsUntilItIsStopped = R"(
trap 'touch stopped; exit 130' TERM
touch begun
while :; do sleep 0.01; done
)";

class PhotographsTest : public MeshServerTest {
 protected:
  void set_program(std::string_view script) {
    const fs::path program = folder_.path() / "photos.sh";
    write_file_atomically(program, fmt::format("#!/bin/sh\nhere=$PWD\ncd '{}'\n{}", folder_.path().string(), script));
    fs::permissions(program, fs::perms::owner_all);
    server_options_.api.photographs.program = program;
  }

  static std::string request(const std::string& json = "{}", std::size_t images = 5, const std::string& further = {},
                             const char* path = kPath) {
    std::string body = further + part("request", "", json);
    for (std::size_t i = 0; i < images; ++i) body += part("image", fmt::format("{}.png", i), tiny_png());
    return post_request(path, kMultipart, body + "--b--\r\n");
  }

  [[nodiscard]] bool exists(const char* name) const { return fs::exists(folder_.path() / name); }
  void wait_for_file(const char* name) const {
    for (int i = 0; i < 1000 && !exists(name); ++i) std::this_thread::sleep_for(milliseconds(10));
    EXPECT_TRUE(exists(name)) << name;
  }
  void touch(const char* name) const { write_file_atomically(folder_.path() / name, ""); }
  [[nodiscard]] std::string text_of(const char* name) const { return read_file(folder_.path() / name, 10'000); }
};

TEST_F(PhotographsTest, WhatTheProgramSaysIsTheProgressAndWhatItWritesTheResult) {
  set_program(kMakesAMesh);
  server_options_.api.photographs.arguments = {"--threads", "3"};
  server_options_.api.photographs.mesh_arguments = {"--model", "some"};
  start();
  EXPECT_EQ(ask(get_request(kPath)).status, 404U);
  HttpClient client(port());
  client.send(request(R"({"id": "chair", "surface_vertices": 2000, "printed_bar": "98.5mm",
                          "known_distances": [["0.png:1,2", "1.png:3,4.5", "0.png:5,6", "1.png:7,8", "12cm"]]})"));
  ClientResponse progress;
  for (int i = 0; i < 1000 && progress.body.find("all in") == std::string::npos; ++i) {
    progress = ask(get_request(kPath));
    std::this_thread::sleep_for(milliseconds(10));
  }
  EXPECT_EQ(Json::parse(progress.body), Json::parse(R"({"lines": ["photographs: 5 of 5; all in photographs.jpg"]})"));
  EXPECT_HOLDS(ask(request()).body, "this key is in use");
  touch("go");
  const ClientResponse answer = client.receive();
  EXPECT_EQ(answer.status, 200U);
  const Json json = Json::parse(answer.body);
  EXPECT_EQ(json["id"], "chair");
  EXPECT_EQ(json["status"], "done");
  EXPECT_EQ(json["result"], Json::parse(R"({"notes": ["look at masks.jpg"], "sample": {"vertices": 3}})"));
  for (const auto& [kind, file] : json["files"].items()) EXPECT_EQ(ask(get_request(file)).status, 200U) << kind;
  EXPECT_EQ(json["files"].size(), 4U);
  EXPECT_EQ(ask(get_request(json["files"]["glb"])).body, "mesh.glb\n");
  EXPECT_EQ(text_of("images"), "0.png\n1.png\n2.png\n3.png\n4.png\n");
  EXPECT_HOLDS(text_of("arguments"),
               "--name mesh --threads 3 --known-distance 0.png:1,2 1.png:3,4.5 0.png:5,6 1.png:7,8 12cm "
               "--printed-bar 98.5mm -- --model some --surface-vertices 2000\n");
  EXPECT_LT(metric("p2mpp_spool_bytes"), 1000U);  // without work/
}

TEST_F(PhotographsTest, ItsErrorIsTheReason) {
  set_program(R"(mkdir "$here/$3"; touch "$here/$3/photographs.jpg"
echo "p2mpp-photos: error: cameras: 2 of 5; look at $3/photographs.jpg; then go on with: p2mpp-photos $*" >&2; exit 3)");
  start();
  const ClientResponse answer = ask(request());
  EXPECT_EQ(answer.status, 422U);
  const Json json = Json::parse(answer.body);
  EXPECT_EQ(json["reason"], "cameras: 2 of 5; look at photographs.jpg");
  EXPECT_EQ(ask(get_request(json["files"]["photographs"])).status, 200U);
}

TEST_F(PhotographsTest, APoorMeshIsAResult) {
  set_program(
      R"(mkdir "$here/$3"; echo '{"grade": "poor"}' > "$here/$3/photos.json"; touch "$here/$3/mesh.glb"; exit 4)");
  start();
  const ClientResponse answer = ask(request());
  EXPECT_EQ(answer.status, 200U) << answer.body;
  const Json json = Json::parse(answer.body);
  EXPECT_EQ(json["result"]["grade"], "poor");
  EXPECT_EQ(ask(get_request(json["files"]["glb"])).status, 200U);
}

TEST_F(PhotographsTest, FailuresThatSayNothing) {
  set_program("exit 7");
  start();
  ClientResponse answer = ask(request());
  EXPECT_EQ(answer.status, 500U);
  EXPECT_EQ(Json::parse(answer.body)["reason"], "p2mpp-photos ended with exit code 7; it may use 8192 MB of memory");
  set_program("kill -XCPU $$");
  EXPECT_HOLDS(ask(request()).body, "p2mpp-photos took more than 14400 s of a processor's time");
  fs::remove(server_options_.api.photographs.program);
  answer = ask(request());
  EXPECT_EQ(answer.status, 500U);
  EXPECT_HOLDS(answer.body, "cannot be run");
}

TEST(ProgressBoardTest, AKeyIsFreeWithItsAnswer) {
  ProgressBoard board;
  const std::string key(ProgressBoard::kShortestKey, 'k');
  const auto first = board.open(key);
  EXPECT_THROW(static_cast<void>(board.open(key)), Refusal);
  first->close();
  EXPECT_EQ(board.find(key), first);
  const auto second = board.open(key);
  EXPECT_EQ(board.find(key), second);
}

TEST_F(PhotographsTest, AClientThatLeavesStopsTheProgram) {
  set_program(kRunsUntilItIsStopped);
  start();
  HttpClient client(port());
  client.send(request());
  wait_for_file("begun");
  client.leave();
  wait_for_file("stopped");
  wait_for_empty_spool();
}

TEST_F(PhotographsTest, ADeadlineStopsTheProgram) {
  set_program(kRunsUntilItIsStopped);
  server_options_.api.photographs.most_time = std::chrono::seconds(1);
  start();
  EXPECT_EQ(ask(request(R"({"deadline_ms": 200})")).status, 504U);
  wait_for_file("stopped");
  EXPECT_EQ(ask(request("{}", 5, {}, "/v1/photographs")).status, 504U);  // the server's own
  wait_for_empty_spool();
}

TEST_F(PhotographsTest, OneRunsAtATimeAndAStopEndsIt) {
  set_program(kRunsUntilItIsStopped);
  server_options_.grace = milliseconds(50);
  start();
  HttpClient first(port()), second(port());
  first.send(request());
  wait_for_file("begun");
  fs::remove(folder_.path() / "begun");
  second.send(request("{}", 5, {}, "/v1/photographs"));
  std::this_thread::sleep_for(milliseconds(100));
  EXPECT_FALSE(exists("begun"));
  stop();
  EXPECT_TRUE(exists("stopped"));
  for (HttpClient* each : {&first, &second}) EXPECT_EQ(each->receive().status, 503U);
  EXPECT_EQ(statistics_.dropped, 2U);  // so the exit code is 5
}

TEST_F(PhotographsTest, WhatIsRefused) {
  start();
  EXPECT_EQ(ask(request()).status, 404U);  // there is no program
  stop();
  set_program(kMakesAMesh);
  stop_requested_ = false;
  start();
  const auto reason = [&](const std::string& sent) { return ask(sent).body; };
  EXPECT_HOLDS(reason(request("{}", 4, part("image", "a.heic", "x"))), "a.heic: is not an image");
  EXPECT_HOLDS(reason(request("{}", 4, part("image", "a.png", std::string("II*\0", 4)))), "a.png: is a TIFF image");
  EXPECT_HOLDS(reason(request("{}", 4, part("image", "a.gif", "x"))), "is not an image's");
  EXPECT_EQ(ask(post_request("/v1/meshes", kMultipart, part("image", "a.heic", "x") + "--b--\r\n")).status, 400U);
  EXPECT_HOLDS(reason(request("{}", 4)), "image: there are 4; expected at least 5");
  EXPECT_HOLDS(reason(request(R"({"turntable": {"elevation": 20}})")), "have neither cameras");
  EXPECT_HOLDS(reason(request("{}", 5, part("cameras", "cameras.txt", "x"))), "have neither cameras");
  EXPECT_HOLDS(reason(request("{}", 5, {}, "/v1/photographs/short")), "is no key");
  const auto known = [&](const std::string& word, const std::string& length) {
    return reason(request(R"({"known_distances": [["0.png:1,2", ")" + word + R"(", "0.png:5,6", "1.png:7,8", ")" +
                          length + R"("]]})"));
  };
  EXPECT_HOLDS(known("9.png:1,2", "12cm"), "9.png is no photograph that was sent");
  EXPECT_HOLDS(known("../0.png:1,2", "12cm"), "is no photograph that was sent");
  EXPECT_HOLDS(known("--masks:1,2", "12cm"), ": expected [[");
  EXPECT_HOLDS(known("1.png:1", "12cm"), ": expected [[");
  EXPECT_HOLDS(known("1.png:1,2", "long"), ": expected [[");
  EXPECT_HOLDS(reason(request(R"({"printed_bar": "wide"})")), ": expected a length such as 98.5mm");
  EXPECT_EQ(ask(post_request(kPath, "application/json", "{}")).status, 400U);
  EXPECT_FALSE(exists("arguments"));
  wait_for_empty_spool();
}

// What waits takes the room that its files have, and of one address at most its share.
TEST_F(PhotographsTest, ManyPhotographsThatWaitShutNobodyOut) {
  set_program(kRunsUntilItIsStopped);
  start();
  HttpClient running(port()), waiting(port());
  running.send(request("{}", Upload::kMaxImages));
  wait_for_file("begun");
  waiting.send(request("{}", Upload::kMaxImages, {}, "/v1/photographs"));
  std::this_thread::sleep_for(milliseconds(50));
  EXPECT_EQ(HttpClient(port(), 2).ask(mesh_request()).status, 200U);
  EXPECT_EQ(ask(mesh_request()).status, 200U);
  EXPECT_LT(metric("p2mpp_spool_bytes"), 100'000U);
}

TEST_F(PhotographsTest, AnAddressCannotFillTheSpool) {
  set_program(kRunsUntilItIsStopped);
  server_options_.spool_bytes = 20'000;
  start();
  HttpClient running(port());
  running.send(request());
  wait_for_file("begun");
  const std::string large = part("image", "a.png", std::string(12'000, 'x'));
  for (const char* path : {"/v1/meshes", "/v1/check", "/v1/photographs"}) {
    EXPECT_EQ(ask(post_request(path, kMultipart, large)).status, 507U) << path;
  }
  EXPECT_EQ(HttpClient(port(), 2).ask(mesh_request()).status, 200U);
}

TEST_F(PhotographsTest, AProgramThatWritesTooMuchIsStopped) {
  set_program(R"(head -c 4000 /dev/zero > "$TMPDIR/a"; head -c 4000 /dev/zero > "$here/b"
trap 'touch stopped; exit 130' TERM
while :; do sleep 0.01; done)");
  server_options_.api.photographs.bytes_each = 1000;
  start();
  const ClientResponse answer = ask(request());
  EXPECT_EQ(answer.status, 507U);
  EXPECT_EQ(Json::parse(answer.body)["reason"],
            "p2mpp-photos was stopped: it wrote 8000 bytes for 5 photographs; expected at most 5000");
  EXPECT_TRUE(exists("stopped"));
  stop();
  stop_requested_ = false;
  server_options_.api.photographs.bytes_each = 10'000;
  server_options_.spool_bytes = 10'000;
  start();
  EXPECT_HOLDS(ask(request()).body, "the server has no room for further files from this address");
  wait_for_empty_spool();
}

}  // namespace
}  // namespace p2mpp
