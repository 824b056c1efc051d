//! The memory of the tree: an arena of blocks that threads share without a lock.
//!
//! A [`Block`] holds up to [`BLOCK`] children of one node, the most promising first, and a link to
//! the block with the next ones. So a node with hundreds of moves costs one block until the search
//! asks for more of them. All blocks have one size, which makes every block as good as any other:
//! when all are in use the search takes one that it has not visited for a while, wherever in the
//! tree that is, and the node above simply has no children (or fewer of them) again. The choice is
//! the *clock* algorithm of virtual memory: a hand goes round, spares what was visited since it
//! last came by, and takes what was not.
//!
//! Nobody may take a block in which somebody is: whoever enters one *pins* it, by counting
//! themselves in ([`Tree::enter`]), and looks again whether the link still leads there. Whoever
//! takes one sets [`LOCKED`] in that count, which only succeeds while it is 0. A visit pins all
//! blocks on its way.

use std::sync::atomic::{
    AtomicU32, AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};

use bytemuck::Zeroable;

use crate::search::OutOfMemory;
use crate::search::score::Score;

/// Nodes of a block.
pub const BLOCK: usize = 12;

/// A link that leads nowhere.
const NONE: u32 = 0;
/// A link to a block that is being filled.
const BUSY: u32 = 1;
/// Block `n` is linked by `n + FIRST`.
const FIRST: u32 = 2;

/// Set in the users of a block while it changes hands.
const LOCKED: u32 = 1 << 31;
/// The hand passes at most this many blocks for one that is needed; then it is done without.
const STEPS: usize = 64;

/// The owner of the link that leads to a block: the root, or `16 * block + place`, with place 0 for
/// the block's link to the next one and 1 and up for its nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner(u32);

impl Owner {
    /// The root.
    pub const ROOT: Self = Self(u32::MAX);
}

/// What is proven of a position, for its side to move: it is worth at least `lower` and at most
/// `upper`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    pub lower: Score,
    pub upper: Score,
}

impl Bounds {
    /// Nothing is proven.
    pub const OPEN: Self = Self { lower: Score::MIN, upper: Score::MAX };

    /// Exactly this is proven.
    pub const fn exactly(score: Score) -> Self {
        Self { lower: score, upper: score }
    }

    /// The result for the side to move, once it is proven: 1, 1/2 or 0.
    #[inline]
    pub fn result(self) -> Option<f32> {
        match self {
            Self { lower, .. } if lower > Score::DRAW => Some(1.0),
            Self { upper, .. } if upper < Score::DRAW => Some(0.0),
            Self { lower: Score::DRAW, upper: Score::DRAW } => Some(0.5),
            _ => None,
        }
    }

    /// Whether nothing is left to prove.
    pub fn is_exact(self) -> bool {
        self.lower >= self.upper
    }

    /// The same position seen by the other side.
    #[inline]
    pub fn flipped(self) -> Self {
        Self { lower: -self.upper, upper: -self.lower }
    }

    fn pack(self) -> u32 {
        u32::from(self.lower.0 as i16 as u16) | u32::from(self.upper.0 as i16 as u16) << 16
    }

    fn unpack(data: u32) -> Self {
        let part = |data: u32| Score(i32::from(data as u16 as i16));
        Self { lower: part(data), upper: part(data >> 16) }
    }
}

/// A unit of [`Node::value`] and [`Node::draws`] is this part of a game.
const UNIT: f32 = 65_536.0;
/// The bits of a value that no position has.
const UNKNOWN: u32 = u32::MAX;

/// A position of the tree and the move that leads to it.
#[derive(Debug, Zeroable)]
#[repr(C)]
pub struct Node {
    /// The sum of the results of all visits, for the side that moved here.
    value: AtomicU64,
    /// How much of that sum are draws.
    draws: AtomicU64,
    /// Visits begun. One that is under way counts as a loss so far (*virtual loss*).
    visits: AtomicU32,
    /// To the first block of the children.
    link: AtomicU32,
    bounds: AtomicU32,
    /// The move and its prior probability.
    edge: AtomicU32,
    /// The bits of the best result that the leaves below give to the side to move (minimax).
    best: AtomicU32,
}

