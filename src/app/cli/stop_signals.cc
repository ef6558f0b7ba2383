#include "app/cli/stop_signals.h"

#include <csignal>

namespace linn::app {
namespace {

volatile std::sig_atomic_t asked = 0;

extern "C" void on_stop_signal(int signal) {
  asked = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

void hear_stop_signals() {
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, on_stop_signal);
}

bool asked_to_stop() { return asked != 0; }

}  // namespace linn::app
