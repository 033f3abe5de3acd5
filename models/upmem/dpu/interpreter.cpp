#include "models/upmem/dpu/interpreter.hpp"

#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cstring>

namespace pimdse::models::upmem::dpu {

Mram::Page& Mram::page(std::uint32_t index) {
    if (index >= pages_.size()) pages_.resize(index + 1);
    auto& page = pages_[index];
    if (!page) {
        page = std::make_unique<Page>();
        for (std::uint32_t word = 0; word < page_bytes / 4; ++word) {
            std::uint32_t const value = ((index * (page_bytes / 4) + word) * 2654435761U) & mask_;
            std::memcpy(page->data() + 4 * static_cast<std::size_t>(word), &value, 4);
        }
    }
    return *page;
}

template <class Copy>
void Mram::each_piece(std::uint32_t address, std::uint32_t bytes, Copy copy) {
    for (std::uint32_t done = 0; done < bytes;) {
        std::uint32_t const offset = (address + done) % page_bytes;
        std::uint32_t const piece = std::min(bytes - done, page_bytes - offset);
        copy(page((address + done) / page_bytes).data() + offset, done, piece);
        done += piece;
    }
}

void Mram::read(std::uint32_t address, std::uint8_t* to, std::uint32_t bytes) {
    each_piece(address, bytes,
               [&](std::uint8_t const* from, std::uint32_t at, std::uint32_t n) { std::memcpy(to + at, from, n); });
}

void Mram::write(std::uint32_t address, std::uint8_t const* from, std::uint32_t bytes) {
    each_piece(address, bytes,
               [&](std::uint8_t* to, std::uint32_t at, std::uint32_t n) { std::memcpy(to, from + at, n); });
}

Interpreter::Interpreter(Listing program, int tasklets, std::vector<std::uint32_t> const& arguments,
                         std::uint32_t mram_mask, MemoryMap layout)
    : program_(std::move(program)),
      memories_(layout),
      threads_(static_cast<std::size_t>(tasklets)),
      wram_(layout.wram_bytes),
      mram_(mram_mask) {
    sim::expects(layout.arguments + 4 * arguments.size() <= layout.wram_bytes, "the arguments fit WRAM");
    for (std::size_t i = 0; i < threads_.size(); ++i)
        threads_[i].registers[id_register] = static_cast<std::uint32_t>(i);
    for (std::size_t i = 0; i < arguments.size(); ++i)
        store_word(layout.arguments + 4 * static_cast<std::uint32_t>(i), arguments[i]);
}

void Interpreter::refuse(Thread const& t, std::string const& sentence) const {
    throw sim::InputError(program_.place_of(t.next) + sentence);
}

void Interpreter::check(Access const& access, Thread const& t) const {
    auto const& [memory, address, bytes, alignment, size] = access;
    if (address + bytes > size)
        refuse(t, fmt::format("the program accesses {} byte {} (there are {})", memory, address + bytes - 1, size));
    if (address % alignment != 0)
        refuse(t, fmt::format("the program accesses {} at byte {} (the address must be a multiple of {})", memory,
                              address, alignment));
}

std::uint32_t Interpreter::wram_word(std::uint32_t address) const {
    std::uint32_t value = 0;
    std::memcpy(&value, wram_.data() + address, 4);
    return value;
}

void Interpreter::store_word(std::uint32_t address, std::uint32_t value) {
    std::memcpy(wram_.data() + address, &value, 4);
}

std::uint32_t Interpreter::compute(Instruction const& i, Thread& t) {
    std::uint32_t const a = t.registers[i.a], b = t.registers[i.b];
    switch (i.operation) {
        case Operation::add:
            t.carry = a + b < a;
            return a + b;
        case Operation::addc: {
            std::uint64_t const sum = std::uint64_t{a} + b + (t.carry ? 1 : 0);
            t.carry = sum >> 32 != 0;
            return static_cast<std::uint32_t>(sum);
        }
        case Operation::sub:
            t.carry = a < b;
            return a - b;
        case Operation::bit_and:
            return a & b;
        case Operation::lsl:
            return a << (b & 31U);
        case Operation::lsr:
            return a >> (b & 31U);
        case Operation::lsl_add:
            return a + (b << (i.shift & 31U));
        case Operation::lsr_add:
            return a + (b >> (i.shift & 31U));
        default:
            return b;
    }
}

bool Interpreter::compare(Instruction const& i, std::uint32_t a, std::uint32_t b) const {
    switch (i.operation) {
        case Operation::jeq:
            return a == b;
        case Operation::jgtu:
            return a > b;
        case Operation::jgeu:
            return a >= b;
        default:
            return a < b;
    }
}

void Interpreter::branch(Instruction const& i, Thread& t, bool zero) const {
    bool const holds = i.condition == Condition::always || (i.condition == Condition::z && zero) ||
                       (i.condition == Condition::nz && !zero);
    t.next = holds ? i.target : t.next + 1;
}

void Interpreter::multiply_step(Instruction const& i, Thread& t) {
    auto& factor = t.registers[i.d];
    if ((factor & 1U) != 0) t.registers[i.d + 1U] += t.registers[i.a] << (i.shift & 31U);
    factor >>= 1U;
    branch(i, t, factor == 0);
}

bool Interpreter::try_lock(Instruction const& i, Thread const& t, std::size_t tasklet) {
    std::uint32_t const index = t.registers[i.a] + i.value;
    if (index >= lock_owner_.size())
        refuse(t, fmt::format("the program uses lock {} (there are {})", index, lock_owner_.size()));
    auto& owner = lock_owner_[index];
    auto const me = static_cast<std::uint8_t>(tasklet + 1);
    bool const done = i.operation == Operation::acquire ? owner == 0 : owner == 0 || owner == me;
    if (done) owner = i.operation == Operation::acquire ? me : 0;
    return done;
}

void Interpreter::load_store(Instruction const& i, Thread& t) {
    std::uint32_t const address = t.registers[i.a] + i.value;
    bool const word = i.operation == Operation::lw || i.operation == Operation::sw;
    std::uint64_t const bytes = word ? 4 : 8;
    check({"WRAM", address, bytes, bytes, memories_.wram_bytes}, t);
    switch (i.operation) {
        case Operation::lw:
            t.registers[i.d] = wram_word(address);
            break;
        case Operation::ld:
            t.registers[i.d + 1U] = wram_word(address);
            t.registers[i.d] = wram_word(address + 4);
            break;
        case Operation::sw:
            store_word(address, t.registers[i.b]);
            break;
        default:
            store_word(address, t.registers[i.b + 1U]);
            store_word(address + 4, t.registers[i.b]);
    }
}

void Interpreter::transfer(Instruction const& i, Thread const& t, Issued& issued) const {
    std::uint32_t const a = t.registers[i.a];
    issued.kind = Issued::Kind::transfer;
    issued.to_mram = i.operation == Operation::sdma;
    issued.wram = a % (1U << 18);
    issued.mram = t.registers[i.b];
    std::uint32_t const length = i.value + (a >> 24U);
    if (length > max_length)
        refuse(t, fmt::format("the program moves {} B (a transfer moves at most {})", transfer_bytes(length),
                              transfer_bytes(max_length)));
    issued.bytes = static_cast<std::uint32_t>(transfer_bytes(length));
    check({"WRAM", issued.wram, issued.bytes, 8, memories_.wram_bytes}, t);
    check({"MRAM", issued.mram, issued.bytes, 8, memories_.mram_bytes}, t);
}

std::uint8_t Interpreter::booted(Thread const& t, std::uint32_t tasklet) const {
    if (tasklet >= threads_.size())
        refuse(t, fmt::format("the program boots tasklet {} (there are {})", tasklet, threads_.size()));
    return static_cast<std::uint8_t>(tasklet);
}

Issued Interpreter::issue(std::size_t tasklet) {
    Thread& t = threads_[tasklet];
    if (t.next >= program_.code.size())
        refuse(
            t,
            fmt::format(
                "the program runs past its {} instructions (its main must end with 'jump r23' or to the saved address)",
                program_.code.size()));
    Instruction const& i = program_.code[t.next];
    Issued issued{.tasklet = static_cast<std::uint8_t>(tasklet), .reads = i.reads, .writes = i.writes};
    if (i.b == immediate) t.registers[immediate] = i.value;
    switch (i.operation) {
        case Operation::mul_step:
            multiply_step(i, t);
            return issued;
        case Operation::lw:
        case Operation::ld:
        case Operation::sw:
        case Operation::sd:
            load_store(i, t);
            break;
        case Operation::ldma:
        case Operation::sdma:
            transfer(i, t, issued);
            break;
        case Operation::jeq:
        case Operation::jgtu:
        case Operation::jgeu:
        case Operation::jltu:
            t.next = compare(i, t.registers[i.a], t.registers[i.b]) ? i.target : t.next + 1;
            return issued;
        case Operation::call:
            if (i.d < register_count) t.registers[i.d] = t.next + 1;
            t.next = i.target;
            return issued;
        case Operation::jump:
            t.next = t.registers[i.a];
            return issued;
        case Operation::acquire:
        case Operation::release:
            branch(i, t, try_lock(i, t, tasklet));
            return issued;
        case Operation::boot:
            issued.kind = Issued::Kind::boot;
            issued.booted = booted(t, t.registers[i.a] + i.value);
            break;
        case Operation::stop:
            issued.kind = Issued::Kind::stop;
            t.stopped = true;
            break;
        default: {
            std::uint32_t const result = compute(i, t);
            if (i.d < register_count) t.registers[i.d] = result;
            branch(i, t, result == 0);
            return issued;
        }
    }
    ++t.next;
    return issued;
}

std::string Interpreter::running_at() const {
    auto const runs = [](Thread const& t) { return !t.stopped && t.next != 0; };
    auto const found = std::ranges::find_if(threads_, runs);
    return program_.place_of(found == threads_.end() ? 0 : found->next);
}

void Interpreter::moved(Issued const& transfer) {
    auto* const wram = wram_.data() + transfer.wram;
    if (transfer.to_mram) {
        mram_.write(transfer.mram, wram, transfer.bytes);
    } else {
        mram_.read(transfer.mram, wram, transfer.bytes);
    }
}

}  // namespace pimdse::models::upmem::dpu
