//! Free speeches about an open question, as in Michael et al. 2023, "Debate helps supervise unreliable experts"
//! (arXiv:2311.08702): debate between two debaters, or consultancy with only one.
//!
//! Requests in order: Judge [`Request::Probability`] of the first answer and, with `judge_feedback`, Judge
//! [`Request::Speech`]. Then in each round: Prover [`Request::Speech`], for the first answer; Opponent
//! [`Request::Speech`], for the second, sealed with the prover's until both are in if the round is simultaneous; Judge
//! [`Request::Probability`], [`Request::Speech`] and, but in the last round, [`Request::Continue`]. With `judged:
//! EachRound` the judge is not asked before the first round, with `judged: AtEnd` only after the last round.
//!
//! Quotes are words of the source. [`SpeechParameters::quotes`] decides about a quote that does not match: by default
//! it is replaced by the matching words, or becomes the speaker's own words with a remark. Under `Strict` the speech is
//! illegal.
//!
//! Payoff to the prover: p − ½, where p is the judge's last probability of the prover's answer. The judge's own score,
//! [`JudgeScoring::judge_score`], is computed outside the debate.

mod parameters;
pub use parameters::{AnswerSide, JudgeProbabilityTimes, JudgeScoring, SpeechParameters};

use super::event::{Event, EventSink, Log, ReplySeal, Round};
use super::request::{self, IllegalReply, PendingTurn, Reply, Request};
use super::reward::Reward;
use super::{PaymentsAndResourceCosts, ProtocolError, Rules, Seat, View};
use crate::number::Number;
use crate::scenario::{Instance, Speech, TwoAnswerQuestion};

/// Maximum number of rounds of a debate in free speeches.
pub const MAX_ROUNDS: u32 = 1000;

/// The request that comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// A debater's speech.
    Speech(Seat),
    /// The judge's probability of the first answer.
    Probability,
    /// The judge's words.
    Feedback,
    /// Another round, or the end.
    Continue,
    Over,
}

/// The state of a debate in free speeches.
#[derive(Clone, Debug)]
pub struct SpeechDebate<'a, N> {
    instance: &'a Instance,
    question: &'a TwoAnswerQuestion,
    parameters: SpeechParameters,
    stage: Stage,
    /// The number of the current round, from 1; 0 before the first round.
    round: u32,
    /// The judge's most recent probability of the first answer.
    p: Option<N>,
    /// For each of the two answers: the total number of characters that its debater has quoted from the source so far.
    quoted: [u64; 2],
    /// For each of the two answers: the latest quote from the source by the debater who argues for it; `None` before
    /// the first quote.
    last_quotes: [Option<String>; 2],
    /// The judge's message to the debaters after the previous round.
    feedback: Speech,
    account: PaymentsAndResourceCosts<N>,
}

impl<'a, N: Number> SpeechDebate<'a, N> {
    /// Starts a debate in free speeches about an open question, before the first reply.
    ///
    /// # Errors
    /// Returns an error if the instance is not an open question.
    pub fn new(
        instance: &'a Instance,
        parameters: &SpeechParameters,
    ) -> Result<Self, ProtocolError> {
        let Some(question) = instance.as_two_answer_question() else {
            return Err(ProtocolError::Text(
                "free speeches need an open question with two answers".to_owned(),
            ));
        };
        let mut debate = Self {
            instance,
            question,
            parameters: parameters.clone(),
            stage: Stage::Probability,
            round: 0,
            p: None,
            quoted: [0; 2],
            last_quotes: [None, None],
            feedback: Speech::default(),
            account: PaymentsAndResourceCosts::new(true),
        };
        if parameters.judged != JudgeProbabilityTimes::FromStart {
            debate.begin_round();
        }
        Ok(debate)
    }

    /// Returns the parameters.
    pub fn parameters(&self) -> &SpeechParameters {
        &self.parameters
    }

    /// Returns the number of the current round, from 1; 0 before the first round.
    pub fn current_round(&self) -> u32 {
        self.round
    }

    /// Returns the judge's most recent probability of the first answer.
    pub fn last_judge_probability(&self) -> Option<&N> {
        self.p.as_ref()
    }

