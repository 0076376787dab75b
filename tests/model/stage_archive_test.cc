#include "model/stage_archive.h"

#include <gtest/gtest.h>

#include <cmath>

#include "model/model.h"
#include "p2mpp/error.h"
#include "support/mutations.h"
#include "support/temporary_folder.h"
#include "support/zip_writer.h"

namespace p2mpp {
namespace {

/// A number's bytes, little-endian.
std::string bytes_of(std::uint64_t value, std::size_t count) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) bytes.push_back(static_cast<char>(value >> 8 * i & 255U));
  return bytes;
}

std::string text(const std::string& value) { return "X" + bytes_of(value.size(), 4) + value; }

/// data.pkl of a module with stage 1, semantics clean and one tensor "w" of 3 elements from the storage's second on.
std::string pickle_of(const std::string& storage, const std::string& strides = "K\x01\x85") {
  const std::string tensor = "ctorch._utils\n_rebuild_tensor_v2\n((" + text("storage") + "ctorch\n" + storage + "\n" +
                             text("0") + text("cpu") + "K\x04tQK\x01K\x03\x85" + strides +
                             "\x89"
                             "ccollections\nOrderedDict\n)RtR";
  return "\x80\x02"
         "c__torch__\nStage1\n)\x81}(" +
         text("stage") + "K\x01" + text("semantics") + text("clean") + text("w") + tensor + "ub.";
}

Model model_of(const std::string& archive) {
  Model model;
  model.info.folder = "x";
  model.stage1_archive = archive;
  return model;
}

/// Of a pickle and the storage of its tensor.
std::string archive_of(const std::string& pickle, const std::string& storage) {
  return zip_archive({{"m/data.pkl", pickle}, {"m/data/0", storage}});
}

std::vector<float> weights_in(const std::string& pickle, const std::string& storage) {
  const Model model = model_of(archive_of(pickle, storage));
  const StageArchive archive(model, 1);
  const Parameter& weight = archive.get("w", 1);
  EXPECT_EQ(weight.shape, std::vector<std::int64_t>{3});
  return {weight.values.begin(), weight.values.end()};
}

void read(const std::string& archive) {
  const Model model = model_of(archive);
  const StageArchive ignored(model, 1);
}

template <class Stored>
std::string storage_of(const std::vector<Stored>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Stored)};
}

const std::vector<float> kExpected = {-2, 0.5F, 1.5F};

TEST(StageArchive, ReadsEveryKindOfFloat) {
  EXPECT_EQ(weights_in(pickle_of("FloatStorage"), storage_of<float>({9, -2, 0.5F, 1.5F})), kExpected);
  EXPECT_EQ(weights_in(pickle_of("DoubleStorage"), storage_of<double>({9, -2, 0.5, 1.5})), kExpected);
  EXPECT_EQ(weights_in(pickle_of("HalfStorage"), storage_of<std::uint16_t>({0x4880, 0xc000, 0x3800, 0x3e00})),
            kExpected);
  EXPECT_EQ(weights_in(pickle_of("BFloat16Storage"), storage_of<std::uint16_t>({0x4110, 0xc000, 0x3f00, 0x3fc0})),
            kExpected);
}

TEST(StageArchive, ReadsSubnormalHalves) {
  EXPECT_EQ(weights_in(pickle_of("HalfStorage"), storage_of<std::uint16_t>({0, 1, 0x0400, 0x8001})),
            (std::vector<float>{std::ldexp(1.0F, -24), std::ldexp(1.0F, -14), -std::ldexp(1.0F, -24)}));
}

TEST(StageArchive, SaysWhatIsWrong) {
  const std::string floats = storage_of<float>({9, -2, 0.5F, 1.5F});

  const std::string good = pickle_of("FloatStorage");
  EXPECT_NO_THROW(read(archive_of(good, floats)));
  EXPECT_REFUSED(read(""), "x/stage1.pt: not a TorchScript archive (not a ZIP file)");
  EXPECT_REFUSED(read(zip_archive({{"m/data/0", floats}})),
                 "x/stage1.pt: not a TorchScript archive (there is no data.pkl in it)");
  EXPECT_REFUSED(read(archive_of(good, floats.substr(1))), "x/stage1.pt: the weights of w are cut off");
  EXPECT_REFUSED(read(zip_archive({{"m/data.pkl", good}})), "x/stage1.pt: the weights of w are cut off");
  EXPECT_REFUSED(read(archive_of(pickle_of("FloatStorage", "K\x02\x85"), floats)),
                 "x/stage1.pt: the elements of w do not lie row by row");
  EXPECT_REFUSED(read(archive_of(good, storage_of<float>({9, NAN, 0, 0}))),
                 "x/stage1.pt: the weights of w are not finite");
  EXPECT_REFUSED(read(archive_of(good, storage_of<float>({9, 0, 0, INFINITY}))),
                 "x/stage1.pt: the weights of w are not finite");
  std::string other = good;
  other.replace(other.find("clean"), 5, "drawn");
  EXPECT_REFUSED(read(archive_of(other, floats)),
                 "x/stage1.pt: was exported for the semantics drawn; expected clean (model.json)");
  EXPECT_REFUSED(read(archive_of("\x80\x02"
                                 "cos\nsystem\n" +
                                     text("true") + "\x85R.",
                                 floats)),
                 "os.system, which is refused");
}

