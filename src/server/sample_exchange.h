#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/json_text.h"
#include "server/http.h"
#include "server/multipart.h"
#include "server/spool.h"
#include "server/upload.h"

namespace p2mpp {

class MeshApi;

/// A request for a mesh. Throws Refusal if its head is invalid, and with status 429 if the queue is full.
[[nodiscard]] std::unique_ptr<Exchange> mesh_exchange(MeshApi& api, const RequestHead& head);

/// A request for a check. Throws Refusal if its head is invalid.
[[nodiscard]] std::unique_ptr<Exchange> check_exchange(MeshApi& api, const RequestHead& head);

/// A request for a mesh from photographs without cameras. `key`: of its progress; may be empty. Throws Refusal if its
/// head is invalid, or if the server takes none.
[[nodiscard]] std::unique_ptr<Exchange> photographs_exchange(MeshApi& api, const RequestHead& head,
                                                             const std::string& key);

/// The path under which a result's file is had.
[[nodiscard]] std::string file_url(const SpoolFolder& folder, std::string_view file);

/// The common part of these requests: the sample that they bring or refer to.
class SampleExchange : public Exchange {
 public:
  SampleExchange(MeshApi& api, const RequestHead& head, UploadKind kind);

  [[nodiscard]] std::uint64_t max_body() const override;
  void receive(std::string_view bytes) override;

 protected:
  using Respond = std::function<void(Response)>;

  /// The body is complete.
  [[nodiscard]] WorkerRequest request();
  /// The number of images that came with the body.
  [[nodiscard]] std::size_t images() const { return upload_ ? upload_->images() : 0; }

  /// Refuses what an InputError says, and reports what an Error says as the server's failure.
  void refusing(const std::function<void()>& step);

  /// Refuses a request because so many ("200 checks") wait already.
  [[noreturn]] void refuse_full(std::string_view waiting) const;

  /// Replaces all texts in it, except keys.
  static void change_texts(Json& json, const std::function<std::string(const std::string&)>& change);

  MeshApi& api_;
  const std::string client_;  ///< its address
  std::shared_ptr<SpoolFolder> folder_;
  std::filesystem::path base_;  ///< of the sample's files, for messages

 private:
  std::unique_ptr<Upload> upload_;           ///< null: a reference
  std::unique_ptr<MultipartParser> parser_;  ///< the same
  std::string reference_;
};

}  // namespace p2mpp
