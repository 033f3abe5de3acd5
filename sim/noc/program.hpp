#pragma once

#include "sim/noc/phase.hpp"

#include <cstdint>
#include <istream>
#include <ostream>
#include <string>
#include <vector>

/// Programs of the mesh network as text: what its routers send and its units compute, stage after stage.
/// docs/simulators.md has the format.
namespace pimdse::sim::noc {

/// What a unit computes. The network knows nothing of it but how long it takes.
struct UnitWork {
    double cycles = 0.0;
    std::string unit;  ///< not empty, one line
};

/// A step of a program: its messages and its units start together. The next one starts when all messages have arrived
/// and all units have finished.
struct ProgramStage {
    std::string name;  ///< not empty, one line
    Phase phase;
    double border = 0.0;  ///< cycles on borders that the network does not have, after which the messages have arrived
    std::vector<UnitWork> work{};
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
    PhaseResult result;         ///< of the messages, without borders
    double cycles = 0.0;        ///< of the stage
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
