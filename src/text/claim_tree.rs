//! The claim tree: every claim that the debate has reached, with the answers, estimates, bets and coins recorded for
//! it.

mod branches;
mod fold;

use std::ops::Range;

use debate_core::bits::BitString;
use debate_core::number::{Exact, Number, format_percent};
use debate_core::observe::ObservedLogEntry;
use debate_core::protocol::{
    Bet, BitsMeaning, Event, LogViewerRole, ReplySeal, Rules as _, Seat, VerifierCheck,
};
use debate_core::scenario::{BitSource, ClaimId};

use super::{
    DebateViewpoint, FormulaCharacterSet, SignCharacters, fit_bits, with_thousands_separators,
    yes_no_word,
};
pub use branches::TreeBranchLines;

/// Maximum number of characters of the bits, or of the machine's state, in [`ClaimTreeRow::bits`].
pub const MAX_BITS_COLUMNS: usize = 10;

/// State of the subclaims below a row of the claim tree: none, shown or hidden.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FoldState {
    #[default]
    Leaf,
    Open,
    Shut,
}

/// The mark of a row of the claim tree. A screen or page shows it as a colour or style, and some marks also as a sign.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowMark {
    #[default]
    Plain,
    /// The row is faint: the debate has moved past its claim.
    Faint,
    /// The claim that the pending request is about; without a request, the claim under discussion.
    Current,
    /// The row's claim was selected on the way to the claim under discussion.
    Chosen,
    /// Changed by the last step.
    Newest,
}

/// A row of the tree.
#[derive(Clone, Debug, PartialEq)]
pub struct ClaimTreeRow {
    pub claim: ClaimId,
    pub branches: TreeBranchLines,
    pub fold: FoldState,
    /// The claim in a few words.
    pub text: String,
    /// The prover's answer and bet: "Alice: yes ◇". Without both, "pointed at" if the challenger points at the claim;
    /// may be empty.
    pub response: String,
    /// The text of `response` without the prover's name: "yes ◇"; may be empty.
    pub short_response: String,
    /// The seat that must reply about the claim, or the key that selects the claim: "◂ you", "◂ 2"; may be empty.
    pub asked: String,
    /// The seat that `asked` is about; `None` if `asked` is empty.
    pub asked_seat: Option<Seat>,
    /// The coin's outcome, or the result of a verdict or check; may be empty.
    pub outcome: String,
    /// The estimated probability of the claim.
    pub p: Option<f64>,
    /// The bits that a player gave for the claim, shortened, or the state of a machine after one of the claim's steps:
    /// "after 16: state back"; may be empty.
    pub bits: String,
    pub mark: RowMark,
}

impl ClaimTreeRow {
    /// Returns the prover's response, the outcome, the probability and the bits as one line of text.
    pub fn prover_response_and_outcome_text(&self) -> String {
        let p = self.p.map(format_percent).unwrap_or_default();
        let parts = [&self.response, &self.outcome, &p, &self.bits];
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        parts.cloned().collect::<Vec<_>>().join(" ")
    }
}

/// A claim in the tree, with everything that the log contains about it.
#[derive(Clone, Debug)]
struct Node {
    claim: ClaimId,
    p: Option<f64>,
    coin: Option<bool>,
    /// The value, yes or no, that the claim's gate has for the coins of its subclaims. `None` until the log records it.
    gated: Option<bool>,
    bet: Option<BetSign>,
    claimed: Option<bool>,
    judged: Option<bool>,
    /// The bits that a player gave for the claim, shortened, or the bit that the verifier read.
    bits: Option<String>,
    pointed: bool,
    /// True if all of the verifier's checks of this claim have succeeded, false if one has failed. `None` before the
    /// first check.
    checked: Option<bool>,
    /// True if a check only showed that the claim follows from other steps, which may be wrong.
    is_derived: bool,
    /// Index of the last log entry about this claim.
    touched: usize,
}

