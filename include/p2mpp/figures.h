#pragma once

#include <type_traits>

namespace p2mpp {

/// Calls visit(name, figure) for each figure of a struct that has visit_figures(), always in the same order. Files and
/// other languages get the figures this way.
template <typename Figures, typename Visit>
void for_each_figure(Figures& figures, const Visit& visit) {
  std::remove_const_t<Figures>::visit_figures(figures, visit);
}

}  // namespace p2mpp
