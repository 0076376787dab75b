#include "server/mesh_server.h"
#include "server/mesh_server_fixture.h"
#include "server/upload.h"
#include "support/bound_probes.h"
#include "support/documents.h"
#include "support/zip_writer.h"

namespace p2mpp {
namespace {

constexpr const char* kBoundary = "b";
constexpr std::uint64_t kMostUnpacked = 1000;

class ServiceBoundsTest : public MeshServerTest {
 protected:
  // What the server says to a body of these parts; empty: it takes them.
  [[nodiscard]] std::string refused_body(const std::string& parts) {
    Spool spool(folder_.path(), std::uint64_t{1} << 30);
    SpoolFolder folder(spool, "client");
    Upload upload(folder, PixelTotal::kUsualMost, kMostUnpacked);
    MultipartParser parser(kBoundary, upload);
    return refusal_by<std::exception>([&] {
      parser.feed(parts);
      parser.feed("--b--");
    });
  }

  // `make`: the parts for a number.
  void expect_bound(std::size_t bound, const std::function<std::string(std::size_t)>& make, const std::string& reason) {
    EXPECT_EQ(refused_body(make(bound)), "") << reason;
    EXPECT_HOLDS(refused_body(make(bound + 1)), reason) << reason;
  }

  static std::string images(const std::string& field, std::size_t count) {
    std::string parts;
    for (std::size_t i = 0; i < count; ++i) parts += part(field, fmt::format("{}.png", i), "x");
    return parts;
  }

  [[nodiscard]] unsigned status_of_body(const std::string& type, std::size_t bytes) {
    return ask(post_request("/v1/meshes", type, std::string(bytes, ' '))).status;
  }

