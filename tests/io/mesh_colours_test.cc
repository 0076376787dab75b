// Textures and colours of vertices, written and read back.
#include "colours/mesh_colours.h"

#include <gtest/gtest.h>

#include <cmath>

#include "image/srgb.h"
#include "io/gltf_rules.h"
#include "io/image/image_file.h"
#include "io/image/picture_format.h"
#include "io/mesh/mesh_file.h"
#include "io/mesh/mesh_formats.h"
#include "p2mpp/mesh_texture.h"
#include "support/mutations.h"
#include "support/pixels.h"
#include "support/temporary_folder.h"
#include "support/test_meshes.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;

Image small_picture() {
  Image image{16, 8, {}};
  for (int i = 0; i < 128; ++i) {
    for (const int channel : {i, 255 - i, i * 7 % 256}) image.rgba.push_back(static_cast<std::uint8_t>(channel));
    image.rgba.push_back(255);
  }
  return image;
}

/// A sphere, each of whose triangles has its own part of the picture, so that each vertex is at seams.
TriangleMesh textured_sphere() {
  TriangleMesh mesh = testing::icosphere(1);
  auto texture = std::make_shared<MeshTexture>();
  texture->image = small_picture();
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const float left = static_cast<float>(t % 10) / 10, top = static_cast<float>(t / 10) / 8;
    texture->corners.push_back({{{left, top}, {left + 0.09F, top}, {left, top + 0.12F}}});
  }
  mesh.texture = texture;
  return mesh;
}

TriangleMesh coloured_sphere() {
  TriangleMesh mesh = testing::icosphere(1);
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    const auto channel = static_cast<std::uint8_t>(6 * i);
    mesh.colours.push_back({channel, static_cast<std::uint8_t>(255 - channel), static_cast<std::uint8_t>(i)});
  }
  return mesh;
}

class MeshColours : public ::testing::Test {
 protected:
  fs::path write(const std::string& name, const TriangleMesh& mesh, const MeshEncoding& encoding = {}) const {
    const fs::path path = folder_.path() / name;
    write_mesh_files(encode_mesh_files(mesh, *format_of(path), encoding, path));
    return path;
  }

  TemporaryFolder folder_;
};

double uv_difference(const MeshTexture& a, const MeshTexture& b) {
  double most = 0;
  for (std::size_t t = 0; t < a.corners.size(); ++t) {
    for (std::size_t i = 0; i < 3; ++i) {
      most = std::max<double>(most, (a.corners[t][i] - b.corners.at(t)[i]).cwiseAbs().maxCoeff());
    }
  }
  return most;
}

TEST_F(MeshColours, TexturesComeBack) {
  const TriangleMesh mesh = textured_sphere();
  for (const char* name : {"a.glb", "a.obj", "with a blank.obj"}) {
    const NotedMesh back = read_noted_mesh(write(name, mesh, {.comment = "a test", .normals = true}));
    EXPECT_TRUE(back.notes.empty()) << name;
    EXPECT_EQ(back.mesh.vertices, mesh.vertices) << name;
    EXPECT_EQ(back.mesh.triangles, mesh.triangles) << name;
    ASSERT_TRUE(back.mesh.texture) << name;
    EXPECT_EQ(back.mesh.texture->image.rgba, mesh.texture->image.rgba) << name;
    EXPECT_LT(uv_difference(*mesh.texture, *back.mesh.texture), 1e-8) << name;
    EXPECT_TRUE(back.mesh.colours.empty());
  }
  EXPECT_EQ(slurp(folder_.path() / "a.mtl"), "# a test\nnewmtl textured\nKd 1 1 1\nmap_Kd a_texture.png\n");
}

TEST_F(MeshColours, TexturesCanBeJpegs) {
  const TriangleMesh mesh = textured_sphere();
  for (const char* name : {"a.glb", "a.obj"}) {
    const TriangleMesh back = read_mesh(write(name, mesh, {.picture = PictureFormat::kJpeg}));
    ASSERT_TRUE(back.texture) << name;
    double sum = 0;
    for (std::size_t i = 0; i < mesh.texture->image.rgba.size(); ++i) {
      sum += std::abs(mesh.texture->image.rgba[i] - back.texture->image.rgba[i]);
    }
    EXPECT_LT(sum / static_cast<double>(mesh.texture->image.rgba.size()), 12) << name;
  }
  EXPECT_TRUE(fs::exists(folder_.path() / "a_texture.jpg"));
}