TEST(StageArchive, ParametersHaveToBeThere) {
  const Model model = model_of(archive_of(pickle_of("FloatStorage"), storage_of<float>({9, -2, 0.5F, 1.5F})));
  const StageArchive archive(model, 1);
  EXPECT_TRUE(archive.has("w"));
  EXPECT_FALSE(archive.has("v"));
  EXPECT_THROW(static_cast<void>(archive.get("v", 1)), InputError);
  EXPECT_THROW(static_cast<void>(archive.get("w", 2)), InputError);
}

TEST(StageArchive, ModulesThatHoldThemselvesEnd) {
  const std::string pickle =
      "\x80\x02"
      "c__torch__\nA\n)\x81q\x01}(" +
      text("a") + "h\x01ub.";
  EXPECT_REFUSED(read(zip_archive({{"m/data.pkl", pickle}, {"padding", std::string(1000, 'x')}})),
                 "nests its modules too deep");
}

// A module of nested ones: a few thousand bytes, and visits without end where each is followed.
TEST(StageArchive, ModulesThatNameEachOtherOverAndOverEnd) {
  const auto put = [](char key) { return std::string("q").append(1, key); };
  const auto get = [](char key) { return std::string("h").append(1, key); };
  std::string pickle = "\x80\x02(";
  for (char level = 1; level < 14; ++level) {
    pickle += "c__torch__\nA\n)\x81" + put(level) + "}(";
    for (int child = 0; child < 200 && level > 1; ++child) {
      pickle += text(std::string("a").append(std::to_string(child))) + get(static_cast<char>(level - 1));
    }
    pickle += "ub";
  }
  pickle += "0" + get(13) + ".";
  const std::string archive = zip_archive({{"m/data.pkl", pickle}});
  EXPECT_LT(archive.size(), 40'000U);
  EXPECT_REFUSED(read(archive), "x/stage1.pt: names the same modules or tensors again and again");
}

// One tensor under a thousand names took a thousand times its bytes where they have to be converted.
TEST(StageArchive, ATensorOfManyNamesTakesNoMoreThanTheArchive) {
  std::string good = pickle_of("HalfStorage");
  const std::size_t begin = good.find(text("w"));
  const std::string tensor = good.substr(begin + text("w").size(), good.size() - 3 - begin - text("w").size());
  std::string names;
  for (int i = 0; i < 1000; ++i)
    names += text(std::string("w").append(std::to_string(i))) + (i == 0 ? tensor + "q\x01" : "h\x01");
  good.replace(begin, text("w").size() + tensor.size(), names);
  EXPECT_NO_THROW(read(archive_of(good, std::string(8, '\0'))));
  const std::string large = [&] {
    std::string elements = good;
    const std::string shape = "K\x03\x85";
    return elements.replace(elements.find(shape), shape.size(), "M" + bytes_of(0x8000, 2) + "\x85");
  }();
  EXPECT_REFUSED(read(archive_of(large, std::string(100'000, '\0'))),
                 "x/stage1.pt: names the same modules or tensors again and again");
}

// A module's attributes are copied when they are set: megabytes for five bytes of pickle.
TEST(StageArchive, AttributesThatAreSetAgainAndAgainEnd) {
  std::string pickle = "\x80\x02}q\x01(";
  for (int i = 0; i < 5000; ++i) pickle += "NN";
  pickle += "u0";
  pickle += "c__torch__\nA\n)\x81";
  for (int i = 0; i < 1000; ++i) pickle += std::string("h\x01") + "b";
  EXPECT_REFUSED(read(zip_archive({{"m/data.pkl", pickle + "N."}})), "copies the same objects again and again");
}

// A few bytes that ask for large objects: reading takes no more than four times the archive's bytes.
TEST(StageArchive, ObjectsTakeNoMoreMemoryThanTheArchiveAllows) {
  const std::string many = pickle_of("FloatStorage");
  const std::size_t begin = many.find("ctorch._utils"), end = many.find("ub.");
  const std::string tensor = many.substr(begin, end - begin);
  const std::string expected = "its objects take more memory than a file of this size may";
  const std::string function = "ctorch._utils\n_rebuild_tensor_v2\n";
  std::string built =
      function + "q\x02" + tensor.substr(function.size(), tensor.size() - function.size() - 1) + "q\x03R";
  for (int i = 0; i < 200'000; ++i) built += "h\x02h\x03R";
  EXPECT_REFUSED(read(zip_archive({{"m/data.pkl", built}})), expected);
  EXPECT_REFUSED(read(zip_archive({{"m/data.pkl", std::string(1'000'000, ']')}})), expected);
  const std::string shape = "K\x03\x85";
  std::string wide = many;
  std::string extents;
  for (int i = 0; i < 64; ++i) extents += "K\x01";
  wide.replace(wide.find(shape), shape.size(), "(" + extents + "t");
  EXPECT_REFUSED(read(zip_archive({{"m/data.pkl", wide}})), "a tensor has too many dimensions");
}

TEST(StageArchive, SurvivesMutations) {
  const std::string archive = archive_of(pickle_of("FloatStorage"), storage_of<float>({9, -2, 0.5F, 1.5F}));
  const int survived = survive_mutations(archive, 20'000, 1, read);
  EXPECT_GT(survived, 0);
  EXPECT_LT(survived, 20'000);
}

}  // namespace
}  // namespace p2mpp