impl Node {
    fn new(claim: ClaimId, touched: usize) -> Self {
        Self {
            claim,
            p: None,
            coin: None,
            gated: None,
            bet: None,
            claimed: None,
            judged: None,
            bits: None,
            pointed: false,
            checked: None,
            is_derived: false,
            touched,
        }
    }

    /// Formats the prover's answer and bet on the claim, with the prover's name and without it. Without both, says if
    /// the challenger points at the claim.
    fn response(&self, view: &DebateViewpoint<'_, '_>, signs: &SignCharacters) -> [String; 2] {
        let prover = view.perspective.player_name_or_you(Seat::Prover);
        let bet = self
            .bet
            .filter(|_| view.viewer_may_see_estimates_and_rewards());
        let bet = bet.map(|bet| match bet {
            BetSign::Sealed => signs.sealed,
            BetSign::Open(bet) => signs.bet_sign(bet),
        });
        match (self.claimed, bet) {
            (Some(claimed), bet) => {
                let answer = yes_no_word(claimed);
                let bet = bet.map_or_else(String::new, |bet| format!(" {bet}"));
                [format!("{prover}: {answer}{bet}"), format!("{answer}{bet}")]
            }
            (None, Some(bet)) => [format!("{prover} {bet}"), bet.to_owned()],
            (None, None) if self.pointed => ["pointed at"; 2].map(str::to_owned),
            (None, None) => Default::default(),
        }
    }

    /// Formats the claim's outcome: the judge's verdict, or else the result of a check, or else the coin. If the gate
    /// over the subclaims' coins and the claim's own coin differ, shows both, because they decide different rewards.
    fn outcome(&self, view: &DebateViewpoint<'_, '_>, signs: &SignCharacters) -> String {
        match (self.judged, self.checked) {
            (Some(judged), _) => {
                let judge = view.perspective.player_name_or_you(Seat::Judge);
                return format!("{judge}: {}", yes_no_word(judged));
            }
            (None, Some(true)) if self.is_derived => return format!("{} follows", signs.right),
            (None, Some(true)) => return format!("{} right", signs.right),
            (None, Some(false)) => return format!("{} wrong", signs.wrong),
            (None, None) => {}
        }
        let Some(coin) = self
            .coin
            .filter(|_| view.viewer_may_see_estimates_and_rewards())
        else {
            return String::new();
        };
        let own = signs.coin_outcome(coin);
        match self.gated.filter(|gated| *gated != coin) {
            Some(gated) => format!("{own}/{}", yes_no_word(gated)),
            None => own,
        }
    }
}

/// A bet on a claim's estimate, as a row of the tree shows it.
#[derive(Clone, Copy, Debug)]
enum BetSign {
    Sealed,
    Open(Bet),
}

/// The step of a computation that the challenger chose to challenge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ChallengePointer {
    /// The challenger has not replied yet: it has neither challenged a step nor accepted them all.
    Undecided,
    /// The challenger challenged no step, or one of the verifier's own steps, which has no claim.
    NoClaim,
    /// The claim of a step.
    At(ClaimId),
}

/// The subclaims of one claim.
#[derive(Clone, Debug)]
struct Level {
    nodes: Vec<Node>,
    /// Number of the tree's rows that belong to higher levels and are drawn above this level's first claim.
    before: usize,
    /// Number of the tree's rows that belong to higher levels and are drawn below this level's last claim.
    after: usize,
    /// The tree lines to the left of these claims, which lead to their parent claim.
    over: TreeBranchLines,
}

