#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/little_endian.h"
#include "base/reading_scope.h"
#include "base/stop_token.h"
#include "cameras/capture_folder.h"
#include "cameras/colmap_files.h"
#include "cameras/read_capture.h"
#include "support/growth.h"
#include "support/many_pictures.h"
#include "support/zip_writer.h"

// A small file must not keep a server busy: every reader takes a time in proportion to its records, and can be stopped.
namespace p2mpp {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using testing::kFew;
using testing::kMostGrowth;
using testing::kTimes;
using testing::name_of;
using testing::write_pictures;

constexpr const char* kRows = "1 0 0 0 0 1 0 0 0 0 1 4";  // [R|t]
constexpr const char* kK = "80 0 32 0 80 24 0 0 1";

std::string repeated(int count, const std::function<std::string(int)>& record) {
  std::string text;
  for (int i = 0; i < count; ++i) text += record(i);
  return text;
}
Json list_of(int count, const std::function<Json(int)>& record) {
  Json list = Json::array();
  for (int i = 0; i < count; ++i) list.push_back(record(i));
  return list;
}

const Json kIdentity = {1, 0, 0, 0, 1, 0, 0, 0, 1};
const Json kJsonK = {80, 0, 32, 0, 80, 24, 0, 0, 1};

std::string npy(const std::string& shape, std::span<const double> values) {
  std::string header = fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': {}, }}", shape);
  std::string bytes("\x93NUMPY\x01\x00", 8);
  append_little_endian(bytes, static_cast<std::uint16_t>(header.size()));
  bytes += header;
  for (const double value : values) append_little_endian(bytes, std::bit_cast<std::uint64_t>(value));
  return bytes;
}

/// Writes a capture of `count` cameras with a program's files, beside the folder images/.
struct Format {
  const char* name;
  void (*write)(const TemporaryFolder& folder, int count);
  int few = 300;
};

std::vector<WrittenImage> written_images(int count) {
  std::vector<WrittenImage> images;
  for (int i = 0; i < count; ++i) images.push_back({.name = name_of(i), .t = {0, 0, 4}, .points = 2});
  return images;
}

const std::vector<Format> kFormats = {
    {"colmap_binary",
     [](const TemporaryFolder& folder, int count) {
       write_colmap(folder, "sparse/0", true, {{}}, written_images(count), std::vector<WrittenPoint>(10 * count));
     }},
    {"colmap_text",
     [](const TemporaryFolder& folder, int count) {
       write_colmap(folder, "sparse/0", false, {{}}, written_images(count), std::vector<WrittenPoint>(10 * count));
     }},
    {"transforms",
     [](const TemporaryFolder& folder, int count) {
       const Json frames = list_of(count, [](int i) {
         return Json{{"file_path", "images/" + name_of(i)},
                     {"transform_matrix", {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 4}, {0, 0, 0, 1}}}};
       });
       folder.write("transforms.json", Json{{"fl_x", 80}, {"w", 64}, {"h", 48}, {"frames", frames}}.dump());
     }},
    {"gaussian_splatting",
     [](const TemporaryFolder& folder, int count) {
       folder.write("cameras.json", list_of(count, [](int i) {
                                      return Json{{"id", i},
                                                  {"img_name", fs::path(name_of(i)).stem().string()},
                                                  {"width", 64},
                                                  {"height", 48},
                                                  {"position", {0, 0, -4}},
                                                  {"rotation", {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
                                                  {"fx", 80},
                                                  {"fy", 80}};
                                    }).dump());
     }},
    {"metashape",  // with as many calibrations of one sensor
     [](const TemporaryFolder& folder, int count) {
       folder.write("cameras.xml",
                    "<document><chunk><sensors><sensor id=\"0\"><resolution width=\"64\" height=\"48\"/>" +
                        repeated(count, [](int) { return "<calibration class=\"initial\"><f>9</f></calibration>"; }) +
                        "<calibration class=\"adjusted\"><f>80</f></calibration></sensor></sensors><cameras>" +
                        repeated(count,
                                 [](int i) {
                                   return fmt::format(
                                       "<camera label=\"{}\" sensor_id=\"0\"><transform>{} 0 0 0 1"
                                       "</transform></camera>",
                                       name_of(i), kRows);
                                 }) +
                        "</cameras></chunk></document>");
     }},
    {"realitycapture_csv",
     [](const TemporaryFolder& folder, int count) {
       folder.write("cameras.csv", "#name,x,y,alt,heading,pitch,roll,f\n" +
                                       repeated(count, [](int i) { return name_of(i) + ",0,0,4,0,0,0,45\n"; }));
     }},
    {"realitycapture_xmp",
     [](const TemporaryFolder& folder, int count) {
       for (int i = 0; i < count; ++i) {
         folder.write(fs::path(name_of(i)).replace_extension(".xmp"),
                      "<x><rdf:Description xcr:FocalLength35mm=\"45\" xcr:Rotation=\"1 0 0 0 1 0 0 0 1\" "
                      "xcr:Position=\"0 0 4\"/></x>");
       }
     },
     kFew},
    {"neus",
     [](const TemporaryFolder& folder, int count) {
       const std::vector<double> matrix = {80, 0, 32, 128, 0, 80, 24, 96, 0, 0, 1, 4, 0, 0, 0, 1};
       std::vector<FileToPack> files;
       for (int i = 0; i < count; ++i) files.push_back({fmt::format("world_mat_{}.npy", i), npy("(4, 4)", matrix)});
       folder.write("cameras.npz", zip_archive(files));
     }},
    {"middlebury",
     [](const TemporaryFolder& folder, int count) {
       folder.write("a_par.txt", fmt::format("{}\n", count) + repeated(count, [](int i) {
                                   return fmt::format("{} {} 1 0 0 0 1 0 0 0 1 0 0 4\n", name_of(i), kK);
                                 }));
     }},
    {"openmvg",
     [](const TemporaryFolder& folder, int count) {
       const auto entry = [](int key, const Json& value) { return Json{{"key", key}, {"value", value}}; };
       const Json intrinsic = {{"width", 64}, {"height", 48}, {"focal_length", 80}, {"principal_point", {32, 24}}};
       const Json pose = {{"rotation", {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {"center", {0, 0, -4}}};
       const auto view = [](int i) { return Json{{"filename", name_of(i)}, {"id_pose", i}, {"id_intrinsic", i}}; };
       const std::string lists = Json{
           {"intrinsics", list_of(count, [&](int i) { return entry(i, intrinsic); })},
           {"extrinsics", list_of(count, [&](int i) { return entry(i, pose); })},
           {"views", list_of(count, [&](int i) {
              return entry(i, view(i));
            })}}.dump();
       folder.write("sfm_data.json", R"({"sfm_data_version": "0.3", )" + lists.substr(1));  // the version comes first
     }},
    {"meshroom",
     [](const TemporaryFolder& folder, int count) {
       const auto id = [](int i) { return std::to_string(i); };
       folder.write(
           "cameras.sfm",
           Json{{"views", list_of(count,
                                  [&](int i) {
                                    return Json{{"viewId", id(i)},
                                                {"poseId", id(i)},
                                                {"intrinsicId", id(i)},
                                                {"path", "/home/x/" + name_of(i)}};
                                  })},
                {"intrinsics",
                 list_of(count,
                         [&](int i) {
                           return Json{{"intrinsicId", id(i)},        {"width", "64"},       {"height", "48"},
                                       {"type", "pinhole"},           {"sensorWidth", "36"}, {"focalLength", "45"},
                                       {"principalPoint", {"0", "0"}}};
                         })},
                {"poses", list_of(count,
                                  [&](int i) {
                                    return Json{
                                        {"poseId", id(i)},
                                        {"pose", {{"transform", {{"rotation", kIdentity}, {"center", {0, 0, -4}}}}}}};
                                  })}}
               .dump());
     }},
    {"bundler",
     [](const TemporaryFolder& folder, int count) {
       folder.write("list.txt", repeated(count, [](int i) { return "images/" + name_of(i) + " 0 80\n"; }));
       folder.write("bundle.out",
                    fmt::format("# Bundle file v0.3\n{} {}\n", count, 10 * count) + repeated(count, [](int) {
                      return "80 0 0\n1 0 0\n0 1 0\n0 0 1\n0 0 -4\n";
                    }) + repeated(10 * count, [](int) { return "0 0 0\n9 9 9\n3 0 1 1 1 1 1 1 1 2 1 1 1\n"; }));
     }},
    {"visualsfm",
     [](const TemporaryFolder& folder, int count) {
       folder.write("a.nvm", fmt::format("NVM_V3\n\n{}\n", count) +
                                 repeated(count, [](int i) { return name_of(i) + " 80 1 0 0 0 0 0 -4 0.01 0\n"; }) +
                                 fmt::format("{}\n", 10 * count) +
                                 repeated(10 * count, [](int) { return "0 0 0 9 9 9 3 0 1 1 1 1 2 1 1 2 3 1 1\n"; }));
     }},
    {"opensfm",
     [](const TemporaryFolder& folder, int count) {
       Json cameras, shots;
       for (int i = 0; i < count; ++i) {
         const std::string camera = fmt::format("c{}", i);
         cameras[camera] = {
             {"projection_type", "perspective"}, {"width", 64}, {"height", 48}, {"focal", 1.2}, {"k1", 0}, {"k2", 0}};
         shots[name_of(i)] = {{"camera", camera}, {"rotation", {0, 0, 0}}, {"translation", {0, 0, 4}}};
       }
       folder.write("reconstruction.json", Json::array({{{"cameras", cameras}, {"shots", shots}}}).dump());
     }},
    {"polycam",
     [](const TemporaryFolder& folder, int count) {
       Json camera = {{"fx", 80}, {"fy", 80}, {"cx", 32}, {"cy", 24}, {"width", 64}, {"height", 48}};
       for (int k = 0; k < 12; ++k) camera[fmt::format("t_{}{}", k / 4, k % 4)] = k % 5 == 0 ? 1 : 0;
       for (int i = 0; i < count; ++i) {
         folder.write(fmt::format("cameras/{}", fs::path(name_of(i)).replace_extension(".json").string()),
                      camera.dump());
       }
     },
     kFew},
    {"scanner_app",
     [](const TemporaryFolder& folder, int count) {
       const Json camera = {{"cameraPoseARFrame", {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 4, 0, 0, 0, 1}},
                            {"intrinsics", kJsonK}};
       for (int i = 0; i < count; ++i) folder.write(fs::path(name_of(i)).replace_extension(".json"), camera.dump());
     },
     kFew},
    {"record3d",
     [](const TemporaryFolder& folder, int count) {
       folder.write("metadata.json", Json{{"w", 64},
                                          {"h", 48},
                                          {"K", {80, 0, 0, 0, 80, 0, 32, 24, 1}},
                                          {"poses", list_of(count, [](int) { return Json{0, 0, 0, 1, 0, 0, 4}; })}}
                                         .dump());
     }},
    {"llff",
     [](const TemporaryFolder& folder, int count) {
       std::vector<double> rows;
       for (int i = 0; i < count; ++i) {
         rows.insert(rows.end(), {0, 1, 0, 0, 48, 1, 0, 0, 0, 64, 0, 0, -1, 4, 80, 1, 9});
       }
       folder.write("poses_bounds.npy", npy(fmt::format("({}, 17)", count), rows));
     }},
    {"sdfstudio",
     [](const TemporaryFolder& folder, int count) {
       const Json k = {{80, 0, 32, 0}, {0, 80, 24, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
       const Json place = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, -4}, {0, 0, 0, 1}};
       const Json frames = list_of(count, [&](int i) {
         return Json{{"camtoworld", place}, {"intrinsics", k}, {"rgb_path", "images/" + name_of(i)}};
       });
       folder.write("meta_data.json", Json{{"frames", frames}, {"height", 48}, {"width", 64}}.dump());
     }},
    {"pix4d",
     [](const TemporaryFolder& folder, int count) {
       folder.write("p_calibrated_camera_parameters.txt",
                    "fileName imageWidth imageHeight\ncamera model m = K [R|-Rt] X\n" + repeated(count, [](int i) {
                      return name_of(i) + " 64 48\n80 0 32\n0 80 24\n0 0 1\n0 0 0\n0 0\n0 0 -4\n1 0 0\n0 1 0\n0 0 1\n";
                    }));
     }},
    {"openmvs",  // a platform with a camera and a pose for each image
     [](const TemporaryFolder& folder, int count) {
       const auto number = [](std::uint64_t value, std::size_t size) {
         std::string bytes;
         for (; size > 0; --size, value >>= 8) bytes += static_cast<char>(value & 0xFF);
         return bytes;
       };
       const auto doubles = [](std::initializer_list<double> values) {
         std::string bytes;
         for (const double value : values) append_little_endian(bytes, std::bit_cast<std::uint64_t>(value));
         return bytes;
       };
       const std::string nowhere = doubles({1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0});
       const std::string camera = number(0, 8) + number(0, 8) + number(64, 4) + number(48, 4) +
                                  doubles({80, 0, 32, 0, 80, 24, 0, 0, 1}) + nowhere;
       const auto all = static_cast<std::uint64_t>(count);
       folder.write("scene.mvs", "MVSI" + number(7, 4) + number(0, 4) + number(1, 8) + number(0, 8) + number(all, 8) +
                                     repeated(count, [&](int) { return camera; }) + number(all, 8) +
                                     repeated(count, [&](int) { return nowhere; }) + number(all, 8) +
                                     repeated(count,
                                              [&](int i) {
                                                const auto id = static_cast<std::uint64_t>(i);
                                                return number(name_of(i).size(), 8) + name_of(i) + number(0, 8) +
                                                       number(0, 4) + number(id, 4) + number(id, 4) + number(id, 4) +
                                                       number(0, 12) + number(0, 8);
                                              }) +
                                     number(0, 8));
     }},
    {"mve",
     [](const TemporaryFolder& folder, int count) {
       for (int i = 0; i < count; ++i) {
         const std::string view = fmt::format("views/view_{:05}.mve", i);
         folder.write(view + "/meta.ini",
                      "[camera]\nfocal_length = 1.2\nrotation = 1 0 0 0 1 0 0 0 1\ntranslation = 0 0 4\n");
         fs::create_hard_link(folder.path() / "images" / name_of(i), folder.path() / view / "undistorted.png");
       }
     },
     kFew},
    {"open3d",
     [](const TemporaryFolder& folder, int count) {
       const Json lens = {{"width", 64}, {"height", 48}, {"intrinsic_matrix", {80, 0, 0, 0, 80, 0, 32, 24, 1}}};
       const Json pose = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 4, 1};
       const Json parameters = list_of(count, [&](int) { return Json{{"intrinsic", lens}, {"extrinsic", pose}}; });
       folder.write("t.json", Json{{"class_name", "PinholeCameraTrajectory"}, {"parameters", parameters}}.dump());
     }},
    {"open3d_log",
     [](const TemporaryFolder& folder, int count) {
       const Json lens = {{"width", 64}, {"height", 48}, {"intrinsic_matrix", {80, 0, 0, 0, 80, 0, 32, 24, 1}}};
       folder.write("lens.json", lens.dump());
       folder.write("t.log", repeated(count, [](int i) {
                      return fmt::format("{} {} 0\n1 0 0 0\n0 1 0 0\n0 0 1 -4\n0 0 0 1\n", i, i);
                    }));
     }},
    {"poses",
     [](const TemporaryFolder& folder, int count) {
       folder.write("intrinsics.txt", kK);
       for (int i = 0; i < count; ++i) {
         folder.write(fmt::format("pose/{}", fs::path(name_of(i)).replace_extension(".txt").string()),
                      "1 0 0 0\n0 1 0 0\n0 0 1 -4\n0 0 0 1\n");
       }
     },
     kFew},
    {"openscan",
     [](const TemporaryFolder& folder, int count) {
       for (int i = 0; i < count; ++i) {
         folder.write(fmt::format("metadata/{}", fs::path(name_of(i)).replace_extension(".json").string()),
                      Json{{"polar_coordinates", {{"theta", 60}, {"fi", 360.0 * i / count}}}}.dump());
         fs::create_hard_link(folder.path() / "images" / name_of(i), folder.path() / name_of(i));
       }
     },
     kFew},
    {"stray_scanner",
     [](const TemporaryFolder& folder, int count) {
       folder.write("camera_matrix.csv", "80, 0, 32\n0, 80, 24\n0, 0, 1\n");
       folder.write("odometry.csv", "timestamp, frame, x, y, z, qx, qy, qz, qw\n" + repeated(count, [](int i) {
                                      return fmt::format("{}, {}, 0, 0, -4, 0, 0, 0, 1\n", i,
                                                         fs::path(name_of(i)).stem().string());
                                    }));
     }},
    {"meshroom_rig",  // each view a sub-pose of its own
     [](const TemporaryFolder& folder, int count) {
       const auto id = [](int i) { return std::to_string(i); };
       const Json pose = {{"rotation", kIdentity}, {"center", {0, 0, -4}}};
       const Json lens = {{"intrinsicId", "7"},
                          {"width", "64"},
                          {"height", "48"},
                          {"focalLength", "45"},
                          {"principalPoint", {"0", "0"}}};
       folder.write("a.sfm", Json{{"views", list_of(count,
                                                    [&](int i) {
                                                      return Json{{"viewId", id(i)},    {"poseId", "1"},
                                                                  {"rigId", "2"},       {"subPoseId", id(i)},
                                                                  {"intrinsicId", "7"}, {"isPoseIndependant", "false"},
                                                                  {"path", name_of(i)}};
                                                    })},
                                  {"intrinsics", {lens}},
                                  {"poses", {{{"poseId", "1"}, {"pose", {{"transform", pose}}}}}},
                                  {"rigs",
                                   {{{"rigId", "2"},
                                     {"subPoses", list_of(count,
                                                          [&](int) {
                                                            return Json{{"status", "estimated"}, {"pose", pose}};
                                                          })}}}}}
                                 .dump());
     }},
    {"metashape_rig",  // slaves of one master
     [](const TemporaryFolder& folder, int count) {
       folder.write("cameras.xml",
                    fmt::format("<document><chunk><sensors><sensor id=\"0\"><resolution width=\"64\" height=\"48\"/>"
                                "<calibration><f>80</f></calibration></sensor></sensors><cameras><camera id=\"0\" "
                                "label=\"{}\" sensor_id=\"0\"><transform>{} 0 0 0 1</transform></camera>",
                                name_of(0), kRows) +
                        repeated(count - 1,
                                 [](int i) {
                                   return fmt::format("<camera label=\"{}\" sensor_id=\"0\" master_id=\"0\"/>",
                                                      name_of(i + 1));
                                 }) +
                        "</cameras></chunk></document>");
     }},
    {"bop",
     [](const TemporaryFolder& folder, int count) {
       Json cameras, poses;
       for (int i = 0; i < count; ++i) {
         cameras[std::to_string(i)] = {{"cam_K", kJsonK}};
         poses[std::to_string(i)] = list_of(1, [](int) {
           return Json{{"cam_R_m2c", kIdentity}, {"cam_t_m2c", {0, 0, 4}}};
         });
       }
       folder.write("scene_camera.json", cameras.dump());
       folder.write("scene_gt.json", poses.dump());
     }},
    {"matrices",
     [](const TemporaryFolder& folder, int count) {
       for (int i = 0; i < count; ++i) {
         folder.write(fmt::format("calib/{}", fs::path(name_of(i)).replace_extension(".txt").string()),
                      fmt::format("{} {}\n", kK, kRows));
       }
     },
     kFew},
};

/// A folder with that number of pictures, which are one file under many names.
class ReadingTime : public ::testing::TestWithParam<Format> {};

INSTANTIATE_TEST_SUITE_P(Formats, ReadingTime, ::testing::ValuesIn(kFormats),
                         [](const auto& format) { return std::string(format.param.name); });

TEST_P(ReadingTime, IsInProportionToTheRecordsAndEndsWhenStopped) {
  const int count = GetParam().few, times = kTimes * count;
  const TemporaryFolder few, many;
  for (const auto& [folder, records] : {std::pair(&few, count), std::pair(&many, times)}) {
    write_pictures(*folder, records);
    GetParam().write(*folder, records);
  }
  const auto read = [](const TemporaryFolder& folder, int expected) {
    return [&folder, expected] { ASSERT_EQ(read_capture(folder.path()).photographs.size(), std::size_t(expected)); };
  };
  EXPECT_LT(growth(read(few, count), read(many, times)), kMostGrowth);

  int questions = 0;
  const StopQuestion stop = [&] { return ++questions > 100; };
  const StopScope scope(&stop);
  EXPECT_THROW(static_cast<void>(read_capture(many.path())), Stopped);
}

}  // namespace
}  // namespace p2mpp
