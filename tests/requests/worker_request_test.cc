#include "requests/worker_request.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "p2mpp/error.h"
#include "requests/option_request.h"
#include "results/run_options.h"
#include "support/mutations.h"
#include "support/temporary_folder.h"

namespace p2mpp {
namespace {

constexpr const char* kByFiles =
    R"({"id": "chair", "images": ["a.png", "b.png"], "cameras": "c.txt", "output": "out", "priority": 3})";

WorkerRequest parse(std::string_view text) { return parse_request(parse_request_line(text), 7); }

std::string refusal(std::string_view text) {
  return refusal_by([&] { static_cast<void>(parse(text)); });
}

TEST(ParseRequest, ByFiles) {
  const WorkerRequest request = parse(kByFiles);
  EXPECT_EQ(request.id, "chair");
  EXPECT_EQ(request.priority, 3);
  EXPECT_EQ(request.line, 7U);
  EXPECT_EQ(request.images, (std::vector<std::filesystem::path>{"a.png", "b.png"}));
  EXPECT_EQ(request.cameras, "c.txt");
  EXPECT_EQ(request.output, "out");
  EXPECT_FALSE(request.entry);
}

TEST(ParseRequest, WithRowsOfCameras) {
  const WorkerRequest request =
      parse(R"({"id": "a", "images": ["a", "b"], "cameras": [[1, 2, 0, 0.5, 0], [-3.5, 4, 0, 0.75, 25]]})");
  EXPECT_TRUE(request.cameras.empty());
  ASSERT_EQ(request.camera_rows.size(), 2U);
  EXPECT_EQ(request.camera_rows[1].azimuth_deg, -3.5F);
  EXPECT_EQ(request.camera_rows[1].distance, 0.75F);
}

TEST(ParseRequest, ByFolder) {
  const WorkerRequest request = parse(
      R"({"id": "a", "sample": "chairs/a", "views": 5, "turntable": {"elevation": -20.5, "fov": 60}, "deadline_ms": 9})");
  EXPECT_EQ(request.sample, "chairs/a");
  EXPECT_EQ(request.view_count, 5U);
  EXPECT_EQ(request.source.turntable.elevation_deg, -20.5);
  EXPECT_FALSE(request.source.turntable.clockwise);
  EXPECT_EQ(request.source.turntable.field_of_view_deg, 60);
  EXPECT_EQ(request.deadline, std::chrono::milliseconds(9));
  EXPECT_EQ(refusal(R"({"id": "a/b", "sample": "a"})").substr(0, 5), "'a/b'");
  EXPECT_HOLDS(refusal(R"({"id": "a", "sample": "a", "images": []})"), "no key \"images\"");
  EXPECT_HOLDS(refusal(R"({"id": "a", "sample": "a", "turntable": {"elevation": 1, "tilt": 2}})"), "no key \"tilt\"");
}

TEST(ParseRequest, TakesTheCorrectionsOfCaptures) {
  const WorkerRequest request =
      parse(R"({"id": "a", "sample": "a", "refine_masks": false, "refine_poses": true, "background": "white"})");
  RunOptions options;
  set_requested(request.options, options);
  EXPECT_FALSE(options.capture.corrections.masks);
  EXPECT_TRUE(options.capture.corrections.poses);
  EXPECT_EQ(options.capture.background.colour, (Colour{255, 255, 255}));
  EXPECT_HOLDS(refusal(R"({"id": "a", "sample": "a", "background": "grey"})"), "\"background\": expected \"auto\"");
  EXPECT_HOLDS(refusal(R"({"id": "a", "sample": "a", "refine_masks": 0})"), "\"refine_masks\": expected true or false");
  EXPECT_HOLDS(refusal(R"({"id": "a", "sample": "a", "masks": "m"})"), "no key \"masks\"");
}

TEST(ParseRemoteRequest, NamesNoFileOutsideItsRoot) {
  const auto remote = [](std::string_view text) { return parse_remote_request(parse_request_line(text), true); };
  const WorkerRequest request = remote(R"({"sample": "chairs/a", "initial": "hull"})");
  EXPECT_EQ(request.sample, "chairs/a");
  for (const char* bad :
       {R"({})", R"({"sample": ""})", R"({"sample": "/etc"})", R"({"sample": "../a"})", R"({"sample": "a/../../b"})",
        R"({"sample": "a\u0000b"})", R"({"sample": "a", "output": "b"})", R"({"sample": "a", "cameras": "b"})",
        R"({"sample": "a", "initial": "b.ply"})", R"({"sample": "a", "id": "b/c"})",
        R"({"sample": "a", "deadline_ms": 1e9})"}) {
    EXPECT_THROW(static_cast<void>(remote(bad)), InputError) << bad;
  }
}

TEST(ParseRequest, WithAFit) {
  const auto with = [](const std::string& keys) {
    return parse((R"({"id": "a", "images": ["a", "b"], "cameras": "c", )" + keys + "}").c_str());
  };
  const auto find_options = [&](const std::string& keys) {
    RunOptions options;
    set_requested(with(keys).options, options);
    return options;
  };
  const RunOptions fitted = find_options(R"("fit_views": "0,1", "fit_steps": 3)");
  EXPECT_EQ(fitted.fit.listed, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(fitted.fit_steps, 3);
  EXPECT_EQ(fitted.initial, InitialShape());
  const RunOptions begun = find_options(R"("initial": "hull", "target_vertices": 900)");
  EXPECT_EQ(begun.initial.kind, InitialShape::Kind::kHull);
  EXPECT_EQ(begun.initial.target_vertices, 900U);
  EXPECT_EQ(find_options(R"("fit_views": "none")").fit.kind, FitViews::Kind::kNone);
  const SurfaceChoice surface =
      find_options(R"("surface": "volume", "resolution": 64, "surface_vertices": 900)").surface;
  EXPECT_EQ(surface.kind, SurfaceChoice::Kind::kVolume);
  EXPECT_EQ(surface.resolution, 64);
  EXPECT_EQ(surface.target_vertices, 900U);
  EXPECT_EQ(find_options(R"("resolution": "auto")").surface.resolution, 0);
  EXPECT_TRUE(parse(kByFiles).options.empty());
}

TEST(ParseRequest, ByAListsEntry) {
  const WorkerRequest request = parse(R"({"id": "1", "entry": "chair_a_00.dat", "line": 12, "priority": -1})");
  ASSERT_TRUE(request.entry);
  EXPECT_EQ(request.entry->id, "chair_a_00");
  EXPECT_EQ(request.entry->line, 12U);
  EXPECT_EQ(request.entry->category, "chair");
  EXPECT_EQ(request.priority, -1);
  EXPECT_FALSE(parse(R"({"id": "1", "entry": "../../etc/passwd_00.dat"})").entry->problem.empty());
}

TEST(ParseRequest, SaysWhatIsWrong) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"id": "a", "images": ["a", "b"], "cameras": "c", "fit_views": "some"})", "\"fit_views\": expected \"all\""},
      {R"({"id": "a", "images": ["a", "b"], "cameras": "c", "fit_views": 3})", "\"fit_views\": expected \"all\""},
      {R"({"id": "a", "images": ["a", "b"], "cameras": "c", "fit_steps": 101})",
       "\"fit_steps\": expected a whole number from 0 to 100"},
      {R"({"id": "1", "entry": "chair_a_00.dat", "fit_views": "all"})", "no key \"fit_views\""},
      {R"({"id": "a", "images": ["a", "b"], "cameras": "c", "surface": "mesh"})",
       "\"surface\": expected auto, template, volume"},
      {R"({"id": "a", "images": ["a", "b"], "cameras": "c", "resolution": "64"})",
       "\"resolution\": expected auto or a whole number from 32 to 512"},
      {R"({"id": "a", "images": ["a", "b"], "cameras": "c", "initial": 3})",
       "\"initial\": expected \"ellipsoid\", \"hull\" or a mesh file's name"},
      {R"({"id": "a", "images": ["a", "b"], "cameras": "c", "target_vertices": 99})",
       "\"target_vertices\": expected a whole number from 100 to 200000"},
      {"", "not valid JSON"},
      {"{", "not valid JSON"},
      {R"({"id": "a", "id": "b", "entry": "chair_a_00.dat"})", "has the key \"id\" twice"},
      {"[]", "is not a JSON object"},
      {"{}", "\"id\": expected"},
      {R"({"id": 3})", "\"id\": expected"},
      {R"({"id": ""})", "\"id\": expected"},
      {R"({"id": "a"})", "\"images\": expected a list of 2 to 64"},
      {R"({"id": "a", "images": ["a"], "cameras": "c"})", "\"images\": expected a list of 2 to 64"},
      {R"({"id": "a", "images": ["a", 3], "cameras": "c"})", "\"images\": expected a list of 2 to 64"},
      {R"({"id": "a", "images": ["a", "b"]})", "\"cameras\": expected a file"},
      {R"({"id": "a", "images": ["a", "b"], "cameras": [[1, 2, 3, 4, 5]]})", "\"cameras\": expected a row for each"},
      {R"({"id": "a", "images": ["a", "b"], "cameras": [[1, 2, 3, 4], [1]]})", "\"cameras\": expected rows of five"},
      {R"({"id": "a", "images": ["a", "b"], "cameras": [[1e300, 2, 0, 1, 0], [1, 2, 0, 1, 0]]})", "rows of five"},
      {R"({"id": "a", "images": ["a", "b"], "cameras": [[1, 2, 0, 0, 0], [1, 2, 0, 1, 0]]})", "\"cameras\": "},
      {R"({"id": "a/b", "images": ["a", "b"], "cameras": "c"})", "cannot name a sample"},
      {R"({"id": "a", "images": ["a", "b"], "cameras": "c", "imgaes": 1})", "no key \"imgaes\"; expected id, images"},
      {R"({"id": "a", "images": ["a", "b"], "cameras": "c", "output": 3})", "\"output\": expected"},
      {R"({"id": "a", "images": ["a", "b"], "cameras": "c", "priority": 0.5})",
       "\"priority\": expected a whole number"},
      {R"({"id": "a", "images": ["a", "b"], "cameras": "c", "priority": 99999999999999999999})", "\"priority\": "},
      {R"({"id": "a", "entry": "chair_a_00.dat", "line": 0})", "\"line\": expected a whole number"},
      {R"({"id": "a", "entry": "chair_a_00.dat", "line": 18446744073709551615})", "\"line\": expected a whole number"},
      {R"({"id": "a", "entry": "chair_a_00.dat", "images": []})", "no key \"images\"; expected id, entry"},
  };
  for (const auto& [text, expected] : cases) {
    EXPECT_HOLDS(refusal(text), expected) << text << " gave " << refusal(text);
  }
}

