#pragma once

#include "sim/noc/phase.hpp"

#include <cstdint>
#include <istream>
#include <ostream>
#include <string>
#include <vector>

/// Programs of the mesh network as text: what its routers do, stage after stage. docs/simulators.md has the format.
namespace pimdse::sim::noc {

/// A step of a program. The next one starts when all its messages have arrived.
struct ProgramStage {
    std::string name;  ///< not empty, one line
    Phase phase;
};

struct NetworkProgram {
    Mesh mesh;
    RouterTiming timing;
    std::vector<ProgramStage> stages;
};

/// Writes a program so that read_program() returns the same one. Node lists are written as ranges
/// of rows and columns.
void write_program(std::ostream& out, NetworkProgram const& program);

struct StageResult {
    std::string name;
    PhaseResult result;
    Cycle alone = 0;            ///< the slowest message without contention
    std::int64_t messages = 0;  ///< repeats included
};

/// Simulates the stages one after the other, each in an empty network. Throws InputError if the trees of a stage wait
/// for each other cyclically.
[[nodiscard]] std::vector<StageResult> run(NetworkProgram const& program);

/// Reads a program of the network. `file` is its name in messages. Throws InputError with the line of every mistake, at
/// most twenty.
[[nodiscard]] NetworkProgram read_program(std::istream& in, std::string const& file);

}  // namespace pimdse::sim::noc
