#include "report/serve_page.h"

#include <nlohmann/json.hpp>

#include "report/embedded.h"
#include "report/page.h"

namespace p2mpp {
namespace {

// Three views of a bundled sample, and the rows of its cameras. A view's name is the number of its row.
std::string example_json() {
  return script_json({{"images",
                       {{"00.png", embedded::example_00_hex},
                        {"06.png", embedded::example_06_hex},
                        {"07.png", embedded::example_07_hex}}},
                      {"rows", embedded::example_rows}});
}

}  // namespace

std::string serve_page(bool has_token) {
  return fill_page(embedded::serve_page, {{"style", embedded::style},
                                          {"has_token", has_token ? "true" : "false"},
                                          {"example", example_json()},
                                          {"cameras", embedded::serve_cameras},
                                          {"script", embedded::serve_script}});
}

}  // namespace p2mpp