TEST(ParseRequest, SurvivesMutations) {
  const auto read = [](const std::string& text) { static_cast<void>(parse(text)); };
  EXPECT_GT(survive_mutations(kByFiles, 3000, 1, read), 50);
  EXPECT_THROW(read(std::string(100'000, '[')), InputError);
}

TEST(OpenRequestedSample, TakesRowsAsTheyAre) {
  const std::filesystem::path images = std::filesystem::path(P2MPP_TEST_DATA) / "io" / "images";
  WorkerRequest request;
  request.id = "a";
  request.images = {images / "gray8.png", images / "rgb8.png"};
  request.camera_rows = {{10, 20, 0, 0.75F, 25}, {30, 20, 0, 0.75F, 25}};
  const Sample sample = open_requested_sample(request, {}).sample;
  ASSERT_EQ(sample.views.size(), 2U);
  EXPECT_EQ(sample.views[1].row->azimuth_deg, 30);
  EXPECT_EQ(sample.views[1].image.width, 13);
  request.images[1] = images / "missing.png";
  EXPECT_THROW(static_cast<void>(open_requested_sample(request, {})), InputError);
}

TEST(OpenRequestedSample, IsOfTheRequestsName) {
  const TemporaryFolder folder;
  const std::string image = slurp(std::filesystem::path(P2MPP_TEST_DATA) / "io" / "images" / "gray8.png");
  std::string rows;
  for (int i = 0; i < 8; ++i) {
    folder.write("images/" + std::to_string(i) + ".png", image);
    rows += std::to_string(40 * i) + " 30 0 0.8 25\n";
  }
  folder.write("images/cameras.txt", rows);
  WorkerRequest request;
  request.id = "a";
  request.sample = folder.path() / "images";
  request.view_count = 8;
  const Sample sample = open_requested_sample(request, {}).sample;
  EXPECT_EQ(sample.id, "a");
  EXPECT_EQ(sample.views.size(), 8U);
  request.sample /= "0.png";
  request.readable = folder.path();
  EXPECT_REFUSED(open_requested_sample(request, {}), "0.png: is not a folder; expected a sample's folder or a capture");
}

}  // namespace
}  // namespace p2mpp
