//! The size of cells, and the merge of one row's cells from several keys (E3).

use std::cmp::Ordering;

use fluo_table::{Cell, Filter, Key, Versions};

pub(crate) fn size_bytes(cell: &Cell) -> usize {
    size_of::<Cell>() + cell.key.row.len() + cell.key.column.size_bytes() + cell.value.len()
}

/// Merges the cells of one row that were read under several keys, oldest epoch first, each in the
/// order of the table.
pub(crate) fn merged(places: Vec<Vec<Cell>>, versions: Versions, filter: Filter) -> Vec<Cell> {
    let mut places: Vec<_> = places.into_iter().filter(|cells| !cells.is_empty()).collect();
    if places.len() < 2 {
        // The table has applied the versions and the filter.
        return places.pop().unwrap_or_default();
    }
    // Newer cells first: the sort is stable, and deduplication keeps the first of equal cells.
    let mut cells: Vec<_> = places.into_iter().rev().flatten().collect();
    cells.sort_by(|one, other| order(&one.key, &other.key));
    cells.dedup_by(|later, earlier| order(&later.key, &earlier.key) == Ordering::Equal);
    keep_versions(&mut cells, versions);
    if filter == Filter::FirstOfRow {
        cells.truncate(1);
    }
    cells
}

/// Compares the keys of cells as the table orders them within a row, ignoring the row.
pub(crate) fn order(one: &Key, other: &Key) -> Ordering {
    one.column.cmp(&other.column).then_with(|| other.timestamp.cmp(&one.timestamp))
}

fn keep_versions(cells: &mut Vec<Cell>, versions: Versions) {
    let (mut column, mut newer) = (None, 0);
    cells.retain(|cell| {
        if column.as_ref() == Some(&cell.key.column) {
            newer += 1;
        } else {
            column = Some(cell.key.column.clone());
            newer = 0;
        }
        versions.shows(newer)
    });
}

#[cfg(test)]
mod tests {
    use fluo_table::Column;

    use super::*;

    fn cell(place: &'static str, qualifier: &'static str, timestamp: i64) -> Cell {
        Cell::new(Key::new(place, Column::new("f", qualifier), timestamp), place)
    }

    fn places() -> Vec<Vec<Cell>> {
        vec![
            vec![cell("old", "a", 7), cell("old", "b", 5), cell("old", "b", 3)],
            vec![cell("new", "b", 9), cell("new", "b", 5), cell("new", "c", 1)],
        ]
    }

    #[test]
    fn keeps_the_newer_of_equal_cells() {
        assert_eq!(
            merged(places(), Versions::All, Filter::None),
            [
                cell("old", "a", 7),
                cell("new", "b", 9),
                cell("new", "b", 5),
                cell("old", "b", 3),
                cell("new", "c", 1)
            ]
        );
    }

    #[test]
    fn keeps_as_many_versions_as_the_table_shows() {
        assert_eq!(
            merged(places(), Versions::default(), Filter::None),
            [cell("old", "a", 7), cell("new", "b", 9), cell("new", "c", 1)]
        );
    }

    #[test]
    fn first_of_row_is_the_first_of_all_keys() {
        let first = places().into_iter().rev().map(|place| vec![place[0].clone()]).collect();
        assert_eq!(merged(first, Versions::All, Filter::FirstOfRow), [cell("old", "a", 7)]);
    }
}