/// The claims along the path of the debate, up to the last log entry read. Level 0 is the root. Level n + 1 holds the
/// subclaims of the claim of level n with which the debate continued.
///
/// Rows are not stored. The index of a row follows from the number of rows that the levels above take before and after
/// their opened claims. A reply therefore costs time only for the claims that it changes, and a frame only for the
/// visible rows, however long the debate.
#[derive(Clone, Debug)]
pub struct ClaimTree {
    levels: Vec<Level>,
    /// For each level except the last, the index of the claim whose subclaims are the next level.
    parents: Vec<usize>,
    /// True to fold a deep tree: its folded levels show only the claim on the path, as [`Self::are_claims_beside_path_hidden`]
    /// defines.
    folds: bool,
    /// True if the next reply is about the deepest level's claims: the claim under discussion is there, or a player
    /// must select one of them.
    is_below: bool,
    /// The claim under discussion: its level and its index in the level.
    here: (usize, usize),
    pointed: ChallengePointer,
    /// True if a claim was split into subclaims without a support, such as the halves of a run, or if bits were given.
    /// The choice of a support does not count.
    parted: bool,
    /// The reader from whose point of view the log was read.
    reader: LogViewerRole,
    /// Number of log entries that the tree has processed.
    read: usize,
    /// Indices of the processed log entries whose content is still sealed.
    sealed: Vec<usize>,
    /// The claim that the pending request is about: its level and its index in the level.
    asked: (usize, usize),
    /// The range of log entries that the last step of the debate added.
    newest: Range<usize>,
}

impl ClaimTree {
    pub fn new(view: &DebateViewpoint<'_, '_>) -> Self {
        let root = Level {
            nodes: vec![Node::new(view.facts.instance.root(), usize::MAX)],
            before: 0,
            after: 0,
            over: TreeBranchLines::ROOT,
        };
        Self {
            levels: vec![root],
            parents: Vec::new(),
            folds: false,
            is_below: false,
            here: (0, 0),
            pointed: ChallengePointer::Undecided,
            parted: false,
            reader: view.reader,
            read: 0,
            sealed: Vec::new(),
            asked: (0, 0),
            newest: 0..0,
        }
    }

    /// Updates the tree for new log entries. Starts over if the reader changed or the log became shorter. After replies
    /// were undone and replaced, the caller must create a new tree with [`Self::new`].
    pub fn read_new_log_entries(&mut self, view: &DebateViewpoint<'_, '_>) {
        let count = view.log.entries().len();
        if self.reader != view.reader || count < self.read {
            let folds = self.folds;
            *self = Self::new(view);
            self.folds = folds;
        }
        let is_open = |index: usize| {
            let seen = view.log.observation_at(index, view.reader);
            matches!(seen, Some(ObservedLogEntry::Open(_)))
        };
        let sealed = &mut self.sealed;
        let opened: Vec<usize> = sealed.extract_if(.., |index| is_open(*index)).collect();
        for index in opened {
            if let Some(entry) = view.log.entries().get(index) {
                self.note_late(&entry.event);
            }
        }
        for index in self.read..count {
            match view.log.observation_at(index, view.reader) {
                Some(ObservedLogEntry::Open(entry)) => self.note(view, index, &entry.event),
                Some(ObservedLogEntry::Sealed { seal, .. }) => {
                    self.sealed.push(index);
                    if let (ReplySeal::Bet(_), Some(node)) = (seal, self.node_mut(self.here)) {
                        node.bet = Some(BetSign::Sealed);
                    }
                }
                None => {}
            }
        }
        self.read = count;
        self.asked = self.place_asked(view);
        let turn = view.state.request();
        self.is_below = self.here.0 == self.last()
            || turn.is_some_and(|turn| turn.request.is_subclaim_selection_request());
        if self.folds {
            self.compute_row_offsets(1);
        }
        self.newest = view.newest.clone();
    }

    /// True if a claim was split into subclaims without a support, such as the halves of a run, or if bits were given.
    /// The choice of a support does not count. The judge of such a debate may get a question only at its end.
    pub fn has_supportless_splits_or_given_bits(&self) -> bool {
        self.parted
    }

    /// Returns the row number of the claim that the pending request is about.
    pub fn row_of_claim_of_request(&self) -> usize {
        self.row_at(self.asked).unwrap_or(0)
    }

    /// Returns the row number of a subclaim on the deepest level of the tree, given its index among those subclaims.
    pub fn row_of_subclaim(&self, index: usize) -> Option<usize> {
        self.row_at((self.last(), index))
    }

