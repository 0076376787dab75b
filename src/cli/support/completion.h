#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace p2mpp::cli {

/// The kind of values that a shell can complete for an option or argument.
enum class ValueKind { kNone, kWords, kFile, kFolder, kOther };

/// An option, or an argument, which has no names.
struct CompletionItem {
  std::vector<std::string> names;  ///< "--quiet", "-q"
  std::string description;         ///< a few words
  std::string type;                ///< "FOLDER", "auto|cpu|cuda|cuda:N"
  ValueKind kind = ValueKind::kNone;
  std::vector<std::string> words;  ///< if `kind` is kWords
  bool repeats = false;
};

struct CompletionCommand {
  std::string name;  ///< empty for the main app
  std::string description;
  std::vector<CompletionItem> options;
  std::vector<CompletionItem> arguments;
};

/// The text before the first stop: "Load the model's files even if ..." of "Load the model's files even if ...; ...".
[[nodiscard]] std::string first_clause(const std::string& text);

/// The app's structure for shell completion: the main app with its global options, then each subcommand. An option's
/// type determines its values: FILE, FOLDER, or words between bars (a word with a capital letter is a placeholder and
/// is not offered). Other types are not completed.
[[nodiscard]] std::vector<CompletionCommand> describe_app(const CLI::App& app);

/// Completion scripts for a shell to source. The first command must be the main app.
[[nodiscard]] std::string bash_completion(const std::vector<CompletionCommand>& commands);
[[nodiscard]] std::string zsh_completion(const std::vector<CompletionCommand>& commands);
[[nodiscard]] std::string fish_completion(const std::vector<CompletionCommand>& commands);

}  // namespace p2mpp::cli
