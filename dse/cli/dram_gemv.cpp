#include "dse/cli/dram_gemv.hpp"

#include "dse/cli/check_text.hpp"
#include "dse/cli/options.hpp"
#include "dse/cli/verb.hpp"
#include "models/dram/dram_standard.hpp"
#include "models/dram/pim_units.hpp"
#include "sim/base/counting.hpp"
#include "sim/dram/family.hpp"
#include "sim/pim/product_cost.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace pimdse::dse::cli {
namespace {

namespace pim = sim::pim;

Manual const dram_gemv_manual{
    "pimdse dram gemv --dram NAME [flags]",
    "Simulates a matrix-vector product in the banks of a memory with multiply-accumulate units, command by command: a "
    "product of --inputs and --outputs, or with\n"
    "--context the attention of one position (scores, values, and the write of its keys and values). The work is split "
    "over --channels; the longest share is\n"
    "simulated, as the mean over the phases of the refresh interval. Timing sets with units: `pimdse dram gemv --dram "
    "x` "
    "names them.",
    "  pimdse dram gemv --dram gddr6_aim --inputs 4096 --outputs 4096\n"
    "prints cycles, seconds, their lower bound, the commands of a channel and the energy of all channels.",
    {}};

po::options_description gemv_flags() {
    po::options_description flags("Flags");
    auto const whole = [](int default_value) {
        return po::value<std::string>()->default_value(std::to_string(default_value));
    };
    flags.add_options()("dram", po::value<std::string>(), "a timing set of models/dram with a [pim] table")(
        "density", whole(0), "Gbit per die; 0: that of the timing set")(
        "channels", whole(0), "channels that share the work; 0: those of the timing set")(
        "inputs", whole(4096), "elements of the vector")("outputs", whole(4096), "rows of the matrix")(
        "weight-bits", whole(16), "of a weight, or of a cached key or value")(
        "activation-bits", whole(16), "of an input")("context", whole(0), "tokens in the cache; 0: a product")(
        "heads", whole(32), "query heads")("kv-heads", whole(32), "heads of keys and values")("head-size", whole(128),
                                                                                              "elements of a head");
    add_format(flags);
    return flags;
}

nlohmann::ordered_json to_json(pim::BankUnits const& units, pim::ClosedForm const& form, pim::ProductCost const& cost,
                               std::int64_t channels) {
    auto const& c = cost.commands;
    auto const each = [&cost](std::int64_t count) { return sim::as_double(count) / sim::as_double(cost.executions); };
    return {{"cycles", cost.cycles_each()},
            {"seconds", cost.cycles_each() * units.timing.clock.si},
            {"cycles_lower_bound", form.lower_bound},
            {"cycles_estimated", form.estimate},
            {"joules", pim::energy_each(units, cost).si * sim::as_double(channels)},
            {"executions_simulated", cost.executions},
            {"commands_of_a_channel",
             {{"bank_activations", each(c.bank_activations)},
              {"macs", each(c.macs)},
              {"buffer_writes", each(c.buffer_writes)},
              {"sum_writes", each(c.sum_writes)},
              {"sum_reads", each(c.sum_reads)},
              {"word_writes", each(c.word_writes)},
              {"mode_changes", each(c.mode_changes)},
              {"refreshes", each(c.refreshes)}}}};
}

}  // namespace

int dram_gemv(std::vector<std::string> const& arguments) {
    auto const values = parse(dram_gemv_manual, gemv_flags(), arguments);
    if (!values) return complete;
    auto const format = format_without_csv(*values, "a product");
    auto const name = needed(*values, "dram", dram_gemv_manual);
    auto const density = number_of<int>(*values, "density");
    pim::ProductCosts const costs(models::load_pim_units(name, density));
    auto const& units = costs.units();
    constexpr int max_size = 1 << 20;
    std::int64_t channels = number_of<int>(*values, "channels", {0, 1 << 16});
    if (channels == 0) channels = sim::dram::data_ports(models::load_dram_standard(name, density));
    int const weight_bits = number_of<int>(*values, "weight-bits", {1, 64});
    int const activation_bits = number_of<int>(*values, "activation-bits", {1, 64});
    nlohmann::ordered_json out{{"dram", name}, {"channels", channels}};
    if (int const context = number_of<int>(*values, "context", {0, max_size}); context > 0) {
        pim::Attention attention;
        attention.heads = number_of<int>(*values, "heads", {1, max_size});
        attention.kv_heads = number_of<int>(*values, "kv-heads", {1, max_size});
        attention.head_size = number_of<int>(*values, "head-size", {1, max_size});
        attention.context = context;
        attention.key_units = channels * units.sizes.units();
        attention.value_channels = channels;
        attention.cache_bits = weight_bits;
        attention.activation_bits = activation_bits;
        if (attention.heads % attention.kv_heads != 0) throw UsageError("--heads must be a multiple of --kv-heads");
        out["scores"] = to_json(units, costs.closed_form_of_scores(attention), costs.scores(attention), channels);
        out["values"] = to_json(units, costs.closed_form_of_values(attention), costs.values(attention), channels);
        out["append"] = to_json(units, costs.closed_form_of_append(attention), costs.append(attention), channels);
    } else {
        pim::Gemv product;
        product.inputs = number_of<int>(*values, "inputs", {1, max_size});
        product.outputs = sim::divide_up(number_of<int>(*values, "outputs", {1, max_size}), channels);
        product.weight_bits = weight_bits;
        product.activation_bits = activation_bits;
        out["product"] = to_json(units, costs.closed_form_of(product), costs.of(product), channels);
    }
    print_result(out, format);
    return complete;
}

}  // namespace pimdse::dse::cli
