#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

// Removes this machine's folders from messages for clients.
namespace p2mpp {

/// All ways in which messages may name a path, the longest first.
[[nodiscard]] std::vector<std::string> spellings_of(const std::filesystem::path& path);

void replace_all(std::string& text, std::string_view what, std::string_view by);

/// "FOLDER/a.png" becomes "a.png", and "FOLDER" becomes "the folder".
[[nodiscard]] std::string without_folder(std::string text, const std::filesystem::path& folder);

}  // namespace p2mpp
