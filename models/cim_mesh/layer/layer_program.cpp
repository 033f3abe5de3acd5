#include "models/cim_mesh/layer/layer_program.hpp"

#include "models/cim_mesh/layer/coster.hpp"

#include <fmt/format.h>
#include <string>
#include <string_view>

namespace pimdse::models::cim_mesh {
namespace {

class LayerProgram {
  public:
    LayerProgram(MachineConstants const& machine, Design const& design, Partition const& partition,
                 PlacedLayer const& layer, LayerParts const& decoded)
        : design_(design),
          partition_(partition),
          decoded_(decoded),
          coster_(coster_of(machine, design, layer)),
          tree_(layer.program().carrying(coster_.flits)),
          arithmetic_(Services(machine, design, partition).arithmetic()) {}

    sim::noc::NetworkProgram at(std::int64_t keys) && {
        for (char const* part : {"launch of the layer", "issue of commands"}) compute(part, "controller", cycles(part));
        for (auto& stage : tree_.fixed_stages()) {
            auto const name = stage.name;
            if (name == "attention to o") attend(keys);
            send(std::move(stage));
            if (name == "hand over") {
                constexpr char const* back = "walk back to the first layer";
                compute(back, "links, the share of a layer", cycles(back));
            }
            if (auto const to = name.find(into); to != std::string_view::npos) multiply(name.substr(to + into.size()));
            double const activations = cycles(activations_part), product = partition_.gated ? arithmetic_ : 0.0;
            if (activations == 0.0) continue;
            if (name == "gate, up") compute("activation", "routers", activations - product);
            if (name == "gate x up") compute("product of gate and up", "multipliers of the routers", product);
        }
        return {tree_.mesh(), coster_.timing, std::move(stages_)};
    }

  private:
    [[nodiscard]] double cycles(std::string_view part) const {
        double sum = 0.0;
        for (auto const& one : decoded_) sum += one.what == part ? one.cycles.value : 0.0;
        return sum;
    }
    void compute(std::string name, std::string unit, double cycles) {
        if (cycles > 0.0) stages_.push_back({std::move(name), {}, 0.0, {{cycles, std::move(unit)}}});
    }
    void send(Stage stage) {
        if (stage.phase.messages.empty()) return;
        double const borders = borders_of(coster_.layer.ruler(), stage);
        double const late = coster_.over(borders) + coster_.queueing(borders, static_cast<double>(stage.phase.repeats));
        stages_.push_back({std::string(stage.name), std::move(stage.phase), late});
    }
    /// Keys and values are appended while the queries are gathered, and their routers multiply.
    void attend(std::int64_t keys) {
        send(tree_.gather_queries());
        stages_.back().work.push_back({coster_.farthest_key(keys), "links, the key or value with the longest way"});
        send(tree_.query(tree_.holder_count(keys)));
        auto const products = static_cast<double>(tree_.keys_per_router(keys) * products_of_a_key(design_, partition_));
        compute("queries x keys", "multipliers of the routers", products / 2.0);
        compute("softmax", "routers", cycles("softmax"));
        compute("scores x values", "multipliers of the routers", products / 2.0);
        send(tree_.attention_sum(tree_.holder_count(keys)));
    }
    /// The products that follow a broadcast to `names`: their share in the time of all crossbars and of all adapters.
    void multiply(std::string_view names) {
        double matrices = 0.0, adapted = 0.0;
        for (auto const& matrix : partition_.matrices) {
            if (fmt::format(", {}, ", names).find(fmt::format(", {}, ", matrix.name)) == std::string::npos) continue;
            matrices += 1.0;
            adapted += is_adapted(design_, matrix.name) ? static_cast<double>(matrix.active) : 0.0;
        }
        compute(fmt::format("products with {}", names), "crossbars",
                cycles("crossbars") * matrices / static_cast<double>(partition_.matrices.size()));
        if (adapted > 0.0)
            compute(fmt::format("adapters of {}", names), "SRAM arrays",
                    cycles("adapters") * adapted / static_cast<double>(partition_.adapted));
    }

    static constexpr std::string_view into = " to ";  // of the names of broadcasts, before those of the matrices
    Design const& design_;
    Partition const& partition_;
    LayerParts const& decoded_;
    Coster coster_;
    TreeProgram tree_;
    double arithmetic_;
    std::vector<sim::noc::ProgramStage> stages_;
};

}  // namespace

sim::noc::NetworkProgram layer_program(MachineConstants const& machine, Design const& design,
                                       Partition const& partition, PlacedLayer const& layer, LayerParts const& decoded,
                                       std::int64_t keys) {
    return LayerProgram(machine, design, partition, layer, decoded).at(keys);
}

}  // namespace pimdse::models::cim_mesh