    /// Returns the index of the row's claim among the subclaims on the deepest level. `None` for a row of another
    /// level.
    pub fn subclaim_index(&self, row: usize) -> Option<usize> {
        let last = self.last();
        let (level, index) = self.place_at(row)?;
        (level == last && last > 0).then_some(index)
    }

    pub fn claim(&self, row: usize) -> Option<ClaimId> {
        Some(self.node(self.place_at(row)?)?.claim)
    }

    /// Returns the tree's row with this number, counted from 0.
    pub fn row(
        &self,
        view: &DebateViewpoint<'_, '_>,
        number: usize,
        script: FormulaCharacterSet,
    ) -> Option<ClaimTreeRow> {
        let place = self.place_at(number)?;
        let node = self.node(place)?;
        let on_path = self.parents.get(place.0) == Some(&place.1);
        let signs = SignCharacters::symbols_for_character_set(script);
        let figures = view.viewer_may_see_estimates_and_rewards();
        let asks = view.state.request();
        let yours = asks
            .as_ref()
            .filter(|turn| view.perspective.is_viewer_seat(turn.seat));
        let choices = yours.and_then(|turn| turn.request.subclaim_choice_count());
        // During a selection, the keys already show which seat is asked.
        let turn = asks
            .as_ref()
            .filter(|_| place == self.asked && choices.is_none());
        let key = (1..=choices.unwrap_or(0) as usize)
            .nth(place.1)
            .filter(|_| place.0 == self.last());
        let [response, short_response] = node.response(view, signs);
        let asked_seat = match (&turn, key) {
            (Some(turn), _) => Some(turn.seat),
            (None, Some(_)) => yours.as_ref().map(|turn| turn.seat),
            (None, None) => None,
        };
        Some(ClaimTreeRow {
            claim: node.claim,
            branches: self.branches(place),
            fold: if on_path {
                FoldState::Open
            } else {
                FoldState::Leaf
            },
            text: view.facts.instance.short_text(node.claim),
            response,
            short_response,
            asked_seat,
            asked: match (turn.as_ref().map(|turn| turn.seat), key) {
                (Some(Seat::Chance), _) => format!("{} {}", signs.asked, signs.coin),
                (Some(Seat::Judge), _) if !view.perspective.is_viewer_seat(Seat::Judge) => {
                    format!("{} judge", signs.asked)
                }
                (Some(seat), _) => format!(
                    "{} {}",
                    signs.asked,
                    view.perspective.player_name_or_you_in_sentence(seat)
                ),
                (None, Some(key)) => format!("{} {key}", signs.asked),
                (None, None) => String::new(),
            },
            outcome: node.outcome(view, signs),
            p: node.p.filter(|_| figures),
            bits: node.bits.clone().unwrap_or_default(),
            mark: self.mark(place, node.touched),
        })
    }

    /// Returns the numbers of the most relevant rows, in ascending order: those on the path to the current claim, and
    /// those that just changed.
    pub fn path_and_changed_rows(&self) -> Vec<usize> {
        let levels = self.levels.iter().enumerate();
        let places = levels.flat_map(|(level, on)| {
            let opened = self.parents.get(level).copied();
            let nodes = on.nodes.iter().enumerate();
            nodes.filter_map(move |(index, node)| {
                let matters = opened == Some(index)
                    || self.newest.contains(&node.touched)
                    || (level, index) == self.asked;
                matters.then_some((level, index))
            })
        });
        let mut rows: Vec<usize> = places.filter_map(|place| self.row_at(place)).collect();
        rows.sort_unstable();
        rows
    }

    fn mark(&self, (level, index): (usize, usize), touched: usize) -> RowMark {
        let last = self.last();
        let on_path = self.parents.get(level) == Some(&index);
        if (level, index) == self.asked {
            RowMark::Current
        } else if self.newest.contains(&touched) {
            RowMark::Newest
        } else if on_path && level > 0 {
            RowMark::Chosen
        } else if level < last && !on_path || self.here.0 == level && last == level && level > 0 {
            RowMark::Faint
        } else {
            RowMark::Plain
        }
    }

