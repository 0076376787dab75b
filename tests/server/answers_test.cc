// Who knows the name of a result can fetch it. So no answer and no line of the log names a request's folder, except the
// addresses of a result in the answer to its own request, and none names the spool.
#include <random>
#include <regex>

#include "server/mesh_server_fixture.h"
#include "support/zip_writer.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;

// In place of p2mpp-photos: says what it can find out, and ends in many ways.
constexpr std::string_view kTellsEverything = R"sh(#!/bin/sh
say() { echo "p2mpp-photos: $1" >&2; }
mkdir "$3"
for each in "$PWD" "$PWD/$1" "$TMPDIR/$3/masks.jpg" "$(cd .. && pwd)" "$(cd ../.. && pwd)" "$(ls ..)" "$*"; do
  say "$each"; say "'$each/a.png' and $each"; say "$(printf '%04060d' 0) $each"
done
find "$PWD/.." >&2
echo "$PWD" > "$3/masks.jpg"
case $(ls "$1" | wc -l) in
  5) echo "{\"notes\": [\"$PWD/$3\", \"$(ls -m .. | head -1)\"]}" > "$3/photos.json"; echo x > "$3/mesh.glb" ;;
  6) say "error: $PWD/$1/a.png is bad; then go on with: $PWD"; exit 3 ;;
  7) echo "no JSON in $PWD" > "$3/photos.json" ;;
  8) exit 7 ;;
esac
)sh";

class AnswersTest : public MeshServerTest {
 protected:
  AnswersTest() {
    const fs::path program = folder_.path() / "photos.sh";
    write_file_atomically(program, kTellsEverything);
    fs::permissions(program, fs::perms::owner_all);
    server_options_.api.photographs.program = program;
    const auto log = [this](const std::string& line) {
      const std::lock_guard lock(log_mutex_);
      log_ += line + "\n";
    };
    options_.on_warning = server_options_.http.on_failure = log;
  }

  // The address of an answer's own result is taken out of it.
  void expect_plain(const std::string& sent, ClientResponse answer) {
    ++answers_[answer.status];
    static const std::regex own(R"("files":\s*\{[^}]*\})"), name("[0-9a-f]{32}");
    std::smatch files;
    if (std::regex_search(answer.body, files, own)) {
      EXPECT_EQ(files.str().find(victim_), std::string::npos) << sent;
      answer.body = files.prefix().str() + files.suffix().str();
    }
    for (const std::string& text : {answer.head, answer.body}) {
      EXPECT_FALSE(std::regex_search(text, name)) << sent << "\n" << text;
      EXPECT_EQ(text.find(folder_.path()), std::string::npos) << sent << "\n" << text;
      EXPECT_EQ(text.find(spool_name()), std::string::npos) << sent << "\n" << text;
    }
  }

  void try_out(const std::string& sent) { expect_plain(sent, ask(sent)); }

  [[nodiscard]] std::string spool_name() const {
    const fs::path spool = spool_folder();
    return spool.empty() ? "p2mpp-serve-" : spool.filename().string();
  }

  template <typename T>
  const T& any_of(const std::vector<T>& list) {
    return list[std::uniform_int_distribution<std::size_t>(0, list.size() - 1)(random_)];
  }

  std::string any_image() {
    return any_of<std::string>(
        {png_, png_, png_, "x", "", png_.substr(0, 40), "II*", "\xff\xd8\xff\xe0", "RIFF1234WEBPVP8 "});
  }

