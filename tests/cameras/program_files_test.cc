// Files as the versions of programs write them, and files of which a part cannot be used.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cameras/capture_folder.h"
#include "cameras/programs/camera_files.h"
#include "cameras/read_capture.h"
#include "io/image/png_file.h"
#include "p2mpp/error.h"
#include "support/pixels.h"

namespace p2mpp {
namespace {

const nlohmann::json kTurnless = {"1", "0", "0", "0", "1", "0", "0", "0", "1"};

/// A file of one photograph, with these values of its intrinsic.
std::string meshroom_file(int revision, const nlohmann::json& values) {
  nlohmann::json intrinsic = {{"intrinsicId", "1"},
                              {"width", "4092"},
                              {"height", "2048"},
                              {"sensorWidth", "36"},
                              {"sensorHeight", "24"},
                              {"type", "pinhole"},
                              {"principalPoint", {"-26", "16"}},
                              {"distortionParams", ""}};
  intrinsic.update(values);
  const nlohmann::json pose = {{"transform", {{"rotation", kTurnless}, {"center", {"0", "0", "-4"}}}}};
  return nlohmann::json{{"version", {"1", "2", std::to_string(revision)}},
                        {"featuresFolders", ""},
                        {"views", {{{"viewId", "3"}, {"poseId", "3"}, {"intrinsicId", "1"}, {"path", "/a/b.png"}}}},
                        {"intrinsics", {intrinsic}},
                        {"poses", {{{"poseId", "3"}, {"pose", pose}}}}}
      .dump();
}

/// The values are those of AliceVision's compatibility files, scene_v1.2.*.json, which all have this lens.
TEST(Meshroom, HasTheSameLensInTheFilesOfAllVersions) {
  const nlohmann::json pixels = {{"pxFocalLength", {"1000", "2000"}}}, corner = {{"principalPoint", {"2020", "1040"}}};
  const auto millimetres = [](const char* focal, const char* ratio) {
    return nlohmann::json{{"focalLength", focal}, {"pixelRatio", ratio}};
  };
  const nlohmann::json wide = millimetres("8.7976539589442808", "0.5"), square = millimetres("8.7976539589442808", "2"),
                       vertical = millimetres("17.595307917888562", "2");
  const std::vector<std::pair<nlohmann::json, std::vector<int>>> versions = {
      {pixels, {0, 1}}, {wide, {2, 3, 4}}, {square, {5, 6, 7, 8, 10}}, {vertical, {11, 14}}};
  for (const auto& [values, revisions] : versions) {
    for (const int revision : revisions) {
      nlohmann::json all = values;
      if (revision == 0) all.update(corner);
      if (revision >= 8) all.update({{"distortionType", "none"}, {"undistortionType", "none"}});
      const CameraList list = parse_meshroom(meshroom_file(revision, all), "m.sfm");
      const Lens& lens = list.cameras.at(0).lens;
      EXPECT_NEAR(lens.fx, 1000, 1e-6) << revision;
      EXPECT_NEAR(lens.fy, 2000, 1e-6) << revision;
      EXPECT_NEAR(lens.cx, 2020, 1e-6) << revision;
      EXPECT_NEAR(lens.cy, 1040, 1e-6) << revision;
    }
  }
}

Lens meshroom_lens(int revision, const nlohmann::json& values) {
  nlohmann::json all = {{"focalLength", "36"}, {"pixelRatio", "1"}, {"width", "1000"}, {"height", "500"}};
  all.update(values);
  return parse_meshroom(meshroom_file(revision, all), "m.sfm").cameras.at(0).lens;
}

TEST(Meshroom, NamesItsLensesInTwoWays) {
  const nlohmann::json one = {"0.1"}, three = {"0.1", "0.2", "0.3"}, brown = {"0.1", "0.2", "0.3", "0.4", "0.5"};
  using Row = std::tuple<const char*, const char*, nlohmann::json, std::array<double, 8>>;
  for (const auto& [before, since, parameters, coefficients] :
       std::vector<Row>{{"radial1", "radialk1", one, {0.1}},
                        {"radial3", "radialk3", three, {0.1, 0.2, 0, 0, 0.3}},
                        {"brown", "brown", brown, {0.1, 0.2, 0.4, 0.5, 0.3}},
                        {"fisheye4", "fisheye", {"0.1", "0.2", "0.3", "0.4"}, {0.1, 0.2, 0.3, 0.4}}}) {
    const Lens old = meshroom_lens(6, {{"type", before}, {"distortionParams", parameters}});
    const Lens now = meshroom_lens(14, {{"distortionType", since}, {"distortionParams", parameters}});
    EXPECT_EQ(old, now) << since;
    EXPECT_EQ(now.coefficients, coefficients) << since;
    EXPECT_EQ(now.model == LensModel::kFisheye, std::string_view(since) == "fisheye");
  }
  // Distortion3DERadial4::addDistortion() of AliceVision: c2 c4 u1 v1 u3 v3.
  const Lens lens = meshroom_lens(14, {{"distortionType", "3deradial4"},
                                       {"distortionParams", {"0.1", "-0.02", "0.003", "0.004", "0.005", "-0.006"}}});
  const double x = 0.3, y = -0.2, s = x * x + y * y, radial = 1 + 0.1 * s - 0.02 * s * s;
  const double u = 0.003 + 0.005 * s, v = 0.004 - 0.006 * s;
  const auto pixel = pixel_of(lens, {x, y, 1});
  ASSERT_TRUE(pixel);
  EXPECT_NEAR((pixel->x() - lens.cx) / lens.fx, x * radial + (s + 2 * x * x) * u + 2 * x * y * v, 1e-12);
  EXPECT_NEAR((pixel->y() - lens.cy) / lens.fy, y * radial + (s + 2 * y * y) * v + 2 * x * y * u, 1e-12);
  EXPECT_REFUSED(meshroom_lens(14, {{"distortionType", "3deanamorphic4"}, {"distortionParams", one}}),
                 "its distortion is of the type '3deanamorphic4'; expected radialk1, ");
  EXPECT_REFUSED(meshroom_lens(14, {{"undistortionType", "3declassicld"}}), "its undistortion is of the type");
}

/// Equidistant::project() of AliceVision: angles in halves of the field of view, distorted, times the circle's radius.
TEST(Meshroom, HasAFisheyeOfACircle) {
  const double k1 = 0.02, k2 = -0.01, k3 = 0.005, radius = 240;
  const Lens lens = meshroom_lens(14, {{"type", "equidistant"},
                                       {"distortionType", "radialk3pt"},
                                       {"distortionParams", {"0.02", "-0.01", "0.005"}},
                                       {"focalLength", "8"},
                                       {"fisheyeCircleRadius", "240"}});
  const double angle = 0.7, view = 24.0 / 8.0;
  const double r = angle / (0.5 * view);
  const double distorted = r * (1 + k1 * r * r + k2 * std::pow(r, 4) + k3 * std::pow(r, 6)) / (1 + k1 + k2 + k3);
  const auto pixel = pixel_of(lens, {std::sin(angle), 0, std::cos(angle)});
  ASSERT_TRUE(pixel);
  EXPECT_NEAR(pixel->x(), 500 - 26 + radius * distorted, 1e-9);
}

TEST(Meshroom, SaysThatNoCameraHasAPose) {
  nlohmann::json file = nlohmann::json::parse(meshroom_file(14, {{"focalLength", "8"}}));
  file.erase("poses");
  EXPECT_REFUSED(parse_meshroom(file.dump(), "m.sfm"),
                 "m.sfm: no camera has a pose (of 1); expected aligned photographs: align them, then export");
}

TEST(Meshroom, LeavesOutAViewOfAnUnknownRig) {
  nlohmann::json file = nlohmann::json::parse(meshroom_file(14, {{"focalLength", "8"}}));
  nlohmann::json view = file["views"][0];
  view.update({{"viewId", "4"}, {"rigId", "9"}, {"subPoseId", "0"}, {"isPoseIndependant", "false"}});
  file["views"].push_back(view);
  const CameraList list = parse_meshroom(file.dump(), "m.sfm");
  EXPECT_EQ(list.cameras.size(), 1U);
  EXPECT_HOLDS(list.notes.at(0), "1 of 2 photographs are left out: m.sfm: views[1]: its rig is not in the file");
}

/// DualCamera of opensfm/src/geometry/camera_instances.h: a share of a perspective and the rest of a fisheye, then k1,
/// k2.
TEST(OpenSfm, HasDualLenses) {
  const auto camera = [](double k1) {
    const nlohmann::json lens = {{"projection_type", "dual"}, {"width", 640}, {"height", 480}, {"focal", 0.9},
                                 {"transition", 0.3},         {"k1", k1},     {"k2", 0.01}};
    const nlohmann::json shot = {{"camera", "c"}, {"rotation", {0, 0, 0}}, {"translation", {0, 0, 1}}};
    const nlohmann::json all = {{{"cameras", {{"c", lens}}}, {"shots", {{"a.jpg", shot}}}}};
    return parse_opensfm(all.dump(), "r.json").cameras.at(0);
  };
  const ListedCamera growing = camera(-0.05);
  for (const double angle : {0.01, 0.3, 0.6, 0.9}) {
    const double r = 0.3 * std::tan(angle) + 0.7 * angle;
    const double distorted = r * (1 - 0.05 * r * r + 0.01 * std::pow(r, 4));
    EXPECT_NEAR(growing.undistorted(distorted), std::tan(angle), 1e-12) << angle;
  }
  EXPECT_TRUE(std::isnan(camera(-0.5).undistorted(2))) << "no direction has such a pixel";
}

TEST(RealityCapture, SeparatesColumnsBySemicolonsToo) {
  const CameraList commas =
      parse_realitycapture_csv("#cameras 1\n#name,x,y,alt,heading,pitch,roll,f\na.png,1,2,3,10,20,30,36\n", "r.csv");
  const CameraList other =
      parse_realitycapture_csv("#cameras 1\n#name;x;y;alt;yaw;pitch;roll;f_35mm\na.png;1;2;3;10;20;30;36\n", "r.csv");
  EXPECT_EQ(other.cameras.at(0).file, "a.png");
  EXPECT_EQ(other.cameras.at(0).lens, commas.cameras.at(0).lens);
  EXPECT_EQ(other.cameras.at(0).cam_from_source.rotation, commas.cameras.at(0).cam_from_source.rotation);
}

TEST(RealityCapture, HasAFourthPower) {
  const CameraList list =
      parse_realitycapture_csv("#name,x,y,alt,heading,pitch,roll,f,k4\na,1,2,3,0,0,0,36,0.5\n", "r");
  EXPECT_EQ(list.cameras.at(0).lens.extras.radial, (std::array<double, 3>{0.5, 0, 0}));
}

TEST(RealityCapture, NamesTheRightExport) {
  for (const auto& [header, missing] : std::initializer_list<std::pair<const char*, const char*>>{
           {"#name,x,y,z,heading,pitch,roll", "f"}, {"#name,x,y,z,omega,phi,kappa", "heading"}}) {
    const TemporaryFolder folder;
    for (const char* name : {"images/a.png", "images/b.png"}) folder.write(name, small_png());
    folder.write("reg.csv", std::string(header) + "\na.png,1,2,3,4,5,6\n");
    EXPECT_REFUSED(read_capture(folder.path()), fmt::format("reg.csv:1: has no column '{}'; expected RealityCapture's "
                                                            "export \"Internal/External camera parameters\"",
                                                            missing));
  }
}

TEST(RealityCapture, NoticesDegrees) {
  const auto row = [](const char* name, double x, double y, double alt) {
    return fmt::format("{},{},{},{},0,0,0,36\n", name, x, y, alt);
  };
  const std::string header = "#name,x,y,alt,heading,pitch,roll,f\n";
  EXPECT_REFUSED(parse_realitycapture_csv(
                     header + row("a", 8.54172, 47.37689, 431.3) + row("b", 8.54171, 47.37690, 433.4), "r.csv"),
                 "r.csv: x and y look like longitude and latitude (8.5417, 47.3769); expected metres");
  // A slow rise in metres, and map coordinates.
  EXPECT_EQ(parse_realitycapture_csv(header + row("a", 8, 47, 1) + row("b", 8.5, 47, 3), "r.csv").cameras.size(), 2U);
  EXPECT_EQ(parse_realitycapture_csv(header + row("a", 32e4, 5e6, 1) + row("b", 32e4, 5e6, 3), "r.csv").cameras.size(),
            2U);
}

TEST(RealityCapture, SaysThatNoXmpHasAPose) {
  const TemporaryFolder folder;
  for (const char* name : {"a", "b"}) {
    folder.write(std::string(name) + ".png", small_png());
    folder.write(std::string(name) + ".xmp", "<x><rdf:Description xcr:FocalLength35mm=\"45\"/></x>");
  }
  EXPECT_REFUSED(read_capture(folder.path()), "no camera has a pose (of 2); expected aligned photographs");
}

std::string metashape_camera(const char* label, const char* attributes) {
  return fmt::format(
      "<camera sensor_id=\"0\" label=\"{}\" {}><transform>1 0 0 0 0 1 0 0 0 0 1 4 0 0 0 1</transform>"
      "</camera>",
      label, attributes);
}

std::string metashape_file(const std::string& cameras) {
  return "<document><chunk><sensors>"
         "<sensor id=\"0\"><resolution width=\"64\" height=\"48\"/><calibration><f>80</f></calibration></sensor>"
         "<sensor id=\"1\" type=\"spherical\"><resolution width=\"64\" height=\"48\"/></sensor>"
         "<sensor id=\"2\"><resolution width=\"64\" height=\"48\"/></sensor>"
         "</sensors><cameras>" +
         cameras + "</cameras></chunk></document>";
}

TEST(Metashape, SaysWhichPartItTakes) {
  const std::string two = metashape_camera("a", "component_id=\"0\"") + metashape_camera("b", "component_id=\"0\"");
  const CameraList list = parse_metashape(metashape_file(metashape_camera("c", "component_id=\"1\"") + two), "m.xml");
  ASSERT_EQ(list.cameras.size(), 2U);
  EXPECT_EQ(list.cameras[0].file, "a");
  EXPECT_HOLDS(list.notes.at(0), "this is the largest of 2 components, which were not aligned with each other; 1 ");
  EXPECT_HOLDS(parse_metashape(metashape_file(two + metashape_camera("c", "enabled=\"0\"")), "m.xml").notes.at(0),
               "1 of 3 photographs are left out: m.xml: camera 'c' is disabled");
}

TEST(Metashape, LeavesOutCamerasOfSensorsThatItCannotUse) {
  for (const char* sensor : {"1", "2"}) {
    std::string other = metashape_camera("c", "");
    other.replace(other.find("\"0\""), 3, fmt::format("\"{}\"", sensor));
    const CameraList list =
        parse_metashape(metashape_file(metashape_camera("a", "") + metashape_camera("b", "") + other), "m.xml");
    EXPECT_EQ(list.cameras.size(), 2U);
    EXPECT_HOLDS(list.notes.at(0), fmt::format("1 of 3 photographs are left out: m.xml: sensor {} ", sensor));
  }
}

TEST(Metashape, TellsEqualLabelsApartByTheirGroups) {
  const auto group = [](const char* label) {
    return fmt::format("<group label=\"{}\">{}</group>", label, metashape_camera("a", ""));
  };
  const CameraList list =
      parse_metashape(metashape_file(group("left") + group("right") + metashape_camera("b", "")), "m.xml");
  EXPECT_EQ(list.cameras.at(0).file, "left/a");
  EXPECT_EQ(list.cameras.at(1).file, "right/a");
  EXPECT_EQ(list.cameras.at(2).file, "b");
}

/// Metashape's manual: a pixel at x' (f + B1) + y' B2, with K4 of r^8.
TEST(Metashape, HasASkewAndHigherPowers) {
  std::string file = metashape_file(metashape_camera("a", ""));
  const std::string f = "<f>80</f>";
  file.replace(file.find(f), f.size(), "<f>80</f><b1>2</b1><b2>3</b2><k4>0.5</k4><p1>0.01</p1><p3>2</p3><p4>3</p4>");
  const Lens lens = parse_metashape(file, "m.xml").cameras.at(0).lens;
  const double x = 0.4, y = 0.3, s = x * x + y * y, radial = 1 + 0.5 * std::pow(s, 4);
  const double p1 = 0.01 * (1 + 2 * s + 3 * s * s);
  const double u = x * radial + p1 * (s + 2 * x * x), v = y * radial + 2 * p1 * x * y;
  const auto pixel = pixel_of(lens, {x, y, 1});
  ASSERT_TRUE(pixel);
  EXPECT_NEAR(pixel->x(), 32 + u * 80 + u * 2 + v * 3, 1e-9);
  EXPECT_NEAR(pixel->y(), 24 + v * 80, 1e-9);
}

constexpr const char* kBundler =
    "# Bundle file v0.3\n2 0\n80 0 0\n1 0 0\n0 1 0\n0 0 1\n0 0 -4\n"
    "80 0 0\n1 0 0\n0 1 0\n0 0 1\n0 1 -4\n";

TEST(Bundler, FindsTheListsOfOtherPrograms) {
  using Row = std::tuple<const char*, const char*, const char*>;
  for (const auto& [file, list, names] : std::initializer_list<Row>{
           {"model.bundle.out", "model.list.txt", "my a.png\nb 2.png\n"},
           {"model.out", "model.list.txt", "images/my a.png 0 80.5\nimages/b 2.png 0 80.5\n"},
           {"scan.out", "imagelist.lst", "C:\\Users\\me\\My scans\\my a.png\nC:\\Users\\me\\My scans\\b 2.png\n"},
           {"bundle.out", "list.txt", "images/my a.png\n\nimages/b 2.png\n"}}) {
    const TemporaryFolder folder;
    for (const char* name : {"images/my a.png", "images/b 2.png"}) folder.write(name, small_png());
    folder.write(file, kBundler);
    folder.write(list, names);
    const Capture capture = read_capture(folder.path());
    ASSERT_EQ(capture.photographs.size(), 2U) << file;
    EXPECT_EQ(capture.photographs[1].image.filename(), "my a.png") << file;
    EXPECT_NEAR(capture.photographs[1].centre().y(), 0, 1e-12) << file;
  }
}

TEST(Bundler, LeavesOutACameraThatIsNone) {
  std::string text = kBundler;
  text.replace(text.find("0 1 -4"), 6, "0 nan -4");
  const CameraList list = parse_bundler(text, "b.out", {"a.png", "b.png"});
  EXPECT_EQ(list.cameras.size(), 1U);
  EXPECT_HOLDS(list.notes.at(0), "1 of 2 photographs are left out: b.out: camera 1: the camera is 'nan'");
}

TEST(VisualSfm, ReadsBlanksInNamesAndTheLargestModel) {
  const std::string row = " 80 1 0 0 0 0 0 -4 0 0\n";
  const CameraList list = parse_visualsfm(
      "NVM_V3\n\n1\nx.png" + row + "\n0\n\n2\nmy a 1.png" + row + "my\"b.png" + row + "\n0\n\n0\n\n# PLY files\n0\n",
      "n.nvm");
  ASSERT_EQ(list.cameras.size(), 2U);
  EXPECT_EQ(list.cameras[0].file, "my a 1.png");
  EXPECT_EQ(list.cameras[1].file, "my b.png");
  EXPECT_HOLDS(list.notes.at(0), "this is the largest of 2 models, which were not connected");
  EXPECT_REFUSED(parse_visualsfm("NVM_V3_X\n1\nx.png" + row, "n.nvm"),
                 "n.nvm:1: is of the version 'NVM_V3_X'; expected NVM_V3 or NVM_V3_R9T");
}

/// The points are not needed.
TEST(VisualSfm, ReadsFilesWhosePointsAreWrong) {
  const CameraList list = parse_visualsfm("NVM_V3\n1\nx.png 80 1 0 0 0 0 0 -4 0 0\n1\n1 2 x 9 9 9 3\n", "n.nvm");
  EXPECT_EQ(list.cameras.size(), 1U);
  EXPECT_HOLDS(list.notes.at(0), "its points are left out: n.nvm:5: the point is 'x'");
}

/// Older versions count from the first camera, however it was held (record3d, issue 27).
TEST(Record3d, KnowsGravityUnlessItCountsFromTheFirstCamera) {
  const auto up = [](const nlohmann::json& first) {
    const nlohmann::json file = {
        {"w", 64}, {"h", 48}, {"K", {80, 0, 0, 0, 80, 0, 32, 24, 1}}, {"poses", {first, {0, 0, 1, 0, 0, 1, 0}}}};
    return parse_record3d(file.dump(), "m", {"0.jpg", "1.jpg"}).up;
  };
  EXPECT_FALSE(up({0, 0, 0, 1, 0, 0, 0}));
  EXPECT_EQ(up({0.1, 0, 0, 1, 0, 0, 0}), Eigen::Vector3d(0, 1, 0));
}

TEST(OpenMvg, SaysThatNoCameraHasAPose) {
  nlohmann::json file =
      nlohmann::json::parse(slurp(std::filesystem::path(P2MPP_TEST_DATA) / "captures/openmvg/sfm_data.json"));
  file["extrinsics"] = nlohmann::json::array();
  EXPECT_REFUSED(parse_openmvg(file.dump(), "s.json"), "s.json: no camera has a pose (of 3); expected aligned");
}

TEST(OneBadRecord, RefusesNobodyElse) {
  const nlohmann::json pose = {{"img_name", "a"},
                               {"width", 64},
                               {"height", 48},
                               {"position", {0, 0, -4}},
                               {"fx", 80},
                               {"fy", 80},
                               {"rotation", {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};
  nlohmann::json other = pose;
  other["rotation"][0][0] = "NaN";
  const CameraList list = parse_gaussian_splatting(nlohmann::json::array({pose, other}).dump(), "c.json");
  EXPECT_EQ(list.cameras.size(), 1U);
  EXPECT_HOLDS(list.notes.at(0), "1 of 2 photographs are left out: c.json: [1].rotation");
  const CameraList rows =
      parse_middlebury("2\na.png 1 2 3\nb.png 80 0 32 0 80 24 0 0 1 1 0 0 0 1 0 0 0 1 0 0 4\n", "p.txt");
  EXPECT_EQ(rows.cameras.size(), 1U);
  EXPECT_HOLDS(rows.notes.at(0), "1 of 2 photographs are left out: p.txt:2: has 3 numbers");
}

}  // namespace
}  // namespace p2mpp
