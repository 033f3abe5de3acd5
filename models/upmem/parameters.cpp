#include "models/upmem/parameters.hpp"

#include "models/contract/language_models.hpp"
#include "models/contract/own_file.hpp"
#include "models/contract/parameter_table.hpp"
#include "models/upmem/kernels/kernel.hpp"

namespace pimdse::models::upmem {
namespace {

std::vector<std::string> models_or_none() {
    auto names = language_model_names();
    names.insert(names.begin(), "none");
    return names;
}

Parameter kernel_parameter() {
    return or_own_file(choice("kernel", kernel_names(), "va",
                              "what the DPUs compute: a file of models/upmem/kernels; without a listing it is "
                              "calibrated and its file says so"),
                       [](std::string const& file) { (void)load_kernel(file); });
}

ParameterTable<Design> make_table() {
    ParameterTable<Design> table;
    table.row<&Design::kernel>(kernel_parameter());
    table.row<&Design::llm>(or_own_model(
        choice("llm", models_or_none(),
               "scope end_to_end: serves a request of the model; scope kernel, with kernel gemv-int8: all its weight "
               "matrices once, spread over the DPUs")));
    table.row(choice("scope", {"kernel", "end_to_end"},
                     "end_to_end: a request of llm from prompt to last token, its products as gemv-int8; without llm "
                     "the kernel, as scope kernel"),
              [](Design& d, Value const& v, auto const&) { d.end_to_end = v.as_choice() == 1; });
    table.row<&Design::input>(
        also_called(count("input", "tokens", 512, {1, 1 << 20}, "prompt length (scope end_to_end)"), "prefill"));
    table.row<&Design::output>(
        also_called(count("output", "tokens", 128, {1, 1 << 20}, "generated tokens (scope end_to_end)"), "decode"));
    table.row<&Design::batch>(count("batch", "1", 1, {1, 4096}, "requests served together (scope end_to_end)"));
    table.row<&Design::elements>(
        count("elements", "elements", 4194304, {0.0, 1e12},
              "problem size, total over all DPUs; what one element is, is said by the kernel"));
    table.row<&Design::tasklets>(count("tasklets", "", 16, unlimited, "hardware threads used per DPU, 1..24"));
    table.row<&Design::dpus>(resource(count("dpus", "", 1, unlimited, "DPUs used, at most 64 per rank")));
    table.row<&Design::ranks>(resource(count(
        "ranks", "", 1, unlimited, "ranks of 64 DPUs, 1..40; the DPUs used are spread over them, the others wait")));
    table.row<&Design::streams>(count(
        "streams", "", 1, unlimited, "pieces into which the input is cut so that transfer and compute overlap, 1..64"));
    table.row<&Design::dma_block>(
        count("dma_block", "B", 1024, unlimited, "bytes of one MRAM transfer, a multiple of 8 up to 2048"));
    table.row<&Design::preset>(
        choice("preset", {"hardware", "upimulator-go", "upimulator-cpp"},
               "whose timing: real UPMEM, or uPIMulator with its clock ratio as it is (go) or repaired (cpp)"));
    table.row<&Design::transfer>(
        choice("transfer", {"table1", "parallel", "serial", "broadcast", "constant"}, "parallel",
               "how the host moves data: one call for all DPUs, as measured, unless said otherwise"));
    table.row(
        flag("joint", true, "all input arrays of a stream in one transfer; false: one transfer each"),
        [](Design& d, Value const& v, auto const&) { d.packing = v.as_flag() ? Packing::joint : Packing::apart; });
    table.row<&Design::lock>(choice("lock", {"none", "exclusive", "double_bank", "rank_level"}, "exclusive",
                                    "whether a DPU may compute while the host writes its MRAM"));
    table.row<&Design::frequency>(
        quantity("frequency", "Hz", 350e6, {1e6, 10e9}, "DPU clock, 100 MHz to 1 GHz: a voltage goes with it"));
    table.row<&Design::dispatch_distance>(
        count("dispatch_distance", "cycles", 11, unlimited, "cycles between two instructions of one tasklet, 1..14"));
    table.row<&Design::mram_bandwidth>(
        resource(quantity("mram_bandwidth", "B/s", 700e6, {1e6, 1e12},
                          "MRAM bytes per second; for the upimulator presets it scales the memory clock")));
    table.row<&Design::offload>(quantity("offload", "s", 0.0, {0.0, 1e3},
                                         "time of the host thread per stream between its transfer and its launch"));
    return table;
}

}  // namespace

Parameters parameters() { return make_table().parameters(); }

Design read_design(Point point) {
    static auto const table = make_table();
    return table.read(point);
}

}  // namespace pimdse::models::upmem