impl Node {
    /// A node that was never visited.
    pub fn new() -> Self {
        let node = Self::zeroed();
        node.reset(0, 0);
        node
    }

    fn reset(&self, mv: u16, prior: u16) {
        self.value.store(0, Relaxed);
        self.draws.store(0, Relaxed);
        self.visits.store(0, Relaxed);
        self.link.store(NONE, Relaxed);
        self.bounds.store(Bounds::OPEN.pack(), Relaxed);
        self.edge.store(u32::from(mv) | u32::from(prior) << 16, Relaxed);
        self.best.store(UNKNOWN, Relaxed);
    }

    /// The move that leads here.
    #[inline]
    pub fn mv(&self) -> u16 {
        self.edge.load(Relaxed) as u16
    }

    /// How likely the move was thought to be the best before it was tried.
    #[inline]
    pub fn prior(&self) -> f32 {
        (self.edge.load(Relaxed) >> 16) as f32 / f32::from(u16::MAX)
    }

    /// Visits begun.
    #[inline]
    pub fn visits(&self) -> u32 {
        self.visits.load(Relaxed)
    }

    /// Begins a visit; the number of visits with it.
    #[inline]
    pub fn begin(&self) -> u32 {
        self.visits.fetch_add(1, Relaxed) + 1
    }

    /// Takes back a visit that was begun.
    pub fn give_up(&self) {
        self.visits.fetch_sub(1, Relaxed);
    }

    /// Ends a visit with a result for the side that moved here, of which so much is a draw.
    #[inline]
    pub fn add(&self, value: f32, draw: f32) {
        self.value.fetch_add((value * UNIT) as u64, Relaxed);
        self.draws.fetch_add((draw * UNIT) as u64, Relaxed);
    }

    /// The average result for the side that moved here; 0 without a visit.
    #[inline]
    pub fn average(&self) -> f32 {
        self.value.load(Relaxed) as f32 / (UNIT * self.visits().max(1) as f32)
    }

    /// The average chance of a draw.
    pub fn draw(&self) -> f32 {
        self.draws.load(Relaxed) as f32 / (UNIT * self.visits().max(1) as f32)
    }

    /// The best result that the leaves below give to the side to move; `None` before the first
    /// visit has ended.
    #[inline]
    pub fn best(&self) -> Option<f32> {
        let bits = self.best.load(Relaxed);
        (bits != UNKNOWN).then(|| f32::from_bits(bits))
    }

    /// Sets what [`best`](Node::best) gives.
    #[inline]
    pub fn set_best(&self, value: f32) {
        self.best.store(value.to_bits(), Relaxed);
    }

    /// What is proven.
    #[inline]
    pub fn bounds(&self) -> Bounds {
        Bounds::unpack(self.bounds.load(Relaxed))
    }

    /// Adds to what is proven.
    pub fn narrow(&self, new: Bounds) {
        let _ = self.bounds.fetch_update(Relaxed, Relaxed, |data| {
            let old = Bounds::unpack(data);
            let lower = old.lower.max(new.lower);
            let upper = old.upper.min(new.upper);
            let joined = Bounds { lower, upper }.pack();
            (joined != data).then_some(joined)
        });
    }

    /// Forgets what the position is worth at least.
    pub fn forget_lower_bound(&self) {
        let bounds = Bounds { lower: Score::MIN, ..self.bounds() };
        self.bounds.store(bounds.pack(), Relaxed);
    }

    /// The link to the children.
    #[inline]
    pub fn link(&self) -> &AtomicU32 {
        &self.link
    }

    /// Becomes a copy of another node. Nobody else is in the tree.
    fn copy(&mut self, other: &Self) {
        *self = Self {
            value: AtomicU64::new(other.value.load(Relaxed)),
            draws: AtomicU64::new(other.draws.load(Relaxed)),
            visits: AtomicU32::new(other.visits.load(Relaxed)),
            link: AtomicU32::new(other.link.load(Relaxed)),
            bounds: AtomicU32::new(other.bounds.load(Relaxed)),
            edge: AtomicU32::new(other.edge.load(Relaxed)),
            best: AtomicU32::new(other.best.load(Relaxed)),
        };
    }
}

