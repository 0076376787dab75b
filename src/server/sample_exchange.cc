#include "server/sample_exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "base/atomic_file.h"
#include "base/input_file.h"
#include "base/json_text.h"
#include "base/text.h"
#include "base/thread_scopes.h"
#include "p2mpp/error.h"
#include "server/mesh_api.h"

namespace p2mpp {

namespace {

namespace fs = std::filesystem;
unsigned answer_status(const RequestAnswer& answer) {
  if (answer.status == "done") return http_status::kOk;
  if (answer.status == "expired") return http_status::kExpired;
  if (answer.status == "dropped") return http_status::kUnavailable;
  if (answer.computed && answer.computed->result.is_too_large) return http_status::kTooLarge;
  if (answer.computed && answer.computed->has_no_room) return http_status::kNoRoom;
  return answer.computed && answer.computed->result.not_its_input ? http_status::kFailed : http_status::kUnprocessable;
}

// Gives the files the names that their addresses have, and returns the addresses: {"glb": "/v1/meshes/.../mesh.glb"}.
Json addressed_files(const RequestAnswer& answer, const SpoolFolder& folder) {
  Json files = Json::object();
  for (const auto& [name, hash] : answer.computed->result.files) {
    const std::string extension = lower_extension(name);
    if (!name.ends_with("_predict" + extension)) continue;
    std::error_code error;
    fs::rename(folder.output() / name, folder.output() / ("mesh" + extension), error);
    if (!error) files[extension.substr(1)] = file_url(folder, "mesh" + extension);
  }
  std::error_code ignored;
  if (fs::exists(folder.output() / "view.html", ignored)) files["view"] = file_url(folder, "view.html");
  return files;
}

}  // namespace

std::string file_url(const SpoolFolder& folder, std::string_view file) {
  return fmt::format("/v1/meshes/{}/{}", folder.name(), file);
}

SampleExchange::SampleExchange(MeshApi& api, const RequestHead& head, UploadKind kind)
    : api_(api), client_(head.client) {
  refusing([&] { folder_ = std::make_shared<SpoolFolder>(api.spool_, client_); });
  if (kind == UploadKind::kSample && head.content_type.starts_with("application/json")) {
    if (api.options_.root.empty()) {
      throw Refusal(http_status::kBadRequest, "this server was started without --root; expected multipart/form-data");
    }
    return;
  }
  refusing([&] {
    const std::string boundary = multipart_boundary(head.content_type);
    upload_ = std::make_unique<Upload>(*folder_, api.options_.max_request_pixels, api.options_.max_upload, kind);
    parser_ = std::make_unique<MultipartParser>(boundary, *upload_);
  });
}

std::uint64_t SampleExchange::max_body() const {
  return upload_ ? api_.options_.max_upload : std::uint64_t{Upload::kMaxRequestText};
}

void SampleExchange::receive(std::string_view bytes) {
  refusing([&] {
    if (parser_) return parser_->feed(bytes);
    reference_.append(bytes);
  });
}

WorkerRequest SampleExchange::request() {
  WorkerRequest request;
  refusing([&] {
    if (parser_) {
      parser_->finish();
      request = upload_->request();
    } else {
      request = parse_remote_request(parse_request_line(reference_), true);
      api_.resolve(request, *folder_);
    }
  });
  base_ = request.sample;
  request.client = client_;
  // The only place where a client's request gets its folder: it reads what it sent, or what is below the root.
  request.readable = real_path(parser_ ? folder_->input() : api_.options_.root, "a folder");
  return request;
}

void SampleExchange::refusing(const std::function<void()>& step) {
  const fs::path sample = folder_ ? folder_->input() : fs::path();
  try {
    step();
  } catch (const InputError& error) {
    api_.service_.count_refused();
    throw Refusal(http_status::kBadRequest, api_.without_folders(error.what(), sample));
  } catch (const Error& error) {
    throw Refusal(http_status::kFailed, api_.without_folders(error.what(), sample));
  }
}

void SampleExchange::refuse_full(std::string_view waiting) const {
  if (api_.is_stopping_) throw Refusal(http_status::kUnavailable, "the server is stopping");
  throw Refusal(http_status::kTooMany,
                fmt::format("{} {} wait already; try again later", api_.options_.queue, waiting));
}

void SampleExchange::change_texts(Json& json, const std::function<std::string(const std::string&)>& change) {
  if (json.is_string()) json = change(json.get<std::string>());
  if (!json.is_structured()) return;
  for (Json& each : json) change_texts(each, change);
}

class MeshExchange : public SampleExchange {
 public:
  MeshExchange(MeshApi& api, const RequestHead& head) : SampleExchange(api, head, UploadKind::kSample) {
    if (api.service_.waiting() >= api.options_.queue) refuse_full_service();
  }

