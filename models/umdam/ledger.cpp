#include "models/umdam/ledger.hpp"

namespace pimdse::models::umdam {
namespace {

std::vector<LedgerEntry> energy_entries() {
    using enum Account;
    return {
        {"arithmetic", assumed, "cube and vector unit of an Ascend core (HPCA 2021), per FLOP"},
        {"sram", assumed, "NPU buffer by its size (AttAcc, 2024): in and out per burst; operands of the cubes"},
        {"sram_static", assumed, "20 mW/MiB, nominal for 7 nm, of NPU and global buffers"},
        {"dram_array", assumed, "rows opened and bursts: power script of CENT's simulator"},
        {"dram_interface", assumed, "2 pJ/bit, both sides, of bursts and of what goes in and out of PIM units"},
        {"dram_background", assumed, "IDD3N of a Micron LPDDR5X data sheet (2025) while a request runs"},
        {"dram_refresh", assumed, "IDD5 above IDD2N of the same sheet during nRFC of every nREFI"},
        {"in_memory_logic", assumed, "multiplications in the banks with their reads: CENT's simulator, by V(f)"},
        {"interconnect", none, "wires of the dies are part of the figures of their units"},
        {"converters", none, "all arithmetic is digital"},
        {"host_transfer", none, "the NPU is the host; tokens are some bytes"},
        {"host_compute", assumed, "host = included: host_power of technology.toml for the latency; else the NPU is it"},
        {"idle_units", assumed, "a tenth (banks: a twentieth) of a unit's power at work while it waits; channels"}};
}

std::vector<LedgerEntry> area_entries() {
    using enum Account;
    return {{"matrix_unit", assumed, "cube of an Ascend core (HPCA 2021), 7 nm, per 8 TFLOP/s"},
            {"vector_unit", assumed, "vector unit beside each cube (HPCA 2021), 7 nm"},
            {"sram", counted, "7 nm cells (ISSCC 2017) over CACTI's share of cells; global buffers assumed"},
            {"controllers", assumed, "DDR5 PHY and controller of LLMCompass (2024) per pin; queues, banks, engines"},
            {"in_bank_logic", assumed, "0.19 mm2 a bank, as in GDDR6-AiM (ISSCC 2022)"},
            {"routers", none, "there is no network on chip"},
            {"crossbars", none, "no arrays compute"},
            {"undivided", none, "no die is known as a whole only"}};
}

}  // namespace

Ledger ledger() { return {energy_entries(), area_entries()}; }

}  // namespace pimdse::models::umdam
