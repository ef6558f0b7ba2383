#include <charconv>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <optional>

#include "app/process/processes.h"

namespace linn::app {
namespace {

// The first of these variables that is set, as a number.
std::optional<std::size_t> number_in(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const char* const text = std::getenv(name);
    if (text == nullptr) continue;
    std::size_t number = 0;
    std::from_chars(text, text + std::strlen(text), number);
    return number;
  }
  return std::nullopt;
}

}  // namespace

// Of Open MPI; of MPICH, its relatives and Slurm. Slurm's PMIx says no number of processes, but MPI will.

std::size_t launched_processes() {
  if (const auto size = number_in({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})) return *size;
  return std::getenv("PMIX_RANK") != nullptr ? 1 : 0;
}

std::size_t launched_rank() { return number_in({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"}).value_or(0); }

}  // namespace linn::app
