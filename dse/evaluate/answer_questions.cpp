#include "dse/evaluate/answer_questions.hpp"

#include "dse/evaluate/child_process.hpp"
#include "dse/evaluate/evaluation.hpp"
#include "dse/evaluate/messages.hpp"
#include "dse/evaluate/worker_question.hpp"
#include "dse/space/search_names.hpp"
#include "dse/space_file/space_reader.hpp"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace pimdse::dse::evaluate {
namespace {

space::Space space_of(WorkerQuestion const& question) {
    space::Space space = space_file::parse_space(question.space_text, question.space_name, question.overrides);
    space.set_objectives(space::parse_objectives(space.plain_metrics(), question.objectives));
    return space;
}

/// Answers what comes by one line, on the thread that calls.
class Answering {
  public:
    Answering(space::Space const& space, Telling telling, int descriptor)
        : space_(space), telling_(telling), hears_(descriptor), says_(::dup(descriptor)) {}

    void answer_all() {
        for (task::Bytes asked; hears_.hear(asked) == Line::Heard::frame;) {
            auto const batch = read_chunk(asked).tasks;
            for (std::uint64_t i = 0; i < batch.size(); ++i) add(answer(space_, batch.task(i)), i + 1 == batch.size());
        }
    }

    /// Tells what is not told yet. From any thread.
    void tell() {
        std::scoped_lock const lock(guard_);
        if (!untold_.empty()) (void)says_.send(untold_);  // nobody hears it: then there will be no more questions
        untold_.clear();
    }

  private:
    void add(task::Answer const& answer, bool is_last) {
        constexpr std::size_t much = 32'768;
        bool now = is_last || telling_ == Telling::each_at_once;
        {
            std::scoped_lock const lock(guard_);
            encode(answer, untold_);
            now = now || untold_.size() > much;
        }
        if (now) tell();
    }

    space::Space const& space_;
    Telling telling_;
    Line hears_, says_;  // two ends of one socket, each for one thread at a time
    std::mutex guard_;
    task::Bytes untold_;
};

/// So that nothing waits behind a point that takes long: the first answer that is missing is that point's.
void tell_now_and_then(std::deque<Answering>& all, std::stop_token const& over) {
    std::mutex mutex;
    std::condition_variable_any sleep;
    std::unique_lock lock(mutex);
    while (!sleep.wait_for(lock, over, std::chrono::milliseconds(20), [&] { return over.stop_requested(); })) {
        for (auto& answering : all) answering.tell();
    }
}

}  // namespace

void answer_questions(int descriptor) {
    Line asks(descriptor);
    task::Bytes asked;
    if (asks.hear(asked) != Line::Heard::frame) throw task::CodecError("nobody asks");
    auto const question = read_question(asked);
    space::Space const space = space_of(question);
    std::deque<Answering> lines;
    for (int const line : question.lines) lines.emplace_back(space, question.telling, line);
    (void)asks.send({});
    std::jthread const teller([&](std::stop_token const& over) { tell_now_and_then(lines, over); });
    std::vector<std::jthread> threads;
    for (auto& line : lines) threads.emplace_back([&line] { line.answer_all(); });
}

}  // namespace pimdse::dse::evaluate
