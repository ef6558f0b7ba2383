// Ctrl-C and SIGTERM, as long commands take them: what is done is kept.
#pragma once

namespace linn::app {

// From now on the first of these signals only asks to stop; a second one of its kind ends the program at once.
void hear_stop_signals();
bool asked_to_stop();

}  // namespace linn::app
