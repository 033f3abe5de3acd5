#include "models/llm/python_pattern.hpp"

#include "sim/base/number_in.hpp"

#include <cctype>
#include <stdexcept>
#include <string>

namespace pimdse::models {
namespace {

constexpr std::size_t max_states = 4096, deepest_group = 64;
constexpr std::size_t no_limit = max_states;

struct NotUnderstood : std::runtime_error {
    using std::runtime_error::runtime_error;
};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

}  // namespace

/// Builds states from the end of the text to its beginning is not needed: a part is built with the state that follows
/// it, so parts are kept as trees first.
class PythonPattern::Parser {
  public:
    explicit Parser(std::string_view text) : text_(text) {}

    PythonPattern parsed() {
        auto const whole = alternatives(0);
        if (at_ != text_.size()) throw NotUnderstood("a parenthesis without its beginning");
        // The first state is where a match begins.
        pattern_.states_.emplace_back();
        auto const accept = add({});
        auto const first = build(whole, accept);
        pattern_.states_[0] = {Kind::split, first, first, {}};
        return std::move(pattern_);
    }

  private:
    struct Tree {
        enum class Form : std::uint8_t { one, sequence, choice, repeat } form = Form::sequence;
        State state;  ///< of one; look-ahead has its expression as the only part
        std::vector<Tree> parts;
        std::size_t least = 0, most = 0;  ///< of a repetition; no_limit
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

    Tree alternatives(std::size_t depth) {
        if (depth > deepest_group) throw NotUnderstood("nested too deeply");
        Tree choice{Tree::Form::choice, {}, {}, 0, 0};
        do {
            Tree sequence;
            while (!ends() && peek() != '|' && peek() != ')') sequence.parts.push_back(repeated(depth));
            choice.parts.push_back(std::move(sequence));
        } while (takes("|"));
        return choice;
    }

    Tree repeated(std::size_t depth) {
        auto tree = single(depth);
        for (;;) {
            std::size_t least = 0, most = no_limit;
            if (takes("+"))
                least = 1;
            else if (takes("?"))
                most = 1;
            else if (!takes("*") && !takes_counts(least, most))
                return tree;
            if (!takes("?")) (void)takes("+");  // lazy or possessive: the same texts, nearly
            Tree whole{Tree::Form::repeat, {}, {}, least, most};
            whole.parts.push_back(std::move(tree));
            tree = std::move(whole);
        }
    }

    /// {3}, {3,}, {3,5}
    bool takes_counts(std::size_t& least, std::size_t& most) {
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

    Tree of(State state) { return {Tree::Form::one, state, {}, 0, 0}; }

    Tree single(std::size_t depth) {
        char const c = take();
        switch (c) {
            case '(':
                return group(depth);
            case '[':
                return of({Kind::set, 0, 0, bracket()});
            case '.':
                return of({Kind::set, 0, 0, ~Set().set(static_cast<unsigned char>('\n'))});
            case '^':
                return of({Kind::begin, 0, 0, {}});
            case '$':
                return of({Kind::end, 0, 0, {}});
            case '*':
            case '+':
            case '?':
                throw NotUnderstood("nothing to repeat");
            case '\\':
                return escaped();
            default:
                return of({Kind::set, 0, 0, Set().set(static_cast<unsigned char>(c))});
        }
    }

    Tree group(std::size_t depth) {
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
        auto inside = alternatives(depth + 1);
        if (take() != ')') throw NotUnderstood("a parenthesis without its end");
        if (kind == Kind::accept) return inside;
        auto look = of({kind, 0, 0, {}});
        look.parts.push_back(std::move(inside));
        return look;
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

    Tree escaped() {
        char const letter = take();
        if (letter == 'b') return of({Kind::boundary, 0, 0, {}});
        if (letter == 'A') return of({Kind::begin, 0, 0, {}});
        if (letter == 'Z') return of({Kind::end, 0, 0, {}});
        return of({Kind::set, 0, 0, of_letter(letter)});
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

    std::size_t add(State state) {
        if (pattern_.states_.size() >= max_states) throw NotUnderstood("too many states");
        pattern_.states_.push_back(state);
        return pattern_.states_.size() - 1;
    }

    /// The state at which a part begins that is followed by `next`.
    std::size_t build(Tree const& tree, std::size_t next) {
        switch (tree.form) {
            case Tree::Form::one: {
                auto state = tree.state;
                state.next = next;
                if (!tree.parts.empty()) state.other = build(tree.parts.front(), add({}));
                return add(state);
            }
            case Tree::Form::sequence:
                for (std::size_t i = tree.parts.size(); i-- > 0;) next = build(tree.parts[i], next);
                return next;
            case Tree::Form::choice: {
                auto first = build(tree.parts.front(), next);
                for (std::size_t i = 1; i < tree.parts.size(); ++i)
                    first = add({Kind::split, first, build(tree.parts[i], next), {}});
                return first;
            }
            case Tree::Form::repeat:
                return build_repeat(tree, next);
        }
        return next;
    }

    std::size_t build_repeat(Tree const& tree, std::size_t next) {
        auto const& part = tree.parts.front();
        if (tree.most == no_limit) {
            auto const loop = add({Kind::split, next, next, {}});
            pattern_.states_[loop].other = build(part, loop);
            next = loop;
        } else {
            auto const end = next;
            for (std::size_t i = tree.least; i < tree.most; ++i) next = add({Kind::split, build(part, next), end, {}});
        }
        for (std::size_t i = 0; i < tree.least; ++i) next = build(part, next);
        return next;
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

/// Adds the states of sets and the end that are reached from a state without a character.
void PythonPattern::follow(std::size_t state, std::string_view text, std::size_t at, std::vector<std::size_t>& into,
                           std::vector<bool>& seen) const {
    std::vector<std::size_t> open{state};
    while (!open.empty()) {
        auto const now = open.back();
        open.pop_back();
        if (seen[now]) continue;
        seen[now] = true;
        auto const& s = states_[now];
        bool const before = at > 0 && is_word(text[at - 1]), after = at < text.size() && is_word(text[at]);
        bool passes = false;
        switch (s.kind) {
            case Kind::set:
            case Kind::accept:
                into.push_back(now);
                break;
            case Kind::split:
                open.push_back(s.other);
                passes = true;
                break;
            case Kind::begin:
                passes = at == 0;
                break;
            case Kind::end:
                passes = at == text.size() || (at + 1 == text.size() && text[at] == '\n');
                break;
            case Kind::boundary:
                passes = before != after;
                break;
            case Kind::ahead:
            case Kind::not_ahead:
                passes = runs(s.other, text, at) == (s.kind == Kind::ahead);
                break;
        }
        if (passes) open.push_back(s.next);
    }
}

bool PythonPattern::runs(std::size_t state, std::string_view text, std::size_t at) const {
    std::vector<std::size_t> now, next;
    std::vector<bool> seen(states_.size());
    follow(state, text, at, now, seen);
    for (;; ++at) {
        for (auto const s : now)
            if (states_[s].kind == Kind::accept) return true;
        if (at >= text.size() || now.empty()) return false;
        next.clear();
        seen.assign(states_.size(), false);
        for (auto const s : now)
            if (states_[s].set[static_cast<unsigned char>(text[at])]) follow(states_[s].next, text, at + 1, next, seen);
        now.swap(next);
    }
}

}  // namespace pimdse::models
