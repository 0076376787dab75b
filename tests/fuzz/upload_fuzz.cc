// The body of a request for a mesh: its parts, and the sample's folder that is made of them.
#include <cstdlib>
#include <filesystem>

#include "fuzz/fuzz_target.h"
#include "server/http.h"
#include "server/upload.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static p2mpp::Spool spool(std::filesystem::temp_directory_path(), 100'000);
  p2mpp::SpoolFolder folder(spool);
  try {
    p2mpp::parse_or_refuse(data + 1, size - 1, [&](std::string_view body) {
      p2mpp::Upload upload(folder, p2mpp::PixelTotal::kUsualMost, 100'000);
      p2mpp::MultipartParser parser("b", upload);
      // The first byte says in how large pieces the body arrives.
      const std::size_t piece = 1 + data[0];
      for (std::size_t i = 0; i < body.size(); i += piece) parser.feed(body.substr(i, piece));
      parser.finish();
      const p2mpp::WorkerRequest request = upload.request();
      const bool is_packed = request.archive == folder.input() / "capture.zip";
      if (request.sample != (is_packed ? folder.input() / "capture" : folder.input())) std::abort();
      if (!request.images.empty()) std::abort();
    });
  } catch (const p2mpp::Refusal&) {  // the spool is full
  }
  // Nothing is written elsewhere than in the folder's own places.
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder.input())) {
    const std::filesystem::path name = file.path().lexically_relative(folder.input());
    const bool is_mask = *name.begin() == "masks";
    if (std::distance(name.begin(), name.end()) > (is_mask ? 2 : 1)) std::abort();
  }
  return 0;
}