TEST_F(MeshColours, ColoursOfVerticesComeBack) {
  TriangleMesh mesh = coloured_sphere();
  for (std::size_t i = 0; i < mesh.colours.size(); ++i) mesh.colours[i][2] = static_cast<std::uint8_t>(255 - 6 * i);
  for (const char* name : {"a.glb", "a.obj", "a.ply"}) {
    const TriangleMesh back = read_mesh(write(name, mesh, {.normals = true}));
    EXPECT_EQ(back.colours, mesh.colours) << name;
    EXPECT_EQ(back.vertices, mesh.vertices) << name;
    EXPECT_FALSE(back.texture);
  }
  for (const char* name : {"a.stl", "a.xyz"}) EXPECT_TRUE(read_mesh(write(name, mesh)).colours.empty());
}

TEST_F(MeshColours, AllChannelsSurviveLinearLight) {
  TriangleMesh mesh = testing::icosphere(3);
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    const auto channel = static_cast<std::uint8_t>(i);
    mesh.colours.push_back({channel, channel, channel});
  }
  EXPECT_EQ(read_mesh(write("a.glb", mesh)).colours, mesh.colours);
}

TEST_F(MeshColours, PlyHasATexturesColoursAtItsVertices) {
  TriangleMesh mesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}};
  mesh.texture =
      std::make_shared<MeshTexture>(MeshTexture{{{{{0.03F, 0.05F}, {0.97F, 0.05F}, {0.03F, 0.95F}}}}, small_picture()});
  EXPECT_EQ(read_mesh(write("a.ply", mesh)).colours,
            (std::vector<Colour>{{0, 255, 0}, {15, 240, 105}, {112, 143, 16}}));
}

TEST_F(MeshColours, GlbsKeepTheRules) {
  for (const TriangleMesh& mesh : {textured_sphere(), coloured_sphere()}) {
    for (const PictureFormat format : {PictureFormat::kPng, PictureFormat::kJpeg}) {
      testing::GltfRules::check(format_glb(testing::with_normals(mesh), "", format));
    }
  }
}

TEST_F(MeshColours, AnObjThatIsToBeAloneHasColoursOfItsVertices) {
  const std::vector<MeshFile> files =
      encode_mesh_files(textured_sphere(), MeshFormat::kObj, {.alone = true}, folder_.path() / "a.obj");
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files[0].bytes.find("mtllib"), std::string::npos);
  write_mesh_files(files);
  EXPECT_EQ(read_mesh(files[0].path).colours.size(), textured_sphere().vertices.size());
}

TEST_F(MeshColours, APictureOfOnePixelIsAColour) {
  const TriangleMesh mesh = textured_sphere();
  const fs::path path = write("a.obj", mesh);
  const Image pixel{1, 1, {10, 200, 30, 255}};
  folder_.write("a_texture.png", encode_picture(pixel, PictureFormat::kPng));
  const NotedMesh back = read_noted_mesh(path);
  EXPECT_TRUE(back.notes.empty());
  ASSERT_TRUE(back.mesh.texture);
  EXPECT_EQ(back.mesh.texture->image.rgba, pixel.rgba);
  const Eigen::Vector3f colour = TextureLookup(back.mesh.texture->image).at({0.3F, 0.8F}, 1);
  EXPECT_EQ(srgb_from_linear(colour.y()), 200);
}

TEST_F(MeshColours, AMissingPictureIsANote) {
  const TriangleMesh mesh = textured_sphere();
  const fs::path path = write("a.obj", mesh);
  fs::remove(folder_.path() / "a_texture.png");
  NotedMesh back = read_noted_mesh(path);
  EXPECT_EQ(back.mesh.triangles, mesh.triangles);
  EXPECT_FALSE(back.mesh.texture);
  ASSERT_EQ(back.notes.size(), 1U);
  EXPECT_HOLDS(back.notes[0], "a picture is not used: ");
  EXPECT_HOLDS(back.notes[0], "a_texture.png");
  folder_.write("a_texture.png", "no picture");
  EXPECT_EQ(read_noted_mesh(path).notes.size(), 1U);
  fs::remove(folder_.path() / "a.mtl");
  back = read_noted_mesh(path);
  ASSERT_EQ(back.notes.size(), 1U);
  EXPECT_HOLDS(back.notes[0], "its materials are not used");
}

