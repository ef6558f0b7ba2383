// Ctrl-C and SIGTERM in long commands, which save their progress before they end.
#pragma once

namespace linn::app {

// After this call the first such signal only sets a flag; a second one of the same kind ends the program.
void hear_stop_signals();
bool asked_to_stop();

}  // namespace linn::app