    fn last(&self) -> usize {
        self.levels.len() - 1
    }

    fn node(&self, (level, index): (usize, usize)) -> Option<&Node> {
        self.levels.get(level)?.nodes.get(index)
    }

    fn node_mut(&mut self, (level, index): (usize, usize)) -> Option<&mut Node> {
        self.levels.get_mut(level)?.nodes.get_mut(index)
    }

    /// Returns the number of rows of the tree. Rows are in depth-first order: a claim's subclaims follow it directly.
    pub fn row_count(&self) -> usize {
        let last = self.levels.last();
        last.map_or(0, |last| {
            last.before + self.deepest_level_row_count() + last.after
        })
    }

    /// Returns the position of the claim in a row: its level and its index in the level.
    fn place_at(&self, row: usize) -> Option<(usize, usize)> {
        let last = self.levels.last()?;
        if row < last.before + self.deepest_level_row_count() {
            let level = self.levels.partition_point(|level| level.before <= row) - 1;
            if self.are_claims_beside_path_hidden(level) {
                return Some((level, self.path_claim_index(level)?));
            }
            return Some((level, row - self.levels.get(level)?.before));
        }
        // From the last row upwards: each level contributes the claims after the one that it opened.
        let back = self.row_count().checked_sub(row + 1)?;
        let level = self.levels.partition_point(|level| level.after <= back) - 1;
        let below = self.levels.get(level)?;
        let index = below.nodes.len().checked_sub(1 + back - below.after)?;
        Some((level, index))
    }

    fn row_at(&self, (level, index): (usize, usize)) -> Option<usize> {
        let on = self.levels.get(level)?;
        if index >= on.nodes.len() {
            return None;
        }
        match self.path_claim_index(level) {
            Some(way) if self.are_claims_beside_path_hidden(level) => {
                (index == way).then_some(on.before)
            }
            Some(parent) if level < self.last() && index > parent => {
                Some(self.row_count() - on.after - (on.nodes.len() - index))
            }
            _ => Some(on.before + index),
        }
    }

    fn branches(&self, (level, index): (usize, usize)) -> TreeBranchLines {
        match self.levels.get(level) {
            Some(on) if level > 0 => {
                let is_last =
                    self.are_claims_beside_path_hidden(level) || index + 1 == on.nodes.len();
                on.over.branch_of_child(is_last)
            }
            _ => TreeBranchLines::ROOT,
        }
    }

    /// Returns the position of `claim` in the tree: its level, and its index in the level. First tries index `place` of
    /// the deepest level (the root if `place` is `None`), then the deepest level with the claim.
    fn place_of_claim(&self, claim: ClaimId, place: Option<u32>) -> (usize, usize) {
        let named = place.map_or((0, 0), |place| (self.last(), place as usize));
        match self.node(named) {
            Some(node) if node.claim == claim => named,
            _ => self.find(claim).unwrap_or(named),
        }
    }

    /// Returns the position of the claim on the deepest level that contains it.
    fn find(&self, claim: ClaimId) -> Option<(usize, usize)> {
        let mut levels = self.levels.iter().enumerate().rev();
        levels.find_map(|(number, level)| {
            let index = level.nodes.iter().position(|node| node.claim == claim)?;
            Some((number, index))
        })
    }

    /// Changes the node at a position, and records that the log entry `index` changed it.
    fn change(&mut self, place: (usize, usize), index: usize, change: impl FnOnce(&mut Node)) {
        if let Some(node) = self.node_mut(place) {
            change(node);
            node.touched = index;
        }
    }

    /// Changes the node of a claim. If the claim is not in the tree, changes the node of the claim under discussion.
    fn change_claim(
        &mut self,
        claim: Option<ClaimId>,
        index: usize,
        change: impl FnOnce(&mut Node),
    ) {
        let place = claim.and_then(|claim| self.find(claim));
        self.change(place.unwrap_or(self.here), index, change);
    }

