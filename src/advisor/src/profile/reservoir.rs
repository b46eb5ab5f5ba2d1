//! A uniform sample of items whose number is not known before.

use fastrand::Rng;

/// Reservoir sampling (Waterman's algorithm R): each item has the same chance to be in the sample.
///
/// Once the reservoir is full, item number n replaces a random item with the chance
/// `capacity / n`.
///
/// # Examples
///
/// ```
/// use fluo_advisor::Reservoir;
///
/// let mut sample = Reservoir::new(3, Some(1));
/// let left_out = (0..10).filter_map(|row| sample.offer(row)).count();
/// assert_eq!((left_out, sample.offered()), (7, 10));
/// assert_eq!(sample.into_items().len(), 3);
/// ```
#[derive(Debug)]
pub struct Reservoir<T> {
    rng: Rng,
    capacity: usize,
    offered: u64,
    items: Vec<T>,
}

impl<T> Reservoir<T> {
    /// Creates an empty reservoir of this many items. Its choice is the same for the same items and
    /// the same seed; without a seed it is different each time.
    pub fn new(capacity: usize, seed: Option<u64>) -> Self {
        let rng = seed.map_or_else(Rng::new, Rng::with_seed);
        Self { rng, capacity, offered: 0, items: Vec::new() }
    }

    /// Offers an item. Returns the one that is left out: that item, or the one that it replaces;
    /// `None` while the reservoir is not full.
    pub fn offer(&mut self, item: T) -> Option<T> {
        self.offered += 1;
        if self.items.len() < self.capacity {
            self.items.push(item);
            return None;
        }
        let place = usize::try_from(self.rng.u64(..self.offered)).unwrap_or(usize::MAX);
        Some(match self.items.get_mut(place) {
            Some(taken) => std::mem::replace(taken, item),
            None => item,
        })
    }

    /// Returns the number of offered items.
    pub fn offered(&self) -> u64 {
        self.offered
    }

    /// Returns the sample, in no order.
    pub fn into_items(self) -> Vec<T> {
        self.items
    }

    pub(super) fn items(&self) -> &[T] {
        &self.items
    }

    /// Drops a random half: a random half of a uniform sample is a uniform sample. The capacity is
    /// half from then on.
    pub(super) fn halve(&mut self) {
        self.rng.shuffle(&mut self.items);
        self.capacity = (self.items.len() / 2).max(1);
        self.items.truncate(self.capacity);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each of 20 items is expected in 5,000 of 20,000 samples of 5. The standard deviation is 61.
    #[test]
    fn every_item_has_the_same_chance() {
        let mut counts = [0_u32; 20];
        for seed in 0..20_000 {
            let mut sample = Reservoir::new(5, Some(seed));
            let left_out = (0..20_usize).filter_map(|item| sample.offer(item)).count();
            assert_eq!((left_out, sample.offered()), (15, 20));
            sample.into_items().into_iter().for_each(|item| counts[item] += 1);
        }
        for count in counts {
            assert!((4_700..5_300).contains(&count), "{counts:?}");
        }
    }

    #[test]
    fn a_sample_of_more_items_than_there_are_has_all() {
        for (capacity, expected) in [(0, 0), (2, 2), (3, 3), (9, 3)] {
            let mut sample = Reservoir::new(capacity, Some(1));
            assert_eq!((0..3).filter_map(|item| sample.offer(item)).count(), 3 - expected);
            assert_eq!(sample.into_items().len(), expected);
        }
    }
}