TEST_F(MeshColours, FilesOutsideOfTheFolderAreNotRead) {
  folder_.write("secret.png", encode_picture(small_picture(), PictureFormat::kPng));
  folder_.write("meshes/a.obj", "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nusemtl m\nf 1/1 2/1 3/1\n");
  const auto notes_with = [&](const std::string& picture) {
    folder_.write("meshes/a.mtl", "newmtl m\nmap_Kd " + picture + "\n");
    const NotedMesh back = read_noted_mesh(folder_.path() / "meshes" / "a.obj");
    EXPECT_FALSE(back.mesh.texture) << picture;
    return back.notes.size();
  };
  EXPECT_EQ(notes_with("../secret.png"), 1U);
  EXPECT_EQ(notes_with((folder_.path() / "secret.png").string()), 1U);
  fs::create_symlink(folder_.path() / "secret.png", folder_.path() / "meshes" / "link.png");
  EXPECT_EQ(notes_with("link.png"), 1U);
}

TEST_F(MeshColours, PicturesOfOtherMachinesAreFoundBesideTheMesh) {
  const fs::path path = write("a.obj", textured_sphere());
  folder_.write("a.mtl", "newmtl textured\r\nKa 0 0 0\r\nmap_Kd -s 1 1 1 -clamp off C:\\Users\\me\\a_texture.png\r\n");
  EXPECT_TRUE(read_mesh(path).texture);
}

TEST_F(MeshColours, PicturesAreFoundBelowTheMeshIfOnlyOneHasTheName) {
  const fs::path path = write("a.obj", textured_sphere());
  fs::create_directories(folder_.path() / "scan" / "textures");
  fs::rename(folder_.path() / "a_texture.png", folder_.path() / "scan" / "textures" / "A_Texture.PNG");
  for (const char* name : {"scan/textures/A_Texture.PNG", "/home/me/scan/textures/A_Texture.PNG",
                           "E:\\work\\chair\\a_texture.png", "../elsewhere/a_texture.png"}) {
    folder_.write("a.mtl", std::string("newmtl textured\nmap_Kd ") + name + "\n");
    EXPECT_TRUE(read_mesh(path).texture) << name;
  }
  folder_.write("other/a_texture.png", "");
  EXPECT_FALSE(read_mesh(path).texture);
}

TEST_F(MeshColours, MaterialsBecomeOneTexture) {
  const Image picture = small_picture();
  folder_.write("p.png", encode_picture(picture, PictureFormat::kPng));
  folder_.write("a.mtl", "newmtl plain\nKd 1 0 0\nnewmtl painted\nmap_Kd p.png\n");
  const std::string geometry = "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0.5 0.5\nvt 1 1\nvt 0 0\nusemtl plain\nf 1/1 2/2 3/3\n";
  const NotedMesh back =
      read_noted_mesh(folder_.write("a.obj", "mtllib a.mtl\n" + geometry + "usemtl painted\nf 3/2 2/1 1/3\n"));
  EXPECT_TRUE(back.notes.empty());
  ASSERT_TRUE(back.mesh.texture);
  const auto pixel = [texture = back.mesh.texture](std::size_t triangle, std::size_t corner) {
    return colour_at(texture->image, texture->corners[triangle][corner]);
  };
  for (std::size_t corner = 0; corner < 3; ++corner) EXPECT_EQ(pixel(0, corner), (Colour{255, 0, 0}));
  EXPECT_EQ(pixel(1, 1), (Colour{72, 183, 248})) << "the pixel in row 4 and column 8";
  const NotedMesh repeated =
      read_noted_mesh(folder_.write("b.obj", "mtllib a.mtl\nvt 3 0\n" + geometry + "usemtl painted\nf 3/1 2/2 1/4\n"));
  EXPECT_FALSE(repeated.mesh.texture);
  EXPECT_EQ(repeated.notes.size(), 1U);
}

TEST_F(MeshColours, LibrariesOfMaterialsAreParsed) {
  const auto materials = parse_obj_materials(
      "map_Kd lost.png\nnewmtl a b\nKd 0 0.5 1\nmap_Kd -o 1 2 -mm 0 1 -bm 1 my picture.png\nnewmtl c\nKd spectral "
      "x.rfl\n");
  EXPECT_EQ(materials.at("a b").picture, "my picture.png");
  EXPECT_EQ(materials.at("a b").colour, (Colour{0, 128, 255}));
  EXPECT_FALSE(materials.at("c").colour);
  EXPECT_EQ(materials.size(), 2U);
}

TEST_F(MeshColours, DamagedTexturesAreSurvived) {
  const auto read = [](const std::string& damaged) {
    const TriangleMesh back = parse_gltf(damaged, "a.glb");
    testing::expect_whole(back);
    if (back.texture) {
      ASSERT_EQ(back.texture->corners.size(), back.triangles.size());
    }
  };
  EXPECT_GT(survive_mutations(format_glb(testing::with_normals(textured_sphere()), ""), 3'000, 5, read), 100);
}

}  // namespace
}  // namespace p2mpp
