#include "dse/run/launcher.hpp"

#include <cstdlib>
#include <initializer_list>

namespace pimdse::dse::run {
namespace {

/// The first of these environment variables that is set, as a number; `default_value` if none is set.
int first_number(std::initializer_list<char const*> variables, int default_value) {
    for (char const* name : variables) {
        if (char const* text = std::getenv(name); text != nullptr) return std::atoi(text);
    }
    return default_value;
}

}  // namespace

// Variables of Open MPI, PMIx (srun), PMI (MPICH, Intel MPI and their Hydra launcher) and MVAPICH2.
int rank_from_launcher() {
    return first_number({"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK"}, 0);
}

bool launched_by_mpi() {
    return first_number({"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK"}, -1) != -1;
}

int ranks_from_launcher() {
    int const ranks = first_number({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"}, 0);
    if (ranks > 0 || !launched_by_mpi()) return ranks;
    return first_number({"SLURM_STEP_NUM_TASKS"}, 0);  // the only variable that srun --mpi=pmix sets
}

}  // namespace pimdse::dse::run
