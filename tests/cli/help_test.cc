#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <regex>
#include <sstream>

#include "cli/support/command.h"
#include "cli/support/options.h"
#include "cli/support/usage.h"
#include "example_config.h"
#include "support/messages.h"

namespace p2mpp::cli {
namespace {

class Help : public ::testing::Test {
 protected:
  [[nodiscard]] std::vector<const CLI::App*> subcommands() const {
    const CLI::App& app = *app_;
    return app.get_subcommands(std::function<bool(const CLI::App*)>());
  }

  Settings settings_;
  ExitCode exit_code_ = ExitCode::kDone;
  std::unique_ptr<CLI::App> app_ = make_app(settings_, exit_code_);
};

void expect_narrow(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), HelpFormatter::kColumns) << line;
    EXPECT_FALSE(line.ends_with(' ')) << line;
  }
}

TEST_F(Help, FitsItsColumns) {
  expect_narrow(app_->help());
  for (const CLI::App* command : subcommands()) expect_narrow(command->help("p2mpp"));
}

TEST_F(Help, SaysForEachSubcommandWhatItDoesAndGivesExamples) {
  for (const CLI::App* command : subcommands()) {
    const std::string text = command->help("p2mpp");
    EXPECT_TRUE(text.starts_with(command->get_description().substr(0, 20))) << command->get_name();
    EXPECT_HOLDS(text, "\nUsage: p2mpp " + command->get_name());
    EXPECT_HOLDS(text, "\nExamples:\n  ") << command->get_name();
    EXPECT_NE(text.find("p2mpp " + command->get_name(), text.find("\nExamples:\n")), std::string::npos);
  }
}

TEST_F(Help, NamesGlobalOptionsInEverySubcommandOnce) {
  for (const CLI::App* command : subcommands()) {
    const std::string text = command->help("p2mpp");
    const std::regex device("\n  --device ");
    const auto first = std::sregex_iterator(text.begin(), text.end(), device);
    EXPECT_EQ(std::distance(first, std::sregex_iterator()), 1) << command->get_name();
  }
}

TEST_F(Help, DescribesEveryOption) {
  std::vector<const CLI::App*> apps = subcommands();
  apps.push_back(app_.get());
  for (const CLI::App* app : apps) {
    for (const CLI::Option* option : app->get_options()) {
      EXPECT_NE(option->get_description(), "") << app->get_name() << " " << option->get_name();
      if (option->get_positional() || option == app->get_help_ptr()) continue;  // have places of their own
      EXPECT_NE(option->get_group(), "Options") << app->get_name() << " " << option->get_name() << " has no group";
    }
  }
}

std::string example_config() {
  std::ifstream file(P2MPP_EXAMPLE_CONFIG);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_F(Help, ExampleConfigIsMadeFromTheOptions) {
  const std::string text = testing::example_config(*app_);
  if (std::getenv("P2MPP_WRITE_EXAMPLE_CONFIG") != nullptr) std::ofstream(P2MPP_EXAMPLE_CONFIG) << text;
  EXPECT_EQ(example_config(), text) << "expected what P2MPP_WRITE_EXAMPLE_CONFIG=1 writes";
  EXPECT_NO_THROW(parse_config(*app_, text));
}

}  // namespace
}  // namespace p2mpp::cli
