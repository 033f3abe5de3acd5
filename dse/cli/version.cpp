#include "dse/cli/version.hpp"

#include "dse/job/mpi.hpp"

#include <fmt/format.h>
#include <tbb/version.h>
#include <boost/version.hpp>

namespace pimdse::dse::cli {

std::string version() { return PIMDSE_VERSION; }
std::string git_revision() { return PIMDSE_GIT_REVISION; }

std::string version_text() {
    return fmt::format("pimdse {} ({})\n{}\nHDF5 {}\noneTBB {}.{}\nBoost {}.{}\n", version(), git_revision(),
                       job::mpi_library(), PIMDSE_HDF5_VERSION, TBB_VERSION_MAJOR, TBB_VERSION_MINOR,
                       BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000);
}

}  // namespace pimdse::dse::cli
