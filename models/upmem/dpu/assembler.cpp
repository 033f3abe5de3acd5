#include "models/upmem/dpu/assembler.hpp"

#include "sim/base/check.hpp"
#include "sim/base/number_in.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <limits>
#include <optional>

namespace pimdse::models::upmem::dpu {
namespace {

/// The operands of an instruction form, one letter each: d destination, s first source, t second source, b second
/// source or constant, v constant, n shift, D destination pair, S source pair, l label; a final q: "condition, label"
/// may follow.
struct Form {
    std::string_view name;
    Operation operation;
    std::string_view operands;
};

constexpr std::array forms{
    Form{"move", Operation::move, "dbq"},
    Form{"add", Operation::add, "dsbq"},
    Form{"addc", Operation::addc, "dsbq"},
    Form{"sub", Operation::sub, "dsbq"},
    Form{"and", Operation::bit_and, "dsbq"},
    Form{"lsl", Operation::lsl, "dsbq"},
    Form{"lsr", Operation::lsr, "dsbq"},
    Form{"lsl_add", Operation::lsl_add, "dsbn"},
    Form{"lsr_add", Operation::lsr_add, "dsbn"},
    Form{"mul_step", Operation::mul_step, "DsSnq"},
    Form{"lw", Operation::lw, "dsv"},
    Form{"ld", Operation::ld, "Dsv"},
    Form{"sw", Operation::sw, "svt"},
    Form{"sd", Operation::sd, "svS"},
    Form{"ldma", Operation::ldma, "stv"},
    Form{"sdma", Operation::sdma, "stv"},
    Form{"jeq", Operation::jeq, "sbl"},
    Form{"jgtu", Operation::jgtu, "sbl"},
    Form{"jgeu", Operation::jgeu, "sbl"},
    Form{"jltu", Operation::jltu, "sbl"},
    Form{"call", Operation::call, "dl"},
    Form{"jump", Operation::jump, "s"},
    Form{"acquire", Operation::acquire, "svq"},
    Form{"release", Operation::release, "svq"},
    Form{"boot", Operation::boot, "sv"},
    Form{"stop", Operation::stop, ""},
};

constexpr std::uint32_t bit(std::uint8_t r) { return r < register_count ? 1U << r : 0U; }

/// The operands, separated by commas; an empty one at the end is dropped.
std::vector<std::string_view> operands_of(std::string_view text) {
    auto operands = sim::split(text, ',');
    for (auto& operand : operands) operand = sim::trimmed(operand);
    if (operands.back().empty()) operands.pop_back();
    return operands;
}

std::optional<std::uint8_t> register_number(std::string_view text, char letter) {
    if (letter == 'r' && text == "zero") return zero_register;
    if (letter == 'r' && text == "id") return id_register;
    if (text.size() < 2 || text.front() != letter) return std::nullopt;
    auto const n = sim::number_in<std::int64_t>(text.substr(1));
    std::int64_t const last = letter == 'd' ? register_count - 2 : register_count - 1;
    return n && *n >= 0 && *n <= last ? std::optional(static_cast<std::uint8_t>(*n)) : std::nullopt;
}

class Assembler {
  public:
    Assembler(std::string_view file, Symbols const& symbols) : symbols_(symbols) { program_.file = file; }

    Listing run(std::string_view text, int tasklets) {
        add_start(tasklets);
        while (!text.empty()) {
            auto const end = text.find('\n');
            ++line_;
            read_line(text.substr(0, end));
            text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
        }
        resolve();
        if (!mistakes_.empty()) throw sim::InputError(mistakes_);
        return std::move(program_);
    }

  private:
    struct Pending {
        std::size_t instruction;
        std::string label;
        int line;
    };

    void mistake(int line, std::string const& sentence) {
        mistakes_.push_back(fmt::format("{}:{}: {}", program_.file, line, sentence));
    }

    void add_start(int tasklets) {
        Instruction compare{.operation = Operation::jeq,
                            .a = id_register,
                            .b = immediate,
                            .value = static_cast<std::uint32_t>(tasklets - 1),
                            .target = 2};
        Instruction boot{.operation = Operation::boot, .a = id_register, .value = 1};
        Instruction call{.operation = Operation::call, .d = 23, .target = Listing::main, .writes = bit(23)};
        program_.code = {compare, boot, call, Instruction{}};
        program_.lines.assign(program_.code.size(), 0);
    }

    void read_line(std::string_view line) {
        line = sim::trimmed(line.substr(0, line.find('#')));
        if (line.empty()) return;
        if (line.back() == ':') {
            std::string const label(line.substr(0, line.size() - 1));
            if (!labels_.emplace(label, static_cast<std::int64_t>(program_.code.size())).second)
                mistake(line_, fmt::format("label '{}' is defined twice", label));
            return;
        }
        auto const space = line.find_first_of(" \t");
        auto const name = line.substr(0, space);
        auto const found = std::find_if(forms.begin(), forms.end(), [&](Form const& f) { return f.name == name; });
        if (found == forms.end()) {
            std::vector<std::string> known;
            for (auto const& form : forms) known.emplace_back(form.name);
            return mistake(line_, fmt::format("unknown instruction '{}'.{}", name, sim::suggestion(name, known)));
        }
        read_instruction(*found,
                         operands_of(space == std::string_view::npos ? std::string_view{} : line.substr(space)));
    }

