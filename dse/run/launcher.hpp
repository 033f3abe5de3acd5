#pragma once

// What a launcher of ranks (mpirun, srun) says in the environment, with and without MPI in the program.
namespace pimdse::dse::run {

/// True if a launcher (mpirun, srun) started this process as one of several ranks.
[[nodiscard]] bool launched_by_mpi();

/// Rank of this process from the environment set by the launcher, available before MPI is started; 0 without a
/// launcher.
[[nodiscard]] int rank_from_launcher();

/// Number of ranks from the environment set by the launcher; 0 without a launcher, or if it is not set there.
[[nodiscard]] int ranks_from_launcher();

}  // namespace pimdse::dse::run
