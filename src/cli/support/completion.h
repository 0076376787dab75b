#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace p2mpp::cli {

/// What a shell can offer for an option's or argument's value.
enum class ValueKind { kNone, kWords, kFile, kFolder, kOther };

/// An option, or an argument (without names).
struct CompletionItem {
  std::vector<std::string> names;  ///< "--quiet", "-q"
  std::string description;         ///< a few words
  std::string type;                ///< "FOLDER", "auto|cpu|cuda|cuda:N"
  ValueKind kind = ValueKind::kNone;
  std::vector<std::string> words;  ///< where kind is kWords
  bool repeats = false;
};

struct CompletionCommand {
  std::string name;  ///< empty for the main app
  std::string description;
  std::vector<CompletionItem> options;
  std::vector<CompletionItem> arguments;
};

/// The app's structure as shells need it: the main app with its global options, then each subcommand. Types say what a
/// value is: FILE, FOLDER, words between bars (what holds a capital letter stands for something and is not offered), or
/// else.
[[nodiscard]] std::vector<CompletionCommand> describe_app(const CLI::App& app);

/// Scripts for a shell to source. The first command is the main app.
[[nodiscard]] std::string bash_completion(const std::vector<CompletionCommand>& commands);
[[nodiscard]] std::string zsh_completion(const std::vector<CompletionCommand>& commands);
[[nodiscard]] std::string fish_completion(const std::vector<CompletionCommand>& commands);

}  // namespace p2mpp::cli
