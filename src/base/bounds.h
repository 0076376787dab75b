#pragma once

#include <span>
#include <string>

namespace p2mpp {

/// A bound on what a file, a request or a client may ask for, for the tables of the documents.
struct Bound {
  std::string what;
  std::string usual;   ///< its value unless the option changes it
  std::string option;  ///< empty: there is none
  std::string beyond;  ///< what happens beyond it
};

/// A table in Markdown.
[[nodiscard]] std::string bounds_table(std::span<const Bound> bounds);

/// "1,536,000,000"
[[nodiscard]] std::string with_commas(unsigned long long number);

}  // namespace p2mpp
