#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "base/little_endian.h"
#include "base/thread_scopes.h"
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
using testing::kFew;
using testing::kMostGrowth;
using testing::kTimes;
using testing::name_of;
using testing::write_pictures;

/// The text for camera i: $N is its picture, $S the picture's stem, $I its number, $A its angle, $C how many there are.
std::string filled(std::string_view text, int i, int count) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char what = text[at] == '$' ? text[++at] : '\0';
    if (what == '\0') result += text[at];
    if (what == 'N') result += name_of(i);
    if (what == 'S') result += fs::path(name_of(i)).stem().string();
    if (what == 'I') result += std::to_string(i);
    if (what == 'A') result += std::to_string(360.0 * i / count);
    if (what == 'C') result += std::to_string(count);
  }
  return result;
}

/// The same of a file: [*,|RECORD*] stands for each camera's record with commas between, [+,|RECORD+] for all but the
/// first.
std::string filled_file(std::string_view text, int count) {
  std::string result;
  while (true) {
    const std::size_t begin = std::min(text.find("[*"), text.find("[+"));
    result += filled(text.substr(0, begin), 0, count);
    if (begin == std::string_view::npos) return result;
    const char mark = text[begin + 1];
    const std::size_t bar = text.find('|', begin), end = text.find(std::string{mark, ']'}, bar);
    const int first = mark == '*' ? 0 : 1;
    for (int i = first; i < count; ++i) {
      if (i > first) result += text.substr(begin + 2, bar - begin - 2);
      result += filled(text.substr(bar + 1, end - bar - 1), i, count);
    }
    text.remove_prefix(end + 2);
  }
}

/// A file of a program, or one for each camera if its name has a $. Without a text, a link to the camera's picture.
struct ProgramFile {
  const char *name, *text;
};

/// A capture with a program's files, beside the folder images/.
struct Format {
  const char* name;
  std::vector<ProgramFile> files;
  int few = 300;
  void (*write_bytes)(const TemporaryFolder& folder, int count) = [](const TemporaryFolder&, int) {};

  void write(const TemporaryFolder& folder, int count) const {
    for (const ProgramFile& file : files) {
      const int files_of_it = std::string_view(file.name).find('$') == std::string_view::npos ? 1 : count;
      for (int i = 0; i < files_of_it; ++i) {
        const fs::path path = filled(file.name, i, count);
        fs::create_directories(folder.path() / path.parent_path());
        if (file.text == nullptr) {
          fs::create_hard_link(folder.path() / "images" / name_of(i), folder.path() / path);
        } else {
          folder.write(path, files_of_it == 1 ? filled_file(file.text, count) : filled(file.text, i, count));
        }
      }
    }
    write_bytes(folder, count);
  }
};

template <bool kIsBinary>
void write_colmap_model(const TemporaryFolder& folder, int count) {
  std::vector<WrittenImage> images;
  for (int i = 0; i < count; ++i) images.push_back({.name = name_of(i), .t = {0, 0, 4}, .points = 2});
  write_colmap(folder, "sparse/0", kIsBinary, {{}}, images, std::vector<WrittenPoint>(10 * count));
}

void write_neus(const TemporaryFolder& folder, int count) {
  const std::vector<double> matrix = {80, 0, 32, 128, 0, 80, 24, 96, 0, 0, 1, 4, 0, 0, 0, 1};
  std::vector<FileToPack> files;
  for (int i = 0; i < count; ++i) files.push_back({fmt::format("world_mat_{}.npy", i), npy_file("(4, 4)", matrix)});
  folder.write("cameras.npz", zip_archive(files));
}

void write_llff(const TemporaryFolder& folder, int count) {
  std::vector<double> rows;
  for (int i = 0; i < count; ++i) {
    rows.insert(rows.end(), {0, 1, 0, 0, 48, 1, 0, 0, 0, 64, 0, 0, -1, 4, 80, 1, 9});
  }
  folder.write("poses_bounds.npy", npy_file(fmt::format("({}, 17)", count), rows));
}

/// A platform with a camera and a pose for each image.
void write_openmvs(const TemporaryFolder& folder, int count) {
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
  const std::string camera =
      number(0, 8) + number(0, 8) + number(64, 4) + number(48, 4) + doubles({80, 0, 32, 0, 80, 24, 0, 0, 1}) + nowhere;
  const auto all = static_cast<std::uint64_t>(count);
  std::string cameras, poses, images;
  for (int i = 0; i < count; ++i) {
    const auto id = static_cast<std::uint64_t>(i);
    cameras += camera;
    poses += nowhere;
    images += number(name_of(i).size(), 8) + name_of(i) + number(0, 8) + number(0, 4) + number(id, 4) + number(id, 4) +
              number(id, 4) + number(0, 12) + number(0, 8);
  }
  folder.write("scene.mvs", "MVSI" + number(7, 4) + number(0, 4) + number(1, 8) + number(0, 8) + number(all, 8) +
                                cameras + number(all, 8) + poses + number(all, 8) + images + number(0, 8));
}

