//! How the terms of rows are cut into lists for threads.

/// Terms that one thread adds; rows of more are added by parts.
const MOST_TERMS: u64 = 32;

/// Lists of at most [`MOST_TERMS`] terms, none of them of two rows, at least one for each row.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Lists {
    /// Where each list ends among the terms; it begins where the one before ends.
    pub(crate) ends: Vec<u64>,
    /// Where the lists of each row end.
    pub(crate) row_ends: Vec<u64>,
}

impl Lists {
    /// Cuts rows that end there among the terms.
    pub(crate) fn of(row_ends: &[u64]) -> Self {
        let mut lists = Self {
            ends: Vec::with_capacity(row_ends.len()),
            row_ends: Vec::with_capacity(row_ends.len()),
        };
        let mut start = 0;
        for &end in row_ends {
            while end - start > MOST_TERMS {
                start += MOST_TERMS;
                lists.ends.push(start);
            }
            lists.ends.push(end);
            lists.row_ends.push(lists.ends.len() as u64);
            start = end;
        }
        lists
    }

    /// Whether each row is one list, whose sum is the row's.
    pub(crate) fn is_last(&self) -> bool {
        self.ends.len() == self.row_ends.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_rows_are_one_list_each_and_long_ones_are_cut() {
        let lists = Lists::of(&[0, 5, 5, 37, 70, 135]);
        assert_eq!(lists.ends, [0, 5, 5, 37, 69, 70, 102, 134, 135]);
        assert_eq!(lists.row_ends, [1, 2, 3, 4, 6, 9]);
        assert!(!lists.is_last());
        let next = Lists::of(&lists.row_ends);
        assert!(next.is_last());
        assert_eq!(next.ends, lists.row_ends);
        assert!(Lists::of(&[]).is_last());
    }
}
