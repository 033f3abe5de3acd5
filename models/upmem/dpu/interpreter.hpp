#pragma once

#include "models/upmem/dpu/assembler.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::models::upmem::dpu {

/// MRAM contents before a run: word i (32 bit) = (i * 2654435761) mod 2^32 AND mask. Pages are created on first access.
class Mram {
  public:
    explicit Mram(std::uint32_t mask) : mask_(mask) {}
    void read(std::uint32_t address, std::uint8_t* to, std::uint32_t bytes);
    void write(std::uint32_t address, std::uint8_t const* from, std::uint32_t bytes);

  private:
    static constexpr std::uint32_t page_bytes = 4096;
    using Page = std::array<std::uint8_t, page_bytes>;
    Page& page(std::uint32_t index);
    template <class Copy>
    void each_piece(std::uint32_t address, std::uint32_t bytes, Copy copy);

    std::vector<std::unique_ptr<Page>> pages_;
    std::uint32_t mask_;
};

/// Addresses of data that a listing uses, of which only differences affect timing, and the sizes of the memories.
struct MemoryMap {
    std::uint32_t arguments = 64;  ///< WRAM address of DPU_INPUT_ARGUMENTS
    std::uint32_t heap = 4096;     ///< WRAM address of __sys_heap_pointer_reset
    std::uint32_t data = 0;        ///< MRAM address of __sys_used_mram_end, a multiple of the row
    std::uint64_t wram_bytes = 1U << 17U, mram_bytes = 1U << 26U;
};

/// Functional execution of a program: registers, WRAM, locks and MRAM of one DPU. An instruction takes effect when it
/// issues. Satisfies the source concept of Core.
class Interpreter {
  public:
    /// `arguments` are stored in order at MemoryMap::arguments.
    Interpreter(Listing program, int tasklets, std::vector<std::uint32_t> const& arguments, std::uint32_t mram_mask,
                MemoryMap layout = {});

    /// Executes the next instruction of a tasklet. Throws InputError with the line of the instruction for what the
    /// hardware does not do: accesses outside a memory or the program, loads and stores that are not aligned to their
    /// size, transfers that are not aligned to 8 B or longer than 2,048 B.
    Issued issue(std::size_t tasklet);
    /// Place of the next instruction of the first tasklet that has begun and not ended, as Listing::place_of.
    [[nodiscard]] std::string running_at() const;
    /// The data of a transfer are moved when its last access is done.
    void moved(Issued const& transfer);

  private:
    struct Thread {
        std::array<std::uint32_t, 27> registers{};  ///< the last three: zero, id, scratch for immediates
        std::uint32_t next = 0;
        bool carry = false, stopped = false;
    };

    std::uint32_t compute(Instruction const& i, Thread& t);
    bool compare(Instruction const& i, std::uint32_t a, std::uint32_t b) const;
    /// Continues at the target if the condition holds, otherwise at the next instruction.
    void branch(Instruction const& i, Thread& t, bool zero) const;
    void multiply_step(Instruction const& i, Thread& t);
    bool try_lock(Instruction const& i, Thread const& t, std::size_t tasklet);
    void load_store(Instruction const& i, Thread& t);
    void transfer(Instruction const& i, Thread const& t, Issued& issued) const;
    [[noreturn]] void refuse(Thread const& t, std::string const& sentence) const;
    struct Access {
        std::string_view memory;
        std::uint32_t address;
        std::uint64_t bytes, alignment, size;  ///< size: of the memory
    };
    void check(Access const& access, Thread const& t) const;
    [[nodiscard]] std::uint8_t booted(Thread const& t, std::uint32_t tasklet) const;
    [[nodiscard]] std::uint32_t wram_word(std::uint32_t address) const;
    void store_word(std::uint32_t address, std::uint32_t value);

    Listing program_;
    MemoryMap memories_;
    std::vector<Thread> threads_;
    std::vector<std::uint8_t> wram_;
    std::array<std::uint8_t, 256> lock_owner_{};  ///< 0: free, otherwise tasklet + 1
    Mram mram_;
};

}  // namespace pimdse::models::upmem::dpu