const std::vector<Format> kFormats = {
    {"colmap_binary", {}, 300, write_colmap_model<true>},
    {"colmap_text", {}, 300, write_colmap_model<false>},
    {"neus", {}, 300, write_neus},
    {"llff", {}, 300, write_llff},
    {"openmvs", {}, 300, write_openmvs},
    {"transforms", {{"transforms.json", R"({"fl_x": 80, "w": 64, "h": 48, "frames": [[*,|{"file_path": "images/$N",
        "transform_matrix": [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 4], [0, 0, 0, 1]]}*]]})"}}},
    {"gaussian_splatting", {{"cameras.json", R"([[*,|{"id": $I, "img_name": "$S", "width": 64, "height": 48,
        "position": [0, 0, -4], "rotation": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "fx": 80, "fy": 80}*]])"}}},
    // With as many calibrations of one sensor.
    {"metashape", {{"cameras.xml", R"(<document><chunk><sensors><sensor id="0"><resolution width="64" height="48"/>
        [*|<calibration class="initial"><f>9</f></calibration>*]
        <calibration class="adjusted"><f>80</f></calibration></sensor></sensors><cameras>
        [*|<camera label="$N" sensor_id="0"><transform>1 0 0 0 0 1 0 0 0 0 1 4 0 0 0 1</transform></camera>*]
        </cameras></chunk></document>)"}}},
    // Slaves of one master.
    {"metashape_rig", {{"cameras.xml", R"(<document><chunk><sensors><sensor id="0"><resolution width="64" height="48"/>
        <calibration><f>80</f></calibration></sensor></sensors><cameras>
        <camera id="0" label="$N" sensor_id="0"><transform>1 0 0 0 0 1 0 0 0 0 1 4 0 0 0 1</transform></camera>
        [+|<camera label="$N" sensor_id="0" master_id="0"/>+]</cameras></chunk></document>)"}}},
    {"realitycapture_csv", {{"cameras.csv", "#name,x,y,alt,heading,pitch,roll,f\n[*|$N,0,0,4,0,0,0,45\n*]"}}},
    {"realitycapture_xmp",
     {{"$S.xmp", R"(<x><rdf:Description xcr:FocalLength35mm="45"
        xcr:Rotation="1 0 0 0 1 0 0 0 1" xcr:Position="0 0 4"/></x>)"}},
     kFew},
    {"middlebury", {{"a_par.txt", "$C\n[*|$N 80 0 32 0 80 24 0 0 1 1 0 0 0 1 0 0 0 1 0 0 4\n*]"}}},
    {"openmvg", {{"sfm_data.json", R"({"sfm_data_version": "0.3", "intrinsics": [[*,|{"key": $I, "value":
          {"width": 64, "height": 48, "focal_length": 80, "principal_point": [32, 24]}}*]],
        "extrinsics": [[*,|{"key": $I, "value": {"center": [0, 0, -4], "rotation": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
          }}*]],
        "views": [[*,|{"key": $I, "value": {"filename": "$N", "id_pose": $I, "id_intrinsic": $I}}*]]})"}}},
    {"meshroom", {{"cameras.sfm", R"({"views": [[*,|{"viewId": "$I", "poseId": "$I", "intrinsicId": "$I",
          "path": "/home/x/$N"}*]],
        "intrinsics": [[*,|{"intrinsicId": "$I", "width": "64", "height": "48", "type": "pinhole", "sensorWidth": "36",
          "focalLength": "45", "principalPoint": ["0", "0"]}*]],
        "poses": [[*,|{"poseId": "$I", "pose": {"transform": {"rotation": [1, 0, 0, 0, 1, 0, 0, 0, 1],
          "center": [0, 0, -4]}}}*]]})"}}},
    // Each view a sub-pose of its own.
    {"meshroom_rig", {{"a.sfm", R"({"views": [[*,|{"viewId": "$I", "poseId": "1", "rigId": "2", "subPoseId": "$I",
          "intrinsicId": "7", "isPoseIndependant": "false", "path": "$N"}*]],
        "intrinsics": [{"intrinsicId": "7", "width": "64", "height": "48", "focalLength": "45",
          "principalPoint": ["0", "0"]}],
        "poses": [{"poseId": "1", "pose": {"transform": {"rotation": [1, 0, 0, 0, 1, 0, 0, 0, 1],
          "center": [0, 0, -4]}}}],
        "rigs": [{"rigId": "2", "subPoses": [[*,|{"status": "estimated", "pose":
          {"rotation": [1, 0, 0, 0, 1, 0, 0, 0, 1], "center": [0, 0, -4]}}*]]}]})"}}},
    {"bundler",
     {{"list.txt", "[*|images/$N 0 80\n*]"},
      {"bundle.out",
       "# Bundle file v0.3\n$C $C\n[*|80 0 0\n1 0 0\n0 1 0\n0 0 1\n0 0 -4\n*]"
       "[*|0 0 0\n9 9 9\n3 0 1 1 1 1 1 1 1 2 1 1 1\n*]"}}},
    {"visualsfm",
     {{"a.nvm",
       "NVM_V3\n\n$C\n[*|$N 80 1 0 0 0 0 0 -4 0.01 0\n*]$C\n"
       "[*|0 0 0 9 9 9 3 0 1 1 1 1 2 1 1 2 3 1 1\n*]"}}},
    {"opensfm", {{"reconstruction.json", R"([{"cameras": {[*,|"c$I": {"projection_type": "perspective", "width": 64,
          "height": 48, "focal": 1.2, "k1": 0, "k2": 0}*]},
        "shots": {[*,|"$N": {"camera": "c$I", "rotation": [0, 0, 0], "translation": [0, 0, 4]}*]}}])"}}},
    {"polycam",
     {{"cameras/$S.json", R"({"fx": 80, "fy": 80, "cx": 32, "cy": 24, "width": 64, "height": 48,
        "t_00": 1, "t_01": 0, "t_02": 0, "t_03": 0, "t_10": 0, "t_11": 1, "t_12": 0, "t_13": 0,
        "t_20": 0, "t_21": 0, "t_22": 1, "t_23": 0})"}},
     kFew},
    {"scanner_app",
     {{"$S.json", R"({"cameraPoseARFrame": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 4, 0, 0, 0, 1],
        "intrinsics": [80, 0, 32, 0, 80, 24, 0, 0, 1]})"}},
     kFew},
    {"record3d", {{"metadata.json", R"({"w": 64, "h": 48, "K": [80, 0, 0, 0, 80, 0, 32, 24, 1],
        "poses": [[*,|[0, 0, 0, 1, 0, 0, 4]*]]})"}}},
    {"sdfstudio", {{"meta_data.json", R"({"height": 48, "width": 64, "frames": [[*,|{"rgb_path": "images/$N",
        "camtoworld": [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, -4], [0, 0, 0, 1]],
        "intrinsics": [[80, 0, 32, 0], [0, 80, 24, 0], [0, 0, 1, 0], [0, 0, 0, 1]]}*]]})"}}},
    {"pix4d",
     {{"p_calibrated_camera_parameters.txt",
       "fileName imageWidth imageHeight\ncamera model m = K [R|-Rt] X\n"
       "[*|$N 64 48\n80 0 32\n0 80 24\n0 0 1\n0 0 0\n0 0\n0 0 -4\n1 0 0\n0 1 0\n0 0 1\n*]"}}},
    {"mve",
     {{"views/view_$I.mve/meta.ini",
       "[camera]\nfocal_length = 1.2\nrotation = 1 0 0 0 1 0 0 0 1\ntranslation = 0 0 4\n"},
      {"views/view_$I.mve/undistorted.png", nullptr}},
     kFew},
    {"open3d", {{"t.json", R"({"class_name": "PinholeCameraTrajectory", "parameters": [[*,|{"intrinsic":
          {"width": 64, "height": 48, "intrinsic_matrix": [80, 0, 0, 0, 80, 0, 32, 24, 1]},
        "extrinsic": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 4, 1]}*]]})"}}},
    {"open3d_log",
     {{"lens.json", R"({"width": 64, "height": 48, "intrinsic_matrix": [80, 0, 0, 0, 80, 0, 32, 24, 1]})"},
      {"t.log", "[*|$I $I 0\n1 0 0 0\n0 1 0 0\n0 0 1 -4\n0 0 0 1\n*]"}}},
    {"poses",
     {{"intrinsics.txt", "80 0 32 0 80 24 0 0 1"}, {"pose/$S.txt", "1 0 0 0\n0 1 0 0\n0 0 1 -4\n0 0 0 1\n"}},
     kFew},
    {"openscan", {{"metadata/$S.json", R"({"polar_coordinates": {"theta": 60, "fi": $A}})"}, {"$N", nullptr}}, kFew},
    {"stray_scanner",
     {{"camera_matrix.csv", "80, 0, 32\n0, 80, 24\n0, 0, 1\n"},
      {"odometry.csv", "timestamp, frame, x, y, z, qx, qy, qz, qw\n[*|$I, $S, 0, 0, -4, 0, 0, 0, 1\n*]"}}},
    {"bop",
     {{"scene_camera.json", R"({[*,|"$I": {"cam_K": [80, 0, 32, 0, 80, 24, 0, 0, 1]}*]})"},
      {"scene_gt.json", R"({[*,|"$I": [{"cam_R_m2c": [1, 0, 0, 0, 1, 0, 0, 0, 1], "cam_t_m2c": [0, 0, 4]}]*]})"}}},
    {"matrices", {{"calib/$S.txt", "80 0 32 0 80 24 0 0 1 1 0 0 0 0 1 0 0 0 0 1 4\n"}}, kFew},
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
