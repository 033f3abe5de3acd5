#include "models/llm/python_pattern.hpp"

#include "sim/base/number_in.hpp"

#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <string>
#include <utility>

namespace pimdse::models {
namespace {

constexpr std::size_t max_states = 4096, deepest_group = 64;
constexpr std::size_t no_limit = max_states;

struct NotUnderstood : std::runtime_error {
    using std::runtime_error::runtime_error;
};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

}  // namespace

/// Adds the states of a part as it is read. Parts that are repeated a number of times are read as often.
class PythonPattern::Parser {
  public:
    explicit Parser(std::string_view text) : text_(text) {}

    PythonPattern parsed() {
        auto const begin = nothing();  // the first state is where a match begins
        auto const whole = alternatives(0);
        if (at_ != text_.size()) throw NotUnderstood("a parenthesis without its beginning");
        (void)then(then(begin, whole), one({}));
        return std::move(pattern_);
    }

  private:
    /// From its first state to the last, whose `next` is not known before what follows.
    struct Part {
        std::size_t first, last;
    };

    [[nodiscard]] bool ends() const { return at_ == text_.size(); }
    [[nodiscard]] char peek() const { return ends() ? '\0' : text_[at_]; }
    char take() {
        if (ends()) throw NotUnderstood("the end");
        return text_[at_++];
    }
    bool takes(std::string_view word) {
        if (!text_.substr(at_).starts_with(word)) return false;
        at_ += word.size();
        return true;
    }

    std::size_t add(State state) {
        if (pattern_.states_.size() >= max_states) throw NotUnderstood("too many states");
        pattern_.states_.push_back(state);
        return pattern_.states_.size() - 1;
    }
    Part one(State state) {
        auto const at = add(state);
        return {at, at};
    }
    Part nothing() {
        auto const at = pattern_.states_.size();
        return one({Kind::split, at, at, {}});
    }
    Part then(Part before, Part after) {
        pattern_.states_[before.last].next = after.first;
        return {before.first, after.last};
    }

    Part alternatives(std::size_t depth) {
        if (depth > deepest_group) throw NotUnderstood("nested too deeply");
        auto const end = nothing();
        auto all = then(sequence(depth), end);
        while (takes("|")) all.first = add({Kind::split, all.first, then(sequence(depth), end).first, {}});
        return all;
    }

    Part sequence(std::size_t depth) {
        auto all = nothing();
        while (!ends() && peek() != '|' && peek() != ')') all = then(all, repeated(depth));
        return all;
    }

    Part repeated(std::size_t depth) {
        auto const begin = at_;
        auto const part = single(depth);
        std::size_t least = 0, most = no_limit;
        if (!takes_counts(least, most)) return part;
        auto const behind = at_;
        auto all = nothing();
        auto const end = nothing();
        auto const copy = [&](std::size_t i) {
            if (i == 0) return part;
            at_ = begin;
            return single(depth);
        };
        for (std::size_t i = 0; i < least; ++i) all = then(all, copy(i));
        for (std::size_t i = least; i < most; ++i) {
            auto const body = copy(i);
            auto const choice = one({Kind::split, end.first, body.first, {}});
            all = then(all, choice);
            if (most == no_limit) {
                (void)then(body, choice);
                break;
            }
            all.last = body.last;
        }
        at_ = behind;
        return then(all, end);
    }

    /// Of a repetition: *, +, ?, {3}, {3,}, {3,5}.
    bool takes_counts(std::size_t& least, std::size_t& most) {
        if (takes("+"))
            least = 1;
        else if (takes("?"))
            most = 1;
        else if (!takes("*") && !takes_numbers(least, most))
            return false;
        if (!takes("?")) (void)takes("+");  // lazy or possessive: the same texts, nearly
        return true;
    }

    bool takes_numbers(std::size_t& least, std::size_t& most) {
        auto const close = text_.find('}', at_);
        if (peek() != '{' || close == text_.npos) return false;
        auto const inside = text_.substr(at_ + 1, close - at_ - 1);
        auto const comma = inside.find(',');
        auto const number = [](std::string_view digits, std::size_t otherwise) {
            if (digits.empty()) return otherwise;
            auto const value = sim::number_in<std::size_t>(digits);
            if (!value || *value >= max_states) throw NotUnderstood("a count");
            return *value;
        };
        if (inside.empty()) return false;
        least = number(inside.substr(0, comma), 0);
        most = comma == inside.npos ? least : number(inside.substr(comma + 1), no_limit);
        at_ = close + 1;
        return true;
    }

    Part single(std::size_t depth) {
        char const c = take();
        switch (c) {
            case '(':
                return group(depth);
            case '[':
                return one({Kind::set, 0, 0, bracket()});
            case '.':
                return one({Kind::set, 0, 0, ~Set().set(static_cast<unsigned char>('\n'))});
            case '^':
                return one({Kind::begin, 0, 0, {}});
            case '$':
                return one({Kind::end, 0, 0, {}});
            case '*':
            case '+':
            case '?':
                throw NotUnderstood("nothing to repeat");
            case '\\':
                return escaped();
            default:
                return one({Kind::set, 0, 0, Set().set(static_cast<unsigned char>(c))});
        }
    }

