#include "dse/cli/verdict.hpp"

#include "dse/base/durable_file.hpp"
#include "dse/cli/named_files.hpp"
#include "dse/cli/options.hpp"
#include "sim/base/check.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

namespace pimdse::dse::cli {

namespace {

std::string one_line(std::string text) {
    constexpr std::size_t longest = 1000;
    if (text.size() > longest) text = std::string(sim::beginning(text, longest)) + "...";
    std::replace_if(
        text.begin(), text.end(), [](unsigned char c) { return std::iscntrl(c) != 0; }, ' ');
    return text;
}

}  // namespace

void Verdict::print(std::string_view who) const {
    for (auto const& sentence : sentences) std::cerr << fmt::format("{}: {}\n", who, one_line(sentence));
}

Verdict verdict_of(std::exception_ptr const& exception) {
    try {
        std::rethrow_exception(exception);
    } catch (UsageError const& error) {
        return {{error.what()}, usage};
    } catch (base::MissingInput const& error) {
        return {{error.what()}, missing_input};
    } catch (sim::InputError const& error) {
        return {error.sentences(), error.only_unreadable() ? missing_input : bad_input};
    } catch (base::StorageError const& error) {
        return {{error.what()}, storage_failed};
    } catch (std::filesystem::filesystem_error const& error) {
        return {{fmt::format("{} cannot be used ({})", shown_name(error.path1().string()), error.code().message())},
                storage_failed};
    } catch (base::MismatchError const& error) {
        return {{error.what()}, mismatch};
    } catch (std::bad_alloc const&) {
        return {{"not enough memory (no acknowledged result is lost)"}, storage_failed};
    } catch (std::exception const& error) {
        return {{fmt::format("{} (this is a bug of pimdse)", error.what())}, some_points_failed};
    }
}

void end_within(double seconds, Verdict verdict) {
    static std::once_flag once;
    std::call_once(once, [&] {
        std::thread([seconds, verdict = std::move(verdict)] {
            std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
            verdict.print();
            std::_Exit(verdict.code);
        }).detach();
    });
}

}  // namespace pimdse::dse::cli
