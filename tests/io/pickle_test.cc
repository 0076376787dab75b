#include "io/pickle/pickle.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "p2mpp/error.h"
#include "support/mutations.h"
#include "support/temporary_folder.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;

const fs::path kPickles = fs::path(P2MPP_TEST_DATA) / "io" / "pickles";

std::vector<fs::path> pickles_of(const std::string& contents) {
  std::vector<fs::path> paths;
  for (const fs::directory_entry& entry : fs::directory_iterator(kPickles)) {
    if (entry.path().filename().string().find("_" + contents + "_") != std::string::npos) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  EXPECT_EQ(paths.size(), 9u);
  return paths;
}

std::vector<PickledArray> parsed_pickle(const std::string& bytes) { return parse_pickled_arrays(bytes, "file.dat"); }

/// 0, 1, 2, ... as make_pickles.py draws them.
PickledArray numbers(std::vector<std::int64_t> shape, double first, double step) {
  std::size_t count = 1;
  for (const std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
  PickledArray array{std::move(shape), {}};
  for (std::size_t i = 0; i < count; ++i) array.values.push_back((static_cast<double>(i) + first) * step);
  return array;
}

void expect_array(const PickledArray& found, const PickledArray& expected, const fs::path& path) {
  EXPECT_EQ(found.shape, expected.shape) << path;
  EXPECT_EQ(found.values, expected.values) << path;
}

// The pieces of a pickle of one array [2] of floats, written by hand: protocol 2.
const std::string kReconstruct =
    "\x80\x02"
    "cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\0\x85U\1b\x87R"s;
const std::string kFloat32 = "cnumpy\ndtype\nU\2f4K\0K\1\x87R(K\3U\1<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\0tb"s;
const std::string kData = "U\x08\0\0\x80?\0\0\0@"s;

std::string array_of(const std::string& shape, const std::string& dtype, const std::string& data) {
  return kReconstruct + "(K\1" + shape + dtype + "\x89" + data + "tb";
}

std::string repeated(const std::string& text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text;
  return result;
}

TEST(ParsePickledArrays, ReadsEveryProtocolOfBothPythons) {
  for (const fs::path& path : pickles_of("everything")) {
    const std::vector<PickledArray> arrays = read_pickled_arrays(path);
    ASSERT_EQ(arrays.size(), 18u) << path;
    for (std::size_t i = 0; i < 4; ++i) expect_array(arrays[i], numbers({2, 3}, -3, 0.5), path);
    for (std::size_t i = 4; i < 9; ++i) expect_array(arrays[i], numbers({2, 3}, -3, 1), path);
    for (std::size_t i = 9; i < 13; ++i) expect_array(arrays[i], numbers({2, 3}, 0, 1), path);
    expect_array(arrays[13], numbers({3, 4}, -3, 0.5), path);
    expect_array(arrays[14], numbers({2, 3, 4}, -3, 0.5), path);
    expect_array(arrays[15], {{0, 3}, {}}, path);
    expect_array(arrays[16], {{}, {-1.5}}, path);
    expect_array(arrays[17], {{1, 2}, {0, 1}}, path);
  }
}

TEST(ParsePickledArrays, ReadsAPair) {
  for (const fs::path& path : pickles_of("pair")) {
    const std::vector<PickledArray> arrays = read_pickled_arrays(path);
    ASSERT_EQ(arrays.size(), 2u) << path;
    expect_array(arrays[0], {{2, 6}, std::vector<double>(12, 0.0)}, path);
    expect_array(arrays[1], numbers({5, 6}, -3, 0.5), path);
  }
}

TEST(ParsePickledArrays, ReadsAnArrayWrittenByHand) {
  const std::vector<PickledArray> arrays = parsed_pickle(array_of("K\2\x85", kFloat32, kData) + ".");
  ASSERT_EQ(arrays.size(), 1u);
  expect_array(arrays[0], {{2}, {1, 2}}, "by hand");
  EXPECT_EQ(parsed_pickle(array_of("K\2\x85", kFloat32, kData) + ".more").size(), 1u);
}

TEST(ParsePickledArrays, RefusesEveryOtherName) {
  EXPECT_REFUSED(parsed_pickle("cos\nsystem\n(S'rm -rf /'\ntR."),
                 "file.dat: names os.system, which is refused; expected a pickle of NumPy arrays");
  EXPECT_REFUSED(parsed_pickle("\x80\x02"
                               "c__builtin__\neval\nX\1\0\0\0"
                               "1\x85R."s),
                 "names __builtin__.eval");
  EXPECT_REFUSED(parsed_pickle("\x80\x04\x8c\x08"
                               "builtins\x8c\x04"
                               "exec\x93\x8c\x01"
                               "1\x85R."s),
                 "names builtins.exec");
  EXPECT_REFUSED(parsed_pickle("cnumpy.core.multiarray\nfromstring\n."), "names numpy.core.multiarray.fromstring");
  EXPECT_REFUSED(parsed_pickle("cnumpy.testing._private.utils\nrunstring\n."),
                 "names numpy.testing._private.utils.runstring");
  EXPECT_REFUSED(parsed_pickle("cnumpy\nload\n."), "names numpy.load");
  EXPECT_REFUSED(parsed_pickle("c" + std::string(10000, 'm') + "\n\x1b[2J\n."),
                 "mmm... (10000 characters).\\x1b[2J, which is refused");
}

TEST(ParsePickledArrays, RefusesInstructionsThatMakeObjectsAndMisusedNames) {
  for (const std::string& bytes :
       {"(ios\nsystem\n."s, "(S'os'\no."s, "Pid\n."s, "K\1Q."s, "\x82\1."s, "\x83\1\0."s, "\x84\1\0\0\0."s,
        "cnumpy\nndarray\n)\x81."s, "cnumpy\nndarray\n)}\x92."s, "\x8f."s, "\x97."s, "?"s}) {
    EXPECT_REFUSED(parsed_pickle(bytes), " is refused");
  }
  EXPECT_REFUSED(parsed_pickle("cnumpy\nndarray\n)R."), "calls numpy.ndarray");
  EXPECT_REFUSED(parsed_pickle("K\1)R."), "calls what is not a function");
  EXPECT_REFUSED(parsed_pickle("c__builtin__\nbytes\nK\1\x85R."), "calls bytes with arguments");
  EXPECT_REFUSED(parsed_pickle("c_codecs\nencode\nX\1\0\0\0"
                               "aU\3zip\x86R."s),
                 "to another encoding than latin1");
  EXPECT_REFUSED(parsed_pickle("c_codecs\nencode\nX\3\0\0\0\xe2\x82\xacU\6latin1\x86R."s), "a text is not valid");
  EXPECT_REFUSED(parsed_pickle("cnumpy.core.multiarray\n_reconstruct\nK\1K\1K\1\x87R."),
                 "reconstructs what is not a numpy.ndarray");
  EXPECT_REFUSED(parsed_pickle("K\1)b."), "sets the state of what is neither");
}

TEST(ParsePickledArrays, RefusesOtherElements) {
  for (const std::string name :
       {"O8", "V4", "S1", "U1", "c8", "f2", "M8", "f16", "i3", "f", "", "f4x", "f-4", "f99999999999999999999"}) {
    std::string bytes = "cnumpy\ndtype\nU";
    bytes += static_cast<char>(name.size());
    bytes += name;
    bytes += "K\0K\1\x87R."s;
    EXPECT_REFUSED(parsed_pickle(bytes), "holds elements of dtype '" + name + "'");
  }
  const std::string fields = "cnumpy\ndtype\nU\2f4K\0K\1\x87R(K\3U\1<N(U\1at}J\xff\xff\xff\xffJ\xff\xff\xff\xffK\0tb."s;
  EXPECT_REFUSED(parsed_pickle(fields), "a dtype has fields or an unknown byte order");
}

TEST(ParsePickledArrays, RefusesShapesThatDoNotFitTheBytes) {
  EXPECT_REFUSED(parsed_pickle(array_of("K\3\x85"s, kFloat32, kData) + "."),
                 "an array has 8 bytes where shape and dtype say 12");
  EXPECT_REFUSED(parsed_pickle(array_of("J\xff\xff\xff\xffJ\xfe\xff\xff\xff\x86", kFloat32, kData) + "."),
                 "shape is not a tuple of counts");
  EXPECT_REFUSED(parsed_pickle(array_of("U\1a\x85", kFloat32, kData) + "."), "shape is not a tuple of counts");
  EXPECT_REFUSED(parsed_pickle(array_of("K\2", kFloat32, kData) + "."), "a tuple is expected");
  const std::string huge = "\x8a\x08\0\0\0\0\0\0\0\x40"s;
  EXPECT_REFUSED(parsed_pickle(array_of(huge + huge + "\x86", kFloat32, kData) + "."), "an array's shape is too large");
  EXPECT_REFUSED(parsed_pickle(array_of("(" + repeated("K\1", 65) + "t", kFloat32, kData) + "."),
                 "too many dimensions");
  EXPECT_REFUSED(parsed_pickle(array_of("K\2\x85", "N", kData) + "."), "an array without dtype or bytes");
  EXPECT_REFUSED(parsed_pickle(array_of("K\2\x85", kFloat32, "]") + "."), "an array without dtype or bytes");
  EXPECT_REFUSED(parsed_pickle(kReconstruct + "."), "holds an array without contents");
}

TEST(ParsePickledArrays, ReadsEmptyArraysButNotNone) {
  const std::string huge = "\x8a\x08\0\0\0\0\0\0\0\x40"s;
  EXPECT_REFUSED(parsed_pickle(kReconstruct + "(K\1" + huge + huge + "K\0\x87"s + kFloat32 + "\x88U\0tb."s),
                 "too large");
  EXPECT_TRUE(
      parsed_pickle(kReconstruct + "(K\1K\0"s + huge + huge + "\x87" + kFloat32 + "\x88U\0tb."s).at(0).values.empty());
  for (const char* bytes : {"N.", "].", "(F1.5\nI2\nL3L\nt.", "\x80\x02}."})
    EXPECT_REFUSED(parsed_pickle(bytes), "holds no NumPy array");
}

TEST(ParsePickledArrays, RefusesABrokenStack) {
  EXPECT_REFUSED(parsed_pickle("."), "its stack is empty");
  EXPECT_REFUSED(parsed_pickle("N(0."), "its stack is empty");
  EXPECT_REFUSED(parsed_pickle("t."), "a mark is missing");
  EXPECT_REFUSED(parsed_pickle("NNa."), "added to what is not a container");
  EXPECT_REFUSED(parsed_pickle("}(Nu."), "a key without a value");
  EXPECT_REFUSED(parsed_pickle("h\1."), "memo 1 is missing");
  EXPECT_REFUSED(parsed_pickle("gx\n."), "a memo key is not a number");
  EXPECT_REFUSED(parsed_pickle("\x80\x06."), "a protocol newer than 5");
  EXPECT_REFUSED(parsed_pickle("I99999999999999999999\n."), "is not an integer of 64 bits");
  EXPECT_REFUSED(parsed_pickle("\x8a\x09"
                               "123456789."),
                 "an integer has more than 64 bits");
  EXPECT_REFUSED(parsed_pickle("Fx\n."), "'x' is not a number");
  EXPECT_REFUSED(parsed_pickle("Sabc\n."), "a text is not valid");
}

TEST(ParsePickledArrays, RefusesEveryTruncation) {
  for (const char* contents : {"everything", "points"}) {
    for (const fs::path& path : pickles_of(contents)) {
      const std::string bytes = slurp(path);
      for (std::size_t length = 0; length < bytes.size(); ++length) {
        EXPECT_THROW(parsed_pickle(bytes.substr(0, length)), InputError) << path << ' ' << length;
      }
    }
  }
  EXPECT_REFUSED(parsed_pickle("B\xff\xff\xff\xffx."), "is cut off");
  EXPECT_REFUSED(parsed_pickle("\x8e\xff\xff\xff\xff\xff\xff\xff\xffx."), "is cut off");
}

TEST(ParsePickledArrays, RefusesBombs) {
  const auto start = std::chrono::steady_clock::now();
  rusage before{};  // other tests of the suite ran in this process
  ::getrusage(RUSAGE_SELF, &before);
  // A list of the list before, ten times over, twenty deep.
  const std::string doubled =
      "]q\0"s + array_of("K\2\x85", kFloat32, kData) + "a" + repeated("](" + repeated("h\0"s, 10) + "eq\0"s, 20);
  EXPECT_REFUSED(parsed_pickle(doubled + "."), "names the same objects again and again");
  // A list that holds itself many times.
  EXPECT_REFUSED(parsed_pickle("]q\0("s + repeated("h\0"s, 10000) + "e."), "names the same objects again and again");
  EXPECT_REFUSED(parsed_pickle(repeated("N0", 1000000) + "."), "has more than 1048576 instructions");
  // Lists, and an array of 64 dimensions built over and over: objects of many bytes for one or a few of the file's.
  EXPECT_REFUSED(parsed_pickle(repeated("]", 1000000)), "its objects take more memory than a file of this size may");
  EXPECT_REFUSED(parsed_pickle(repeated("]", 5000) + repeated("a", 4999) + "."), "holds no NumPy array");
  const std::string many = "(" + repeated("K\0"s, 64) + "tq\0"s + kFloat32 + "q\1U\0q\2"s;
  const std::string again = "cnumpy.core.numeric\n_frombuffer\n(h\2h\1h\0U\1CtR"s;
  EXPECT_REFUSED(parsed_pickle(many + repeated(again, 30000)),
                 "its objects take more memory than a file of this size may");
  // One text encoded again and again.
  const std::string text = "X\x40\x42\x0f\0"s + std::string(1000000, 'a');
  EXPECT_REFUSED(parsed_pickle(text + "q\0U\6latin1\x86q\1"s + repeated("0c_codecs\nencode\nh\1R"s, 1000) + "."),
                 "the same text again and again");
  // One large tuple given to a function again and again.
  EXPECT_REFUSED(parsed_pickle("(" + repeated("N", 20000) + "tq\0cnumpy.core.multiarray\nscalar\nq\1"s +
                               repeated("h\1h\0R0"s, 100000) + "."),
                 "holds no NumPy array");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  EXPECT_LT(usage.ru_maxrss - before.ru_maxrss, 256 * 1024) << "KiB";
}

TEST(ParsePickledArrays, SurvivesMutations) {
  for (const fs::path& path : pickles_of("everything")) {
    const std::string bytes = slurp(path);
    const int parsed = survive_mutations(bytes, 3000, 1, [](const std::string& mutated_bytes) {
      for (const PickledArray& array : parsed_pickle(mutated_bytes)) {
        std::int64_t count = 1;
        for (const std::int64_t extent : array.shape) count *= extent;
        ASSERT_EQ(static_cast<std::int64_t>(array.values.size()), count);
      }
    });
    EXPECT_GT(parsed, 0) << path;
  }
}

}  // namespace
}  // namespace p2mpp
