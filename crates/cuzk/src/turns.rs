use std::collections::VecDeque;

/// Values in groups that take turns, so that no group waits for the end of another.
#[derive(Debug)]
pub(crate) struct Turns<T> {
    /// None of them is empty.
    groups: VecDeque<Group<T>>,
}

#[derive(Debug)]
struct Group<T> {
    key: usize,
    values: VecDeque<T>,
}

impl<T> Turns<T> {
    pub(crate) fn push(&mut self, key: usize, value: T) {
        self.group(key).push_back(value);
    }

    /// Puts a value back that had its turn.
    pub(crate) fn push_first(&mut self, key: usize, value: T) {
        self.group(key).push_front(value);
    }

    /// The first value that fits of the first group that has one; that group goes to the end.
    pub(crate) fn next(&mut self, fits: impl Fn(&T) -> bool) -> Option<T> {
        let at = self
            .groups
            .iter()
            .position(|group| group.values.iter().any(&fits))?;
        let key = self.groups[at].key;
        let value = self.next_of(key, fits);
        if let Some(at) = self.position(key) {
            let group = self.groups.remove(at).expect("it was just found");
            self.groups.push_back(group);
        }
        value
    }

    /// The first value of a group that fits; the group keeps its place.
    pub(crate) fn next_of(&mut self, key: usize, fits: impl Fn(&T) -> bool) -> Option<T> {
        let group = self.position(key)?;
        let at = self.groups[group].values.iter().position(fits)?;
        self.take(group, at)
    }

    /// Takes a value out, wherever it is.
    pub(crate) fn remove(&mut self, is: impl Fn(&T) -> bool) -> Option<T> {
        let found = self.groups.iter().enumerate().find_map(|(group, found)| {
            let at = found.values.iter().position(&is)?;
            Some((group, at))
        });
        let (group, at) = found?;
        self.take(group, at)
    }

    pub(crate) fn take_all(&mut self) -> Vec<T> {
        let groups = std::mem::take(&mut self.groups);
        groups.into_iter().flat_map(|group| group.values).collect()
    }

    pub(crate) fn len(&self) -> usize {
        self.groups.iter().map(|group| group.values.len()).sum()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    fn position(&self, key: usize) -> Option<usize> {
        self.groups.iter().position(|group| group.key == key)
    }

    fn group(&mut self, key: usize) -> &mut VecDeque<T> {
        let at = self.position(key).unwrap_or_else(|| {
            self.groups.push_back(Group {
                key,
                values: VecDeque::new(),
            });
            self.groups.len() - 1
        });
        &mut self.groups[at].values
    }

    fn take(&mut self, group: usize, at: usize) -> Option<T> {
        let value = self.groups[group].values.remove(at);
        if self.groups[group].values.is_empty() {
            self.groups.remove(group);
        }
        value
    }
}

impl<T> Default for Turns<T> {
    fn default() -> Self {
        Self {
            groups: VecDeque::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drain(turns: &mut Turns<u32>) -> Vec<u32> {
        std::iter::from_fn(|| turns.next(|_| true)).collect()
    }

    #[test]
    fn groups_take_turns_and_keep_their_order() {
        let mut turns = Turns::default();
        for (key, value) in [(7, 1), (7, 2), (7, 3), (8, 10), (9, 20), (8, 11)] {
            turns.push(key, value);
        }
        assert_eq!(turns.len(), 6);
        assert_eq!(drain(&mut turns), [1, 10, 20, 2, 11, 3]);
        assert!(turns.is_empty());
    }

    #[test]
    fn a_group_is_asked_apart_and_a_value_is_put_back_or_taken_out() {
        let mut turns = Turns::default();
        for (key, value) in [(1, 10), (2, 20), (1, 11), (2, 21)] {
            turns.push(key, value);
        }
        assert_eq!(turns.next_of(2, |_| true), Some(20));
        assert_eq!(turns.next_of(2, |value| *value > 30), None);
        assert_eq!(turns.next_of(3, |_| true), None);
        turns.push_first(2, 20);
        assert_eq!(turns.remove(|value| *value == 10), Some(10));
        assert_eq!(turns.remove(|value| *value == 10), None);
        // The group whose first value does not fit is passed over.
        assert_eq!(turns.next(|value| *value == 20), Some(20));
        assert_eq!(turns.take_all(), [11, 21]);
        assert!(turns.is_empty());
    }
}