  [[nodiscard]] unsigned status_of_head(std::size_t bytes) {
    const std::string before = "GET /v1/health HTTP/1.1\r\nHost: localhost\r\nX: ", after = "\r\n\r\n";
    return ask(before + std::string(bytes - before.size() - after.size(), 'x') + after).status;
  }
};

TEST_F(ServiceBoundsTest, TheDocumentListsThem) {
  EXPECT_HOLDS(document("service.md"), bounds_table(service_bounds())) << "docs/service.md: expected\n"
                                                                       << bounds_table(service_bounds());
}

// With an input just below each bound and one just above it. `elsewhere`: the test that does so with a small bound.
TEST_F(ServiceBoundsTest, EachIsKept) {
  const auto elsewhere = [](const char*) { return [] {}; };
  server_options_.api.max_upload = 100'000;
  start();
  const BoundProbes probes = {
      {"pixels of all images and masks of a request, each as often as it is named",
       elsewhere("BoundedWorkTest.TooManyPixelsAreRefusedBeforeTheyAreDecoded, AsManyPixelsAsAllowedAreTaken")},
      {"pixels of a request that shares its turn with others",
       [] {
         WorkerRequest request;
         request.pixels = kMostPixelsOfLight;
         EXPECT_FALSE(is_heavy(request));
         ++request.pixels;
         EXPECT_TRUE(is_heavy(request));
       }},
      {"requests that are read, fitted or checked side by side",
       elsewhere("BoundedWorkTest.NobodyWaitsForALongRequest")},
      {"batches of one address that have begun", elsewhere("RequestQueue.OfOneClientOnlySoManyHaveBegun")},
      {"bytes of a body",
       [&] {
         EXPECT_EQ(status_of_body(kMultipart, 100'000), 400U);
         EXPECT_EQ(status_of_body(kMultipart, 100'001), 413U);
       }},
      {"bytes of JSON: a reference, or the part `request`",
       [&] {
         EXPECT_EQ(status_of_body("application/json", Upload::kMaxRequestText), 400U);
         EXPECT_EQ(status_of_body("application/json", Upload::kMaxRequestText + 1), 413U);
         expect_bound(
             Upload::kMaxRequestText, [](std::size_t bytes) { return part("request", "", std::string(bytes, ' ')); },
             "request: has more than 65536 bytes");
       }},
      {"bytes of the part `cameras`",
       [&] {
         expect_bound(
             Upload::kMaxCameraBytes,
             [](std::size_t bytes) { return part("cameras", "cameras.txt", std::string(bytes, ' ')); },
             "cameras: has more than 16777216 bytes");
       }},
      {"parts `image`, and parts `mask`",
       [&] {
         for (const char* field : {"image", "mask"}) {
           expect_bound(
               Upload::kMaxImages, [&](std::size_t count) { return images(field, count); }, "there are more than 256");
         }
       }},
      {"bytes of all files of the part `capture`",
       [&] {
         expect_bound(
             kMostUnpacked,
             [](std::size_t bytes) {
               return part("capture", "a.zip", zip_archive({{.name = "a", .size = static_cast<std::uint32_t>(bytes)}}));
             },
             "more than 1,000 bytes together");
       }},
      {"bytes of a file of `capture` that is no image", elsewhere("CaptureArchive.IsBounded")},
      {"files and folders of `capture`", elsewhere("CaptureArchive.IsBounded")},
      {"images of `capture`, masks among them", elsewhere("CaptureArchive.IsBounded")},
      {"folders above a file of `capture`", elsewhere("CaptureArchive.RefusesWhatIsNotPlain")},
      {"parts of a body",
       [&] {
         struct : PartReceiver {
           void begin_part(const PartHead&) override {}
           void part_bytes(std::string_view) override {}
           void end_part() override {}
         } nothing;
         const auto feed = [&](std::size_t count) {
           MultipartParser parser(kBoundary, nothing);
           parser.feed(images("image", count));
         };
         EXPECT_NO_THROW(feed(MultipartParser::kMaxParts));
         EXPECT_THROW(feed(MultipartParser::kMaxParts + 1), InputError);
       }},
      {"bytes of a part's head", elsewhere("MultipartTest")},
      {"bytes of a file's name",
       [&] {
         expect_bound(
             Upload::kMaxNameLength,
             [](std::size_t bytes) { return part("image", std::string(bytes - 4, 'a') + ".png", "x"); },
             "more than 200 bytes");
       }},
      {"bytes of a request's head",
       [&] {
         EXPECT_EQ(status_of_head(HttpServer::kMaxHead), 200U);
         EXPECT_EQ(status_of_head(HttpServer::kMaxHead + 64), 431U);
       }},
      {"time for a request's head, and between two requests", elsewhere("MeshServerTest.SlowClientsCostNobodyElse")},
      {"time for 16 KB of a body", elsewhere("MeshServerTest.SlowClientsCostNobodyElse")},
      {"time for a body", elsewhere("HttpConnectionTest.ASlowBodyEnds")},
      {"time for a client to take an answer", elsewhere("HttpConnectionTest.AnAnswerThatNobodyTakesEnds")},
      {"time for an answer", elsewhere("BoundedWorkTest.WorkIsGivenUpAtItsDeadline")},
      {"photographs without cameras", elsewhere("PhotographsTest.WhatIsRefused")},
      {"requests with photographs without cameras side by side",
       elsewhere("PhotographsTest.OneRunsAtATimeAndAStopEndsIt")},
      {"the same that wait", elsewhere("BoundedWorkTest.AsManyChecksAsAllowedWait: the same class")},
      {"time for an answer to photographs without cameras", elsewhere("PhotographsTest.ADeadlineStopsTheProgram")},
      {"bytes that `p2mpp-photos` writes for each photograph",
       elsewhere("PhotographsTest.AProgramThatWritesTooMuchIsStopped")},
      {"memory of each process of `p2mpp-photos`", elsewhere("ChildProcess.ItHasLimits")},
      {"processor time of each process of `p2mpp-photos`", elsewhere("ChildProcess.ItHasLimits")},
      {"lines of a progress that are kept",
       [] {
         Progress progress;
         for (std::size_t i = 0; i <= Progress::kMostLines; ++i) progress.add(fmt::format("{}", i));
         EXPECT_EQ(Json::parse(progress.json())["lines"].size(), Progress::kMostLines);
         EXPECT_EQ(Json::parse(progress.json())["lines"][0], "1");
       }},
      {"connections", elsewhere("HttpConnectionTest.IdleSocketsShutNobodyOut")},
      {"connections of one address", elsewhere("HttpConnectionTest.AnAddressHasAShare")},
      {"connections beyond these, for `/v1/health` alone",
       elsewhere("HttpConnectionTest.HealthAnswersWhereAllOthersAreBusy")},
      {"requests for meshes that wait", elsewhere("MeshServerTest.AFullQueueIsSaidBeforeTheBodyIsSent")},
      {"checks that wait", elsewhere("BoundedWorkTest.AsManyChecksAsAllowedWait")},
      {"bytes of uploads and results on the disk", elsewhere("MeshServerTest.BodiesAreBounded")},
      {"the same of one address", elsewhere("SpoolTest.NobodyTakesMoreThanHalfOfWhatTheOthersLeave")},
      {"results that are kept", elsewhere("ResultStore.KeepsTheLatestForATime")},
      {"time that results are kept", elsewhere("BoundedWorkTest.ResultsGoWithoutBeingAskedFor")},
      {"time for requests that have begun, after SIGTERM",
       elsewhere("BoundedWorkTest.AStopGivesUpWhatIsNotFinishedSoon")},
      {"time that given-up work then takes to end", elsewhere("StopTest.WorkThatDoesNotAskEndsTheProgram")}};
  expect_kept(service_bounds(), probes);
}

}  // namespace
}  // namespace p2mpp
