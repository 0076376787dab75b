#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace p2mpp {

/// A length in metres: "1.2mm", "12 cm", "0.5in", "3m", and "mm" alone for 1 mm. Empty for other texts, and unless the
/// length is above zero and finite.
[[nodiscard]] std::optional<double> parse_length(std::string_view text);

/// The shortest such text of a length: "mm", "57.3mm".
[[nodiscard]] std::string length_text(double metres);

/// The comment by which a mesh's file says the length of its unit: "unit: mm".
[[nodiscard]] std::string unit_comment(double metres_per_unit);

/// The length in metres that unit_comment() says in the first line of an OBJ. Empty if it says none.
[[nodiscard]] std::optional<double> unit_of_obj(std::string_view text);

}  // namespace p2mpp
