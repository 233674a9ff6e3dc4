//! Events in words.
//!
//! The rules produce no text: sentences are made here, when they are displayed. The plain mode, the screen and the
//! exports all use these sentences, so their wording agrees. A [`ViewerPerspective`] sets the addressee: the viewer's
//! seat is called "you".

use std::ops::Range;

use super::{
    DebateViewpoint, FormulaCharacterSet, PayoffFormatter, SignCharacters, TextRole,
    ViewerPerspective, with_thousands_separators, yes_no_word,
};
use debate_core::number::{Exact, Number, format_percent, format_rounded};
use debate_core::observe::ObservedLogEntry;
use debate_core::protocol::{
    Bet, Event, Log, LogEntry, LogViewerRole, ReplySeal, Round, Seat, VerifierCheck,
};
use debate_core::scenario::{ClaimId, Instance, Speech, SpeechPart};
use num_traits::Zero;

/// Minimum number of sentences that are summarized; fewer can be read in the transcript.
const FEW: usize = 4;
/// The smallest limit for the number of characters of a claim's text in a short line.
pub(super) const BRIEF: usize = 24;
/// Maximum number of claims that a summary names.
const NAMED: usize = 3;

/// A narrator: it describes the events of a debate in sentences. Its fields set the style of formulas and payoffs.
#[derive(Clone, Copy, Debug)]
pub struct DebateNarrator<'a> {
    /// The debated instance, which contains the texts of the claims.
    pub instance: &'a Instance,
    /// The signs used in formulas.
    pub script: FormulaCharacterSet,
    /// The perspective: the seat that the text addresses as "you".
    pub perspective: ViewerPerspective,
    /// The formatter that writes payoffs in points. `None` to write payoffs in the unit of the rules and files.
    pub points: Option<&'a PayoffFormatter>,
    /// True if the text shows estimates, coins, bets and rewards.
    pub figures: bool,
}

/// A sentence about an event, with the seat that acts in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NarratedEvent {
    /// `None` if the rules act.
    pub who: Option<Seat>,
    pub text: String,
    /// The style of the sentence: a heading at the start of a round and at the end of the debate, faint for a sealed
    /// reply.
    pub role: TextRole,
}

/// Shortens a text to at most `limit` characters: replaces its middle by the ellipsis. A word that would be cut is left
/// out, unless more than half of the text before (or after) the ellipsis would be lost with it.
fn cut(text: &str, limit: usize, ellipsis: &str) -> String {
    let mut signs: Vec<char> = text.chars().collect();
    if signs.len() <= limit {
        return text.to_owned();
    }
    let head = whole_words(&signs, limit / 2);
    let head: String = signs.iter().take(head).collect();
    signs.reverse();
    let tail = whole_words(&signs, (limit / 2).saturating_sub(1));
    let tail: String = signs.iter().take(tail).rev().collect();
    format!("{}{ellipsis}{}", head.trim_end(), tail.trim_start())
}

/// Returns the length of the first `count` characters without the word at their end, if it is cut there. The cut word
/// stays if more than half of the characters would be lost with it.
fn whole_words(signs: &[char], count: usize) -> usize {
    let is_space = |sign: &char| sign.is_whitespace();
    if signs.get(count).is_none_or(is_space) {
        return count;
    }
    let inside = signs.iter().take(count).rev();
    let inside = inside.take_while(|sign| !is_space(sign)).count();
    if 2 * inside <= count {
        count - inside
    } else {
        count
    }
}

/// Formats a probability as a percentage.
pub(super) fn in_percent<N: Number>(p: &N) -> String {
    format_percent(p.to_float())
}

/// True if the log entry before this one is a challenge.
fn follows_challenge(log: &Log<Exact>, index: usize) -> bool {
    let before = index
        .checked_sub(1)
        .and_then(|index| log.entries().get(index));
    before.is_some_and(|entry| matches!(entry.event, Event::Challenged { .. }))
}

/// True if the debate ends after this log entry without another reply.
fn ends_the_debate(log: &Log<Exact>, index: usize) -> bool {
    let later = log.entries().get(index + 1..).unwrap_or_default();
    let mut events = later.iter().map(|entry| &entry.event);
    let next = events.find(|event| !matches!(event, Event::Opened(_) | Event::Rewarded(_)));
    next.is_some_and(Event::is_debate_end)
}

impl<'a> DebateNarrator<'a> {
    /// Creates a narrator that addresses no seat as "you".
    pub fn new(instance: &'a Instance, script: FormulaCharacterSet) -> Self {
        Self {
            instance,
            script,
            perspective: ViewerPerspective::NEUTRAL,
            points: None,
            figures: true,
        }
    }

