// Workers take the next index from a shared counter; the caller waits for the results in order.
#include "tool/batch.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace litmus {

namespace {

constexpr size_t most_waiting = 1024;  // jobs that run, or whose results nobody has taken

// What the workers and the caller share, under `mutex`.
struct Board {
    std::mutex mutex;
    std::condition_variable changed;  // a job has finished
    std::condition_variable taken;    // a result was taken, or all is over
    size_t next = 0;
    size_t done = 0;
    bool stopped = false;
    std::vector<bool> finished;
    std::exception_ptr failure;
};

void work(Board& board, const std::function<Job()>& make_worker) {
    try {
        const Job job = make_worker();
        std::unique_lock lock(board.mutex);
        while (true) {
            board.taken.wait(lock, [&] { return board.stopped || board.next < board.done + most_waiting; });
            if (board.stopped || board.next == board.finished.size()) return;
            const size_t index = board.next++;
            lock.unlock();
            job(index);
            lock.lock();
            board.finished[index] = true;
            board.changed.notify_one();
        }
    } catch (...) {
        const std::lock_guard lock(board.mutex);
        board.failure = std::current_exception();
        board.stopped = true;
        board.changed.notify_one();
        board.taken.notify_all();
    }
}

// Joins its threads however the scope is left.
class Crew {
public:
    Crew(Board& board, size_t workers, const std::function<Job()>& make_worker) : board_(board) {
        for (size_t w = 0; w < workers; ++w) {
            try {
                threads_.emplace_back([&board, &make_worker] { work(board, make_worker); });
            } catch (const std::system_error&) {  // the machine gives no more threads: fewer will do
                return;
            }
        }
    }
    bool empty() const { return threads_.empty(); }
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;
    ~Crew() {
        {
            const std::lock_guard lock(board_.mutex);
            board_.stopped = true;
        }
        board_.taken.notify_all();
        for (std::thread& thread : threads_) thread.join();
    }

private:
    Board& board_;
    std::vector<std::thread> threads_;
};

void run_alone(size_t count, const std::function<Job()>& make_worker, const std::function<bool(size_t)>& done) {
    const Job job = make_worker();
    for (size_t index = 0; index < count; ++index) {
        job(index);
        if (!done(index)) return;
    }
}

}  // namespace

void run_batch(size_t count, size_t workers, const std::function<Job()>& make_worker, const std::function<bool(size_t)>& done) {
    if (count == 0) return;
    if (workers <= 1 || count == 1) return run_alone(count, make_worker, done);
    Board board;
    board.finished.resize(count);
    const Crew crew(board, workers < count ? workers : count, make_worker);
    if (crew.empty()) return run_alone(count, make_worker, done);
    for (size_t index = 0; index < count; ++index) {
        {
            std::unique_lock lock(board.mutex);
            board.changed.wait(lock, [&] { return board.finished[index] || board.failure; });
            if (board.failure) std::rethrow_exception(board.failure);
        }
        if (!done(index)) return;
        {
            const std::lock_guard lock(board.mutex);
            board.done = index + 1;
        }
        board.taken.notify_all();
    }
}

size_t workers_for(unsigned asked) {
    return asked > 0 ? asked : std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace litmus
