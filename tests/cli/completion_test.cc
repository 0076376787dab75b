#include "cli/support/completion.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "cli/support/command.h"
#include "support/messages.h"

namespace p2mpp::cli {
namespace {

class Completion : public ::testing::Test {
 protected:
  [[nodiscard]] const CompletionCommand& command(const std::string& name) const {
    return *std::ranges::find(commands_, name, &CompletionCommand::name);
  }

  static const CompletionItem& option(const CompletionCommand& command, const std::string& name) {
    return *std::ranges::find_if(command.options, [&](const CompletionItem& item) {
      return std::ranges::find(item.names, name) != item.names.end();
    });
  }

  Settings settings_;
  ExitCode exit_code_ = ExitCode::kDone;
  std::unique_ptr<CLI::App> app_ = make_app(settings_, exit_code_);
  std::vector<CompletionCommand> commands_ = describe_app(*app_);
};

TEST_F(Completion, KnowsEverySubcommand) {
  std::vector<std::string> names, expected = {""};
  for (const CompletionCommand& each : commands_) names.push_back(each.name);
  for (const CLI::App* each : app_->get_subcommands(std::function<bool(CLI::App*)>())) {
    expected.push_back(each->get_name());
  }
  EXPECT_EQ(names, expected);
}

TEST_F(Completion, KnowsWhatOptionsTake) {
  const CompletionCommand& global = command("");
  EXPECT_EQ(option(global, "--device").words, (std::vector<std::string>{"auto", "cpu", "cuda"}));
  EXPECT_EQ(option(global, "--model").kind, ValueKind::kFolder);
  EXPECT_EQ(option(global, "--config").kind, ValueKind::kFile);
  EXPECT_EQ(option(global, "--memory-share").kind, ValueKind::kOther);
  EXPECT_EQ(option(global, "--json").kind, ValueKind::kNone);
  EXPECT_EQ(option(global, "-q").names, (std::vector<std::string>{"--quiet", "-q"}));
  EXPECT_EQ(option(command("predict"), "--frame").words,
            (std::vector<std::string>{"auto", "camera0", "world", "source"}));
}

TEST_F(Completion, KnowsArguments) {
  ASSERT_EQ(command("predict").arguments.size(), 1u);
  EXPECT_EQ(command("predict").arguments[0].kind, ValueKind::kFile);
  EXPECT_TRUE(command("predict").arguments[0].repeats);
  ASSERT_EQ(command("metrics").arguments.size(), 2u);
  EXPECT_FALSE(command("metrics").arguments[0].repeats);
}

TEST_F(Completion, EveryScriptNamesEveryOptionAndSubcommand) {
  for (const std::string& script :
       {bash_completion(commands_), zsh_completion(commands_), fish_completion(commands_)}) {
    for (const CompletionCommand& each : commands_) {
      EXPECT_HOLDS(script, each.name);
      for (const CompletionItem& item : each.options) {
        EXPECT_HOLDS(script, item.names.front().substr(2)) << item.names.front();
      }
    }
  }
}

TEST(CompletionScripts, QuoteDescriptions) {
  const std::vector<CompletionCommand> commands = {
      {"", "", {{{"--odd"}, "it's [a]: b\\c", "", ValueKind::kNone, {}, false}}, {}}, {"go", "what's up", {}, {}}};
  EXPECT_HOLDS(zsh_completion(commands), R"('--odd[it'\''s \[a\]\: b\\c]')");
  EXPECT_HOLDS(fish_completion(commands), R"(-l odd -d 'it\'s [a]: b\\c')");
}

}  // namespace
}  // namespace p2mpp::cli
