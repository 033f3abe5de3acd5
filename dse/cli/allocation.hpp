#pragma once

#include <string>
#include <vector>

/// The nodes of the Slurm job of this process: which of them still respond, and how to start ranks only on those.
namespace pimdse::dse::cli {

struct Node {
    std::string name;
    int tasks = 1;  ///< allocated by Slurm on this node
    bool operator==(Node const&) const = default;
};

/// The nodes of this job, in Slurm's order; empty outside Slurm.
[[nodiscard]] std::vector<Node> allocated_nodes();

/// Parses SLURM_TASKS_PER_NODE: "2(x3),1" gives 2, 2, 2, 1. Empty if the text has another form.
[[nodiscard]] std::vector<int> tasks_per_node(std::string const& text);

/// The nodes on which Slurm can start a command within this time (s).
[[nodiscard]] std::vector<Node> responding(std::vector<Node> const& nodes, double seconds);

/// The command line of a launcher (mpirun, mpiexec or srun with its flags) that starts ranks only on these nodes, at
/// most as many as they have tasks. Empty for any other launcher.
[[nodiscard]] std::vector<std::string> launcher_on(std::vector<std::string> const& launcher,
                                                   std::vector<Node> const& nodes);

/// The names as "n1, n2".
[[nodiscard]] std::string names_of(std::vector<Node> const& nodes);

}  // namespace pimdse::dse::cli
