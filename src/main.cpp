#include "cli/main.h"

int main(int argc, char** argv) { return sanduk::run_command_line({argv + 1, argv + argc}); }