    /// True if the rules allow no round after the current one. Stays true after the end of the last round.
    pub fn is_last_round(&self) -> bool {
        self.round >= self.parameters.max_rounds()
    }

    /// True if the rules now ask the judge for a message although the last round is over. No debater reads this
    /// message.
    pub fn asks_for_words_after_last_round(&self) -> bool {
        self.stage == Stage::Feedback && self.is_last_round()
    }

    fn spoken(
        &mut self,
        seat: Seat,
        speech: Speech,
        sink: &mut dyn EventSink<N>,
    ) -> Result<(), IllegalReply> {
        let limits = self.parameters.speech_limits_of_seat(seat);
        let accepted = speech.with_checked_quotes(
            self.question.source(),
            &limits,
            self.parameters.quote_rule(),
        );
        let speech = accepted.map_err(IllegalReply::Speech)?;
        self.account.count_reply(seat);
        let round = self.round;
        let side = self.parameters.answer_argued_by_seat(seat).map(usize::from);
        if let Some(quoted) = side.and_then(|side| self.quoted.get_mut(side)) {
            *quoted += speech.quoted_char_count() as u64;
        }
        if let (Some(side), Some(quote)) = (side, speech.quotes().last())
            && let Some(last) = self.last_quotes.get_mut(side)
        {
            *last = Some(quote.to_owned());
        }
        if seat == Seat::Judge {
            self.feedback = speech.clone();
        }
        if seat == Seat::Prover {
            sink.log_round_start(round, self.instance.root());
        }
        let sealed = seat != Seat::Judge && self.parameters.is_sealed_round(round);
        let seal = sealed.then_some(ReplySeal::Speech(round));
        sink.note_with(seat, seal, || Event::Spoke { round, speech });
        if seat == Seat::Judge {
            self.decide(sink);
        } else if seat == Seat::Prover && self.parameters.consultant.is_none() {
            self.stage = Stage::Speech(Seat::Opponent);
        } else {
            if sealed {
                sink.record_unsealed_event(Seat::Chance, || {
                    Event::Opened(ReplySeal::Speech(round))
                });
            }
            let more = round < self.parameters.max_rounds();
            let unjudged = self.parameters.unjudged.contains(&round);
            if (unjudged || self.parameters.judged == JudgeProbabilityTimes::AtEnd) && more {
                self.feedback = Speech::default();
                self.begin_round();
            } else {
                self.stage = Stage::Probability;
            }
        }
        Ok(())
    }

    /// Moves to the next stage after the judge's replies of a round. The last round is followed by the end, and the
    /// judge's replies before round 1 by this round. After any other round, the judge decides whether to continue.
    fn decide(&mut self, sink: &mut dyn EventSink<N>) {
        if self.round >= self.parameters.max_rounds() {
            self.end(sink);
        } else if self.round == 0 {
            self.begin_round();
        } else {
            self.stage = Stage::Continue;
        }
    }

    fn begin_round(&mut self) {
        self.round += 1;
        self.stage = Stage::Speech(Seat::Prover);
    }

    fn end(&mut self, sink: &mut dyn EventSink<N>) {
        self.stage = Stage::Over;
        let first = self.p.clone().unwrap_or_else(|| N::ratio(1, 2));
        let p = match self.parameters.consultant {
            Some(AnswerSide::Second) => N::one() - first,
            _ => first,
        };
        self.account.pay_and_end(Reward::Persuaded { p }, sink);
    }
}

