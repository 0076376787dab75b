#include "cli/support/program.h"

int main(int argc, char** argv) { return p2mpp::cli::run(argc, argv); }
