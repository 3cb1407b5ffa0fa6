use cuzk_lanes::{Arithmetic, LaneGroup, PointSource, PointSums, SignedIndex};
use rayon::prelude::*;

/// Entries that one task adds up.
///
/// The rows of a round take 64 bytes an entry in G1 and 128 in G2, so that a task stays in a
/// 2 MiB cache; and its inversions, some twelve, are spread over this many additions.
const TASK_ENTRIES: usize = 16_384;

/// Tasks that one job should have, where there are enough: they share scratch memory.
const JOBS_PER_THREAD: usize = 8;

/// A list of segments: segment k is `entries[ends[k − 1]..ends[k]]`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Segments<'a> {
    pub(crate) entries: &'a [SignedIndex],
    pub(crate) ends: &'a [u32],
}

/// The part of a list that one task adds up.
struct Task<'a, L> {
    entries: &'a [SignedIndex],
    /// Ends of the segments in the list, and where `entries` start in it.
    ends: &'a [u32],
    start: u32,
    /// Where the segment that continues from an earlier task ends, counted from `start`.
    head_end: u32,
    /// The sum of the entries that continue a segment of an earlier task.
    head: Option<Head<L>>,
    /// One sum per segment that starts here.
    out: &'a mut [L],
}

/// A task's own ends and sums, kept from task to task.
#[derive(Default)]
struct Scratch<L> {
    ends: Vec<u32>,
    sums: Vec<L>,
}

/// A partial sum of a segment that started in an earlier task.
struct Head<L> {
    /// Place of the segment's sum in the output.
    segment: usize,
    sum: L,
}

/// The sums of all segments of all lists, one list's after the other's.
///
/// # Shapes
/// Indices are below `points.len()`, `ends` do not decrease and end at `entries.len()`.
pub(crate) fn sum_segments<G: LaneGroup>(
    arithmetic: Arithmetic,
    points: PointSource<'_, G>,
    lists: &[Segments<'_>],
) -> Vec<G::Limbs> {
    let total = lists.iter().map(|list| list.ends.len()).sum();
    let mut sums = vec![G::Limbs::default(); total];
    let mut tasks = split::<G>(lists, &mut sums);
    let jobs = rayon::current_num_threads() * JOBS_PER_THREAD;
    let per_job = tasks.len().div_ceil(jobs).max(1);
    tasks.par_chunks_mut(per_job).for_each(|tasks| {
        let mut summation = PointSums::<G>::new(arithmetic);
        let mut scratch = Scratch::default();
        for task in tasks {
            task.run(points, &mut summation, &mut scratch);
        }
    });
    let heads: Vec<_> = tasks.into_iter().filter_map(|task| task.head).collect();
    join_heads::<G>(arithmetic, &heads, &mut sums);
    sums
}

/// Cuts every list into tasks of [`TASK_ENTRIES`], whatever the segments.
fn split<'a, G: LaneGroup>(
    lists: &[Segments<'a>],
    mut out: &'a mut [G::Limbs],
) -> Vec<Task<'a, G::Limbs>> {
    let mut tasks = Vec::new();
    let mut list_base = 0;
    for list in lists {
        let mut first = 0;
        let mut start = 0;
        loop {
            let stop = (start + TASK_ENTRIES).min(list.entries.len());
            let is_last = stop == list.entries.len();
            // Segment k starts where segment k − 1 ends; those that start before `stop`.
            let after = if is_last {
                list.ends.len()
            } else {
                1 + list.ends.partition_point(|&end| (end as usize) < stop)
            };
            let continues = first > 0 && (list.ends[first - 1] as usize) > start;
            let (own, rest) = std::mem::take(&mut out).split_at_mut(after - first);
            out = rest;
            tasks.push(Task {
                entries: &list.entries[start..stop],
                ends: &list.ends[first..after],
                start: start as u32,
                head_end: if continues {
                    list.ends[first - 1] - start as u32
                } else {
                    0
                },
                head: continues.then(|| Head {
                    segment: list_base + first - 1,
                    sum: G::Limbs::default(),
                }),
                out: own,
            });
            (first, start) = (after, stop);
            if is_last {
                break;
            }
        }
        list_base += list.ends.len();
    }
    tasks
}

impl<L: Copy + Default> Task<'_, L> {
    fn run<G: LaneGroup<Limbs = L>>(
        &mut self,
        points: PointSource<'_, G>,
        summation: &mut PointSums<G>,
        scratch: &mut Scratch<L>,
    ) {
        let before = usize::from(self.head.is_some());
        let Scratch { ends, sums } = scratch;
        ends.clear();
        if self.head.is_some() {
            ends.push(self.head_end.min(self.entries.len() as u32));
        }
        ends.extend(
            self.ends
                .iter()
                .map(|end| (end - self.start).min(self.entries.len() as u32)),
        );
        sums.clear();
        sums.resize(ends.len(), L::default());
        summation.sum_segments_from(points, self.entries, ends, sums);
        if let Some(head) = &mut self.head {
            head.sum = sums[0];
        }
        self.out.copy_from_slice(&sums[before..]);
    }
}

/// Adds the partial sums of later tasks to the segments they belong to.
fn join_heads<G: LaneGroup>(
    arithmetic: Arithmetic,
    heads: &[Head<G::Limbs>],
    sums: &mut [G::Limbs],
) {
    if heads.is_empty() {
        return;
    }
    let mut points = Vec::with_capacity(2 * heads.len());
    let mut ends = Vec::new();
    let groups = || heads.chunk_by(|a, b| a.segment == b.segment);
    for group in groups() {
        points.push(sums[group[0].segment]);
        points.extend(group.iter().map(|head| head.sum));
        ends.push(points.len() as u32);
    }
    let entries: Vec<_> = (0..points.len() as u32)
        .map(|index| SignedIndex::new(index, false))
        .collect();
    let list = Segments {
        entries: &entries,
        ends: &ends,
    };
    let joined = sum_segments::<G>(arithmetic, PointSource::Stored(&points), &[list]);
    for (group, sum) in groups().zip(joined) {
        sums[group[0].segment] = sum;
    }
}