impl<N: Number> Rules<N> for SpeechDebate<'_, N> {
    fn request(&self) -> Option<PendingTurn<N>> {
        let claim = self.instance.root();
        let speech = |seat| Request::Speech {
            argues_for: self.parameters.answer_argued_by_seat(seat),
            limits: self.parameters.speech_limits_of_seat(seat),
        };
        let (seat, request) = match self.stage {
            Stage::Over => return None,
            Stage::Speech(seat) => (seat, speech(seat)),
            Stage::Feedback => (Seat::Judge, speech(Seat::Judge)),
            Stage::Probability => {
                let (place, alone) = (None, false);
                let request = Request::Probability {
                    claim,
                    place,
                    alone,
                };
                (Seat::Judge, request)
            }
            Stage::Continue => {
                let round = self.round + 1;
                (Seat::Judge, Request::Continue { round })
            }
        };
        Some(PendingTurn { seat, request })
    }

    fn reply(&mut self, reply: Reply<N>, sink: &mut dyn EventSink<N>) -> Result<(), IllegalReply> {
        match (self.stage, reply) {
            (Stage::Speech(seat), Reply::Speech(speech)) => self.spoken(seat, *speech, sink),
            (Stage::Feedback, Reply::Speech(speech)) => self.spoken(Seat::Judge, *speech, sink),
            (Stage::Probability, Reply::Probability(p)) => {
                let p = request::check_probability(p)?;
                self.account.count_reply(Seat::Judge);
                sink.log_estimate(Seat::Judge, self.instance.root(), None, &p);
                self.p = Some(p);
                if self.parameters.judge_feedback {
                    self.stage = Stage::Feedback;
                } else {
                    self.decide(sink);
                }
                Ok(())
            }
            (Stage::Continue, Reply::Continue(continues)) => {
                self.account.count_reply(Seat::Judge);
                sink.record_unsealed_event(Seat::Judge, || Event::Continued { continues });
                if continues {
                    self.begin_round();
                } else {
                    self.end(sink);
                }
                Ok(())
            }
            (_, reply) => Err(IllegalReply::kind(self.request(), &reply)),
        }
    }

    fn account(&self) -> &PaymentsAndResourceCosts<N> {
        &self.account
    }

    fn schedule(&self) -> Vec<(Round, N)> {
        vec![(Round::Number(0), N::ratio(1, 2))]
    }

    fn round(&self) -> Option<Round> {
        (self.stage != Stage::Over).then_some(Round::Number(0))
    }

    /// Returns true if the prover argues for the first answer, as the parameters determine.
    fn answer(&self) -> Option<bool> {
        Some(self.parameters.answer_argued_by_seat(Seat::Prover) == Some(0))
    }

    /// Returns true if the judge finally considers the first answer more likely, false if the second. `None` before the
    /// end, or if both are equally likely.
    fn finding(&self) -> Option<bool> {
        let p = self.p.as_ref().filter(|_| self.stage == Stage::Over)?;
        let half = N::ratio(1, 2);
        (*p != half).then(|| *p > half)
    }
}

impl<'a, N: Number> View<'_, SpeechDebate<'a, N>> {
    /// Returns the question. Only debaters may read its source; a built-in judge must not use it.
    pub fn question(&self) -> &'a TwoAnswerQuestion {
        self.rules.question
    }

    /// Returns the number of the current round, from 1; 0 before the first round.
    pub fn round(&self) -> u32 {
        self.rules.round
    }

    /// Returns the judge's message after the previous round; empty if there is none. Messages of the judge are never
    /// sealed.
    pub fn judge_feedback(&self) -> &Speech {
        &self.rules.feedback
    }

    /// Returns the most recent quote of the debater in this seat.
    pub fn own_last_quote(&self) -> Option<&str> {
        let side = self.rules.parameters.answer_argued_by_seat(self.seat)?;
        self.rules.last_quotes.get(usize::from(side))?.as_deref()
    }

    /// Returns the number of characters quoted so far for the first answer and for the second. Only call this when no
    /// speech is sealed, for example when the judge must reply.
    pub fn quoted_lengths_by_answer(&self) -> [u64; 2] {
        self.rules.quoted
    }
}

/// Returns the judge's probabilities of the first answer so far, each with the number of the round after which the
/// judge gave it. 0 is the time before the first round.
pub fn judge_probabilities_by_round<N: Clone>(log: &Log<N>) -> Vec<(u32, N)> {
    let mut round = 0;
    let mut beliefs = Vec::new();
    for entry in log.entries() {
        match &entry.event {
            Event::Entered { round: entered, .. } => round = *entered,
            Event::Estimated { p, .. } if entry.seat == Seat::Judge => {
                beliefs.push((round, p.clone()));
            }
            _ => {}
        }
    }
    beliefs
}

/// Returns the number of rounds that the judge has heard or is hearing.
pub fn rounds_heard_by_judge<N>(log: &Log<N>) -> u32 {
    let rounds = log
        .entries()
        .iter()
        .filter_map(|entry| entry.event.round_started_by_event());
    rounds.max().unwrap_or(0)
}