/// Some children of a node.
#[derive(Debug, Zeroable)]
#[repr(C)]
pub struct Block {
    /// To the block with the next children.
    next: AtomicU32,
    /// Whose link leads here.
    owner: AtomicU32,
    /// How many are in this block, or [`LOCKED`].
    users: AtomicU32,
    /// Not 0 when somebody was here since the hand came by.
    visited: AtomicU32,
    /// How many nodes are used.
    len: AtomicU32,
    /// The prior of the best move that is not in this block nor in one before it, in 1/65535.
    rest: AtomicU32,
    nodes: [Node; BLOCK],
}

impl Block {
    /// The children.
    #[inline]
    pub fn nodes(&self) -> &[Node] {
        let len = self.len.load(Relaxed) as usize;
        &self.nodes[..len.min(BLOCK)]
    }

    /// The link to the block with the next children.
    #[inline]
    pub fn next(&self) -> &AtomicU32 {
        &self.next
    }

    /// The prior of the best move behind those in this block; 0 when there are no more moves.
    #[inline]
    pub fn rest(&self) -> f32 {
        self.rest.load(Relaxed) as f32 / f32::from(u16::MAX)
    }

    /// Fills the block with moves and their priors, at most [`BLOCK`] of them; `rest` is the prior
    /// of the next one, 0 if there is none.
    pub fn fill(&self, moves: impl Iterator<Item = (u16, u16)>, rest: u16) {
        let mut len = 0;
        for (node, (mv, prior)) in self.nodes.iter().zip(moves) {
            node.reset(mv, prior);
            len += 1;
        }
        self.len.store(len, Relaxed);
        self.rest.store(u32::from(rest), Relaxed);
    }
}

/// A block in which one is, and which therefore stays what it is.
pub struct Pinned<'t> {
    block: &'t Block,
    index: u32,
}

impl Pinned<'_> {
    /// The children.
    #[inline]
    pub fn nodes(&self) -> &[Node] {
        self.block.nodes()
    }

    /// The owner of the link to the next block.
    pub fn next_owner(&self) -> Owner {
        Owner(16 * self.index)
    }

    /// A node of the block as the owner of its link.
    pub fn owner(&self, node: usize) -> Owner {
        Owner(16 * self.index + 1 + node as u32)
    }
}

impl std::ops::Deref for Pinned<'_> {
    type Target = Block;

    #[inline]
    fn deref(&self) -> &Block {
        self.block
    }
}

impl Drop for Pinned<'_> {
    #[inline]
    fn drop(&mut self) {
        self.block.users.fetch_sub(1, Release);
    }
}

/// The root and the arena.
pub struct Tree {
    /// The position that a search begins with.
    pub root: Node,
    blocks: Box<[Block]>,
    /// Blocks that were ever used.
    used: AtomicU32,
    hand: AtomicU32,
    /// Blocks filled since the search began.
    filled: AtomicU64,
}

impl Tree {
    /// An empty tree in this many MiB, at least 1.
    ///
    /// # Errors
    /// When the memory cannot be had.
    pub fn new(mebibytes: usize) -> Result<Self, OutOfMemory> {
        let failed = OutOfMemory { mebibytes };
        let bytes = mebibytes.max(1).checked_mul(1 << 20).ok_or(failed)?;
        // The numbers of owners have 32 bits.
        let blocks = (bytes / size_of::<Block>()).min((u32::MAX / 16) as usize);
        Ok(Self {
            root: Node::new(),
            blocks: bytemuck::allocation::try_zeroed_slice_box(blocks).map_err(|()| failed)?,
            used: AtomicU32::new(0),
            hand: AtomicU32::new(0),
            filled: AtomicU64::new(0),
        })
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.root = Node::new();
        *self.used.get_mut() = 0;
        *self.hand.get_mut() = 0;
    }