    Part group(std::size_t depth) {
        Kind kind = Kind::accept;
        if (takes("?=")) {
            kind = Kind::ahead;
        } else if (takes("?!")) {
            kind = Kind::not_ahead;
        } else if (takes("?P<")) {
            while (take() != '>') {
            }
        } else if (!takes("?:") && peek() == '?') {
            throw NotUnderstood("a group that is not known");
        }
        auto const inside = alternatives(depth + 1);
        if (take() != ')') throw NotUnderstood("a parenthesis without its end");
        return kind == Kind::accept ? inside : one({kind, 0, then(inside, one({})).first, {}});
    }

    static Set set_where(bool (*holds)(char)) {
        Set set;
        for (std::size_t i = 0; i < set.size(); ++i) set[i] = holds(static_cast<char>(i));
        return set;
    }

    /// The characters of \d and the like; of the letter itself otherwise.
    Set of_letter(char letter) {
        switch (letter) {
            case 'd':
                return set_where([](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
            case 'w':
                return set_where(is_word);
            case 's':
                return set_where([](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; });
            case 'D':
            case 'W':
            case 'S':
                return ~of_letter(static_cast<char>(std::tolower(letter)));
            default:
                if (std::isalnum(static_cast<unsigned char>(letter)) != 0) throw NotUnderstood("an escape");
                return Set().set(static_cast<unsigned char>(letter));
        }
    }

    Part escaped() {
        char const letter = take();
        if (letter == 'b') return one({Kind::boundary, 0, 0, {}});
        if (letter == 'A') return one({Kind::begin, 0, 0, {}});
        if (letter == 'Z') return one({Kind::end, 0, 0, {}});
        return one({Kind::set, 0, 0, of_letter(letter)});
    }

    Set bracket() {
        bool const inverted = takes("^");
        Set set;
        for (bool first = true; first || peek() != ']'; first = false) {
            char const from = take();
            if (from == '\\') {
                set |= of_letter(take());
            } else if (peek() == '-' && at_ + 1 < text_.size() && text_[at_ + 1] != ']') {
                ++at_;
                for (int c = static_cast<unsigned char>(from); c <= static_cast<unsigned char>(peek()); ++c)
                    set.set(static_cast<std::size_t>(c));
                ++at_;
            } else {
                set.set(static_cast<unsigned char>(from));
            }
        }
        ++at_;
        return inverted ? ~set : set;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    PythonPattern pattern_;
};

std::optional<PythonPattern> PythonPattern::parse(std::string_view text) {
    try {
        return Parser(text).parsed();
    } catch (NotUnderstood const&) {
        return std::nullopt;
    }
}

std::optional<PythonPattern> PythonPattern::of_wildcards(std::string_view text) {
    std::string expression;
    bool bracket = false;
    for (char const c : text) {
        if (bracket || c == '[') {
            expression += c == '!' && expression.ends_with('[') ? '^' : c;
            bracket = c != ']';
        } else if (c == '*') {
            expression += ".*";
        } else if (c == '?') {
            expression += '.';
        } else {
            if (!is_word(c)) expression += '\\';
            expression += c;
        }
    }
    return parse(expression + "$");
}

bool PythonPattern::tells_digits_apart() const {
    static auto const digits = Set(0x3ff) << '0';
    return std::ranges::any_of(states_, [](State const& s) {
        return s.kind == Kind::set && (s.set & digits).any() && (s.set & digits) != digits;
    });
}

/// Whether a state leads to the next one at a place.
bool PythonPattern::passes(State const& state, std::string_view text, std::size_t at) const {
    bool const ends = at == text.size();
    switch (state.kind) {
        case Kind::set:
            return !ends && state.set[static_cast<unsigned char>(text[at])];
        case Kind::begin:
            return at == 0;
        case Kind::end:
            return ends || text.substr(at) == "\n";
        case Kind::boundary:
            return (at > 0 && is_word(text[at - 1])) != (!ends && is_word(text[at]));
        case Kind::ahead:
        case Kind::not_ahead:
            return runs(state.other, text, at) == (state.kind == Kind::ahead);
        default:
            return true;
    }
}

bool PythonPattern::runs(std::size_t state, std::string_view text, std::size_t at) const {
    std::vector<bool> tried(states_.size() * (text.size() - at + 1));
    std::vector<std::pair<std::size_t, std::size_t>> open{{state, at}};
    while (!open.empty()) {
        auto const [now, place] = open.back();
        open.pop_back();
        auto known = tried[(place - at) * states_.size() + now];
        if (known) continue;
        known = true;
        auto const& s = states_[now];
        if (s.kind == Kind::accept) return true;
        if (s.kind == Kind::split) open.emplace_back(s.other, place);
        if (passes(s, text, place)) open.emplace_back(s.next, place + (s.kind == Kind::set ? 1 : 0));
    }
    return false;
}

}  // namespace pimdse::models
