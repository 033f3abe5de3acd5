#pragma once

#include <string>
#include <vector>

/// The nodes of the Slurm job this process is in: which of them still answer, and how to start ranks on those only.
namespace pimdse::dse::cli {

struct Node {
    std::string name;
    int tasks = 1;  ///< that Slurm gave it
    bool operator==(Node const&) const = default;
};

/// The nodes of this job, in Slurm's order; nothing outside Slurm.
[[nodiscard]] std::vector<Node> allocated_nodes();

/// "2(x3),1" as 2, 2, 2, 1: what SLURM_TASKS_PER_NODE says. Nothing where the text says something else.
[[nodiscard]] std::vector<int> tasks_per_node(std::string const& text);

/// Those on which Slurm can start a command within this time.
[[nodiscard]] std::vector<Node> evaluating(std::vector<Node> const& nodes, double seconds);

/// The words of a launcher (mpirun, mpiexec or srun with its flags) that starts its ranks on these nodes only, and not
/// more of them than they have tasks. Empty for a launcher of another name.
[[nodiscard]] std::vector<std::string> launcher_on(std::vector<std::string> const& launcher,
                                                   std::vector<Node> const& nodes);

/// "n1, n2".
[[nodiscard]] std::string names_of(std::vector<Node> const& nodes);

}  // namespace pimdse::dse::cli