    /// Sets the perspective.
    #[must_use]
    pub fn seen_from(self, perspective: ViewerPerspective) -> Self {
        Self {
            perspective,
            ..self
        }
    }

    pub(super) fn quoted_claim(&self, claim: ClaimId) -> String {
        self.in_quotes_of_script(&self.instance.text(claim))
    }

    /// Returns a short text of a claim in quotation marks, which keep "none of 2–17" apart from the sentence around it.
    pub fn short_claim(&self, claim: ClaimId) -> String {
        self.in_quotes_of_script(&self.instance.short_text(claim))
    }

    pub(super) fn in_quotes_of_script(&self, text: &str) -> String {
        match self.script {
            FormulaCharacterSet::Unicode => format!("“{text}”"),
            FormulaCharacterSet::Ascii => format!("\"{text}\""),
        }
    }

    /// Returns `true` or `false` for the truth of a claim.
    pub fn truth_word(holds: bool) -> &'static str {
        if holds { "true" } else { "false" }
    }

    /// Returns a clause about a coin that decides a claim, with its probability of yes.
    pub fn coin_probability_clause(probability: &Exact) -> String {
        format!(
            "a coin says yes with probability {probability}",
            probability = in_percent(probability)
        )
    }

    /// Returns a sentence about a log entry, as `reader` observes it.
    ///
    /// `None` if the reader sees no event or the entry has no sentence.
    pub fn narrate(
        &self,
        log: &Log<Exact>,
        index: usize,
        reader: impl Into<LogViewerRole>,
    ) -> Option<NarratedEvent> {
        match log.observation_at(index, reader)? {
            ObservedLogEntry::Sealed {
                seal: ReplySeal::Bet(_),
                ..
            } if !self.figures => None,
            ObservedLogEntry::Open(entry)
                if !self.figures && entry.event.is_estimate_coin_bet_or_payment_event() =>
            {
                None
            }
            ObservedLogEntry::Sealed { seat, seal } => Some(NarratedEvent {
                who: Some(seat),
                text: self.sealed(seat, seal),
                role: TextRole::Faint,
            }),
            ObservedLogEntry::Open(entry) => {
                let (who, text) = self.event(log, index, entry)?;
                let heads = matches!(entry.event, Event::Entered { .. } | Event::Ended { .. });
                let role = if heads {
                    TextRole::Title
                } else {
                    TextRole::Text
                };
                Some(NarratedEvent { who, text, role })
            }
        }
    }

    /// Describes a log entry in a line of at most `room` characters if possible, with its speaker and without formulas.
    /// A claim is cut only if the line would be too long; its limit is then at least 24 characters. `None` if the entry
    /// has no sentence.
    pub fn one_line_sentence(
        &self,
        log: &Log<Exact>,
        index: usize,
        reader: LogViewerRole,
        room: usize,
    ) -> Option<(TextRole, String)> {
        let length = |text: &str| text.chars().count();
        let (role, cut) = self.short_sentence(log, index, reader, BRIEF)?;
        let free = room.saturating_sub(length(&cut));
        if free == 0 {
            return Some((role, cut));
        }
        // Such a line names one claim.
        let (_, longer) = self.short_sentence(log, index, reader, BRIEF + free)?;
        let fits = length(&longer) <= room;
        Some((role, if fits { longer } else { cut }))
    }

    /// Describes a log entry briefly, without formulas. In most kinds of entries, claims have at most `limit`
    /// characters. Speeches and lists of answers keep their lines and their whole texts. `None` if the entry has no
    /// sentence.
    #[expect(clippy::too_many_lines, reason = "one arm a kind")]
    pub fn short_sentence(
        &self,
        log: &Log<Exact>,
        index: usize,
        reader: impl Into<LogViewerRole>,
        limit: usize,
    ) -> Option<(TextRole, String)> {
        let reader = reader.into();
        let long = self.narrate(log, index, reader)?;
        let name = |seat| self.perspective.player_name_or_you(seat);
        let entry = match log.observation_at(index, reader)? {
            ObservedLogEntry::Open(entry) => entry,
            ObservedLogEntry::Sealed { seat, seal } => {
                let (third, second) = match seal {
                    ReplySeal::Answer => ("answers", "answer"),
                    ReplySeal::Bet(_) => ("bets", "bet"),
                    ReplySeal::Share(_) => ("adds", "add"),
                    ReplySeal::Speech(_) => ("speaks", "speak"),
                };
                let verb = self.perspective.verb_form(seat, third, second);
                return Some((long.role, format!("{} {verb} (sealed)", name(seat))));
            }
        };
        let signs = SignCharacters::symbols_for_character_set(self.script);
        let who = name(entry.seat);
        let short = |claim: &ClaimId| {
            let full = self.instance.text(*claim);
            if full.chars().count() <= limit {
                return full;
            }
            cut(&self.instance.short_text(*claim), limit, signs.ellipsis)
        };
        // No full stop before the colon.
        let before_colon = |claim: &ClaimId| {
            let mut text = short(claim);
            if text.ends_with('.') {
                text.pop();
            }
            text
        };
        let text = match &entry.event {
            Event::Entered { round, .. } if self.instance.as_two_answer_question().is_none() => {
                let ordinal = Round::round_ordinal(*round, log.first_round().unwrap_or(*round));
                match skipped_rounds(log, index, *round) {
                    Some(skipped) => format!("Round {ordinal} (no subclaims; {skipped})"),
                    None => format!("Round {ordinal}"),
                }
            }
            Event::Answered { answer, .. } | Event::Judged { answer, .. } => {
                format!("{who}: {}", yes_no_word(*answer))
            }
            // The coin that follows this estimate names the claim.
            Event::Estimated { p, .. } if self.instance.as_two_answer_question().is_none() => {
                format!("{who}: {}", in_percent(p))
            }
            Event::Parts { claim, on } if on.len() > 1 && on.last() != Some(claim) => {
                format!("The claim is divided into {count} parts", count = on.len())
            }
            Event::Tossed { claim, value, .. } => {
                let (coin, claim) = (signs.coin, before_colon(claim));
                format!("{coin} {claim}: {}", yes_no_word(*value))
            }
            Event::BetPlaced { bet, .. } => {
                let bets = self.perspective.verb_form(entry.seat, "bets", "bet");
                format!(
                    "{who} {bets} {} {}",
                    signs.bet_sign(*bet),
                    bet.bet_in_words()
                )
            }
            Event::Gated { claim, holds } => {
                let (coin, claim) = (signs.coin, before_colon(claim));
                format!("all {coin} {claim}: {}", yes_no_word(*holds))
            }
            Event::Selected { by, chosen, .. } => {
                let claim = short(chosen);
                if *by == Seat::Opponent {
                    // Without the quotation marks, "contests none of 2–17" would mean the opposite.
                    let contests = self.perspective.verb_form(*by, "contests", "contest");
                    format!("{who} {contests} {}", self.in_quotes_of_script(&claim))
                } else {
                    let continues = self.perspective.verb_form(*by, "continues", "continue");
                    format!("{who} {continues}: {claim}")
                }
            }
            Event::Supported { claim, support } => {
                let part_count = self.instance.support(*claim, *support)?.on.len();
                let splits = self.perspective.verb_form(entry.seat, "splits", "split");
                let only_choice_remark = self.only_support_remark(*claim, entry.seat);
                format!("{who} {splits} it into {part_count}{only_choice_remark}")
            }
            Event::Claimed { answers, .. } => {
                let answers = answers.as_slice().iter().map(|answer| yes_no_word(*answer));
                format!("{who}: {}", answers.collect::<Vec<_>>().join(", "))
            }
            Event::Opened(ReplySeal::Bet(_)) => {
                let mut before = log.entries().get(..index)?.iter().rev();
                let bet = before.find_map(|entry| entry.event.round_and_bet());
                let alice = name(Seat::Prover);
                bet.map_or(long.text, |(_, bet)| {
                    format!(
                        "{alice} had bet {bet_sign} {bet}",
                        bet_sign = signs.bet_sign(bet),
                        bet = bet.bet_in_words()
                    )
                })
            }
            Event::Opened(ReplySeal::Answer) => {
                let mut before = log.entries().get(..index)?.iter().rev();
                let answer = before.find_map(|entry| entry.event.prover_root_answer());
                let alice = name(Seat::Prover);
                answer.map_or(long.text, |answer| {
                    format!("{alice} had said {}", yes_no_word(answer))
                })
            }
            Event::Rewarded(reward) => {
                let plain = PayoffFormatter::formatter_with_three_digits(self.perspective);
                let amounts = self.points.unwrap_or(&plain);
                let value = reward.payment_to_prover();
                let to = amounts.word_for_payoff_recipient();
                let role = TextRole::role_of_payoff_sign(&self.perspective.value(value.clone()));
                return Some((role, format!("{} to {to}", amounts.signed_payment(&value))));
            }
            Event::GaveBit { .. }
            | Event::Entered { .. }
            | Event::Estimated { .. }
            | Event::Spoke { .. }
            | Event::Continued { .. }
            | Event::Opened(_)
            | Event::Parts { .. }
            | Event::Gave { .. }
            | Event::Shared { .. }
            | Event::Challenged { .. }
            | Event::Read { .. }
            | Event::Sampled { .. }
            | Event::Checked { .. }
            | Event::Ended { .. } => match long.who {
                Some(seat) => format!("{} {}", name(seat), long.text),
                None => long.text,
            },
        };
        Some((long.role, text))
    }

    fn sealed(&self, seat: Seat, seal: ReplySeal) -> String {
        let does = |third, second| self.perspective.verb_form(seat, third, second);
        let (verb, rest) = match seal {
            ReplySeal::Answer => (
                does("answers", "answer"),
                " (sealed until the claim's coin is thrown)",
            ),
            ReplySeal::Bet(_) => (does("bets", "bet"), " (sealed until this round's reward)"),
            ReplySeal::Share(_) => (
                does("gives", "give"),
                " a number (sealed until both sides have given one)",
            ),
            ReplySeal::Speech(_) => (does("speaks", "speak"), " (sealed until both have spoken)"),
        };
        format!("{verb}{rest}")
    }

    /// True if a claim is a leaf of a decomposition into claims.
    fn is_leaf(&self, claim: ClaimId) -> bool {
        self.instance.decomposition().can_split_root() && self.instance.is_leaf(claim)
    }

    /// Returns the seat that acts in an event, and the event in words without the seat's name. The seat is `None` if
    /// the rules act.
    #[expect(clippy::too_many_lines, reason = "one arm a kind")]
    fn event(
        &self,
        log: &Log<Exact>,
        index: usize,
        entry: &LogEntry<Exact>,
    ) -> Option<(Option<Seat>, String)> {
        let seat = entry.seat;
        let does = |third, second| self.perspective.verb_form(seat, third, second);
        let rules = |text: String| Some((None, text));
        let acts = |text: String| Some((Some(seat), text));
        match &entry.event {
            Event::Entered { round, claim, p } => {
                rules(self.entered(log, index, *round, *claim, p.as_ref()))
            }
            Event::Answered { claim, answer } => {
                let (claim, answer) = (self.quoted_claim(*claim), Self::truth_word(*answer));
                acts(format!(
                    "{says} that {claim} is {true_or_false}",
                    true_or_false = answer,
                    says = does("says", "say")
                ))
            }
            // No debater can read the judge's last words, so the judge is not asked for them.
            Event::Spoke { speech, .. }
                if seat == Seat::Judge && speech.is_empty() && ends_the_debate(log, index) =>
            {
                None
            }
            Event::Spoke { speech, .. } => acts(self.speech(seat, speech)),
            Event::Continued { continues } => acts(if *continues {
                format!(
                    "{wants_or_want} to hear another round",
                    wants_or_want = does("wants", "want")
                )
            } else {
                format!("{} the debate", does("ends", "end"))
            }),
            Event::Estimated { p, .. } if self.instance.as_two_answer_question().is_some() => {
                acts(self.likely(seat, p))
            }
            Event::Estimated {
                claim,
                place,
                alone,
                p,
            } => {
                let own = if *alone { " on its own" } else { "" };
                let claim = match place {
                    None => self.quoted_claim(*claim),
                    Some(_) => self.short_claim(*claim) + own,
                };
                let holds = does("estimates", "estimate");
                acts(format!("{holds} {claim} at {}", in_percent(p)))
            }
            Event::Tossed { claim, value, .. } => acts(format!(
                "for {}: {}",
                self.short_claim(*claim),
                yes_no_word(*value)
            )),
            Event::BetPlaced { bet, .. } => {
                let bets_or_bet = does("bets", "bet");
                acts(match bet {
                    Bet::AboutRight => format!("{bets_or_bet} that the estimate is about right"),
                    bet => format!(
                        "{bets_or_bet} that the estimate is {too_low_or_too_high}",
                        too_low_or_too_high = bet.bet_in_words()
                    ),
                })
            }
            Event::Supported { claim, support } => {
                let only = self.only_support_remark(*claim, seat);
                let label = self.instance.support_label(*claim, *support as usize);
                let by = label.map_or_else(String::new, |label| format!(" by “{label}”"));
                acts(format!(
                    "{} it{by}, {subclaims}{only}",
                    does("splits", "split"),
                    subclaims = self.gate_and_subclaims_text(*claim, *support)
                ))
            }
            Event::Claimed {
                claim,
                support,
                answers,
            } => {
                let on = &self.instance.support(*claim, *support)?.on;
                let each = on.iter().zip(answers.as_slice()).map(|(part, answer)| {
                    format!(
                        "{} is {}",
                        self.short_claim(*part),
                        Self::truth_word(*answer)
                    )
                });
                let answers = each.collect::<Vec<_>>().join("; ");
                acts(format!("{}: {answers}", does("claims", "claim")))
            }
            Event::Gated { claim, holds } => {
                let (claim, yes_or_no) = (self.short_claim(*claim), yes_no_word(*holds));
                rules(format!("Together, the coins give {claim}: {yes_or_no}"))
            }
            // With a single part there is no choice to narrate, except to the player for whom it was made.
            Event::Selected { .. }
                if log.is_after_split_into_one_subclaim(index)
                    && !self.perspective.is_viewer_seat(seat) =>
            {
                None
            }
            Event::Selected { by, chosen, .. } => {
                let verb = match by {
                    Seat::Opponent => does("contests", "contest"),
                    _ => does("continues with", "continue with"),
                };
                let only = only_choice(log.is_after_split_into_one_subclaim(index));
                acts(format!("{verb} {}{only}", self.short_claim(*chosen)))
            }
            Event::GaveBit { bit, value } => {
                let (bit_name, bit_value) = (self.instance.proof_bit_name(*bit), u8::from(*value));
                let gives_or_give = does("gives", "give");
                acts(format!(
                    "{gives_or_give} proof bit {bit_name} = {bit_value}"
                ))
            }
            Event::Judged {
                claim,
                answer,
                confidence,
            } => {
                let confidence_note = confidence.as_ref().map_or_else(String::new, |p| {
                    format!(
                        " ({probability} likely to be true)",
                        probability = in_percent(p)
                    )
                });
                let (claim, true_or_false) = (self.quoted_claim(*claim), Self::truth_word(*answer));
                let says_or_say = does("says", "say");
                acts(format!(
                    "{says_or_say} that {claim} is {true_or_false}{confidence_note}"
                ))
            }
            Event::Opened(seal) => match seal {
                ReplySeal::Share(_) => rules(Self::added_up(log, index, *seal)?),
                ReplySeal::Speech(_) => rules("Both have spoken".to_owned()),
                ReplySeal::Answer | ReplySeal::Bet(_) => {
                    Some((Some(Seat::Prover), Self::opened(log, index, *seal)?))
                }
            },
            Event::Rewarded(reward) => rules(self.reward_formula(reward)),
            Event::Ended { payoff } => {
                // Only rules with an estimate of the root pay bets.
                let sums_bets = log.root_estimate().is_some();
                let payoff_sentence = match self.points {
                    Some(points) => points.payoff_sentence_of_log(log, payoff, sums_bets),
                    None => self.perspective.payoff_sentence(payoff, sums_bets),
                };
                rules(format!("The debate is over. {payoff_sentence}"))
            }
            Event::Gave { ask, bits } => acts(self.given_bits_sentence(seat, *ask, bits)),
            Event::Shared { share, .. } => {
                let (gives_or_give, share) =
                    (does("gives", "give"), format_rounded(share.to_float(), 4));
                acts(format!("{gives_or_give} the number {share} for the coin"))
            }
            Event::Challenged { step, verifier } => {
                acts(self.challenge_sentence(log, index, seat, *step, *verifier))
            }
            // A claim whose only part is the claim itself is not narrated. A single part after a challenge is the
            // challenged step, which the sentence before names.
            Event::Parts { claim, on } if on[..] == [*claim] => None,
            Event::Parts { on, .. } if on.len() == 1 && follows_challenge(log, index) => None,
            Event::Parts { claim, on } if on.last() == Some(claim) => rules(format!(
                "There are {}",
                self.claim_count_and_names("steps", on)?
            )),
            Event::Parts { on, .. } => rules(match on[..] {
                [only] => format!(
                    "The only part of the claim is {only_part}",
                    only_part = self.short_claim(only)
                ),
                _ => format!(
                    "The claim is divided into {parts}",
                    parts = self.claim_count_and_names("parts", on)?
                ),
            }),
            Event::Read {
                source,
                value,
                verifier,
            } => rules(self.read_bit_sentence(log, index, *source, *value, *verifier)?),
            Event::Sampled { ones, count, .. } => {
                rules(Self::yes_sample_count_sentence(*ones, *count))
            }
            Event::Checked {
                check: VerifierCheck::WellFormed { .. },
                holds: true,
            } => rules(self.well_formed_configurations_sentence(log, index)?),
            Event::Checked { check, holds } => rules(self.check_sentence(log, *check, *holds)),
        }
    }

    /// Returns the predicate that reveals a sealed answer or bet, such as "had said that it is true", at the log entry
    /// at which its seal opens.
    fn opened(log: &Log<Exact>, index: usize, seal: ReplySeal) -> Option<String> {
        let sealed = |entry: &&LogEntry<Exact>| entry.seal == Some(seal);
        let entry = log.entries().get(..index)?.iter().rev().find(sealed)?;
        if let Event::Answered { answer, .. } = &entry.event {
            return Some(format!(
                "had said that it is {true_or_false}",
                true_or_false = Self::truth_word(*answer)
            ));
        }
        let Event::BetPlaced { bet, .. } = &entry.event else {
            return None;
        };
        Some(match bet {
            Bet::AboutRight => "had bet that the estimate is about right".to_owned(),
            bet => format!(
                "had bet that the estimate is {too_low_or_too_high}",
                too_low_or_too_high = bet.bet_in_words()
            ),
        })
    }

    /// Returns a sentence about a coin that both debaters threw together by one number each. It is shown when the
    /// second number is revealed, and states their sum.
    fn added_up(log: &Log<Exact>, index: usize, seal: ReplySeal) -> Option<String> {
        let before = log.entries().get(..index)?;
        if before.last().map(|entry| &entry.event) != Some(&Event::Opened(seal)) {
            return None;
        }
        let sealed = before.iter().filter(|entry| entry.seal == Some(seal));
        let shares = sealed.filter_map(|entry| {
            let Event::Shared { share, .. } = &entry.event else {
                return None;
            };
            Some(share.to_float())
        });
        let sum: f64 = shares.sum();
        let whole = format!(
            ", after subtracting {}",
            format_rounded(sum - sum.fract(), 4)
        );
        let subtraction = if sum < 1.0 { "" } else { &whole };
        let estimate = format_rounded(log.last_stated_probability()?.to_float(), 4);
        let sum = format_rounded(sum.fract(), 4);
        Some(format!(
            "The two numbers add up to {sum}{subtraction}; the coin says yes if the result is at most {estimate}"
        ))
    }

    /// Describes a support in words: its label, its gate and its subclaims.
    pub fn support_text(&self, claim: ClaimId, support: u32) -> String {
        let label = self.instance.support_label(claim, support as usize);
        let label = label.map(|label| format!("{label}, ")).unwrap_or_default();
        format!("{label}{}", self.gate_and_subclaims_text(claim, support))
    }

    /// Describes a support in words without its label: its gate and its subclaims.
    fn gate_and_subclaims_text(&self, claim: ClaimId, support: u32) -> String {
        let Some(chosen) = self.instance.support(claim, support) else {
            return String::new();
        };
        let subclaims: Vec<String> = chosen.on.iter().map(|y| self.short_claim(*y)).collect();
        let gate = chosen.gate.describe_gate_over_inputs(chosen.on.len());
        format!("{gate}: {}", subclaims.join("; "))
    }

    /// Returns the heading of a round: "Round 2 of 4: “…”, estimated at 90 %".
    fn entered(
        &self,
        log: &Log<Exact>,
        index: usize,
        k: u32,
        claim: ClaimId,
        p: Option<&Exact>,
    ) -> String {
        if self.instance.as_two_answer_question().is_some() {
            return format!("Round {k}");
        }
        let first = log.first_round().unwrap_or(k);
        let round = Round::round_ordinal(k, first);
        let rounds = Round::round_ordinal(0, first);
        let is_leaf = self.is_leaf(claim) && !log.is_last_split_outside_supports();
        let leaf_note = if is_leaf {
            ", a claim without subclaims"
        } else {
            ""
        };
        let estimate_note = p
            .filter(|_| self.figures)
            .map_or_else(String::new, |p| format!(", estimated at {}", in_percent(p)));
        let claim = self.quoted_claim(claim);
        let skipped_rounds_note = skipped_rounds(log, index, k)
            .map_or_else(String::new, |skipped| format!(" ({skipped})"));
        format!("Round {round} of {rounds}{leaf_note}{skipped_rounds_note}: {claim}{estimate_note}")
    }

    /// Returns a sentence on the rounds that were skipped before the current round, because its claim has no subclaims.
    /// `None` if no round was skipped.
    pub fn rounds_skipped_to_leaf_sentence(&self, log: &Log<Exact>) -> Option<String> {
        let entries = log.entries().iter().enumerate().rev();
        let mut starts = entries.filter_map(|(index, entry)| match &entry.event {
            Event::Entered { round, claim, .. } => Some((index, *round, *claim)),
            _ => None,
        });
        let (index, round, claim) = starts.next()?;
        let rounds_skipped = skipped_rounds(log, index, round).filter(|_| self.is_leaf(claim))?;
        Some(format!(
            "This claim has no subclaims, so the judge decides it now ({rounds_skipped})."
        ))
    }

    /// Returns the remark, after a space, that the viewer had only one support to choose from; empty if the viewer had
    /// a choice, and for other seats.
    fn only_support_remark(&self, claim: ClaimId, seat: Seat) -> &'static str {
        let has_choice = self.instance.supports(claim).len() != 1
            || self.instance.max_prover_written_subclaims(claim).is_some();
        only_choice(!has_choice && self.perspective.is_viewer_seat(seat))
    }

    /// Formats a speech as several lines. The speaker's own words are indented and quotations from the source begin
    /// with `>`, so that no own words can look like a quotation.
    fn speech(&self, seat: Seat, speech: &Speech) -> String {
        let says = self.perspective.verb_form(seat, "says", "say");
        if speech.is_empty() {
            return format!("{says} nothing");
        }
        let mut text = format!("{says}:");
        for part in &speech.parts {
            let (SpeechPart::Text(words) | SpeechPart::Quote(words)) = part;
            let lines = words.split('\n').map(str::trim);
            for line in lines.filter(|line| !line.is_empty()) {
                let line = match part {
                    SpeechPart::Text(_) => format!("\n  {line}"),
                    SpeechPart::Quote(_) => format!("\n> {}", self.in_quotes_of_script(line)),
                };
                text.push_str(&line);
            }
        }
        text
    }

    /// Returns a text with the judge's probabilities of both answers.
    fn likely(&self, seat: Seat, p: &Exact) -> String {
        let Some(question) = self.instance.as_two_answer_question() else {
            return in_percent(p);
        };
        let [first_answer, second_answer] = question
            .answers()
            .map(|answer| self.in_quotes_of_script(answer.trim()));
        let estimates_or_estimate = self.perspective.verb_form(seat, "estimates", "estimate");
        let first_probability = in_percent(p);
        let second_probability = in_percent(&(Exact::indicator(true) - p));
        format!(
            "{estimates_or_estimate} {first_answer} at {first_probability}, {second_answer} at {second_probability}"
        )
    }
}

