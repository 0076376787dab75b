#include "io/test_list.h"

#include <gtest/gtest.h>

#include "p2mpp/error.h"
#include "support/mutations.h"
#include "support/temporary_folder.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;

class TestList : public ::testing::Test {
 protected:
  std::vector<ListEntry> parse(const std::string& text) const { return read_test_list(folder.write("list.txt", text)); }

  /// Why a line cannot be used.
  std::string check_path(const std::string& line) const {
    const std::vector<ListEntry> entries = parse(line);
    EXPECT_EQ(entries.size(), 1u);
    return entries.at(0).problem;
  }

  TemporaryFolder folder;
};

TEST_F(TestList, ReadsIds) {
  const std::vector<ListEntry> entries = parse("02691156_1a04e3-eab_00.dat\n03001627_a_b_07.dat\n");
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].id, "02691156_1a04e3-eab_00");
  EXPECT_EQ(entries[0].category, "02691156");
  EXPECT_EQ(entries[0].model, "1a04e3-eab");
  EXPECT_EQ(entries[0].problem, "");
  EXPECT_EQ(entries[1].category, "03001627");
  EXPECT_EQ(entries[1].model, "a_b");
  EXPECT_EQ(entries[1].line, 2u);
}

TEST_F(TestList, SkipsBlankLinesMarksAndCarriageReturns) {
  const std::vector<ListEntry> entries = parse("\xef\xbb\xbf\r\n c_m_00.dat \r\n\n\t\nc_n_00.dat");
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].id, "c_m_00");
  EXPECT_EQ(entries[0].line, 2u);
  EXPECT_EQ(entries[0].problem, "");
  EXPECT_EQ(entries[1].id, "c_n_00");
  EXPECT_EQ(entries[1].line, 5u);
}

TEST_F(TestList, RefusesAListWithoutIds) {
  EXPECT_REFUSED(parse(""), "list.txt: holds no id; expected one a line");
  EXPECT_REFUSED(parse("\n \r\n"), "holds no id");
  EXPECT_REFUSED(read_test_list(folder.path() / "missing.txt"), "no such file");
}

TEST_F(TestList, MarksIdsThatCouldLeaveTheRoot) {
  EXPECT_HOLDS(check_path("../../etc/passwd_x_00.dat"), "holds '/'");
  EXPECT_HOLDS(check_path("/etc/passwd"), "holds '/'");
  EXPECT_HOLDS(check_path(".._m_00.dat"), "holds '..'");
  EXPECT_HOLDS(check_path("c_.._00.dat"), "holds '..'");
  EXPECT_HOLDS(check_path("c_._00.dat"), "CATEGORY_MODEL_NN");
  EXPECT_HOLDS(check_path("c_.git_00.dat"), "CATEGORY_MODEL_NN");
  EXPECT_HOLDS(check_path(std::string("c_m\0_00.dat", 11)), "holds '\\x00'");
  EXPECT_HOLDS(check_path("c_m\x1b[2J_00.dat"), "holds '\\x1b'");
  EXPECT_HOLDS(check_path("c_\xc3\xa9_00.dat"), "holds");
}

TEST_F(TestList, MarksIdsOfAnotherForm) {
  for (const char* line : {"plane", "c_m.dat", "_m_00.dat", "c__00.dat", "c_m_.dat", "__", "_"}) {
    EXPECT_EQ(check_path(line), "is not CATEGORY_MODEL_NN.dat") << line;
  }
  EXPECT_EQ(check_path(".dat"), "is empty; expected CATEGORY_MODEL_NN.dat");
  const std::vector<ListEntry> entries = parse("c_m_00.dat\nc_n_00.dat\nc_m_00.dat\n");
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[1].problem, "");
  EXPECT_EQ(entries[2].problem, "repeats line 1");
}

TEST_F(TestList, CutsLongIdsInMessages) {
  const std::vector<ListEntry> entries = parse(std::string(10000, 'x') + "\nc_m_00.dat");
  EXPECT_EQ(entries.at(0).problem, "has 10000 characters; expected at most 200");
  EXPECT_LT(entries.at(0).id.size(), 300u);
  EXPECT_EQ(entries.at(1).problem, "");
}

TEST_F(TestList, SurvivesMutations) {
  const std::string list =
      "\xef\xbb\xbf"
      "02691156_1a04e3-eab_00.dat\r\n../x_y_00.dat\n\n03001627_a_b_07.dat";
  survive_mutations(list, 3000, 1, [&](const std::string& bytes) {
    for (const ListEntry& entry : parse(bytes)) {
      if (!entry.problem.empty()) continue;
      EXPECT_EQ((entry.category + entry.model).find_first_of(std::string_view("/\0\n", 3)), std::string::npos);
      EXPECT_TRUE(entry.category.at(0) != '.' && entry.model.at(0) != '.');
    }
  });
}

TEST_F(TestList, FindsGroundTruthInOrder) {
  for (const char* ending : {".obj", ".ply", ".xyz", "_ground.xyz", ".dat"}) {
    const fs::path path = folder.write("truth/c_m_00" + std::string(ending), "");
    EXPECT_EQ(find_ground_truth(folder.path() / "truth", "c_m_00"), path);
  }
}

TEST_F(TestList, NamesTheGroundTruthThatIsMissing) {
  const fs::path truth = folder.path() / "truth";
  EXPECT_REFUSED(find_ground_truth(truth, "c_m_00"), "truth: no such folder");
  fs::create_directory(truth);
  EXPECT_REFUSED(find_ground_truth(truth, "c_m_00"),
                 "no ground truth for c_m_00; expected c_m_00.dat, c_m_00_ground.xyz");
  EXPECT_REFUSED(find_ground_truth(truth, "../list"), "holds '/'");
  fs::create_symlink("/etc/passwd", truth / "c_m_00.xyz");
  EXPECT_REFUSED(find_ground_truth(truth, "c_m_00"), "c_m_00.xyz: leads out of");
  fs::create_symlink("loop", folder.path() / "loop");
  EXPECT_REFUSED(find_ground_truth(folder.path() / "loop", "c_m_00"), "loop: Too many levels of symbolic links");
}

}  // namespace
}  // namespace p2mpp
