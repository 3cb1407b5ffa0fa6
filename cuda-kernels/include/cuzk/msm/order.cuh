// The sums of buckets as tasks of single threads: one for a bucket, several for a large one, tasks
// of one length side by side and the longest first.
//
// Called by: blocks of ORDER_THREADS threads, as many as the device likes. Shared memory:
// OrderShared. Synchronises: after every phase.
//
// The simple algorithm: cut every bucket of more than `max_len` entries into equal parts of at most
// so many; sort all tasks by length, descending.
//
// The trick: a counting sort by classes of length. Buckets that are cut are listed, and each gets a
// run of numbers for its parts, by one addition to a pair of counters; so the list ascends by these
// numbers, and a part finds its bucket by bisection. A tile of tasks is counted in shared memory
// and takes its places in every class by one addition there.
//
// Why it is right: which of two tasks of one class comes first, and which numbers a bucket's parts
// have, depends on the order in which blocks come to add; but every task names where its sum goes,
// and the parts of a bucket are in their order, so that no sum depends on it.
#pragma once

#include "cuzk/arith/atomic.cuh"

namespace cuzk::msm {

constexpr u32 ORDER_THREADS = 256;
// Of lengths; a thread counts the tasks of one.
constexpr u32 LENGTH_CLASSES = ORDER_THREADS;
// Tasks that a block places together.
constexpr u32 ORDER_TILE = 2048;

// Entries that one thread adds up: `len` of them from `first` on. The sum is that of bucket `out`,
// or with `is_part` the part of this number.
struct alignas(16) SumTask {
    u32 first;
    u32 len;
    u32 out;
    u32 is_part;
};

// A bucket of more than one part: their numbers are `first_part` and those after it.
struct alignas(16) SplitBucket {
    u32 bucket;
    u32 first_part;
    u32 parts;
    u32 unused;
};

// All zero at first.
struct OrderState {
    // Split buckets in the upper half, their parts in the lower.
    u64 split;
    u32 tasks[LENGTH_CLASSES];
    u32 placed[LENGTH_CLASSES];

    CUZK_HOST_DEVICE u32 split_buckets() const { return u32(split >> 32); }
    CUZK_HOST_DEVICE u32 parts() const { return u32(split); }
};
static_assert(sizeof(OrderState) == 8 + 8 * LENGTH_CLASSES, "the host clears so many bytes");

// `offsets` has buckets + 1 bounds of entries. `tasks` and `splits` have place for all there can
// be. A length shifted right by `class_shift` is below LENGTH_CLASSES.
struct OrderParams {
    const void *offsets;
    void *state;
    void *tasks;
    void *splits;
    u64 buckets;
    u64 max_len;
    u64 class_shift;
};

struct OrderShared {
    u32 lengths[LENGTH_CLASSES];
    u32 places[LENGTH_CLASSES];
    u32 starts[LENGTH_CLASSES];
};

// Part i of so many entries in so many parts; their lengths differ by one at most.
struct EqualPart {
    u32 first, len;

    CUZK_HOST_DEVICE EqualPart(u32 entries, u32 parts, u32 i) {
        u32 shorter = entries / parts, longer = entries % parts;
        first = i * shorter + (i < longer ? i : longer);
        len = shorter + (i < longer);
    }
};

// What the kernels read of the parameters.
struct Order {
    const u32 *offsets;
    OrderState *state;
    SumTask *tasks;
    SplitBucket *splits;
    u64 buckets;
    u32 max_len, class_shift;

    explicit CUZK_HOST_DEVICE Order(const OrderParams &p)
        : offsets(static_cast<const u32 *>(p.offsets)), state(static_cast<OrderState *>(p.state)),
          tasks(static_cast<SumTask *>(p.tasks)), splits(static_cast<SplitBucket *>(p.splits)),
          buckets(p.buckets), max_len(u32(p.max_len)), class_shift(u32(p.class_shift)) {}

    CUZK_HOST_DEVICE u32 class_of(u32 len) const { return len >> class_shift; }

    // Notes a bucket that is cut, and gives the number of its parts; one for another.
    CUZK_HOST_DEVICE u32 cut(u64 bucket, u32 entries) const {
        if (entries <= max_len) return 1;
        u32 parts = (entries - 1) / max_len + 1;
        u64 before = arith::atomic_add(&state->split, (u64(1) << 32) + parts);
        splits[before >> 32] = {u32(bucket), u32(before), parts, 0};
        return parts;
    }