    /// Adds a level with the subclaims of the claim under discussion.
    fn split(&mut self, on: &[ClaimId], index: usize) {
        self.touch(index);
        // If a claim is split again, the new subclaims replace the old ones.
        self.parents.truncate(self.here.0);
        self.levels.truncate(self.here.0 + 1);
        self.parents.push(self.here.1);
        let nodes = on
            .iter()
            .map(|claim| Node {
                pointed: self.pointed == ChallengePointer::At(*claim),
                ..Node::new(*claim, index)
            })
            .collect();
        self.levels.push(Level {
            nodes,
            before: 0,
            after: 0,
            over: TreeBranchLines::ROOT,
        });
        self.compute_row_offsets(self.last());
    }

    fn note(&mut self, view: &DebateViewpoint<'_, '_>, index: usize, event: &Event<Exact>) {
        match event {
            Event::Answered { answer, .. } => {
                self.change((0, 0), index, |root| root.claimed = Some(*answer));
            }
            Event::Estimated {
                claim, place, p, ..
            } => {
                self.dispute(view, *claim, index);
                let place = self.place_of_claim(*claim, *place);
                self.change(place, index, |node| node.p = Some(p.to_float()));
            }
            Event::Tossed {
                claim,
                place,
                value,
                ..
            } => {
                let place = self.place_of_claim(*claim, *place);
                self.change(place, index, |node| node.coin = Some(*value));
            }
            Event::Supported { claim, support } => {
                let chosen = view.facts.instance.support(*claim, *support);
                let on = chosen.map_or(&[][..], |chosen| &chosen.on);
                self.split(on, index);
            }
            Event::Claimed { answers, .. } => {
                let last = self.last();
                for (place, answer) in answers.as_slice().iter().enumerate() {
                    self.change((last, place), index, |node| node.claimed = Some(*answer));
                }
            }
            Event::Selected { place, chosen, .. } => {
                self.here = self.place_of_claim(*chosen, Some(*place));
                self.touch(index);
            }
            Event::Judged { answer, .. } => {
                self.change(self.here, index, |leaf| leaf.judged = Some(*answer));
            }
            Event::Entered { claim, .. } => {
                self.dispute(view, *claim, index);
                // The debate may continue with a single part that no seat selected.
                let here = self.node(self.here);
                if here.is_none_or(|node| node.claim != *claim) {
                    self.here = self.find(*claim).unwrap_or(self.here);
                }
                self.touch(index);
            }
            Event::BetPlaced { bet, .. } => {
                self.change(self.here, index, |node| {
                    node.bet = Some(BetSign::Open(*bet));
                });
            }
            Event::Gated { claim, holds } => {
                if let Some(place) = self.find(*claim) {
                    self.change(place, index, |node| node.gated = Some(*holds));
                }
                self.touch(index);
            }
            Event::Parts { claim, on } => {
                self.parted = true;
                // A claim whose only part is the claim itself opens no level. A challenged step is already listed if
                // all steps are.
                if on[..] != [*claim] && !self.is_listed_below_current(on) {
                    self.split(on, index);
                }
            }
            Event::Gave { ask, bits } => {
                self.parted = true;
                self.gave(view, *ask, bits, index);
            }
            Event::Challenged { step, verifier } => {
                let claim = step.and_then(|step| step_claim(view, step, *verifier));
                self.challenged(claim, index);
            }
            Event::Read {
                source,
                value,
                verifier,
            } => {
                let computation = view.facts.instance.computation();
                let (claim, statement) = match source {
                    BitSource::Step(step) => (
                        step_claim(view, *step, *verifier),
                        computation.and_then(|computation| computation.statement(*step)),
                    ),
                    _ => (None, None),
                };
                // The prover answers a claim in words as true or false; other steps have bits.
                self.bit_read(claim, *verifier, index, |node| match statement {
                    Some(_) => node.claimed = Some(*value),
                    None => node.bits = Some(format!("= {}", u8::from(*value))),
                });
            }
            Event::Checked { check, holds } => self.checked(view, *check, *holds, index),
            Event::GaveBit { .. }
            | Event::Shared { .. }
            | Event::Sampled { .. }
            | Event::Spoke { .. }
            | Event::Continued { .. }
            | Event::Opened(_)
            | Event::Rewarded(_)
            | Event::Ended { .. } => {}
        }
    }

