#include "results/prediction_files.h"

#include <algorithm>

#include "base/archive/zip_file.h"
#include "p2mpp/error.h"
#include "p2mpp/mesh_texture.h"
#include "support/evaluation_fixture.h"
#include "support/write_prediction.h"

namespace p2mpp {
namespace {

class PredictionFiles : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
};

TEST_F(PredictionFiles, BothFilesHoldTheMesh) {
  const TriangleMesh mesh = tetrahedron(0.25F);
  const auto paths = write_prediction(folder_.path(), "chair_1_00", mesh, {.encoding = {.comment = "made by a test"}});
  ASSERT_EQ(paths.size(), 2U);
  EXPECT_EQ(paths[0], folder_.path() / "chair_1_00_predict.obj");
  EXPECT_EQ(paths[1], folder_.path() / "chair_1_00_predict.xyz");
  const TriangleMesh written = read_mesh(paths[0]);
  EXPECT_EQ(written.vertices, mesh.vertices);
  EXPECT_EQ(written.triangles, mesh.triangles);
  EXPECT_EQ(read_mesh(paths[1]).vertices, mesh.vertices);
  EXPECT_HOLDS(slurp(paths[0]), "made by a test");
}

TEST_F(PredictionFiles, ATextureHasFilesOfItsOwn) {
  TriangleMesh mesh = tetrahedron(0.25F);
  auto texture = std::make_shared<MeshTexture>();
  texture->image = {2, 2, std::vector<std::uint8_t>(16, 255)};
  texture->corners.resize(mesh.triangles.size(), {Eigen::Vector2f(0, 0), Eigen::Vector2f(1, 0), Eigen::Vector2f(0, 1)});
  mesh.texture = texture;
  UnfinishedPrediction prediction =
      begin_prediction(folder_.path(), "a", {[&](Frame) { return mesh; }},
                       {.formats = {MeshFormat::kObj}, .encoding = {}, .coarse = false, .frame = {}});
  std::vector<std::string> names;
  for (UnfinishedFile& file : prediction.files) {
    file.put_in_place();
    names.push_back(file.path().filename().string());
  }
  EXPECT_EQ(names, (std::vector<std::string>{"a_predict_texture.png", "a_predict.mtl", "a_predict.obj"}));
  EXPECT_EQ(prediction.sha256.size(), 3U);
  EXPECT_TRUE(read_mesh(folder_.path() / "a_predict.obj").texture);
}

TEST_F(PredictionFiles, StlFarFromZeroIsANote) {
  TriangleMesh mesh = tetrahedron(0.25F);
  mesh.origin = {5e5, 4e6, 0};
  const auto note = [&](MeshFormat format) {
    return begin_prediction(folder_.path(), "a", {[&](Frame) { return mesh; }},
                            {.formats = {format}, .encoding = {}, .coarse = false, .frame = {}})
        .note;
  };
  EXPECT_EQ(note(MeshFormat::kPly), "");
  EXPECT_HOLDS(note(MeshFormat::kStl), "stl has too few digits");
}

TEST_F(PredictionFiles, EveryFormatIsWrittenInTheOrderAskedFor) {
  const std::vector<MeshFormat> formats = {MeshFormat::kGlb, MeshFormat::kPly, MeshFormat::kStl};
  const auto paths = write_prediction(folder_.path(), "a", tetrahedron(1), {.formats = formats, .encoding = {}});
  ASSERT_EQ(paths.size(), 3U);
  EXPECT_EQ(paths[0], folder_.path() / "a_predict.glb");
  EXPECT_TRUE(slurp(paths[0]).starts_with("glTF"));
  EXPECT_EQ(read_mesh(paths[1]).triangles, tetrahedron(1).triangles);
  EXPECT_EQ(slurp(paths[2]).size(), 84U + 4 * 50);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "a_predict.obj"));
}

TEST_F(PredictionFiles, EachFormatHasItsFrame) {
  const PredictedMesh mesh{[](Frame frame) { return tetrahedron(1 + static_cast<float>(frame)); }};
  MeshOutput output{
      .formats = {MeshFormat::kObj, MeshFormat::kGlb, MeshFormat::kPly, MeshFormat::kStl, MeshFormat::kXyz},
      .encoding = {.comment = "made by a test"}};
  EXPECT_EQ(frame_name(output), "by format");
  write_prediction(folder_.path(), "a", mesh, output);
  for (const MeshFormat format : output.formats) {
    const bool published = format == MeshFormat::kObj || format == MeshFormat::kXyz;
    EXPECT_EQ(frame_of(output, format), published ? Frame::kCamera0 : Frame::kWorld);
    EXPECT_EQ(read_mesh(prediction_path(folder_.path(), "a", format)).vertices.back(),
              mesh.in(frame_of(output, format)).vertices.back());
  }
  EXPECT_HOLDS(slurp(prediction_path(folder_.path(), "a", MeshFormat::kObj)), "made by a test, frame camera0");
  EXPECT_HOLDS(slurp(prediction_path(folder_.path(), "a", MeshFormat::kPly)), "made by a test, frame world");
}

