#include <charconv>
#include <cstdlib>
#include <cstring>

#include "app/process/processes.h"

namespace linn::app {

std::size_t launched_processes() {
  // Of Open MPI; of MPICH, its relatives and Slurm.
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    const char* const text = std::getenv(name);
    if (text == nullptr) continue;
    std::size_t size = 0;
    std::from_chars(text, text + std::strlen(text), size);
    return size;
  }
  // Slurm's PMIx says no number, but MPI will.
  return std::getenv("PMIX_RANK") != nullptr ? 1 : 0;
}

}  // namespace linn::app
