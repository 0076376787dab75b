// The body of a request: its parts, and the sample's folder that is made of them. Of a sample, or of photographs alone.
#include <cstdlib>
#include <filesystem>

#include "fuzz/fuzz_target.h"
#include "server/http.h"
#include "server/upload.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static p2mpp::Spool spool(std::filesystem::temp_directory_path(), 100'000);
  p2mpp::SpoolFolder folder(spool, "client");
  // The first byte says which, and in how large pieces the body arrives.
  const bool is_photographs = data[0] >= 0x80;
  const std::size_t piece = 1 + data[0] % 0x80;
  const auto kind = is_photographs ? p2mpp::UploadKind::kPhotographs : p2mpp::UploadKind::kSample;
  try {
    p2mpp::parse_or_refuse(data + 1, size - 1, [&](std::string_view body) {
      p2mpp::Upload upload(folder, p2mpp::PixelTotal::kUsualMost, 100'000, kind);
      p2mpp::MultipartParser parser("b", upload);
      for (std::size_t i = 0; i < body.size(); i += piece) parser.feed(body.substr(i, piece));
      parser.finish();
      const p2mpp::WorkerRequest request = upload.request();
      const bool is_packed = request.archive == folder.input() / "capture.zip";
      if (request.sample != (is_packed ? folder.input() / "capture" : folder.input())) std::abort();
      if (!request.images.empty()) std::abort();
      if (is_photographs && (is_packed || request.source.is_turntable || upload.images() < upload.kFewestPhotographs))
        std::abort();
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