TEST_F(PredictionFiles, AGivenFrameIsThatOfAllFormats) {
  const PredictedMesh mesh{[](Frame frame) { return tetrahedron(1 + static_cast<float>(frame)); }};
  for (const Frame frame : {Frame::kCamera0, Frame::kWorld, Frame::kSource}) {
    const MeshOutput output{
        .formats = {MeshFormat::kObj, MeshFormat::kGlb}, .encoding = {}, .coarse = false, .frame = frame};
    write_prediction(folder_.path(), "a", mesh, output);
    for (const MeshFormat format : output.formats) {
      EXPECT_EQ(read_mesh(prediction_path(folder_.path(), "a", format)).vertices.back(),
                mesh.in(frame).vertices.back());
    }
    EXPECT_EQ(frame_named(frame_name(output)), frame);
  }
  EXPECT_EQ(frame_name({}), "camera0");
  EXPECT_EQ(frame_named("by format"), std::nullopt);
}

/// A unit of the source is 2 m, and the world's 3 units of the source.
TEST_F(PredictionFiles, AUnitIsThatOfTheSource) {
  const PredictedMesh mesh{[](Frame frame) { return tetrahedron(frame == Frame::kSource ? 3 : 1); }, 3};
  for (const Frame frame : {Frame::kWorld, Frame::kSource}) {
    write_prediction(folder_.path(), "a", mesh, {.formats = {MeshFormat::kGlb}, .frame = frame, .unit = "2m"});
    EXPECT_EQ(read_mesh(folder_.path() / "a_predict.glb").vertices, tetrahedron(6).vertices);
  }
}

/// Along x, in the file's unit.
double width_of_3mf(const std::filesystem::path& file) {
  const std::string bytes = slurp(file);
  std::string model;
  for (const ZipEntry& entry : zip_entries(bytes)) {
    if (entry.name.ends_with(".model")) unpack_entry(entry, [&](std::string_view part) { model += part; });
  }
  double low = 1e9, high = -1e9;
  for (std::size_t at = model.find(" x=\""); at != std::string::npos; at = model.find(" x=\"", at + 1)) {
    const double x = std::stod(model.substr(at + 4));
    low = std::min(low, x);
    high = std::max(high, x);
  }
  return high - low;
}

TEST_F(PredictionFiles, MeshesAreFinished) {
  const PredictedMesh mesh{[](Frame) { return tetrahedron(0.25F); }, 2};
  const auto finished = [&](FinishPurpose purpose, const std::string& unit) {
    UnfinishedPrediction prediction;
    const MeshOutput output{.unit = unit, .finish = purpose};
    begin_finished_meshes(folder_.path(), "a", mesh, output, 1, prediction);
    std::vector<std::filesystem::path> paths;
    for (UnfinishedFile& file : prediction.files) {
      file.put_in_place();
      paths.push_back(file.path());
    }
    EXPECT_EQ(paths, finished_paths(folder_.path(), "a", purpose));
    EXPECT_EQ(prediction.sha256.size(), paths.size());
    return paths;
  };
  EXPECT_TRUE(finished(FinishPurpose::kNone, "").empty());
  const auto for_web = finished(FinishPurpose::kWeb, "");
  ASSERT_EQ(for_web.size(), 3U);
  EXPECT_EQ(read_mesh(for_web[0]).vertices, tetrahedron(0.25F).vertices);
  const auto for_print = finished(FinishPurpose::kPrint, "1cm");
  ASSERT_EQ(for_print.size(), 1U);
  EXPECT_EQ(width_of_3mf(for_print[0]), 5);  // millimetres
  EXPECT_THROW(check_size({.finish = FinishPurpose::kPrint}, {}), InputError);
  EXPECT_NO_THROW(check_size({.finish = FinishPurpose::kPrint}, 0.001));
}

TEST_F(PredictionFiles, FormatsHaveOneOrder) {
  EXPECT_EQ(format_names(), (std::vector<std::string>{"obj", "xyz", "ply", "glb", "stl", "3mf", "usdz"}));
  EXPECT_EQ(format_names(std::vector{MeshFormat::kStl, MeshFormat::kObj}), (std::vector<std::string>{"obj", "stl"}));
}

TEST_F(PredictionFiles, WhateverFormatIsThereIsFound) {
  const TriangleMesh mesh = tetrahedron(1);
  for (const MeshFormat format : {MeshFormat::kXyz, MeshFormat::kStl, MeshFormat::kGlb, MeshFormat::kPly}) {
    const auto paths = write_prediction(folder_.path(), "a", mesh, {.formats = {format}, .encoding = {}});
    EXPECT_EQ(find_prediction(folder_.path(), "a"), paths.at(0));  // what has triangles first
    EXPECT_EQ(read_mesh(paths.at(0)).vertices.size(), mesh.vertices.size());
  }
  EXPECT_EQ(prediction_ids(folder_.path()), std::vector<std::string>{"a"});
  constexpr std::array kStl = {MeshFormat::kStl}, kObj = {MeshFormat::kObj};
  EXPECT_EQ(find_prediction(folder_.path(), "a", kStl).extension(), ".stl");
  EXPECT_THROW(static_cast<void>(find_prediction(folder_.path(), "a", kObj)), InputError);
}

TEST_F(PredictionFiles, AnIdThatLeadsElsewhereIsRefusedAndAMissingFolderNamed) {
  for (const std::string& id : {std::string(), std::string("../up"), std::string("a/b"), std::string("a\0b", 3)}) {
    EXPECT_THROW(write_prediction(folder_.path(), id, tetrahedron(1), {}), InputError) << id;
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
  const auto write = [&] { write_prediction(folder_.path() / "missing", "a", tetrahedron(1), {}); };
  EXPECT_HOLDS(message_of<Error>(write), "missing/a_predict.obj");
}

}  // namespace
}  // namespace p2mpp