    /// Begins a search.
    pub fn new_search(&mut self) {
        *self.filled.get_mut() = 0;
    }

    /// Blocks that were filled since the search began, of all blocks, in thousandths.
    pub fn fullness(&self) -> u32 {
        let all = self.blocks.len() as u64;
        (self.filled.load(Relaxed).min(all) * 1000 / all) as u32
    }

    /// The block to which a link leads, if it leads to one. The link must be that of the root or in
    /// a block that is pinned.
    #[inline]
    pub fn enter(&self, link: &AtomicU32) -> Option<Pinned<'_>> {
        let target = link.load(Acquire);
        let index = target.checked_sub(FIRST)?;
        let block = self.blocks.get(index as usize)?;
        if block.users.fetch_add(1, Acquire) & LOCKED != 0 {
            block.users.fetch_sub(1, Relaxed);
            return None;
        }
        let pinned = Pinned { block, index };
        if link.load(Acquire) != target {
            return None;
        }
        if block.visited.load(Relaxed) == 0 {
            block.visited.store(1, Relaxed);
        }
        Some(pinned)
    }

    /// The blocks of a node's children, one after the other.
    pub fn blocks<'t>(&'t self, node: &Node) -> impl Iterator<Item = Pinned<'t>> + use<'t> {
        std::iter::successors(self.enter(node.link()), |here| self.enter(here.next()))
    }

    /// Hangs a new block on a link that leads nowhere, unless another thread is about to, or all
    /// blocks are in use. `fill` must [fill](Block::fill) it.
    pub fn grow(
        &self,
        link: &AtomicU32,
        owner: Owner,
        fill: impl FnOnce(&Block),
    ) -> Option<Pinned<'_>> {
        link.compare_exchange(NONE, BUSY, Acquire, Relaxed).ok()?;
        let Some(pinned) = self.take() else {
            link.store(NONE, Release);
            return None;
        };
        let block = pinned.block;
        block.next.store(NONE, Relaxed);
        block.owner.store(owner.0, Relaxed);
        block.visited.store(1, Relaxed);
        fill(block);
        link.store(pinned.index + FIRST, Release);
        self.filled.fetch_add(1, Relaxed);
        Some(pinned)
    }

    /// A block that no link leads to, pinned.
    fn take(&self) -> Option<Pinned<'_>> {
        let all = self.blocks.len() as u32;
        if self.used.load(Relaxed) < all {
            let index = self.used.fetch_add(1, Relaxed);
            if let Some(block) = self.blocks.get(index as usize) {
                block.users.fetch_add(1, Acquire);
                return Some(Pinned { block, index });
            }
            self.used.store(all, Relaxed);
        }
        for _ in 0..STEPS {
            let index = self.hand.fetch_add(1, Relaxed) % all;
            let block = &self.blocks[index as usize];
            if block.visited.swap(0, Relaxed) == 0
                && block.users.compare_exchange(0, LOCKED, Acquire, Relaxed).is_ok()
            {
                let link = self.link_of(Owner(block.owner.load(Relaxed)));
                // The owner may be gone, and its place may have another link by now.
                let _ = link.compare_exchange(index + FIRST, NONE, Release, Relaxed);
                block.users.fetch_sub(LOCKED - 1, Release);
                return Some(Pinned { block, index });
            }
        }
        None
    }

    fn link_of(&self, owner: Owner) -> &AtomicU32 {
        let (block, place) = ((owner.0 / 16) as usize, (owner.0 % 16) as usize);
        match self.blocks.get(block) {
            None => &self.root.link,
            Some(block) => match place.checked_sub(1) {
                None => &block.next,
                Some(node) => &block.nodes[node.min(BLOCK - 1)].link,
            },
        }
    }

    /// Makes a node the root, found by its owner number. What is above it or beside it is lost.
    pub fn reroot(&mut self, owner: Owner) {
        let (block, place) = ((owner.0 / 16) as usize, (owner.0 % 16) as usize);
        let Some((block, node)) = self.blocks.get(block).zip(place.checked_sub(1)) else { return };
        self.root.copy(&block.nodes[node]);
        if let Some(first) = self.enter(&self.root.link) {
            first.block.owner.store(Owner::ROOT.0, Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chain of blocks from the root: each hangs on the first node of the one before.
    fn grow_below(tree: &Tree, link: &AtomicU32, owner: Owner, mv: u16) -> Option<(Owner, u16)> {
        let block = tree.grow(link, owner, |block| block.fill([(mv, 9)].into_iter(), 0))?;
        Some((block.owner(0), mv))
    }

    #[test]
    fn bounds_come_back_as_they_were_put() {
        let node = Node::new();
        assert_eq!((node.bounds(), node.best(), node.visits()), (Bounds::OPEN, None, 0));
        node.narrow(Bounds { lower: Score(-20_300), ..Bounds::OPEN });
        node.narrow(Bounds { lower: Score(-20_500), upper: Score(-20_100) });
        let joined = Bounds { lower: Score(-20_300), upper: Score(-20_100) };
        assert_eq!(node.bounds(), joined);
        assert_eq!((joined.result(), joined.flipped().result()), (Some(0.0), Some(1.0)));
        assert_eq!(Bounds::exactly(Score::DRAW).result(), Some(0.5));
        assert_eq!(Bounds { lower: Score::DRAW, ..Bounds::OPEN }.result(), None);
    }

    #[test]
    fn a_pinned_block_stays_and_the_others_make_room() {
        let tree = Tree::new(1).expect("1 MiB");
        grow_below(&tree, tree.root.link(), Owner::ROOT, 1).expect("the first block");
        let first = tree.enter(tree.root.link()).expect("it is there");
        let all = tree.blocks.len();
        // Below the one node of the first block, again and again.
        let node = &first.nodes()[0];
        for round in 0..3 * all {
            while grow_below(&tree, node.link(), first.owner(0), 2).is_none() {
                assert!(round >= all - 2, "there is room at first");
            }
            assert_eq!(tree.enter(node.link()).map(|block| block.nodes()[0].mv()), Some(2));
            assert!(grow_below(&tree, node.link(), first.owner(0), 3).is_none(), "it has one");
            // Nobody goes there any more.
            node.link.store(NONE, Relaxed);
        }
        assert_eq!(tree.fullness(), 1000);
        assert_eq!(first.nodes()[0].mv(), 1, "the pinned block is what it was");
        assert!(tree.enter(tree.root.link()).is_some());
    }

    #[test]
    fn who_takes_a_block_tells_its_owner() {
        let tree = Tree::new(1).expect("1 MiB");
        let all = tree.blocks.len();
        let (owner, _) = grow_below(&tree, tree.root.link(), Owner::ROOT, 1).expect("room");
        let first = tree.enter(tree.root.link()).expect("it is there");
        let link = first.nodes()[0].link();
        grow_below(&tree, link, owner, 2).expect("room");
        drop(first);
        let other = AtomicU32::new(NONE);
        let mut taken = 0;
        while tree.root.link().load(Relaxed) != NONE {
            taken += usize::from(grow_below(&tree, &other, Owner::ROOT, 3).is_some());
            other.store(NONE, Relaxed);
            assert!(taken <= 2 * all, "the hand comes by");
        }
        assert!(taken >= all - 2, "fresh blocks go first");
    }

    #[test]
    fn a_child_becomes_the_root() {
        let mut tree = Tree::new(1).expect("1 MiB");
        let (owner, _) = grow_below(&tree, tree.root.link(), Owner::ROOT, 1).expect("room");
        let first = tree.enter(tree.root.link()).expect("it is there");
        first.nodes()[0].begin();
        first.nodes()[0].add(0.75, 0.5);
        grow_below(&tree, first.nodes()[0].link(), owner, 2).expect("room");
        drop(first);
        tree.reroot(owner);
        assert_eq!((tree.root.mv(), tree.root.average(), tree.root.draw()), (1, 0.75, 0.5));
        assert_eq!(tree.enter(tree.root.link()).map(|block| block.nodes()[0].mv()), Some(2));
    }
}