    // The split bucket to which a part belongs: the last that begins no later.
    CUZK_HOST_DEVICE u32 owner_of(u32 part) const {
        u32 low = 0, high = state->split_buckets();
        CUZK_ROLLED
        while (high - low > 1) {
            u32 middle = low + (high - low) / 2;
            if (splits[middle].first_part <= part) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return low;
    }

    // Items are the buckets, then the parts. False for a bucket that is cut.
    CUZK_HOST_DEVICE bool task_of(u64 item, SumTask &task) const {
        if (item < buckets) {
            task = {offsets[item], offsets[item + 1] - offsets[item], u32(item), 0};
            return task.len <= max_len;
        }
        u32 number = u32(item - buckets);
        const SplitBucket split = splits[owner_of(number)];
        u32 first = offsets[split.bucket], entries = offsets[split.bucket + 1] - first;
        EqualPart part(entries, split.parts, number - split.first_part);
        task = {first + part.first, part.len, number, 1};
        return true;
    }
};

// Counts the tasks of every class, and lists the buckets that are cut.
template <class Each>
CUZK_HOST_DEVICE void count_tasks(const OrderParams &p, u64 block, u64 blocks, OrderShared &shared,
                                  const Each &each) {
    const Order order(p);
    each([&](u32 thread) { shared.lengths[thread] = 0; });
    each([&](u32 thread) {
        CUZK_ROLLED
        for (u64 bucket = block * ORDER_THREADS + thread; bucket < order.buckets;
             bucket += blocks * ORDER_THREADS) {
            u32 entries = order.offsets[bucket + 1] - order.offsets[bucket];
            u32 parts = order.cut(bucket, entries), longer = entries % parts;
            u32 len = entries / parts;
            arith::atomic_add(&shared.lengths[order.class_of(len)], parts - longer);
            if (longer) arith::atomic_add(&shared.lengths[order.class_of(len + 1)], longer);
        }
    });
    each([&](u32 thread) {
        u32 count = shared.lengths[thread];
        if (count) arith::atomic_add(&order.state->tasks[thread], count);
    });
}

// Puts every task in its place. After `count_tasks`.
template <class Each>
CUZK_HOST_DEVICE void place_tasks(const OrderParams &p, u64 block, u64 blocks, OrderShared &shared,
                                  const Each &each) {
    const Order order(p);
    const u64 items = order.buckets + order.state->parts();
    each([&](u32 thread) {
        u32 longer = 0;
        CUZK_ROLLED
        for (u32 i = thread + 1; i < LENGTH_CLASSES; i++) longer += order.state->tasks[i];
        shared.starts[thread] = longer;
        shared.lengths[thread] = 0;
    });
    CUZK_ROLLED
    for (u64 first = block * ORDER_TILE; first < items; first += blocks * ORDER_TILE) {
        const u64 end = first + ORDER_TILE < items ? first + ORDER_TILE : items;
        each([&](u32 thread) {
            SumTask task;
            CUZK_ROLLED
            for (u64 item = first + thread; item < end; item += ORDER_THREADS) {
                if (!order.task_of(item, task)) continue;
                arith::atomic_add(&shared.lengths[order.class_of(task.len)], 1u);
            }
        });
        each([&](u32 thread) {
            u32 count = shared.lengths[thread];
            u32 *placed = &order.state->placed[thread];
            shared.places[thread] =
                shared.starts[thread] + (count ? arith::atomic_add(placed, count) : 0);
            shared.lengths[thread] = 0;
        });
        each([&](u32 thread) {
            SumTask task;
            CUZK_ROLLED
            for (u64 item = first + thread; item < end; item += ORDER_THREADS) {
                if (!order.task_of(item, task)) continue;
                u32 of_class = order.class_of(task.len);
                u32 rank = arith::atomic_add(&shared.lengths[of_class], 1u);
                order.tasks[shared.places[of_class] + rank] = task;
            }
        });
        each([&](u32 thread) { shared.lengths[thread] = 0; });
    }
}

} // namespace cuzk::msm