    /// True if the claims are among the subclaims of the claim under discussion.
    fn is_listed_below_current(&self, claims: &[ClaimId]) -> bool {
        let (level, index) = self.here;
        let below = self.levels.get(level + 1);
        let is_below = |claim: &ClaimId| {
            below.is_some_and(|below| below.nodes.iter().any(|node| node.claim == *claim))
        };
        self.parents.get(level) == Some(&index) && claims.iter().all(is_below)
    }

    /// Adds the steps of a computation in words, with the prover's answers, below the root. The root itself is the last
    /// step.
    fn list_steps(&mut self, view: &DebateViewpoint<'_, '_>, bits: &BitString, index: usize) {
        let steps = (0..).map(|step| step_claim(view, step, false));
        let answers: Vec<(ClaimId, bool)> = steps
            .zip(bits.as_slice())
            .filter_map(|(claim, answer)| Some((claim?, *answer)))
            .collect();
        let root = view.facts.instance.root();
        let claims = answers.iter().map(|(claim, _)| *claim);
        let below: Vec<ClaimId> = claims.filter(|claim| *claim != root).collect();
        self.split(&below, index);
        for (claim, answer) in answers {
            if let Some(place) = self.find(claim) {
                self.change(place, index, |node| node.claimed = Some(answer));
            }
        }
    }

    /// If the opponent disputes a step, adds the step's warrant beside the subclaims of that step. The warrant is the
    /// claim that the answers to the subclaims decide the step's claim.
    fn dispute(&mut self, view: &DebateViewpoint<'_, '_>, claim: ClaimId, index: usize) {
        if view
            .facts
            .instance
            .warranted_claim_and_support(claim)
            .is_none()
            || self.find(claim).is_some()
        {
            return;
        }
        if let Some(level) = self.levels.last_mut() {
            level.nodes.push(Node::new(claim, index));
        }
    }

    /// Adds to the tree the content of a sealed reply whose seal has now opened: an answer or a bet. The claim does not
    /// count as just changed.
    fn note_late(&mut self, event: &Event<Exact>) {
        if let Some(answer) = event.prover_root_answer()
            && let Some(root) = self.node_mut((0, 0))
        {
            root.claimed = Some(answer);
        }
        if let Event::BetPlaced { claim, bet, .. } = event
            && let Some(node) = self.find(*claim).and_then(|place| self.node_mut(place))
        {
            node.bet = Some(BetSign::Open(*bet));
        }
    }

    fn gave(
        &mut self,
        view: &DebateViewpoint<'_, '_>,
        ask: BitsMeaning,
        bits: &BitString,
        index: usize,
    ) {
        let claim = match ask {
            BitsMeaning::Block { claim, .. } => Some(claim),
            _ => None,
        };
        let narrator = view.narrator(FormulaCharacterSet::default());
        let is_of_problem = ask == BitsMeaning::Transcript { verifier: false };
        if is_of_problem && self.last() == 0 && narrator.lists_step_answers(bits) {
            self.list_steps(view, bits, index);
            return;
        }
        // A transcript belongs to its steps, so this row shows only its length.
        let text = match ask {
            BitsMeaning::Transcript { .. } => {
                let unit = if narrator.is_computation_in_words() {
                    "answers"
                } else {
                    "bits"
                };
                format!("{} {unit}", with_thousands_separators(bits.len() as u64))
            }
            // The configuration belongs to the middle or to the end of the claim's steps, so it is shown with its step.
            BitsMeaning::Configuration { time } => {
                let run = view.facts.instance.run();
                let run = run.filter(|run| run.is_well_formed(bits));
                let configuration = run.map_or_else(
                    || "none".to_owned(),
                    |run| {
                        let state = if run.tape().is_some() { "state " } else { "" };
                        format!("{state}{}", shortened(&run.short_text(bits)))
                    },
                );
                format!("after {}: {configuration}", with_thousands_separators(time))
            }
            _ => format!("= {}", fit_bits(bits, MAX_BITS_COLUMNS)),
        };
        self.change_claim(claim, index, |node| node.bits = Some(text));
    }

