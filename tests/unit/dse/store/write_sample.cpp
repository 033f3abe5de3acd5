#include "dse/store/result_file.hpp"

#include "dse/store/result_writer.hpp"
#include "sample.hpp"

/// write_sample FILE.h5: the answers to the made-up space, for the tests of analysis/.
int main(int, char** argv) {
    using namespace pimdse::dse;
    auto answers = store::sample::answers(0, 2000);
    for (std::uint64_t id = 0; id < 300; id += 7)
        answers.push_back(store::sample::answer(id, pimdse::models::Fidelity::hybrid));
    store::seal(argv[1], store::sample::columns(), store::sample::store(answers), {});
}
