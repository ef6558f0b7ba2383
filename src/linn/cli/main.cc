#include "linn/cli/program.h"

int main(int argc, char** argv) { return linn::cli::run_program(argc, argv); }
