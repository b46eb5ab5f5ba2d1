//! The functions that combine the values of a key.

use std::fmt;

use fluo_engine::ObserverError;
use num_traits::{CheckedAdd, Zero};

/// The new value of a key, or `None` to delete the key.
pub type CombineResult<V> = Result<Option<V>, ObserverError>;

/// A function that combines the current value of a key and its updates.
///
/// Closures of the form `|key: &K, current: Option<V>, updates: Vec<V>| -> Option<V>` are
/// combiners. [`Sum`] and [`Monoid`] combine values in any order and in any groups; if a key has
/// more updates than a pass can read, the queue combines some of them first. With any other
/// combiner such a key changes in several steps, in the order of its updates.
pub trait Combiner<K, V>: Send + Sync + 'static {
    /// Returns the new value of a key.
    ///
    /// `current` is `None` if the key has no value. `updates` is not empty, and is in the order of
    /// the start timestamps of the transactions that added the updates.
    ///
    /// # Errors
    ///
    /// Any error. The updates of the key then become [dead letters](super::CombineQueue), and other
    /// keys are not affected.
    fn combine(&self, key: &K, current: Option<V>, updates: Vec<V>) -> CombineResult<V>;

    /// Returns whether values may be combined in any order and in any groups, so that the queue may
    /// combine some updates without the current value.
    fn is_order_free(&self) -> bool {
        false
    }
}

impl<K, V, F> Combiner<K, V> for F
where
    F: Fn(&K, Option<V>, Vec<V>) -> Option<V> + Send + Sync + 'static,
{
    fn combine(&self, key: &K, current: Option<V>, updates: Vec<V>) -> CombineResult<V> {
        Ok(self(key, current, updates))
    }
}

/// The sum of numbers. A sum of zero deletes the key, as in Fluo's `SummingCombiner`. A sum that
/// the type cannot hold is an error; sums of some of the values on the way to it are not.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sum;

impl<K, V: CheckedAdd + Zero + PartialOrd + fmt::Display> Combiner<K, V> for Sum {
    fn combine(&self, _: &K, current: Option<V>, updates: Vec<V>) -> CombineResult<V> {
        let values = current.into_iter().chain(updates);
        let (mut negative, mut positive): (Vec<V>, Vec<V>) =
            values.partition(|value| *value < V::zero());
        let mut sum = V::zero();
        // A value of the other sign never overflows, so only a sum of all of them can.
        while let Some(value) = match sum < V::zero() {
            true => positive.pop().or_else(|| negative.pop()),
            false => negative.pop().or_else(|| positive.pop()),
        } {
            sum = sum
                .checked_add(&value)
                .ok_or_else(|| format!("the sum of {sum} and {value} does not fit its type"))?;
        }
        Ok(Some(sum).filter(|sum| !sum.is_zero()))
    }

    fn is_order_free(&self) -> bool {
        true
    }
}

/// A function of two values that is associative and commutative: `(a + b) + c` is `a + (b + c)`,
/// and `a + b` is `b + a`. `Monoid::new(Ord::max)` keeps the largest value.
///
/// # Examples
///
/// ```
/// use fluo_recipes::combine_queue::{CombineQueue, Monoid};
///
/// # fn main() -> fluo_engine::Result<()> {
/// // A set of bits: links of a page that were seen.
/// let seen = CombineQueue::<String, u64>::new("seen", Monoid::new(|a: u64, b: u64| a | b))?;
/// let largest = CombineQueue::<String, u64>::new("largest", Monoid::new(Ord::max))?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Monoid<F> {
    merge: F,
}

impl<F> Monoid<F> {
    /// Creates a combiner that never deletes a key.
    pub fn new<V>(merge: F) -> Self
    where
        F: Fn(V, V) -> V,
    {
        Self { merge }
    }
}

impl<K, V, F: Fn(V, V) -> V + Send + Sync + 'static> Combiner<K, V> for Monoid<F> {
    fn combine(&self, _: &K, current: Option<V>, updates: Vec<V>) -> CombineResult<V> {
        Ok(current.into_iter().chain(updates).reduce(&self.merge))
    }

    fn is_order_free(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Combiner, Monoid, Sum};

    fn combine<V>(
        combiner: &impl Combiner<(), V>,
        current: Option<V>,
        updates: Vec<V>,
    ) -> Option<V> {
        combiner.combine(&(), current, updates).unwrap()
    }

    #[test]
    fn adds_and_deletes_a_sum_of_zero() {
        assert_eq!(combine(&Sum, Some(5), vec![1, -2]), Some(4));
        assert_eq!(combine(&Sum, Some(5), vec![-5]), None);
        assert_eq!(combine(&Sum, None, vec![3_u64]), Some(3));
    }

    #[test]
    fn rejects_a_sum_that_does_not_fit() {
        let error = Combiner::<(), u8>::combine(&Sum, &(), Some(250), vec![6]).unwrap_err();
        assert_eq!(error.to_string(), "the sum of 6 and 250 does not fit its type");
    }

    proptest! {
        #[test]
        fn fails_only_if_the_whole_sum_does_not_fit(
            current: Option<i8>,
            updates in prop::collection::vec(any::<i8>(), 1..20),
        ) {
            let sum = Combiner::<(), i8>::combine(&Sum, &(), current, updates.clone());
            let exact: i32 = current.into_iter().chain(updates).map(i32::from).sum();
            match i8::try_from(exact) {
                Ok(exact) => prop_assert_eq!(sum.unwrap().unwrap_or(0), exact),
                Err(_) => prop_assert!(sum.is_err()),
            }
        }
    }

    #[test]
    fn merges_values_by_a_function() {
        assert_eq!(combine(&Monoid::new(Ord::max), Some(5), vec![9, 1]), Some(9));
        assert_eq!(combine(&Monoid::new(Ord::max), Some(5), vec![1]), Some(5));
        assert_eq!(combine(&Monoid::new(Ord::min), None, vec![9, 1]), Some(1));
        let or = Monoid::new(|a: u8, b: u8| a | b);
        assert_eq!(combine(&or, Some(1), vec![2, 4]), Some(7));
        assert_eq!(combine(&or, None, vec![0]), Some(0));
        assert!(Combiner::<(), u8>::is_order_free(&or));
    }

    #[test]
    fn calls_a_closure_which_promises_nothing() {
        let last = |_: &(), _: Option<u8>, updates: Vec<u8>| updates.last().copied();
        assert_eq!(combine(&last, Some(9), vec![1, 2]), Some(2));
        assert!(!Combiner::<(), u8>::is_order_free(&last));
    }
}