  std::string any_cameras() {
    const std::string up = any_of<std::string>({"", "../", "../../", "../../../" + spool_name() + "/", "/nowhere/"});
    const std::string image = up + any_of<std::string>({"a.png", "input/a.png", victim_ + "/output/mesh.glb", ""});
    const std::vector<std::pair<std::string, std::string>> files = {
        {"cameras.txt", "10 27 0 0.75 25\n20 27 0 0.75 25\n"},
        {"cameras.txt", "10 27 0 0.75\n"},
        {"cameras.txt", "# Camera list\n1 PINHOLE 4 4 4 4 2 2\n"},
        {"images.txt", "1 1 0 0 0 0 0 0 1 " + image + "\n\n"},
        {"transforms.json", R"({"fl_x": 4, "frames": [{"file_path": ")" + image + R"(", "transform_matrix": []}]})"},
        {"cameras.json", R"({"format": "p2mpp-cameras", "views": [{"image": ")" + image + R"("}]})"},
        {"scan.xml", "<document><chunk><cameras><camera label=\"" + image + "\"/></cameras></chunk></document>"},
        {"poses.npz", "PK"},
        {"scene.mvs", "MVSI" + image},
        {"list.txt", image + "\n"},
        {"scan.nvm", "NVM_V3\n\n2\n" + image + " 4 1 0 0 0 0 0 0 0 0\n"}};
    const auto& [name, text] = any_of(files);
    return part("cameras", name, text);
  }

  std::string any_archive() {
    std::vector<FileToPack> files;
    for (const char* name : {"a.png", "b.png"})
      files.push_back({.name = std::string("c/") + name, .bytes = any_image()});
    files.push_back(
        {.name = any_of<std::string>({"c/cameras.txt", "../a", "c/" + victim_, "/etc/passwd", "c/images.txt"}),
         .bytes = any_of<std::string>({"0 27 0 0.75 25\n9 27 0 0.75 25\n", "1 1 0 0 0 0 0 0 1 ../../a.png\n\n"})});
    return part("capture", "c.zip", zip_archive(files));
  }

  std::string any_sample() {
    if (any_of<int>({0, 0, 1}) == 1) return any_archive();
    std::string parts;
    for (const char* name : {"a.png", "b.png"}) parts += part("image", name, any_image());
    if (any_of<int>({0, 1}) == 1) parts += part("mask", "a.png", any_image());
    for (int i = any_of<int>({0, 1, 1, 3}); i > 0; --i) parts += any_cameras();
    return parts +
           part("request", "", any_of<std::string>({"{}", R"({"turntable": {"elevation": 20}})", R"({"id": "c"})"}));
  }

  std::string any_photographs() {
    std::string parts;
    for (int i = any_of<int>({4, 5, 6, 7, 8, 9}); i > 0; --i) parts += part("image", fmt::format("{}.png", i), png_);
    return parts + any_of<std::string>({"", part("image", "a.png", any_image())});
  }

  const std::string png_ = tiny_png();
  std::mt19937 random_{1};
  std::string victim_;  // the name of a result
  std::map<unsigned, int> answers_;
  std::mutex log_mutex_;
  std::string log_;
};

TEST_F(AnswersTest, NoneNamesTheSpoolOrAnotherRequest) {
  start();
  const Json json = Json::parse(HttpClient(port(), 2).ask(mesh_request()).body);
  victim_ = json["files"]["glb"].get<std::string>().substr(std::string("/v1/meshes/").size(), 32);
  for (int i = 0; i < 60; ++i) {
    const std::string path = any_of<std::string>({"/v1/meshes", "/v1/check"});
    try_out(post_request(path, kMultipart, any_sample() + "--b--\r\n"));
    if (i % 10 == 0) try_out(post_request("/v1/photographs", kMultipart, any_photographs() + "--b--\r\n"));
    const std::string sample = any_of<std::string>({"", "..", "a", "../" + spool_name(), victim_.substr(0, 31)});
    try_out(post_request(path, "application/json", Json{{"sample", sample}}.dump()));
  }
  const fs::path spool = spool_folder();
  for (std::error_code ignored; fs::exists(spool, ignored);)
    fs::remove_all(spool, ignored);  // so that the server fails
  try_out(mesh_request());
  for (const unsigned status : {200U, 400U, 422U, 500U}) EXPECT_GT(answers_[status], 0) << status;
  const std::lock_guard lock(log_mutex_);
  EXPECT_FALSE(log_.empty());
  EXPECT_EQ(log_.find("p2mpp-serve-"), std::string::npos) << log_;
  EXPECT_FALSE(std::regex_search(log_, std::regex("[0-9a-f]{32}"))) << log_;
}

}  // namespace
}  // namespace p2mpp
