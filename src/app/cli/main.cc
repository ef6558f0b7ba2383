#include "app/cli/program.h"

int main(int argc, char** argv) { return linn::app::run_program(argc, argv); }
