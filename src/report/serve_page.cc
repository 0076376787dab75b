#include "report/serve_page.h"

#include "report/embedded.h"
#include "report/page.h"

namespace p2mpp {

std::string serve_page(bool has_token) {
  return fill_page(embedded::serve_page, {{"style", embedded::style},
                                          {"has_token", has_token ? "true" : "false"},
                                          {"cameras", embedded::serve_cameras},
                                          {"script", embedded::serve_script}});
}

}  // namespace p2mpp
