#include "models/cim_mesh/layer/searched_schedule.hpp"

#include "models/cim_mesh/layer/commands.hpp"
#include "sim/base/check.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace pimdse::models::cim_mesh {
namespace {

using Parts = LayerParts;

sim::Bounded sum_of_parts(Parts::const_iterator first, Parts::const_iterator last) {
    sim::Bounded all;
    for (; first != last; ++first) all += first->cycles;
    return all;
}

/// The products with weights are the first two parts of a token, and a third one if activations are counted.
Parts::const_iterator after_weights(Parts const& parts) {
    auto const at = parts.begin() + 2;
    return at->what == activations_part ? at + 1 : at;
}

/// The parts of a token after its products with weights begin with those of attention and end with these.
Parts::const_iterator after_attention(Parts const& parts) {
    auto const at = std::ranges::find(parts, "softmax", &LayerPart::what);
    sim::expects(parts.size() > 2 && at != parts.end(), "a token has weights, attention and softmax");
    return at;
}

/// Cycles to issue the commands of a pass, by the schedules of its two halves.
struct Issue {
    MachineConstants const& machine;
    Design const& design;
    Partition const& partition;
    LayerPass const& pass;

    [[nodiscard]] double cycles(Schedule weights, Schedule attention) const {
        return issue_cycles(machine, design, commands_of(design, partition, pass.mean_keys, weights, attention),
                            pass.positions);
    }
};

/// The choice between two schedules of a part. Commands that both need are issued in any case; each counts its others.
struct Alternatives {
    sim::Bounded serial, tree;
    double more = 0.0;  ///< cycles by which the issue of commands of trees is longer

    [[nodiscard]] double common() const { return std::min(0.0, more); }
    [[nodiscard]] sim::Bounded chains() const { return serial + sim::Bounded(std::max(0.0, -more)); }
    [[nodiscard]] sim::Bounded trees() const { return tree + sim::Bounded(std::max(0.0, more)); }
    [[nodiscard]] bool is_serial() const { return chains().value <= trees().value; }
    [[nodiscard]] LayerPart part(std::string_view if_serial, std::string_view if_trees) const {
        return {is_serial() ? if_serial : if_trees, smaller(chains(), trees())};
    }
};

void add_issue(Parts& parts, double cycles) { parts.push_back({"issue of commands", cycles, true}); }

/// A pass that is a pipeline.
ScheduledParts whole(Issue const& issue, Parts const& serial, Parts const& tree) {
    double const base = issue.cycles(Schedule::serial, Schedule::serial);
    Alternatives const all{sum_of(serial), sum_of(tree), issue.cycles(Schedule::tree, Schedule::tree) - base};
    Parts parts{all.part("all tokens, serial", "all tokens, trees")};
    add_issue(parts, base + all.common());
    return {std::move(parts), all.is_serial() ? Schedule::serial : Schedule::tree};
}

/// A decoded token, or a prompt of one.
ScheduledParts token(Issue const& issue, Parts const& serial, Parts const& tree) {
    auto const sum = [&](Parts const& parts, bool weights) {
        auto const middle = after_weights(parts);
        return weights ? sum_of_parts(parts.begin(), middle) : sum_of_parts(middle, after_attention(parts));
    };
    double const base = issue.cycles(Schedule::serial, Schedule::serial);
    Alternatives const weights{sum(serial, true), sum(tree, true),
                               issue.cycles(Schedule::tree, Schedule::serial) - base};
    Alternatives const keys{sum(serial, false), sum(tree, false),
                            issue.cycles(Schedule::serial, Schedule::tree) - base};
    Parts parts{weights.part("weights, serial", "weights, trees"),
                keys.part("keys and values, serial", "keys and values, trees")};
    parts.insert(parts.end(), after_attention(serial), serial.end());
    add_issue(parts, base + weights.common() + keys.common());
    return {std::move(parts), keys.is_serial() ? Schedule::serial : Schedule::tree};
}

}  // namespace

ScheduledParts faster_parts(MachineConstants const& machine, Design const& design, Partition const& partition,
                            LayerPass const& pass, LayerParts const& serial, LayerParts const& tree) {
    Issue const issue{machine, design, partition, pass};
    return (pass.is_alone() ? token : whole)(issue, serial, tree);
}

}  // namespace pimdse::models::cim_mesh
