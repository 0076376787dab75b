#include "cli/support/declared_options.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "cli/support/command.h"
#include "cli/support/completion.h"
#include "cli/support/options.h"
#include "example_config.h"
#include "requests/option_request.h"
#include "results/recorded_options.h"
#include "support/temporary_folder.h"

namespace p2mpp::cli {
namespace {

// What a new option takes: a field and its declaration.
struct TestOptions {
  int depth = 3;

  template <typename Visit>
  void visit_options(Visit&& visit) {
    visit(depth, {"--tree-depth", "Depth of the tree; more is finer", "N", whole_number(0, 9), "Trees"},
          {.recorded = Recorded::kUnlessDefault, .in_requests = ""});
  }
};

class DeclaredOption : public ::testing::Test {
 protected:
  DeclaredOption() {
    command_ = app_->add_subcommand("grow", "Grow a tree");
    add_options(*command_, options_);
    finish_options(*app_);
    app_->get_config_ptr()->default_str("");
  }
  void parse(std::vector<std::string> arguments) {
    std::reverse(arguments.begin(), arguments.end());
    app_->parse(arguments);
  }

  Settings settings_;
  ExitCode exit_code_ = ExitCode::kDone;
  std::unique_ptr<CLI::App> app_ = make_app(settings_, exit_code_);
  TestOptions options_;
  CLI::App* command_ = nullptr;
};

TEST_F(DeclaredOption, IsOnTheCommandLineAndInTheEnvironment) {
  parse({"grow", "--tree-depth", "5"});
  EXPECT_EQ(options_.depth, 5);
  ::setenv("P2MPP_TREE_DEPTH", "6", 1);
  parse({"grow"});
  ::unsetenv("P2MPP_TREE_DEPTH");
  EXPECT_EQ(options_.depth, 6);
}

TEST_F(DeclaredOption, IsRefusedOutOfItsRange) {
  try {
    parse({"grow", "--tree-depth", "10"});
    FAIL();
  } catch (const CLI::ValidationError& error) {
    EXPECT_STREQ(error.what(), "--tree-depth: expected a whole number from 0 to 9; got '10'");
  }
}

TEST_F(DeclaredOption, IsInTheHelpAndCompleted) {
  EXPECT_HOLDS(command_->help("p2mpp"),
               "\nTrees:\n  --tree-depth N                Depth of the tree; more is finer "
               "(default: 3)\n");
  const CompletionCommand command = describe_app(*app_).back();
  EXPECT_EQ(command.name, "grow");
  EXPECT_EQ(command.options.at(0).names, std::vector<std::string>{"--tree-depth"});
  EXPECT_EQ(command.options.at(0).description, "Depth of the tree");
}

TEST_F(DeclaredOption, IsInTheConfigurationFileAndItsExample) {
  EXPECT_EQ(parse_config(*app_, "\xef\xbb\xbf[grow]\r\ntree-depth = 7\r\n").at(1).inputs,
            std::vector<std::string>{"7"});
  EXPECT_EQ(parse_config(*app_, "[grow]\ntree-depth = 7\n").at(1).inputs, std::vector<std::string>{"7"});
  EXPECT_HOLDS(testing::example_config(*app_), "\n[grow]\n# Trees\ntree-depth = 3              # Depth of the tree\n");
}

TEST_F(DeclaredOption, IsInSummariesAndIdentities) {
  EXPECT_EQ(option_settings(options_).dump(), R"({"tree_depth":3})");
  EXPECT_EQ(option_identity(options_).dump(), "{}");
  options_.depth = 4;
  EXPECT_EQ(option_settings(options_).dump(), R"({"tree_depth":4})");
  EXPECT_EQ(option_identity(options_).dump(), R"({"tree_depth":4})");
}

TEST_F(DeclaredOption, IsInRequests) {
  EXPECT_EQ(request_keys<TestOptions>(), std::vector<std::string>{"tree_depth"});
  set_requested({{"tree_depth", 4}}, options_);
  EXPECT_EQ(options_.depth, 4);
  for (const nlohmann::json& wrong : {nlohmann::json(10), nlohmann::json("4"), nlohmann::json(2.5)}) {
    EXPECT_REFUSED(set_requested({{"tree_depth", wrong}}, options_),
                   "\"tree_depth\": expected a whole number from 0 to 9");
  }
}

// Every kind of field.
struct ManyOptions {
  bool ground = true;
  std::vector<int> counts;
  std::vector<double> up;
  std::optional<double> angle;
  std::string word = "a";
  std::string shape = "round";

  template <typename Visit>
  void visit_options(Visit&& visit) {
    visit(ground, {"--no-ground", "none"}, {.sets = "false"});
    visit(counts, {"-c,--counts", "some", "N,...", auto_or_whole_number(1, 9, 0)});
    visit(up, {"--up", "up", "X,Y,Z", number(-1, 1)}, {.count = 3});
    visit(angle, {"--angle", "angle", "X", number(0, 90)}, {.needs = "--word"});
    visit(word, {"--word", "word", "", one_of({"a", "b"})});
    visit(shape, {"--flat", "flat"}, {.sets = "flat", .excludes = "--word"});
    visit(word, {"--elsewhere", "not here"}, {.commands = "another one"});
  }
};

class ManyOptionsTest : public ::testing::Test {
 protected:
  ManyOptionsTest() { add_options(app_, options_); }
  void parse(const std::string& line) { app_.parse(line); }
  ManyOptions options_;
  CLI::App app_{"", "test"};
};

TEST_F(ManyOptionsTest, HaveTheirValues) {
  parse("--no-ground --counts auto,4 --up 0,1,0.5 --word b --angle 30");
  EXPECT_FALSE(options_.ground);
  EXPECT_EQ(options_.counts, (std::vector<int>{0, 4}));
  EXPECT_EQ(options_.up, (std::vector<double>{0, 1, 0.5}));
  EXPECT_EQ(options_.angle, 30);
  EXPECT_EQ(options_.word, "b");
  EXPECT_EQ(options_.shape, "round");
}

TEST_F(ManyOptionsTest, KeepTheirDefaults) {
  parse("");
  EXPECT_TRUE(options_.ground);
  EXPECT_TRUE(options_.counts.empty());
  EXPECT_FALSE(options_.angle);
  EXPECT_EQ(app_.get_option("--word")->get_type_name(), "a|b");
  EXPECT_EQ(app_.get_option_no_throw("--elsewhere"), nullptr);
}

TEST_F(ManyOptionsTest, KnowEachOther) {
  EXPECT_THROW(parse("--angle 30"), CLI::RequiresError);
  EXPECT_THROW(parse("--flat --word a"), CLI::ExcludesError);
  parse("--flat");
  EXPECT_EQ(options_.shape, "flat");
}

}  // namespace
}  // namespace p2mpp::cli
