#include "dse/cli/dram_gemv.hpp"

#include "dse/cli/check_text.hpp"
#include "dse/cli/options.hpp"
#include "dse/cli/verb.hpp"
#include "models/dram/dram_standard.hpp"
#include "models/dram/pim_units.hpp"
#include "sim/base/counting.hpp"
#include "sim/base/json.hpp"
#include "sim/dram/family.hpp"
#include "sim/pim/product_cost.hpp"

#include <utility>

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
    "prints cycles, seconds, their lower bound, the commands of a channel and the energy of all channels that have "
    "work.",
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

/// The product on the channel with the longest share, with the energy of all.
template <class Product>
sim::Json to_json(pim::ProductCosts const& costs, std::vector<pim::ChannelShare<Product>> const& shares) {
    auto const& longest = shares.front().product;
    auto const& cost = costs.of(longest);
    auto const& form = costs.closed_form_of(longest);
    auto const& c = cost.commands;
    std::int64_t working = 0;
    for (auto const& share : shares) working += share.channels;
    auto const each = [&cost](std::int64_t count) { return sim::as_double(count) / sim::as_double(cost.executions); };
    return {{"cycles", cost.cycles_each()},
            {"seconds", cost.cycles_each() * costs.units().timing.clock.si},
            {"cycles_lower_bound", form.lower_bound},
            {"cycles_estimated", form.estimate},
            {"channels_at_work", working},
            {"joules", costs.energy_of(shares).si},
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
    sim::Json out{{"dram", name}, {"channels", channels}};
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
        for (auto const& [key, part] : {std::pair{"scores", pim::AttentionPart::scores},
                                        {"values", pim::AttentionPart::values},
                                        {"append", pim::AttentionPart::append}})
            out[key] = to_json(costs, shares_of(units, pim::AttentionProduct{part, attention}));
    } else {
        pim::Gemv product;
        product.inputs = number_of<int>(*values, "inputs", {1, max_size});
        product.outputs = number_of<int>(*values, "outputs", {1, max_size});
        product.weight_bits = weight_bits;
        product.activation_bits = activation_bits;
        out["product"] = to_json(costs, shares_of(units, product, channels));
    }
    print_result(out, format);
    return complete;
}

}  // namespace pimdse::dse::cli
