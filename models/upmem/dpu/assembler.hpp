#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::models::upmem::dpu {

inline constexpr std::size_t register_count = 24;
inline constexpr std::uint8_t zero_register = 24;  ///< reads as 0
inline constexpr std::uint8_t id_register = 25;    ///< reads as the tasklet's number
inline constexpr std::uint8_t immediate = 26;      ///< the operand is Instruction::value

enum class Operation : std::uint8_t {
    move,
    add,
    addc,
    sub,
    bit_and,
    lsl,
    lsr,
    lsl_add,
    lsr_add,
    mul_step,
    lw,
    ld,
    sw,
    sd,
    ldma,
    sdma,
    jeq,
    jgtu,
    jgeu,
    jltu,
    call,
    jump,
    acquire,
    release,
    boot,
    stop
};

/// When a computing instruction also branches: never, always, result zero, result not zero.
enum class Condition : std::uint8_t { never, always, z, nz };

/// One decoded instruction; `d`, `a`, `b` are register numbers or one of the three special numbers above.
struct Instruction {
    Operation operation = Operation::stop;
    Condition condition = Condition::never;
    std::uint8_t d = zero_register, a = zero_register, b = zero_register;
    std::uint32_t value = 0;              ///< immediate operand, offset or DMA length field
    std::uint32_t shift = 0;              ///< lsl_add, lsr_add, mul_step
    std::uint32_t target = 0;             ///< instruction index
    std::uint32_t reads = 0, writes = 0;  ///< registers, one bit each
};

/// An assembled listing: four instructions that start the tasklets, then `main`.
struct Listing {
    std::vector<Instruction> code;
    std::string file;        ///< for messages
    std::vector<int> lines;  ///< of each instruction in the file; 0: of the start
    static constexpr std::uint32_t main = 4;

    /// "va.s:12: "; only the file for an instruction of the start, or none.
    [[nodiscard]] std::string place_of(std::uint32_t instruction) const;
};

/// Bytes that a transfer with this length field moves, the sum of its immediate and the top byte of its WRAM address.
constexpr std::uint64_t transfer_bytes(std::uint64_t length) { return 8 * (length + 1); }
inline constexpr std::uint32_t max_length = 255;  ///< 2,048 B

/// The effect of an issued instruction on the pipeline.
struct Issued {
    enum class Kind : std::uint8_t { plain, transfer, boot, stop };
    Kind kind = Kind::plain;
    std::uint8_t tasklet = 0;
    std::uint8_t booted = 0;  ///< Kind::boot: the tasklet that becomes runnable
    bool to_mram = false;
    std::uint32_t reads = 0, writes = 0;          ///< registers, one bit each
    std::uint32_t wram = 0, mram = 0, bytes = 0;  ///< only for Kind::transfer
    bool operator==(Issued const&) const = default;
};

/// An instruction reads at most three registers, and the one before it has written at most two.
inline constexpr std::int64_t max_listed_extras = 2;

/// Cycles that the register stage needs beyond one: registers of the same parity share a port. `registers` = those read
/// by the instruction and those written by the previous instruction of the same tasklet.
[[nodiscard]] constexpr int register_extra(std::uint32_t registers) {
    constexpr std::uint32_t even = 0x555555, odd = 0xAAAAAA;
    if (registers == 0) return 0;  // of generated programs nearly always
    return __builtin_popcount(registers & even) / 2 + __builtin_popcount(registers & odd) / 2;
}

/// Names that a listing may use as constants.
using Symbols = std::map<std::string, std::int64_t, std::less<>>;

/// Reads a listing of DPU assembly with the destination first. "op d, a, b, cond, label" branches if the condition
/// holds; dN is the register pair rN, rN+1; '#' starts a comment. The start-up is added in front: compare the id with
/// the last tasklet, boot the next, call main, stop. Throws InputError with `file` and the line of every error.
[[nodiscard]] Listing assemble(std::string_view text, std::string_view file, Symbols const& symbols, int tasklets);

}  // namespace pimdse::models::upmem::dpu
