#include "server/multipart.h"

#include <gtest/gtest.h>

#include <vector>

#include "p2mpp/error.h"
#include "support/messages.h"

namespace p2mpp {
namespace {

struct Part {
  std::string name, filename, bytes;
  bool ended = false;
  bool operator==(const Part&) const = default;
};

class Parts : public PartReceiver {
 public:
  void begin_part(const PartHead& head) override { parts.push_back({head.name, head.filename, {}}); }
  void part_bytes(std::string_view bytes) override { parts.back().bytes += bytes; }
  void end_part() override { parts.back().ended = true; }
  std::vector<Part> parts;
};

std::vector<Part> parsed(std::string_view body, std::size_t piece) {
  Parts parts;
  MultipartParser parser("b", parts);
  for (std::size_t i = 0; i < body.size(); i += piece) parser.feed(body.substr(i, piece));
  parser.finish();
  return parts.parts;
}

std::string refusal(std::string_view body) {
  return message_of<InputError>([&] { static_cast<void>(parsed(body, body.size())); });
}

std::string head(const std::string& disposition) { return "--b\r\nContent-Disposition: " + disposition + "\r\n\r\n"; }

TEST(Multipart, TakesPartsApart) {
  const std::string body = head("form-data; name=\"image\"; filename=\"a \\\"1\\\".png\"") + "x\r\n--y\r\n" +
                           "\r\n--b\r\ncontent-disposition:form-data;name=empty\r\n\r\n\r\n--b--\r\nepilogue";
  const std::vector<Part> expected = {{"image", "a \"1\".png", "x\r\n--y\r\n", true}, {"empty", "", "", true}};
  for (std::size_t piece = 1; piece <= body.size(); ++piece) EXPECT_EQ(parsed(body, piece), expected) << piece;
}

TEST(Multipart, RefusesWhatIsMalformed) {
  EXPECT_HOLDS(refusal("hello"), "does not begin with the boundary");
  EXPECT_HOLDS(refusal("--b\r\nContent-Disposition"), "ends within a part");
  EXPECT_HOLDS(refusal(head("form-data; name=\"a\"") + "text"), "ends within a part");
  EXPECT_HOLDS(refusal("--bxy"), "followed by other bytes");
  EXPECT_HOLDS(refusal("--b\r\nnothing\r\n\r\n"), "line without ':'");
  for (const char* bad : {"form-data", "attachment; name=\"a\"", "form-data; name=\"a", "form-data; name"}) {
    EXPECT_HOLDS(refusal(head(bad)), "has no name") << bad;
  }
  EXPECT_HOLDS(refusal("--b\r\nX: y\r\n\r\n"), "has no name");
}

TEST(Multipart, BoundsHeads) { EXPECT_HOLDS(refusal("--b\r\nX: " + std::string(5000, 'x')), "more than 4096 bytes"); }

TEST(Multipart, FindsTheBoundary) {
  EXPECT_EQ(multipart_boundary("multipart/form-data; boundary=abc"), "abc");
  EXPECT_EQ(multipart_boundary("Multipart/Form-Data; charset=utf-8; boundary=\"a b\""), "a b");
  for (const std::string& bad :
       {std::string(), std::string("text/plain"), std::string("multipart/form-data"),
        std::string("multipart/form-data; boundary="), "multipart/form-data; boundary=" + std::string(71, 'x'),
        std::string("multipart/form-data; boundary=\x01"), std::string("application/json; boundary=a")}) {
    EXPECT_THROW(static_cast<void>(multipart_boundary(bad)), InputError) << bad;
  }
}

}  // namespace
}  // namespace p2mpp
