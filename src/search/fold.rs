//! Moves that are images of each other under a symmetry of the position: one of them stands for
//! all.

use super::limits::Limits;
use crate::game::Symmetry;

/// The moves of the root that a search considers: all, or those that the limits name, and of images
/// of each other only the first where the limits ask for that and for several lines.
pub fn considered<G: Symmetry>(position: &G, limits: &Limits<G::Move>) -> Vec<G::Move> {
    let mut moves =
        if limits.only.is_empty() { position.moves().to_vec() } else { limits.only.clone() };
    if limits.fold && limits.lines > 1 {
        fold(position, &mut moves);
    }
    moves
}

/// The symmetries that leave a position as it is, but for the identity.
fn symmetries<G: Symmetry>(position: &G) -> impl Iterator<Item = usize> {
    (1..G::SYMMETRIES).filter(|&index| position.image(index) == *position)
}

fn after<G: Symmetry>(position: &G, mv: G::Move) -> G {
    let mut child = *position;
    child.make(mv);
    child
}

/// Of legal moves that are images of each other leaves only the first.
fn fold<G: Symmetry>(position: &G, moves: &mut Vec<G::Move>) {
    let symmetries: Vec<usize> = symmetries(position).collect();
    if symmetries.is_empty() {
        return;
    }
    let mut known: Vec<G> = Vec::new();
    moves.retain(|&mv| {
        let child = after(position, mv);
        let is_new = !known.contains(&child);
        if is_new {
            known.push(child);
            known.extend(symmetries.iter().map(|&index| child.image(index)));
        }
        is_new
    });
}

/// A line of legal moves seen through a symmetry of the position under which it begins with one of
/// `moves`, and the place of that move among them; `None` when there is no such symmetry or the
/// line is empty.
pub fn follow<G: Symmetry>(
    position: &G,
    line: &[G::Move],
    moves: &[G::Move],
) -> Option<(usize, Vec<G::Move>)> {
    let first = line.first()?;
    if let Some(place) = moves.iter().position(|mv| mv == first) {
        return Some((place, line.to_vec()));
    }
    symmetries(position).find_map(|index| {
        let image = image(position, line, index)?;
        Some((moves.iter().position(|mv| Some(mv) == image.first())?, image))
    })
}

/// A line seen through a symmetry of the position.
fn image<G: Symmetry>(position: &G, line: &[G::Move], index: usize) -> Option<Vec<G::Move>> {
    let (mut from, mut to) = (*position, *position);
    let mut image = Vec::with_capacity(line.len());
    for &mv in line {
        from.make(mv);
        let wanted = from.image(index);
        let mv = to.moves().into_iter().find(|&mv| after(&to, mv) == wanted)?;
        image.push(mv);
        to = wanted;
    }
    Some(image)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::random::Random;
    use crate::game::{Game, Notation, Setup};
    use crate::games::hokito::Hokito;
    use crate::games::yoxii::Yoxii;

    /// Whether two moves lead to positions that are images of each other.
    fn alike<G: Symmetry>(position: &G, a: G::Move, b: G::Move) -> bool {
        let (a, b) = (after(position, a), after(position, b));
        (0..G::SYMMETRIES).any(|index| a.image(index) == b && position.image(index) == *position)
    }

    fn folds<G: Symmetry + Notation>(position: &G, classes: usize) {
        let all = position.moves();
        let mut moves = all.to_vec();
        fold(position, &mut moves);
        assert_eq!(moves.len(), classes, "{}", position.notation());
        for &mv in &all {
            let like: Vec<_> = moves.iter().filter(|&&one| alike(position, one, mv)).collect();
            assert_eq!(like.len(), 1, "{} stands for {}", like.len(), G::move_text(mv));
        }
        let mut random = Random::new(3);
        for &mv in &all {
            let (mut line, mut end) = (vec![mv], after(position, mv));
            while !end.is_over() && line.len() < 6 {
                let moves = end.moves();
                let mv = moves[random.below(moves.len())];
                line.push(mv);
                end.make(mv);
            }
            let (place, image) = follow(position, &line, &moves).expect("a move stands for it");
            assert_eq!((image.first(), image.len()), (Some(&moves[place]), line.len()));
            let mut seen = *position;
            for mv in image {
                assert!(seen.is_legal(mv), "{}", position.notation());
                seen.make(mv);
            }
            assert!((0..G::SYMMETRIES).any(|index| end.image(index) == seen));
        }
    }

    #[test]
    fn one_move_of_each_class_is_left() {
        // The totem goes straight or slantwise; each has 8 squares around, of which the mirror
        // leaves 5, and four values.
        folds(&Yoxii::start(), 40);
    }

    #[test]
    fn without_a_symmetry_all_moves_are_left() {
        let start = Hokito::random_start(1, &mut Random::new(2));
        folds(&start, start.count_moves());
    }
}
