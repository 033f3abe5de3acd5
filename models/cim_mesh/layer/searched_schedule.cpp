#include "models/cim_mesh/layer/searched_schedule.hpp"

#include "models/cim_mesh/layer/attended.hpp"
#include "models/cim_mesh/layer/commands.hpp"
#include "sim/base/check.hpp"

#include <algorithm>
#include <string>

namespace pimdse::models::cim_mesh {
namespace {

using Parts = std::vector<LayerPart>;

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

/// Cycles to issue the commands of a phase, by the schedules of its two halves.
class Issue {
  public:
    Issue(MachineConstants const& machine, Design const& design, Partition const& partition, bool first)
        : machine_(machine), design_(design), partition_(partition) {
        auto const tokens = static_cast<double>(prompt_tokens(design));
        // As for a fixed schedule: the mean token of a prompt has half of its keys, a step of denoising all.
        context_ = design.diffuses() ? tokens
                   : first           ? mean_prompt_keys(design, prompt_tokens(design))
                                     : mean_decoded_keys(design);
        positions_ = first ? tokens : design.diffuses() ? later_queries(design) : design.pass_positions();
    }
    [[nodiscard]] double cycles(Schedule weights, Schedule attention) const {
        return issue_cycles(machine_, design_, commands_of(design_, partition_, context_, weights, attention),
                            positions_);
    }

  private:
    MachineConstants const& machine_;
    Design const& design_;
    Partition const& partition_;
    double context_, positions_;
};

/// The choice between two schedules of a part. Commands that both need are issued in any case; each counts its others.
struct Alternatives {
    sim::Bounded serial, tree;
    double more = 0.0;  ///< cycles by which the issue of commands of trees is longer

    [[nodiscard]] double common() const { return std::min(0.0, more); }
    [[nodiscard]] sim::Bounded chains() const { return serial + sim::Bounded(std::max(0.0, -more)); }
    [[nodiscard]] sim::Bounded trees() const { return tree + sim::Bounded(std::max(0.0, more)); }
    [[nodiscard]] bool is_serial() const { return chains().value <= trees().value; }
    [[nodiscard]] LayerPart part(std::string const& what) const {
        return {what + (is_serial() ? ", serial" : ", trees"), smaller(chains(), trees())};
    }
};

void add_issue(Parts& parts, double cycles) { parts.push_back({"issue of commands", cycles, true}); }

/// A phase that is a pipeline.
Parts whole(Issue const& issue, Parts const& serial, Parts const& tree, Schedule& attention) {
    double const base = issue.cycles(Schedule::serial, Schedule::serial);
    Alternatives const all{sum_of_parts(serial.begin(), serial.end()), sum_of_parts(tree.begin(), tree.end()),
                           issue.cycles(Schedule::tree, Schedule::tree) - base};
    attention = all.is_serial() ? Schedule::serial : Schedule::tree;
    Parts parts{all.part("all tokens")};
    add_issue(parts, base + all.common());
    return parts;
}

/// A decoded token, or a prompt of one.
Parts token(Issue const& issue, Parts const& serial, Parts const& tree, Schedule& attention) {
    auto const sum = [&](Parts const& parts, bool weights) {
        auto const middle = after_weights(parts);
        return weights ? sum_of_parts(parts.begin(), middle) : sum_of_parts(middle, after_attention(parts));
    };
    double const base = issue.cycles(Schedule::serial, Schedule::serial);
    Alternatives const weights{sum(serial, true), sum(tree, true),
                               issue.cycles(Schedule::tree, Schedule::serial) - base};
    Alternatives const keys{sum(serial, false), sum(tree, false),
                            issue.cycles(Schedule::serial, Schedule::tree) - base};
    attention = keys.is_serial() ? Schedule::serial : Schedule::tree;
    Parts parts{weights.part("weights"), keys.part("keys and values")};
    parts.insert(parts.end(), after_attention(serial), serial.end());
    add_issue(parts, base + weights.common() + keys.common());
    return parts;
}

}  // namespace

ScheduledLayer faster_layer(MachineConstants const& machine, Design const& design, Partition const& partition,
                            LayerTime const& serial, LayerTime const& tree) {
    ScheduledLayer layer;
    Issue const first(machine, design, partition, true);
    bool const alone = !design.diffuses() && prompt_tokens(design) == 1;
    layer.time.prefill = alone ? token(first, serial.last, tree.last, layer.first)
                               : whole(first, serial.prefill, tree.prefill, layer.first);
    Issue const later(machine, design, partition, false);
    bool const pipelined = design.diffuses() || design.verifies();
    layer.time.decode = pipelined ? whole(later, serial.decode, tree.decode, layer.later)
                                  : token(later, serial.decode, tree.decode, layer.later);
    return layer;
}

}  // namespace pimdse::models::cim_mesh
