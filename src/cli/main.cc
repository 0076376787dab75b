#include "base/standard_streams.h"
#include "cli/support/program.h"

int main(int argc, char** argv) {
  p2mpp::open_missing_standard_streams();
  return p2mpp::cli::run(argc, argv);
}
