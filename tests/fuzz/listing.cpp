#include "input.hpp"
#include "models/upmem/dpu/assembler.hpp"
#include "models/upmem/dpu/core.hpp"
#include "models/upmem/dpu/interpreter.hpp"
#include "models/upmem/dpu/memory.hpp"

/// DPU listings; one that assembles runs for a while.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    using namespace pimdse;
    namespace dpu = models::upmem::dpu;
    static dpu::Symbols const symbols{
        {"DPU_INPUT_ARGUMENTS", 64}, {"BLOCK", 1024},       {"LOG2_BLOCK", 10},
        {"ALL_BLOCKS", 4096},        {"BLOCK_WORDS", 256},  {"TASKLETS", 4},
        {"ITERATIONS", 3},           {"BLOCK_LENGTH", 127}, {"__sys_heap_pointer_reset", 4096},
        {"__sys_used_mram_end", 0}};
    constexpr int tasklets = 4;
    return fuzz::attempt([&] {
        auto program = dpu::assemble(fuzz::text_of(data, size), "listing.s", symbols, tasklets);
        dpu::Interpreter source(std::move(program), tasklets, {64, 64}, 0xffffffffU);
        dpu::ServerMemory memory(77.0, 0.5, dpu::pipeline_depth);
        (void)dpu::Core<dpu::Interpreter, dpu::ServerMemory>(source, memory, {tasklets, 11, 20'000}).run();
    });
}