/// Names the rounds that were skipped before the round that begins with this log entry: "round 3 is skipped". `None` if
/// none was skipped.
fn skipped_rounds(log: &Log<Exact>, index: usize, round: u32) -> Option<String> {
    let first_round = log.first_round()?;
    let mut before = log.entries().get(..index)?.iter().rev();
    let previous = before.find_map(|entry| entry.event.round_started_by_event())?;
    let first = Round::round_ordinal(previous, first_round) + 1;
    let last = Round::round_ordinal(round, first_round).checked_sub(1)?;
    match last.checked_sub(first)? {
        0 => Some(format!("round {first} is skipped")),
        1 => Some(format!("rounds {first} and {last} are skipped")),
        _ => Some(format!("rounds {first} to {last} are skipped")),
    }
}

/// Lists the numbered subclaims of this round, each with its estimate and coin, or with the prover's answer.
pub(super) fn subclaims_of_round_in_words(log: &Log<Exact>, instance: &Instance) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let parted = log.is_last_split_outside_supports();
    for entry in log
        .entries()
        .iter()
        .skip(log.last_split_entry_index().unwrap_or(0))
    {
        match &entry.event {
            Event::Parts { on, .. } => {
                let texts = (1..).zip(on).map(|(n, part)| (n, instance.text(*part)));
                lines.extend(texts.map(|(n, text)| format!("  {n}. {text}")));
            }
            Event::Estimated {
                claim,
                alone: false,
                p,
                ..
            } if !parted => {
                let n = lines.len() + 1;
                let text = instance.short_text(*claim);
                lines.push(format!("  {n}. {text}: {}", in_percent(p)));
            }
            Event::Tossed { value, .. } => {
                if let Some(line) = lines.last_mut() {
                    *line += ", the coin says ";
                    *line += yes_no_word(*value);
                }
            }
            Event::Claimed {
                claim,
                support,
                answers,
            } => {
                for (part, answer) in instance.subclaims_with_answers(*claim, *support, answers) {
                    let n = lines.len() + 1;
                    let text = instance.short_text(part);
                    let answer = DebateNarrator::truth_word(answer);
                    lines.push(format!("  {n}. {text}: claimed {answer}"));
                }
            }
            Event::Estimated { .. }
            | Event::Entered { .. }
            | Event::Answered { .. }
            | Event::BetPlaced { .. }
            | Event::Supported { .. }
            | Event::Gated { .. }
            | Event::Selected { .. }
            | Event::Gave { .. }
            | Event::Shared { .. }
            | Event::Challenged { .. }
            | Event::Read { .. }
            | Event::Sampled { .. }
            | Event::Checked { .. }
            | Event::GaveBit { .. }
            | Event::Judged { .. }
            | Event::Spoke { .. }
            | Event::Continued { .. }
            | Event::Opened(_)
            | Event::Rewarded(_)
            | Event::Ended { .. } => {}
        }
    }
    lines
}