  std::optional<std::chrono::milliseconds> complete(Respond respond) override {
    WorkerRequest asked = request();
    const std::optional<std::chrono::milliseconds> deadline = asked.deadline;
    // The service keeps the folder until it has answered, also for a client that has left.
    number_ = api_.service_.try_accept(
        std::move(asked), [&api = api_, folder = folder_, base = base_, respond = std::move(respond),
                           begun = Clock::now()](const RequestAnswer& answer) {
          api.statistics_.add_duration(std::chrono::duration<double>(Clock::now() - begun).count());
          respond(answered(api, answer, folder, base));
        });
    if (!number_) refuse_full_service();
    return deadline;
  }

  void late() override {
    if (number_) api_.service_.expire(*number_);
  }

  void abandon() override {
    if (number_) api_.service_.withdraw(*number_);
  }

 private:
  [[noreturn]] void refuse_full_service() const {
    if (!api_.is_stopping_) api_.service_.count_refused();
    refuse_full("requests");
  }

  static Response answered(MeshApi& api, const RequestAnswer& answer, const std::shared_ptr<SpoolFolder>& folder,
                           const fs::path& base) {
    Json json = to_json(answer);
    change_texts(json, [&](const std::string& text) { return api.without_folders(text, base); });
    json["files"] = answer.status == "done" ? addressed_files(answer, *folder) : Json::object();
    if (answer.status == "done") {
      folder->drop_input();
      folder->count_written();
      api.results_.keep(folder);
    }
    return {.status = answer_status(answer), .body = json_line(json)};
  }

  std::optional<std::size_t> number_;
};

class CheckExchange : public SampleExchange {
 public:
  CheckExchange(MeshApi& api, const RequestHead& head) : SampleExchange(api, head, UploadKind::kSample) {}

  std::optional<std::chrono::milliseconds> complete(Respond respond) override {
    WorkerRequest asked = request();
    const std::optional<std::chrono::milliseconds> deadline = asked.deadline;
    auto check = [&api = api_, asked, folder = folder_, base = base_] { return checked(api, asked, base); };
    number_ = api_.checks_.add(std::move(asked), std::move(check), std::move(respond));
    if (!number_) refuse_full("checks");
    return deadline;
  }

  void late() override { end({http_status::kExpired, "the check was not finished before its deadline"}); }

  void abandon() override { end({http_status::kUnavailable, "the client has left"}); }

 private:
  void end(const Refusal& reason) {
    if (number_) api_.checks_.end(*number_, reason);
  }

  static Response checked(const MeshApi& api, const WorkerRequest& asked, const fs::path& base) {
    Response response;
    Json json;
    try {
      const ReadingScope scope(asked.readable);
      const Sample sample = open_requested_sample(asked, api.options_.reading).sample;
      json = api.options_.check(sample);
    } catch (const InputError& error) {
      const bool is_too_large = dynamic_cast<const TooManyPixels*>(&error) != nullptr;
      response.status = is_too_large ? http_status::kTooLarge : http_status::kUnprocessable;
      json = {{"status", "failed"}, {"reason", error.what()}};
    } catch (const std::exception& error) {
      const bool has_no_room = dynamic_cast<const DiskError*>(&error) != nullptr;
      response.status = has_no_room ? http_status::kNoRoom : http_status::kFailed;
      json = {{"status", "failed"}, {"reason", error.what()}};
    }
    change_texts(json, [&](const std::string& text) { return api.without_folders(text, base); });
    response.body = json_line(json);
    return response;
  }

  std::optional<std::size_t> number_;
};

std::unique_ptr<Exchange> mesh_exchange(MeshApi& api, const RequestHead& head) {
  return std::make_unique<MeshExchange>(api, head);
}

std::unique_ptr<Exchange> check_exchange(MeshApi& api, const RequestHead& head) {
  return std::make_unique<CheckExchange>(api, head);
}

}  // namespace p2mpp
