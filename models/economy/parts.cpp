#include "models/economy/parts.hpp"

#include "models/contract/common_metrics.hpp"
#include "models/contract/parameter_table.hpp"
#include "models/economy/economy.hpp"

#include <memory>
#include <string>
#include <vector>

namespace pimdse::models::economy {
namespace {

/// Values of the parameters, in SI; `memory`: 0: none; otherwise a kind + 1.
struct PartList {
    std::size_t process = 0, memory = 0;
    std::int64_t devices = 1, volume = 0;
    double area = 0.0, memory_bytes = 0.0, product = 0.0, power = 0.0;
};

struct BilledParts {
    PartList const& parts;
    Economy const& economy;
    Bill bill;  ///< of a device

    [[nodiscard]] double devices() const { return static_cast<double>(parts.devices); }
    [[nodiscard]] double design_share() const {
        return parts.volume == 0 ? bill.design : economy.design_cost(parts.process) / static_cast<double>(parts.volume);
    }
    [[nodiscard]] double of_device() const {
        return bill.product > 0.0 ? bill.product : bill.total() - bill.design + design_share();
    }
};

constexpr double max_area = 1.0, max_sum = 1'000'000'000'000, max_count = 1'000'000'000'000;

ParameterTable<PartList> const& table() {
    static auto const made = [] {
        std::vector<std::string> memories{"none"};
        memories.insert(memories.end(), memory_names.begin(), memory_names.end());
        ParameterTable<PartList> rows;
        rows.row<&PartList::devices>(resource(count("devices", "1", 1, {1, max_count}, "equal devices")));
        rows.row<&PartList::process>(
            choice("node", {process_names.begin(), process_names.end()}, "7nm", "process of the die"));
        rows.row<&PartList::area>(quantity("area", "mm2", 0.0, {0.0, max_area}, "die of logic of a device; 0: none"));
        rows.row<&PartList::volume>(
            count("volume", "1", 0, {0, max_count}, "dies that share masks and design; 0: that of economy.toml"));
        rows.row<&PartList::memory>(choice("memory", memories, "kind of memory of a device"));
        rows.row<&PartList::memory_bytes>(quantity("capacity", "GiB", 0.0, {0.0, max_sum}, "memory of a device"));
        rows.row<&PartList::product>(quantity("product", "USD", 0.0, {0.0, max_sum},
                                              "for which a device is sold, instead of its bill; 0: none"));
        rows.row<&PartList::power>(quantity("power", "W", 0.0, {0.0, max_sum}, "of a device, all the time"));
        return rows;
    }();
    return made;
}

MetricTable<BilledParts> make_metrics() {
    MetricTable<BilledParts> rows;
    rows.row({"die_cost", "USD", "die of a device without a defect"},
             [](BilledParts const& e) { return Estimate(e.bill.dies); });
    rows.row({"package_cost", "USD", "package of a device"},
             [](BilledParts const& e) { return Estimate(e.bill.packages); });
    rows.row({"design_cost", "USD", "masks and design, once for all devices of the kind"},
             [](BilledParts const& e) { return Estimate(e.economy.design_cost(e.parts.process)); });
    rows.row({"design_share", "USD", "part of a device in design_cost"},
             [](BilledParts const& e) { return Estimate(e.design_share()); });
    rows.row({"memory_cost", "USD", "memory of a device"},
             [](BilledParts const& e) { return Estimate(e.bill.memories); });
    rows.row(common_metric("cost", "all devices"),
             [](BilledParts const& e) { return Estimate(e.devices() * e.of_device()); });
    rows.row(common_metric("embodied_carbon", "all devices"),
             [](BilledParts const& e) { return Estimate(e.devices() * e.bill.carbon); });
    rows.row({"cost_per_hour", "USD", "all devices over their lifetime, and electricity, for an hour"},
             [](BilledParts const& e) {
                 return Estimate(e.economy.per_hour(e.devices() * e.of_device(), e.devices() * e.parts.power));
             });
    return rows;
}

MetricTable<BilledParts> const& metrics() {
    static auto const made = make_metrics();
    return made;
}

Outcome evaluate(Inputs const& inputs, Point point, Fidelity) {
    auto const parts = table().read(point);
    auto const& economy = inputs.as<Economy>();
    Materials materials;
    materials.logic = parts.area;
    materials.process = parts.process;
    materials.product = parts.product;
    if (parts.memory > 0) materials.add(static_cast<MemoryKind>(parts.memory - 1), parts.memory_bytes);
    return metrics().of({parts, economy, economy.bill(materials)});
}

Architecture make() {
    Architecture all;
    all.name = "economy";
    all.summary = "bills of parts";
    all.fidelities = {Fidelity::analytic};
    all.parameters = [] { return table().parameters(); };
    all.metrics = [] { return metrics().metrics(); };
    all.prepare = [](Parameters const&, ModelOptions const& options) -> std::shared_ptr<void const> {
        return std::make_shared<Economy const>(options);
    };
    all.evaluate = evaluate;
    return all;
}

}  // namespace

Architecture const& parts() {
    static auto const made = make();
    return made;
}

}  // namespace pimdse::models::economy
