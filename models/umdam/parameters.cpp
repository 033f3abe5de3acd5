#include "models/dram_standard.hpp"
#include "models/parameter_builders.hpp"
#include "models/umdam/field_order.hpp"
#include "models/umdam/machine.hpp"
#include "models/umdam/settings.hpp"

#include <algorithm>

namespace pimdse::models::umdam {
namespace {

/// Position of each parameter in the table; read_settings and the table below keep this order.
enum class Id : std::uint8_t {
    llm,
    input,
    output,
    batch,
    baseline,
    dram,
    mapping,
    coll_bits,
    channels,
    ranks,
    bank_groups,
    banks,
    row_bytes,
    density,
    queue_depth,
    scheduler,
    engines,
    npu_flops,
    npu_buffer,
    pim_mac_interval,
    global_buffer_elements,
    double_buffer,
    loop_order,
    activation,
    lm_head,
    attention,
    count_first,
    ignore_capacity,
    refresh,
    row_pad,
    split_k,
    staging,
    concurrency,
    mac_command
};

/// Every timing set; those of families without PIM commands are named but not built.
Parameter dram_parameter() {
    auto p =
        choice("dram", {"L5J", "L5A", "L5B"},
               "timing set, a file of models/dram: L5J JEDEC bank groups, L5A Table I to the letter (25.6 GB/s), L5B Table I at 51.2 GB/s");
    for (auto const& name : dram_standard_names()) {
        if (std::find(p.choices.begin(), p.choices.end(), name) == p.choices.end()) p.choices.push_back(name);
        if (load_dram_standard(name).family != sim::dram::Family::lpddr5)
            p.not_built.push_back({name, "PIM commands are modelled on LPDDR5 only"});
    }
    return p;
}

Parameter mapping_parameter() {
    auto p = choice(
        "mapping", {"umdam", "conventional", "channel_msb"},
        "physical address to channel, bank, row and column: a name, a token list from the lowest bit (of5 co3 ch2 bg2 ba2 co3 ro17), "
        "or an order of fields from the highest (row-colm-bank-group-channel-coll, coll4 for a ColL of its own); XOR tokens may follow");
    p.items = field_items();
    p.accepts = refusal_of_mapping;
    return p;
}

void add_workload(Parameters& table) {
    table.push_back(choice("llm", causal_model_names(), "opt-6.7b",
                           "language model, a file of models/llm; models that do not generate token by token are left out"));
    table.push_back(also_called(count("input", "tokens", 128, {1, 1 << 20}, "prompt length"), "prefill"));
    table.push_back(also_called(count("output", "tokens", 64, {1, 1 << 20}, "generated tokens"), "decode"));
    table.push_back(count("batch", "1", 1, {1, 4096}, "independent requests served together; PIM repeats its work for each"));
    table.push_back(choice("baseline", {"umdam", "relayout", "duplicate", "fused", "no_interleave", "facil", "npu_only"},
                           "how the weights are stored for NPU and PIM; speed-ups are ratios of two points"));
}

void add_memory(Parameters& table) {
    table.push_back(dram_parameter());
    table.push_back(mapping_parameter());
    table.push_back(count(
        "coll_bits", "bit", paper_coll_bits, {-1, 6},
        "column bits below the channel; the interleave granularity is a burst times two to this power; -1: as many as the mapping has"));
    table.push_back(count("channels", "1", 4, {1, 64}, "independent channels, a power of two"));
    table.push_back(count("ranks", "1", 1, {1, 4}, "ranks per channel, a power of two"));
    table.push_back(count("bank_groups", "1", 4, {1, 16}, "bank groups per rank, a power of two"));
    table.push_back(count("banks", "1", 4, {1, 16}, "banks per bank group, a power of two"));
    table.push_back(count("row_bytes", "B", 2048, {256, 65536}, "bytes of a row of one bank, a power of two"));
    table.push_back(assumed(count("density", "Gbit", 32, {1, 64}, "capacity of a rank of one channel: 8, 16 or 32; sets rows and tRFC")));
    table.push_back(count("queue_depth", "1", 32, {1, 256}, "read and write queue entries of a channel's controller"));
    table.push_back(choice("scheduler", {"frfcfs-rowhit", "frfcfs"}, "frfcfs-rowhit never closes a row an older request still hits"));
    table.push_back(count("engines", "1", 1, {1, 64}, "NPU streams at the same time, each over its own part of a matrix"));
}

void add_compute(Parameters& table) {
    table.push_back(quantity("npu_flops", "TFLOP/s", 16e12, {1e9, 1e18}, "fp16 peak of the NPU, both chips"));
    table.push_back(count("npu_buffer", "B", 8 << 20, {65536, 4294967296.0}, "on-chip buffer of the NPU"));
    table.push_back(quantity("pim_mac_interval", "ns", 4e-9, {1e-9, 8e-9}, "time between two multiply-accumulate bursts of a bank"));
    table.push_back(
        assumed(count("global_buffer_elements", "elements", 1024, {16, 1 << 24}, "elements of x a channel's global buffer holds")));
    table.push_back(assumed(flag("double_buffer", true, "the global buffer is filled while the other half is used")));
    table.push_back(
        choice("loop_order", {"kseg", "nat", "res"},
               "kseg: by segments of the global buffer; nat: storage order with refills; res: storage order, all of x in the buffer"));
    table.push_back(choice("activation", {"all", "four", "single"}, "banks opened by one command: all, four per tFAW, or one per tRRD"));
    table.push_back(choice("lm_head", {"npu", "pim", "skip"},
                           "where the LM head of the prefill runs (last position only); decode has it on PIM unless skipped"));
    table.push_back(choice("attention", {"npu", "pim"}, "pim", "where decode reads the KV cache"));
    table.push_back(
        flag("count_first", false, "the prefill's token counts as the first of `output`: output - 1 decode steps instead of output"));
    table.push_back(flag("ignore_capacity", false, "evaluate models that do not fit the DRAM, as the paper does"));
}

void add_extensions(Parameters& table) {
    table.push_back(choice("refresh", {"all_bank", "none"}, "none leaves refresh out, as idealised figures do"));
    table.push_back(flag("row_pad", false, "pad matrix columns to whole DRAM rows"));
    table.push_back(
        flag("split_k", false, "run a mapping that spreads a matrix column over several banks, adding partial sums on the NPU"));
    table.push_back(assumed(choice("staging", {"layer", "model"}, "what relayout keeps a second copy of while it moves weights")));
    table.push_back(choice(
        "concurrency", {"exclusive", "partition", "dual_row_buffer"},
        "NPU traffic during decode: takes turns with PIM; has half of the channels to itself; runs beside it through a second row buffer"));
    table.push_back(choice("mac_command", {"all", "single"},
                           "all: one command multiplies in all banks of a rank; single: one in each, as many as the command bus carries"));
}

}  // namespace

Parameters parameters() {
    Parameters table;
    add_workload(table);
    add_memory(table);
    add_compute(table);
    add_extensions(table);
    return table;
}

MetricTable metrics() {
    using enum Sense;
    return {
        {"ttft", "s", "time to first token: re-layout where the baseline needs one, then prefill", minimize},
        {"ttlt", "s", "time to last token: ttft and the decode steps", minimize},
        {"time_per_token", "s", "mean decode step", minimize},
        {"relayout_time", "s", "moving weights from the NPU's layout to PIM's, part of ttft", minimize},
        {"tokens_per_second", "1", "generated tokens of the whole batch over ttlt", maximize},
        {"latency", "s", "request to last token: ttlt", minimize},
        {"energy", "J", "commands, transfers and arithmetic of the whole request", minimize, true},
        {"power", "W", "energy / latency", minimize, true},
        {"footprint", "B", "DRAM the weights take with copies, padding and staging, without the KV cache", minimize},
        {"npu_bandwidth", "B/s", "what the NPU's weight stream gets from the DRAM", maximize},
        {"pim_bandwidth", "B/s", "weight bytes over the time PIM takes for them in decode; 0 if PIM does nothing", maximize},
        {"activations", "1", "DRAM rows opened for the whole request", minimize},
        {"lane_utilisation", "1", "share of PIM multiply slots that hold a weight", maximize},
        {"split_factor", "1", "most banks one matrix column is spread over; 1 is what PIM needs", minimize},
    };
}

Settings read_settings(Point point) {
    sim::expects(point.size() == static_cast<std::size_t>(Id::mac_command) + 1, "a point has one value per parameter");
    auto const at = [&](Id id) -> Value const& { return point[static_cast<std::size_t>(id)]; };
    auto const whole = [&](Id id) { return at(id).as_integer(); };
    Settings s;
    s.llm = at(Id::llm).as_choice();
    s.input = whole(Id::input);
    s.output = whole(Id::output);
    s.batch = whole(Id::batch);
    s.baseline = static_cast<Baseline>(at(Id::baseline).as_choice());
    s.dram = at(Id::dram).as_choice();
    s.mapping = at(Id::mapping);
    s.coll_bits = whole(Id::coll_bits);
    s.channels = whole(Id::channels);
    s.ranks = whole(Id::ranks);
    s.groups = whole(Id::bank_groups);
    s.banks = whole(Id::banks);
    s.row_bytes = whole(Id::row_bytes);
    s.density = whole(Id::density);
    s.queue_depth = whole(Id::queue_depth);
    s.scheduler = static_cast<Scheduler>(at(Id::scheduler).as_choice());
    s.engines = whole(Id::engines);
    s.npu_flops = at(Id::npu_flops).as_quantity();
    s.npu_buffer = whole(Id::npu_buffer);
    s.mac_interval = at(Id::pim_mac_interval).as_quantity();
    s.buffer_elements = whole(Id::global_buffer_elements);
    s.double_buffer = at(Id::double_buffer).as_flag();
    s.loop_order = static_cast<LoopOrder>(at(Id::loop_order).as_choice());
    s.activation = static_cast<Activation>(at(Id::activation).as_choice());
    s.lm_head = static_cast<LmHead>(at(Id::lm_head).as_choice());
    s.attention = static_cast<AttentionPlace>(at(Id::attention).as_choice());
    s.count_first = at(Id::count_first).as_flag();
    s.ignore_capacity = at(Id::ignore_capacity).as_flag();
    s.refresh = static_cast<Refresh>(at(Id::refresh).as_choice());
    s.row_pad = at(Id::row_pad).as_flag();
    s.split_k = at(Id::split_k).as_flag();
    s.staging = static_cast<Staging>(at(Id::staging).as_choice());
    s.concurrency = static_cast<Concurrency>(at(Id::concurrency).as_choice());
    s.mac_command = static_cast<MacCommand>(at(Id::mac_command).as_choice());
    return s;
}

}  // namespace pimdse::models::umdam