    fn challenged(&mut self, claim: Option<ClaimId>, index: usize) {
        self.pointed = claim.map_or(ChallengePointer::NoClaim, ChallengePointer::At);
        // Otherwise the claim is marked when it is added to the tree.
        if claim.is_some_and(|claim| self.find(claim).is_some()) {
            self.change_claim(claim, index, |node| node.pointed = true);
        }
    }

    fn bit_read(
        &mut self,
        claim: Option<ClaimId>,
        verifier: bool,
        index: usize,
        change: impl FnOnce(&mut Node),
    ) {
        // Claims outside the tree appear only in the transcript. But without a request for a challenge before it, the
        // bit that is read is the result of the debate and belongs to the claim under discussion.
        let here = self.pointed == ChallengePointer::Undecided && !verifier;
        if here || claim.is_some_and(|claim| self.find(claim).is_some()) {
            self.change_claim(claim, index, change);
        }
    }

    fn checked(
        &mut self,
        view: &DebateViewpoint<'_, '_>,
        check: VerifierCheck,
        holds: bool,
        index: usize,
    ) {
        let instance = view.facts.instance;
        let is_derived = match check {
            VerifierCheck::Step { step, .. } => {
                let narrator = view.narrator(FormulaCharacterSet::Unicode);
                !narrator.step_asks_oracle(step)
            }
            _ => false,
        };
        let claim = match check {
            // The verifier's own steps are not claims of the problem.
            VerifierCheck::Step { verifier: true, .. } => return,
            VerifierCheck::Step { step, .. } => step_claim(view, step, false),
            VerifierCheck::Estimate { step } => {
                let process = instance.random_computation();
                process.map(|process| instance.claim_with_key(process.step_claim(step)))
            }
            _ => None,
        };
        // If one of several checks of a claim fails, the failure counts.
        self.change_claim(claim, index, |node| {
            node.checked = Some(node.checked.unwrap_or(true) && holds);
            node.is_derived |= is_derived;
        });
    }

    /// Records that the log entry with this index is the latest one about the claim under discussion.
    fn touch(&mut self, index: usize) {
        self.change(self.here, index, |_| {});
    }

    /// Returns the tree position of the claim that the pending request is about. A request with a subclaim's index is
    /// about that subclaim.
    fn place_asked(&self, view: &DebateViewpoint<'_, '_>) -> (usize, usize) {
        let Some(turn) = view.state.request() else {
            return self.here;
        };
        let last = self.last();
        if let Some(place) = turn.request.index_among_siblings() {
            return (last, place as usize);
        }
        let draws = turn.seat == Seat::Chance && last > 0;
        let nodes = draws.then(|| self.levels.last()).flatten();
        let tossed = |node: &Node| {
            Some(node.claim) == turn.request.claim_of_request() && node.coin.is_none()
        };
        let index = nodes.and_then(|level| level.nodes.iter().position(tossed));
        index.map_or(self.here, |index| (last, index))
    }
}

/// Returns the claim that a step of the problem's computation writes 1. `None` for the verifier's own steps, and if the
/// problem has no computation.
fn step_claim(view: &DebateViewpoint<'_, '_>, step: u64, verifier: bool) -> Option<ClaimId> {
    let instance = view.facts.instance;
    let computation = instance.computation().filter(|_| !verifier)?;
    Some(instance.claim_with_key(computation.claim(step)))
}

/// Shortens a text to at most [`MAX_BITS_COLUMNS`] characters.
fn shortened(text: &str) -> String {
    if text.chars().count() <= MAX_BITS_COLUMNS {
        return text.to_owned();
    }
    text.chars()
        .take(MAX_BITS_COLUMNS - 1)
        .chain(['…'])
        .collect()
}
