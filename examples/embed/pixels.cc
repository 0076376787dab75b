// Reconstructs decoded images with known cameras: pixels IMAGE AZIMUTH,ELEVATION,DISTANCE ... MESH
// Angles are in degrees, as in cameras.txt. A program that has pixels already fills p2mpp::Image itself.
#include <cstdio>
#include <exception>
#include <vector>

#include "p2mpp/p2mpp.h"

int main(int argc, char** argv) {
  if (argc < 6 || argc % 2 != 0) {
    std::fprintf(stderr, "usage: pixels IMAGE AZIMUTH,ELEVATION,DISTANCE IMAGE AZIMUTH,ELEVATION,DISTANCE ... MESH\n");
    return 2;
  }
  try {
    std::vector<p2mpp::Image> images;
    std::vector<p2mpp::CameraRow> rows;  // or a p2mpp::Camera for each image: any pinhole
    for (int i = 1; i + 1 < argc; i += 2) {
      images.push_back(p2mpp::read_image(argv[i]));
      p2mpp::CameraRow& row = rows.emplace_back();
      if (std::sscanf(argv[i + 1], "%f,%f,%f", &row.azimuth_deg, &row.elevation_deg, &row.distance) != 3) {
        throw p2mpp::InputError("expected AZIMUTH,ELEVATION,DISTANCE behind each image");
      }
    }
    p2mpp::EngineOptions options;
    p2mpp::Engine engine(options);
    const p2mpp::Sample sample = p2mpp::make_sample("pixels", std::move(images), rows);
    p2mpp::write_mesh(argv[argc - 1], p2mpp::reconstruct_mesh(engine, sample).mesh);
  } catch (const p2mpp::InputError& error) {
    std::fprintf(stderr, "bad input: %s\n", error.what());
    return 3;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
