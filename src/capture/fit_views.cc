#include "capture/fit_views.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.h"
#include "p2mpp/error.h"

namespace p2mpp {

FitViews parse_fit_views(std::string_view text) {
  using Kind = FitViews::Kind;
  if (text == "none") return {Kind::kNone};
  if (text == "same") return {Kind::kSame};
  if (text == "all") return {Kind::kAll};
  const auto refuse = [&] {
    throw UsageError(fmt::format("views of the fit '{}': expected all, same, none, or different numbers such as 0,3,5",
                                 printable(text, 40)));
  };
  constexpr std::size_t kMost = 9999;
  FitViews views{Kind::kListed};
  for (std::string_view rest = text;;) {
    const std::string_view digits = rest.substr(0, rest.find(','));
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const bool is_whole = error == std::errc() && end == digits.data() + digits.size();
    if (!is_whole || number > kMost || std::ranges::count(views.listed, number) > 0) refuse();
    views.listed.push_back(number);
    if (digits.size() == rest.size()) return views;
    rest.remove_prefix(digits.size() + 1);
  }
}

std::string to_string(const FitViews& views) {
  if (views.kind == FitViews::Kind::kListed) return fmt::format("{}", fmt::join(views.listed, ","));
  constexpr std::array kNames = {"none", "auto", "same", "all"};
  return kNames[static_cast<std::size_t>(views.kind)];
}

}  // namespace p2mpp
