#include "cli/support/options.h"

#include <gtest/gtest.h>

#include "cli/support/command.h"

namespace p2mpp::cli {
namespace {

TEST(FinishOptions, NamesVariables) {
  Settings settings;
  ExitCode exit_code = ExitCode::kDone;
  const auto app = make_app(settings, exit_code);
  CLI::App* info = app->get_subcommand("info");
  info->add_option("--some-thing")->configurable(true);
  info->add_option("--file")->configurable(false);
  info->callback([] {});
  EXPECT_EQ(app->get_option("--no-tf32")->get_envname(), "P2MPP_NO_TF32");
  EXPECT_EQ(app->get_option("--config")->get_envname(), "");
  EXPECT_EQ(app->get_option("--help")->get_envname(), "");
  app->parse("info");
  EXPECT_EQ(info->get_option("--some-thing")->get_envname(), "P2MPP_SOME_THING");
  EXPECT_EQ(info->get_option("--file")->get_envname(), "");
  EXPECT_EQ(app->get_subcommand("predict")->get_option("--out")->get_envname(), "") << "not the one that was given";
}

// Parses into settings, with a subcommand that needs nothing.
Settings parse(std::vector<std::string> arguments) {
  Settings settings;
  ExitCode exit_code = ExitCode::kDone;
  const auto app = make_app(settings, exit_code);
  app->get_subcommand("info")->callback([] {});
  std::reverse(arguments.begin(), arguments.end());
  app->parse(arguments);
  return settings;
}

TEST(Settings, AreReadBeforeAndAfterTheSubcommand) {
  const std::vector<std::string> options = {"--batch", "3",        "--device=cpu", "--views",
                                            "4,5",     "--warmup", "-1",           "--json"};
  std::vector<std::string> before = options;
  before.push_back("info");
  std::vector<std::string> after = options;
  after.insert(after.begin(), "info");
  for (const auto& arguments : {before, after}) {
    const Settings settings = parse(arguments);
    EXPECT_EQ(settings.engine.batch, 3);
    EXPECT_EQ(settings.engine.device, "cpu");
    EXPECT_EQ(settings.engine.warmup, -1);
    EXPECT_EQ(settings.views, (std::vector<std::size_t>{4, 5}));
    EXPECT_TRUE(settings.json);
  }
}

TEST(Settings, TakeWhatIsAskedFor) {
  EXPECT_EQ(parse({"info"}).engine.batch, 1);
  EXPECT_EQ(parse({"info"}).engine.memory_share, 0.85);
  const Settings settings = parse({"--memory-share", "0.5", "info", "--batch", "auto"});
  EXPECT_EQ(settings.engine.batch, kAutoBatch);
  EXPECT_EQ(settings.engine.memory_share, 0.5);
  EXPECT_EQ(parse({"info"}).engine.precision, "auto");
  EXPECT_EQ(parse({"info", "--no-tf32"}).engine.precision, "fp32");
  EXPECT_EQ(parse({"info", "--no-tf32=false"}).engine.precision, "auto");
  EXPECT_EQ(parse({"info", "--precision", "tf32"}).engine.precision, "tf32");
  EXPECT_EQ(parse({"info"}).engine.hash_check, HashCheck::kRequire);
  EXPECT_EQ(parse({"info", "--trust-model=false"}).engine.hash_check, HashCheck::kRequire);
  EXPECT_EQ(parse({"info", "--trust-model"}).engine.hash_check, HashCheck::kSkip);
}

}  // namespace
}  // namespace p2mpp::cli
