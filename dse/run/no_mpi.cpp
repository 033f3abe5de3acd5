// The ranks of a program without MPI: this process alone.
#include "dse/run/mpi.hpp"
#include "sim/base/check.hpp"

#include <unistd.h>
#include <array>
#include <cstdlib>

namespace pimdse::dse::run {

struct Communicator::Sending {};

bool has_mpi() { return false; }

std::string mpi_library() { return "no MPI"; }

Communicator::Communicator(int& /*argc*/, char**& /*argv*/) {}

Communicator::~Communicator() = default;

std::string Communicator::host() const {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

std::string Communicator::broadcast(std::string text) const { return text; }

std::vector<std::string> Communicator::gather(std::string const& text) const { return {text}; }

void Communicator::send(int /*to*/, Tag /*tag*/, space::Bytes /*bytes*/) {
    sim::ensures(false, "a program without MPI has no other rank");
}

std::optional<Message> Communicator::receive() { return std::nullopt; }

void Communicator::flush() {}

void Communicator::end_job(int exit_code) const { std::_Exit(exit_code); }

}  // namespace pimdse::dse::run