    void read_instruction(Form const& form, std::vector<std::string_view> const& parts) {
        bool const may_branch = form.operands.ends_with('q');
        std::size_t const plain = form.operands.size() - (may_branch ? 1 : 0);
        if (parts.size() != plain && !(may_branch && parts.size() == plain + 2)) {
            return mistake(line_, fmt::format("'{}' has {} operands (it takes {}{})", form.name, parts.size(), plain,
                                              may_branch ? ", and a condition with a label if it branches" : ""));
        }
        Instruction i{.operation = form.operation};
        for (std::size_t k = 0; k < plain; ++k) read_operand(i, form.operands[k], parts[k]);
        if (parts.size() == plain + 2) {
            i.condition = condition(parts[plain]);
            pending_.push_back({program_.code.size(), std::string(parts[plain + 1]), line_});
        }
        bool const moves = i.operation == Operation::ldma || i.operation == Operation::sdma;
        if (moves && i.value > max_length)
            mistake(line_, fmt::format("length {} of '{}' is out of range (0 to {} stand for 8 to {:L} B)",
                                       parts.back(), form.name, max_length, transfer_bytes(max_length)));
        i.reads |= bit(i.a) | bit(i.b);
        program_.code.push_back(i);
        program_.lines.push_back(line_);
    }

    void read_operand(Instruction& i, char kind, std::string_view text) {
        switch (kind) {
            case 'd':
                i.d = need_register(text, 'r');
                i.writes = bit(i.d);
                break;
            case 's':
                i.a = need_register(text, 'r');
                break;
            case 't':
                i.b = need_register(text, 'r');
                break;
            case 'D':
                i.d = need_register(text, 'd');
                i.writes = bit(i.d) | bit(static_cast<std::uint8_t>(i.d + 1));
                break;
            case 'S':
                i.b = need_register(text, 'd');
                i.reads |= bit(static_cast<std::uint8_t>(i.b + 1));
                break;
            case 'n':
                i.shift = need_number(text);
                break;
            case 'v':
                i.value = need_number(text);
                break;
            case 'l':
                pending_.push_back({program_.code.size(), std::string(text), line_});
                break;
            default:
                read_either(i, text);
        }
    }

    void read_either(Instruction& i, std::string_view text) {
        if (auto const r = register_number(text, 'r')) {
            i.b = *r;
        } else {
            i.b = immediate;
            i.value = need_number(text);
        }
    }

    std::uint8_t need_register(std::string_view text, char letter) {
        auto const r = register_number(text, letter);
        if (!r)
            mistake(line_, fmt::format("'{}' is not a register (write {}0 to {}{})", text, letter, letter,
                                       letter == 'd' ? 22 : 23));
        return r.value_or(zero_register);
    }

    /// Accepts signed and unsigned values that fit a register.
    std::uint32_t word(std::int64_t value, std::string_view text) {
        if (value < std::numeric_limits<std::int32_t>::min() || value > std::numeric_limits<std::uint32_t>::max())
            mistake(line_, fmt::format("'{}' = {} does not fit a register of 32 bits", text, value));
        return static_cast<std::uint32_t>(value);
    }

    std::uint32_t need_number(std::string_view text) {
        if (auto const n = sim::number_in<std::int64_t>(text)) return word(*n, text);
        auto const symbol = symbols_.find(text);
        if (symbol != symbols_.end()) return word(symbol->second, text);
        std::vector<std::string> known;
        for (auto const& [name, value] : symbols_) known.push_back(name);
        mistake(line_,
                fmt::format("'{}' is neither a number nor a known constant.{}", text, sim::suggestion(text, known)));
        return 0;
    }

    Condition condition(std::string_view text) {
        if (text == "z") return Condition::z;
        if (text == "nz") return Condition::nz;
        if (text != "true") mistake(line_, fmt::format("unknown condition '{}' (known: z, nz, true)", text));
        return Condition::always;
    }

    void resolve() {
        for (auto const& [instruction, label, line] : pending_) {
            auto const found = labels_.find(label);
            if (found == labels_.end()) {
                mistake(line, fmt::format("label '{}' is not defined", label));
            } else {
                program_.code[instruction].target = static_cast<std::uint32_t>(found->second);
            }
        }
        if (program_.code.size() == Listing::main && mistakes_.empty())
            mistake(line_, "the listing has no instructions");
    }

    Symbols const& symbols_;
    Symbols labels_;
    std::vector<Pending> pending_;
    std::vector<std::string> mistakes_;
    Listing program_;
    int line_ = 0;
};

}  // namespace

std::string Listing::place_of(std::uint32_t instruction) const {
    int const line = instruction < lines.size() ? lines[instruction] : 0;
    return line == 0 ? fmt::format("{}: ", file) : fmt::format("{}:{}: ", file, line);
}

Listing assemble(std::string_view text, std::string_view file, Symbols const& symbols, int tasklets) {
    return Assembler(file, symbols).run(text, tasklets);
}

}  // namespace pimdse::models::upmem::dpu
