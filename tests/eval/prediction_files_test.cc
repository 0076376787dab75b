#include "eval/prediction_files.h"

#include "eval/evaluation_fixture.h"

namespace p2mpp {
namespace {

class PredictionFiles : public testing::Test {
 protected:
  TemporaryFolder folder_;
};

TEST_F(PredictionFiles, BothFilesHoldTheMesh) {
  const TriangleMesh mesh = tetrahedron(0.25F);
  const WrittenPrediction paths = write_prediction(folder_.path(), "chair_1_00", mesh, "made by a test");
  EXPECT_EQ(paths.obj, folder_.path() / "chair_1_00_predict.obj");
  EXPECT_EQ(paths.xyz, folder_.path() / "chair_1_00_predict.xyz");
  const TriangleMesh written = read_obj(paths.obj);
  EXPECT_EQ(written.vertices, mesh.vertices);
  EXPECT_EQ(written.triangles, mesh.triangles);
  EXPECT_EQ(read_points(paths.xyz), mesh.vertices);
  EXPECT_NE(read_text(paths.obj).find("made by a test"), std::string::npos);
}

TEST_F(PredictionFiles, AnIdThatLeadsElsewhereIsRefused) {
  for (const std::string& id : {std::string(), std::string("../up"), std::string("a/b"), std::string("a\0b", 3)}) {
    EXPECT_THROW(write_prediction(folder_.path(), id, tetrahedron(1), ""), InputError) << id;
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(PredictionFiles, AFolderThatIsNotThereIsAnErrorThatNamesTheFile) {
  try {
    write_prediction(folder_.path() / "missing", "a", tetrahedron(1), "");
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("missing/a_predict.obj"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace p2mpp