/// Returns the remark " (the only choice)" for a reply without an alternative; empty for other replies.
fn only_choice(is_only: bool) -> &'static str {
    if is_only { " (the only choice)" } else { "" }
}

/// Summarizes a range of log entries as the reader observes them. The summary has the numbers of estimates, coins,
/// strings of bits, answers and verdicts, the selected claims, and the total payment. `None` if the entries have fewer
/// than four sentences, or if nothing in them is counted.
pub fn summary_of_entries(
    view: &DebateViewpoint<'_, '_>,
    entries: Range<usize>,
    script: FormulaCharacterSet,
) -> Option<String> {
    let narrator = view.narrator(script);
    let mut estimates = 0_u64;
    let mut coins = 0_u64;
    let mut heads = 0_u64;
    let mut strings = 0_u64;
    let mut answers = 0_u64;
    let mut verdicts = 0_u64;
    let mut sentences = 0;
    let mut way = Vec::new();
    let mut paid: Option<Exact> = None;
    for number in entries {
        sentences += usize::from(narrator.narrate(view.log, number, view.reader).is_some());
        let Some(ObservedLogEntry::Open(entry)) = view.log.observation_at(number, view.reader)
        else {
            continue;
        };
        if !narrator.figures && entry.event.is_estimate_coin_bet_or_payment_event() {
            continue;
        }
        match &entry.event {
            Event::Estimated { .. } => estimates += 1,
            Event::Tossed { value, .. } => {
                coins += 1;
                heads += u64::from(*value);
            }
            Event::Selected { chosen, .. } => way.push(narrator.short_claim(*chosen)),
            Event::Gave { .. } | Event::GaveBit { .. } => strings += 1,
            Event::Claimed { answers: given, .. } => answers += given.len() as u64,
            Event::Judged { .. } => verdicts += 1,
            Event::Rewarded(reward) => *paid.get_or_insert_default() += reward.payment_to_prover(),
            Event::Entered { .. }
            | Event::Answered { .. }
            | Event::BetPlaced { .. }
            | Event::Supported { .. }
            | Event::Gated { .. }
            | Event::Parts { .. }
            | Event::Shared { .. }
            | Event::Challenged { .. }
            | Event::Read { .. }
            | Event::Sampled { .. }
            | Event::Checked { .. }
            | Event::Spoke { .. }
            | Event::Continued { .. }
            | Event::Opened(_)
            | Event::Ended { .. } => {}
        }
    }
    if sentences < FEW {
        return None;
    }
    let counted = |count: u64, one: &str, many: &str| match count {
        0 => None,
        1 => Some(format!("one {one}")),
        count => Some(format!("{} {many}", with_thousands_separators(count))),
    };
    let coins = counted(coins, "coin", "coins").map(|coins| format!("{coins} ({heads} yes)"));
    let counts: Vec<String> = [
        counted(estimates, "estimate", "estimates"),
        coins,
        counted(strings, "string of bits", "strings of bits"),
        counted(answers, "answer to a subclaim", "answers to subclaims"),
        counted(verdicts, "answer by the judge", "answers by the judge"),
    ]
    .into_iter()
    .flatten()
    .collect();
    let left_out = way.len().saturating_sub(NAMED);
    if left_out > 0 {
        way.splice(1..=left_out, [format!("{left_out} more")]);
    }
    let way = (!way.is_empty()).then(|| {
        format!(
            "the debate continued with {claims}",
            claims = way.join(", then ")
        )
    });
    let paid = paid.map(|paid| {
        let amounts = view.payoff_formatter();
        if paid.is_zero() {
            "no payment".to_owned()
        } else {
            format!(
                "{} to {}",
                amounts.signed_for_viewer_with_unit(&paid),
                amounts.word_for_payoff_recipient()
            )
        }
    });
    let counts = (!counts.is_empty()).then(|| counts.join(", "));
    let clauses: Vec<String> = [counts, way, paid].into_iter().flatten().collect();
    (!clauses.is_empty()).then(|| format!("{}.", clauses.join("; ")))
}
