//! The report of a finished debate: the claim, the truth, the payoff and the costs. These texts reveal the truth, so
//! they are only for the end of a debate.

use debate_core::gate::Gate;
use debate_core::number::{
    Exact, Number as _, format_percent, format_rounded, format_rounded_with_sign, to_u32_saturating,
};
use debate_core::player::{SeatedDebate, player_name_without_arguments};
use debate_core::protocol::speeches::rounds_heard_by_judge;
use debate_core::protocol::{
    Bet, Log, ProtocolKind, ResourceCostsBySeat, Reward, Round, Rules as _, Seat, SpeechDebate,
    State,
};
use debate_core::scenario::{ClaimId, Instance, JudgeSees};
use debate_core::text::{count_with_noun, replace_unsafe_characters, replace_unsafe_multiline};
use num_traits::{Signed as _, Zero as _};

use super::computation::ProverAnswerCorrectnessMark;
use super::viewpoint::{debrief_with_remark, players_of_scenario};
use super::{
    DebateNarrator, DebateViewpoint, FormulaCharacterSet, Line, PayoffFormatter, RewardTable,
    TextRole, ViewerPerspective, capitalized, cost_with_kind_text, in_percent, other_debater,
    text_role_of_seat, winner_of_verdict, with_thousands_separators, yes_no_word,
};
use debate_solver::analysis::review::LastJudgeVerdict;
use debate_solver::setup::LoadedScenario;

/// Returns the report of a finished debate. `result`, if given, is a text about the winner and the margin, which
/// replaces the bare payoff.
pub fn debate_report(
    view: &DebateViewpoint<'_, '_>,
    table: &RewardTable,
    ledger: &ResourceCostsBySeat,
    result: Option<String>,
    amounts: &PayoffFormatter,
) -> Vec<Line> {
    let instance = view.facts.instance;
    let narrator = view.narrator(amounts.script);
    let root = instance.root();
    let mut lines = Vec::new();
    let by = |seat: Seat, body| {
        Line::new(
            view.perspective.player_name_or_you(seat),
            text_role_of_seat(seat),
            body,
        )
    };
    if let Some(question) = instance.as_two_answer_question() {
        lines.push(titled("Question", question.question_text()));
        lines.push(truth(view));
        if let Some(end) = spoken_end(view.state, view.log, instance, view.perspective) {
            lines.push(by(Seat::Judge, end.judge));
        }
        lines.push(payoff(view, table, result, amounts));
        lines.extend(closing(view, ledger));
        return lines;
    }
    let claim = format!("“{}”", instance.text(root));
    lines.push(titled("Claim", claim));
    lines.push(by(
        Seat::Prover,
        match (view.log.prover_root_answer(), view.state.answer()) {
            (Some(answer), _) => format!(
                "said that the claim is {true_or_false}.",
                true_or_false = DebateNarrator::truth_word(answer)
            ),
            // Some rules ask for no answer: giving the bits already claims that the root is true.
            (None, Some(true)) => "claimed that this claim is true.".to_owned(),
            (None, Some(false)) => {
                "wrote down that the claim is false, which concedes the debate.".to_owned()
            }
            (None, None) => "gave no answer.".to_owned(),
        },
    ));
    lines.push(truth(view));
    for (index, (mark, step)) in narrator
        .written_claims_in_words(view.log)
        .into_iter()
        .enumerate()
    {
        let label = if index == 0 { "Answers" } else { "" };
        let line = titled(label, step);
        lines.push(match mark {
            ProverAnswerCorrectnessMark::True => line,
            ProverAnswerCorrectnessMark::Wrong => line.append_span(TextRole::Bad, " (wrong)"),
            ProverAnswerCorrectnessMark::FollowsFromWrongStep => line.append_span(
                TextRole::Faint,
                " (this answer is false, but it follows from a wrong one)",
            ),
        });
    }
    if let Some(bob) = estimates(view) {
        lines.push(by(Seat::Opponent, bob));
    }
    if let Some(judged) = judged(view, "") {
        lines.push(by(Seat::Judge, judged));
    }
    lines.push(payoff(view, table, result, amounts));
    let lesson = debate_moral(view.log, view.facts.kind);
    lines.push(Line::unlabelled(
        TextRole::Faint,
        amounts.script.spell_greek_letters(&lesson),
    ));
    let is_sum_of_bets = sums_bets(view);
    if is_sum_of_bets {
        let in_points_or_as_payoffs = amounts.unit.unit_title_suffix();
        let text = format!("In the order of play, {in_points_or_as_payoffs}. {PRODUCT}");
        lines.push(Line::new("Rewards", TextRole::Title, text));
    }
    let amounts = amounts.clone().with_digits_matching_log_payments(view.log);
    for reward in view.log.paid_rewards() {
        let product = match reward {
            Reward::Decided { .. } => continue,
            reward => narrator.reward_with_named_factors(reward, &amounts),
        };
        let label = if is_sum_of_bets {
            format!("  {}", table.round_name(reward.round_of_reward()))
        } else {
            format!("  {}", table.label(reward.round_of_reward()))
        };
        lines.push(Line::new(label, TextRole::Faint, product));
    }
    lines.extend(closing(view, ledger));
    lines
}

/// A sentence that explains the factors of the rewards, shown above the rewards of all rounds.
const PRODUCT: &str = "In the products below, yes counts 1 and no 0. The bet is 1 for too low, 0 for about right, and minus 1 for too high.";

/// Maximum width of the bar that shows a round's reward, in columns.
const BAR: usize = 8;

/// Returns a short report of a finished debate. It begins with the payoff; for a debater, with "You won" or "You lost"
/// unless the payoff is a sum of bets. Then come the parts of the payoff, and a bar for each reward, if several rounds
/// can pay. The decision, or the round with the largest effect on the payoff, and the truth of the root claim follow.
/// If the payoff is a sum of bets, the truth is the first line, except for a judge. A judge's own verdict is the first
/// line. If the payoff is a sum of bets, the last line for a debater is the evidence for the last claim. `parts` is a
/// text about the parts of the payoff, if they are known.
pub fn short_debate_report(
    view: &DebateViewpoint<'_, '_>,
    table: &RewardTable,
    amounts: &PayoffFormatter,
    parts: Option<&str>,
) -> Vec<Line> {
    let payoff = view.state.payoff();
    let parts = parts.map_or_else(String::new, |parts| format!(" {parts}"));
    let mut sentence = amounts.payoff_sentence_of_log(view.log, &payoff, sums_bets(view));
    if let Some(reason) =
        reason_for_no_payment(view).or_else(|| about_right_note(view, table, amounts))
    {
        sentence = format!("{sentence} {reason}");
    }
    let result = paid(view, Some(sentence));
    let mut lines = vec![result.append_span(TextRole::Faint, parts)];
    if table.has_several_paying_rounds() {
        lines.push(rounds(view, table, amounts));
    }
    let instance = view.facts.instance;
    // The text of a formula is no sentence.
    let root = match instance.formula() {
        Some(_) => "The formula is ".to_owned(),
        None => format!("“{}” is ", instance.short_text(instance.root())),
    };
    let truth = truth(view).plain_body_text().replacen("It is ", &root, 1);
    let own = view.perspective.is_viewer_seat(Seat::Judge);
    let decided = match spoken_end(view.state, view.log, instance, view.perspective) {
        Some(end) => format!(
            "{} {}",
            view.perspective.player_name_or_you(Seat::Judge),
            end.judge
        ),
        None => why(view, table, amounts).unwrap_or_default(),
    };
    // The decision already names the claim.
    let has_votes = view.state.root_truth_probability().is_some();
    let said = (own && instance.as_two_answer_question().is_none() && !has_votes)
        .then(|| last_answer(view, &decided))
        .flatten();
    let said = said.map_or_else(String::new, |said| format!(" You {said}"));
    if sums_bets(view) && !own {
        // The payoff does not tell a debater how the debate ended: a liar can gain.
        lines.insert(0, titled("Truth", truth.trim()));
        let moment = format!("{decided}{said}");
        if !moment.trim().is_empty() {
            lines.push(titled("Decided", moment.trim()));
        }
        lines.extend(evidence_of_last_claim(view).map(|evidence| titled("Evidence", evidence)));
    } else {
        let moment = format!("{decided}{said} {truth}");
        lines.push(titled("Decided", moment.trim()));
    }
    if own {
        // A judge has no payoff; the verdict is the judge's own result.
        let verdict = own_verdict_sentence(view.state, view.log, instance);
        let is_wrong = LastJudgeVerdict::last_verdict(view.state, view.log, instance)
            .is_some_and(|verdict| verdict.is_right == Some(false));
        // The evidence alone does not say why the answer was wrong.
        let lesson = if is_wrong && !view.facts.debrief.is_empty() {
            " The review ends with the scenario's lesson."
        } else {
            ""
        };
        if let Some(verdict) = verdict {
            lines.insert(0, titled("Verdict", format!("{verdict}{lesson}")));
        }
        let shown = if view.facts.judge_sees == JudgeSees::Figures {
            "The help explains the signs of the estimates, coins and bets."
        } else {
            "The estimates, coins and bets on this screen were hidden from you until now. The help explains their signs."
        };
        lines.extend(sums_bets(view).then(|| titled("Signs", shown)));
    }
    lines
}

/// Joins the words of a text with single spaces.
fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the evidence for the claim that the judge answered last, after the claim's text. `None` if there is none.
fn evidence_of_last_claim(view: &DebateViewpoint<'_, '_>) -> Option<String> {
    let (claim, _) = view.log.last_judge_verdict()?;
    let evidence = view.facts.instance.evidence(claim)?;
    let claim = view.facts.instance.short_text(claim);
    Some(format!("For “{claim}”: {}", on_one_line(&evidence)))
}

/// Explains why a debate paid nothing although the prover bet on a side in every round; `None` for all other debates.
fn reason_for_no_payment(view: &DebateViewpoint<'_, '_>) -> Option<String> {
    let is_unpaid = |reward: &Reward<Exact>| match reward {
        // A bet on a side pays nothing only if the estimate was 0 or 100 % and the outcome agreed with it.
        Reward::Bet { bet, .. } => *bet != Bet::AboutRight && reward.payment_to_prover().is_zero(),
        Reward::Agreement { .. } => reward.payment_to_prover().is_zero(),
        Reward::Decided { .. } | Reward::Persuaded { .. } | Reward::Verdict { .. } => false,
    };
    let mut rewards = view.log.paid_rewards().peekable();
    rewards.peek()?;
    let bobs = view.perspective.possessive(Seat::Opponent);
    rewards.all(is_unpaid).then(|| {
        format!(
            "Nothing was paid for the bets, because {bobs} numbers for the claims that were bet on were 0 or 100 %, and the outcomes of the bets agreed with them."
        )
    })
}

/// Says what the last estimate would have cost if the prover had not bet “about right” on the last claim. `None` if she
/// bet otherwise, or if the estimate agreed with the judge.
fn about_right_note(
    view: &DebateViewpoint<'_, '_>,
    table: &RewardTable,
    amounts: &PayoffFormatter,
) -> Option<String> {
    let reward = view.log.paid_rewards().last()?;
    let Reward::Bet {
        weight,
        bet: Bet::AboutRight,
        outcome,
        judged: true,
        p,
        ..
    } = reward
    else {
        return None;
    };
    let error = Exact::indicator(*outcome) - p;
    let bet = if error.is_positive() {
        Bet::TooLow
    } else {
        Bet::TooHigh
    };
    (!error.is_zero()).then(|| {
        format!(
            "In {round}, {alice} bet “about right”, so {bobs_possessive} {estimate} for the last claim cost nothing. “{better_bet}” would have cost {bob} {amount}.",
            round = table.round_name(reward.round_of_reward()),
            alice = view.perspective.player_name_or_you_in_sentence(Seat::Prover),
            bobs_possessive = view.perspective.possessive(Seat::Opponent),
            estimate = in_percent(p),
            better_bet = capitalized(bet.bet_in_words()),
            bob = view.perspective.player_name_or_you_in_sentence(Seat::Opponent),
            amount = amounts.absolute_with_unit(&(weight * error.abs())),
        )
    })
}

/// Returns a line with the reward of each round, and a bar of logarithmic length for each.
fn rounds(view: &DebateViewpoint<'_, '_>, table: &RewardTable, amounts: &PayoffFormatter) -> Line {
    let size =
        |reward: &Reward<Exact>| amounts.in_points(&reward.payment_to_prover()).abs().ln_1p();
    let most = view.log.paid_rewards().map(size).fold(0.0, f64::max);
    let full = match amounts.script {
        FormulaCharacterSet::Unicode => "█",
        FormulaCharacterSet::Ascii => "#",
    };
    let mut line = titled("Rounds", "");
    let payments: Vec<Exact> = view
        .log
        .paid_rewards()
        .map(Reward::payment_to_prover)
        .collect();
    let figures = amounts.amounts_with_sum(&payments, &view.state.payoff());
    for (reward, figure) in view.log.paid_rewards().zip(figures.parts) {
        let value = reward.payment_to_prover();
        let columns = (1..=BAR).filter(|column| {
            let share = f64::from(to_u32_saturating(*column)) - 0.5;
            most > 0.0 && share < size(reward) / most * f64::from(to_u32_saturating(BAR))
        });
        let label = match reward.round_of_reward() {
            Round::Initial => "first".to_owned(),
            round @ Round::Number(_) => table.label(round),
        };
        let figure = format!("{label}: {figure} ");
        let own = view.perspective.value(value);
        // Coins decide most of a bet's reward, and red marks inconsistent estimates, never bad luck.
        let role = if sums_bets(view) {
            TextRole::Text
        } else {
            TextRole::role_of_payoff_sign(&own)
        };
        line = line
            .append_span(TextRole::Text, figure)
            .append_span(role, full.repeat(columns.count()))
            .append_span(TextRole::Faint, "  ");
    }
    if most > 0.0 {
        line = line.append_span(TextRole::Faint, "(bars: log scale)");
    }
    line
}

/// Returns lines with the costs, the players and the scenario's closing texts.
fn closing(view: &DebateViewpoint<'_, '_>, ledger: &ResourceCostsBySeat) -> Vec<Line> {
    let mut lines = vec![titled("Spent", spent(view, ledger))];
    if let Some(players) = view.facts.revealed_players() {
        lines.push(titled("Players", format!("{players}.")));
    }
    // The short report and `outcome_lines` omit these texts.
    for (label, text) in [
        ("About", view.facts.about.clone()),
        ("Lesson", view.facts.debrief_with_remark()),
    ] {
        if !text.is_empty() {
            lines.push(titled(label, text));
        }
    }
    lines
}

fn titled(label: &str, body: impl Into<String>) -> Line {
    Line::new(label, TextRole::Title, body)
}

/// Returns the result of a debate in a few lines: the payoff, its reason, the truth and the costs.
pub fn outcome_lines(
    view: &DebateViewpoint<'_, '_>,
    table: &RewardTable,
    ledger: &ResourceCostsBySeat,
    amounts: &PayoffFormatter,
) -> Vec<Line> {
    let payoff = amounts.payoff_sentence_of_log(view.log, &view.state.payoff(), sums_bets(view));
    let mut lines = vec![paid(view, Some(payoff)), truth(view)];
    lines.extend(why(view, table, amounts).map(|why| titled("Why", why)));
    lines.push(titled("Spent", spent(view, ledger)));
    lines
}

/// Maximum number of subclaims of a claim in which the report searches for the false one.
const MAX_EXAMINED_SUBCLAIMS: usize = 64;

/// Returns the smallest part of a false root claim that contains the error. Follows the only false subclaim of each
/// claim that has a single support and needs all its subclaims. `None` if the root is not known to be false, or has no
/// such subclaim. Claims with more than [`MAX_EXAMINED_SUBCLAIMS`] subclaims are not examined.
fn deepest_false_claim(instance: &Instance) -> Option<ClaimId> {
    let root = instance.root();
    if instance.truth(root) != Some(false) {
        return None;
    }
    let only_false_subclaim = |claim: ClaimId| {
        let [support] = instance.supports(claim) else {
            return None;
        };
        if support.gate != Gate::All || support.on.len() > MAX_EXAMINED_SUBCLAIMS {
            return None;
        }
        let is_false = |part: &&ClaimId| instance.truth(**part) == Some(false);
        let mut false_parts = support.on.iter().filter(is_false);
        let only = false_parts.next()?;
        false_parts.next().is_none().then_some(*only)
    };
    let mut claim = root;
    while let Some(part) = only_false_subclaim(claim) {
        claim = part;
    }
    (claim != root).then_some(claim)
}

/// Returns a sentence, after a space, that explains why the root claim is false. The sentence names the first wrong
/// step of the prover's transcript, or else the smallest false part of the root claim. `None` if the root claim is not
/// known to be false, or if neither is found. `was_answer_no` is true if the debate's answer was that the root claim is
/// false.
fn error_sentence(view: &DebateViewpoint<'_, '_>, was_answer_no: bool) -> Option<String> {
    let instance = view.facts.instance;
    if instance.truth(instance.root()) != Some(false) {
        return None;
    }
    let narrator = view.narrator(FormulaCharacterSet::default());
    if let Some(step) = narrator.first_wrong_step_in_words(view.log) {
        let prover = view.perspective.possessive(Seat::Prover);
        return Some(format!(
            " {} first wrong answer was to {step}.",
            capitalized(prover)
        ));
    }
    let claim = deepest_false_claim(instance)?;
    let claim = instance.short_text(claim);
    let claim = claim.trim_end_matches('.');
    if was_answer_no {
        return Some(format!(" “{claim}” is false."));
    }
    Some(format!(" The error is in “{claim}”."))
}

fn truth(view: &DebateViewpoint<'_, '_>) -> Line {
    let instance = view.facts.instance;
    if let Some(end) = spoken_end(view.state, view.log, instance, view.perspective) {
        return titled("Truth", end.right);
    }
    let truth = match (
        view.state.root_truth_probability(),
        instance.truth(instance.root()),
    ) {
        (Some(probability), _) => {
            let probability = in_percent(&probability);
            format!(
                "With correct numbers, the computation outputs yes with probability {probability}."
            )
        }
        (None, Some(truth)) => {
            // If the rules ask for no answer, the verdict is the finding.
            let is_right = view.state.finding().map(|finding| finding == truth);
            let prover = view
                .perspective
                .player_name_or_you_in_sentence(Seat::Prover);
            let answered = format!("{} answer", view.perspective.possessive(Seat::Prover));
            let answered = capitalized(&answered);
            let right = match (is_right, view.facts.prover_always_claims_true) {
                (Some(true), true) => ", as the verdict says.".to_owned(),
                (Some(false), true) => ". The verdict was wrong.".to_owned(),
                (Some(true), false) => format!(", as {prover} said."),
                (Some(false), false) => format!(". {answered} was false."),
                (None, _) => ".".to_owned(),
            };
            // Nobody erred if the answer was that the claim is false.
            let error = error_sentence(view, is_right == Some(true)).unwrap_or_default();
            format!(
                "It is {truth}{right}{error}",
                truth = DebateNarrator::truth_word(truth)
            )
        }
        (None, None) => "Not known: the claim could not be decided here.".to_owned(),
    };
    titled("Truth", truth)
}

/// Returns a sentence with the winner and the reason, if a verifier decided the debate.
fn verdict(log: &Log<Exact>, narrator: &DebateNarrator<'_>) -> Option<String> {
    let for_prover = log.paid_rewards().find_map(|reward| match reward {
        Reward::Decided { for_prover } => Some(*for_prover),
        _ => None,
    })?;
    let winner = winner_of_verdict(for_prover);
    let loser = other_debater(winner);
    let finding = narrator.verifier_decision_reason(log);
    let why = finding
        .map(|finding| format!(", since {finding}"))
        .unwrap_or_default();
    let perspective = narrator.perspective;
    let wins = perspective.verb_form(winner, "wins", "win");
    let (winner, loser) = (
        perspective.player_name_or_you(winner),
        perspective.player_name_or_you_in_sentence(loser),
    );
    Some(format!("{winner} {wins} against {loser}{why}."))
}

/// Returns a clause with Bob's estimates of the root and of the claim of the last round.
fn estimates(view: &DebateViewpoint<'_, '_>) -> Option<String> {
    let first_estimate = in_percent(view.log.root_estimate()?);
    let (claim, last) = view.log.last_round_claim_and_estimate()?;
    let instance = view.facts.instance;
    if claim == instance.root() {
        return Some(format!("estimated the claim at {first_estimate}."));
    }
    let (last_claim, last_estimate) = (instance.short_text(claim), in_percent(last));
    Some(format!(
        "estimated the claim at {first_estimate}, and finally “{last_claim}” at {last_estimate}."
    ))
}

/// Returns a clause with the judge's last answer, which says if the answer is right. If the preceding text `told`
/// already names the claim, the clause does not name it again. If the truth of the root claim is random, returns a
/// clause with the judge's votes instead.
fn judged(view: &DebateViewpoint<'_, '_>, told: &str) -> Option<String> {
    let instance = view.facts.instance;
    if view.state.root_truth_probability().is_some() {
        return judge_votes_clause(view.log);
    }
    let (claim, answer) = view.log.last_judge_verdict()?;
    let is_own = view.perspective.is_viewer_seat(Seat::Judge);
    let wrong = match instance.truth(claim) {
        // The judge has read this in the sentence on the verdict.
        _ if is_own => "",
        Some(truth) if truth == answer => " That is correct.",
        Some(_) => " That is wrong.",
        None => "",
    };
    let own = is_own
        .then(|| own_verdict_sentence(view.state, view.log, instance))
        .flatten();
    let own = own.map_or_else(String::new, |own| format!(" {own}"));
    // A judge reads this after sentences about the whole claim, so the judged claim is named.
    let said = last_answer(view, if is_own { "" } else { told })?;
    Some(format!("{said}{wrong}{own}"))
}

/// Returns a clause with the judge's votes on a step whose answer is a probability: no vote is right or wrong. `None`
/// without votes.
fn judge_votes_clause(log: &Log<Exact>) -> Option<String> {
    let entries = log.entries().iter();
    let votes: Vec<bool> = entries
        .filter_map(|entry| Some(entry.event.judge_verdict()?.1))
        .collect();
    let yes_count = votes.iter().filter(|vote| **vote).count();
    match votes[..] {
        [] => None,
        [vote] => Some(format!("voted {}.", yes_no_word(vote))),
        _ => Some(format!(
            "gave {yes_count} yes of {vote_count} votes.",
            vote_count = votes.len()
        )),
    }
}

/// Returns a clause with the judge's last answer. It names the claim unless the preceding text `told` does.
fn last_answer(view: &DebateViewpoint<'_, '_>, told: &str) -> Option<String> {
    let (claim, answer) = view.log.last_judge_verdict()?;
    let (claim, true_or_false) = (
        format!("“{}”", view.facts.instance.text(claim)),
        DebateNarrator::truth_word(answer),
    );
    Some(if told.contains(&claim) {
        format!("said that it is {true_or_false}.")
    } else {
        format!("said that {claim} is {true_or_false}.")
    })
}

/// Returns a sentence about all verdicts of a user as the judge: "As the judge you were right in 7 of 9 verdicts; mean
/// stated certainty 80 %." `stated_certainties` contains the certainties that the user stated. `None` without a
/// verdict.
pub fn judge_record_sentence(
    right: usize,
    verdicts: usize,
    stated_certainties: &[f64],
) -> Option<String> {
    let verdict_noun = match verdicts {
        0 => return None,
        1 => "verdict",
        _ => "verdicts",
    };
    let mean = stated_certainties.iter().sum::<f64>()
        / f64::from(to_u32_saturating(stated_certainties.len()));
    let certainty_clause = match stated_certainties {
        [] => String::new(),
        _ => format!(
            "; mean stated certainty {mean}",
            mean = format_percent(mean)
        ),
    };
    Some(format!(
        "As the judge you were right in {right} of {verdicts} {verdict_noun}{certainty_clause}."
    ))
}

/// Tells the user in the judge's seat if the last verdict was right, and the certainty that the user stated. If the
/// truth of the root claim is random, states the user's votes instead. `None` if the judge gave no verdict, or if the
/// truth is not known.
fn own_verdict_sentence(
    state: &State<'_, Exact>,
    log: &Log<Exact>,
    instance: &Instance,
) -> Option<String> {
    if state.root_truth_probability().is_some() {
        return judge_votes_clause(log).map(|votes| format!("You {votes}"));
    }
    let verdict = LastJudgeVerdict::last_verdict(state, log, instance)?;
    let certainty = verdict
        .certainty
        .map(|p| format!("{} sure", in_percent(&p)));
    // In free speeches, the report names the right answer itself.
    let judged = log
        .last_judge_verdict()
        .filter(|_| instance.as_two_answer_question().is_none());
    let truth = judged.and_then(|(claim, _)| Some((claim, instance.truth(claim)?)));
    let truth_sentence = truth.map_or_else(String::new, |(claim, truth)| {
        let claim = instance.short_text(claim);
        format!(" “{claim}” is {}.", DebateNarrator::truth_word(truth))
    });
    let evidence = judged.and_then(|(claim, _)| instance.evidence(claim));
    let evidence_sentence = evidence.map_or_else(String::new, |evidence| {
        format!(" The evidence: {}", on_one_line(&evidence))
    });
    Some(match (verdict.is_right?, certainty) {
        (true, Some(stated_certainty)) => {
            format!("You were right, and {stated_certainty}: well judged.")
        }
        (true, None) => "You were right: well judged.".to_owned(),
        (false, Some(stated_certainty)) => {
            format!("You were wrong, and {stated_certainty}.{truth_sentence}{evidence_sentence}")
        }
        (false, None) => format!("You were wrong.{truth_sentence}{evidence_sentence}"),
    })
}

/// Returns a line with the debate's payoff and the reason for it.
fn payoff(
    view: &DebateViewpoint<'_, '_>,
    table: &RewardTable,
    result: Option<String>,
    amounts: &PayoffFormatter,
) -> Line {
    let explained = [
        why(view, table, amounts),
        about_right_note(view, table, amounts),
    ];
    let line = paid(view, result);
    explained.into_iter().flatten().fold(line, |line, text| {
        line.append_span(TextRole::Text, format!(" {text}"))
    })
}

/// True if the payoff is a sum of bets, so that luck decides much of it.
fn sums_bets(view: &DebateViewpoint<'_, '_>) -> bool {
    view.facts.kind == ProtocolKind::ProverEstimator
}

/// Returns a line with the debate's payoff. If it comes from a verdict, it is styled as good or bad for the viewer's
/// seat.
fn paid(view: &DebateViewpoint<'_, '_>, result: Option<String>) -> Line {
    let payoff = view.state.payoff();
    let own = view.perspective.value(payoff.clone());
    let is_luck = sums_bets(view);
    let text = result.unwrap_or_else(|| view.perspective.payoff_sentence(&payoff, is_luck));
    // Coins decide most of a sum of bets, so it is neither good nor bad play.
    let role = if is_luck {
        TextRole::Text
    } else {
        TextRole::role_of_payoff_sign(&own)
    };
    titled("Payoff", "").append_span(role, text)
}

/// Explains the payoff by the verifier's decision, or else by the round that outweighs all others.
fn why(
    view: &DebateViewpoint<'_, '_>,
    table: &RewardTable,
    amounts: &PayoffFormatter,
) -> Option<String> {
    let narrator = view.narrator(amounts.script);
    if let Some(verdict) = verdict(view.log, &narrator) {
        return Some(verdict);
    }
    if view.facts.instance.as_two_answer_question().is_some() {
        return None;
    }
    let (round, value) = table.dominating_round_and_reward()?;
    let paid = view
        .log
        .paid_rewards()
        .filter(|reward| reward.round_of_reward() == round);
    let reward_reason = paid
        .last()
        .map(|reward| format!(": {}", narrator.reward_reason(reward)));
    let reward_name = match round {
        Round::Initial => "The first estimate".to_owned(),
        Round::Number(_) => format!("Round {}", table.label(round)),
    };
    let amounts = amounts.clone().with_digits_matching_log_payments(view.log);
    let (payment, reward_reason) = (
        amounts.signed_payment_with_unit(value),
        reward_reason.unwrap_or_default(),
    );
    Some(format!(
        "{reward_name} had the largest effect on the payoff ({payment}){reward_reason}."
    ))
}

/// Returns the number of bits of which the verifier read some, with words for them: the bits that were written in the
/// debate, or else the circuit's input.
fn written(view: &DebateViewpoint<'_, '_>) -> Option<(u64, &'static str)> {
    let given = view
        .log
        .bit_strings_given_by_players()
        .map(|(_, bits)| bits.len() as u64);
    match given.sum() {
        0 => {
            let circuit = view.facts.instance.circuit()?;
            Some((circuit.input_bits().len() as u64, "of the input"))
        }
        given => Some((given, "written down")),
    }
}

/// Returns the number of a seat's replies that chose the only listed support or subclaim. The program gives them in a
/// user's place.
fn forced_choice_count(view: &DebateViewpoint<'_, '_>, seat: Seat) -> u64 {
    let instance = view.facts.instance;
    let mut subclaims = 0;
    let mut count = 0;
    for entry in view.log.entries() {
        if let Some((claim, number)) = entry.event.claim_and_chosen_support() {
            let chosen = instance.support(claim, number);
            subclaims = chosen.map_or(0, |support| support.on.len());
            let is_only = instance.supports(claim).len() == 1
                && instance.max_prover_written_subclaims(claim).is_none();
            count += u64::from(is_only && seat == Seat::Prover);
        } else if let Some(by) = entry.event.seat_that_selected_subclaim() {
            count += u64::from(subclaims == 1 && by == seat);
        }
    }
    count
}

/// Returns 1 if the program sent the empty last message of a human judge in a debate in free speeches, else 0. No
/// debater reads a message after the last round, so the program does not ask the judge for it.
fn automatic_message_count(view: &DebateViewpoint<'_, '_>, seat: Seat) -> u64 {
    let debate: Result<&SpeechDebate<'_, Exact>, _> = view.state.try_into();
    let is_automatic = seat == Seat::Judge
        && view.facts.players[seat.seat_index()] == "human"
        && debate.is_ok_and(|debate| debate.is_last_round() && debate.request().is_none());
    let mut entries = view.log.entries().iter().rev();
    let message = entries.find_map(|entry| Some((entry.seat, entry.event.speech()?)));
    let is_empty = message.is_some_and(|(by, speech)| by == seat && speech.is_empty());
    u64::from(is_automatic && is_empty)
}

fn spent(view: &DebateViewpoint<'_, '_>, ledger: &ResourceCostsBySeat) -> String {
    let most = written(view);
    let each = |seat: Seat| {
        let spent = ledger.spending_of_seat(seat);
        let some = |count: u64, kind: &str| {
            (count > 0).then(|| cost_with_kind_text(kind, with_thousands_separators(count)))
        };
        let of = match most {
            Some((most, what)) if (1..=most).contains(&spent.bits_read) => {
                format!(" of {} {what}", with_thousands_separators(most))
            }
            _ => String::new(),
        };
        let forced = forced_choice_count(view, seat);
        let forced = (forced > 0).then(|| {
            let forced_count = with_thousands_separators(forced);
            format!(" ({forced_count} of them the only choice)")
        });
        let calls = spent
            .calls
            .saturating_sub(automatic_message_count(view, seat));
        let parts: Vec<String> = [
            some(calls, "calls").map(|calls| calls + &forced.unwrap_or_default()),
            some(spent.oracle_queries, "oracle_queries"),
            some(spent.bits_read, "bits_read").map(|read| read + &of),
            some(spent.configurations_read, "configurations_read"),
            some(spent.samples, "samples"),
        ]
        .into_iter()
        .flatten()
        .collect();
        // Rules that ask the judge nothing let a verifier read.
        let name = match seat {
            Seat::Judge if !view.facts.is_seat_ever_asked(seat) => "the verifier",
            _ => view.perspective.player_name_or_you_in_sentence(seat),
        };
        match parts.join(", ") {
            none if none.is_empty() => format!("{name} nothing"),
            parts => format!("{name} {parts}"),
        }
    };
    format!("{}.", Seat::PLAYERS.map(each).join("; "))
}

/// Returns the lesson of a finished debate. If a verifier decided and chance played no part, the lesson is the
/// guarantee of the rules. Otherwise it is that one debate proves little.
pub fn debate_moral<N>(log: &Log<N>, kind: ProtocolKind) -> String {
    let mut rewards = log.paid_rewards();
    let decided = rewards.any(|reward| matches!(reward, Reward::Decided { .. }));
    if decided && !log.contains_random_events() {
        let guarantee = kind.protocol_texts().guarantee;
        // The papers' theorem numbers are for the guide.
        let guarantee = match guarantee.rsplit_once(" (") {
            Some((sentence, citation)) if citation.contains("Theorem") => sentence,
            _ => guarantee,
        };
        return match log.last_judge_verdict() {
            // A wrong answer of the judge breaks the guarantee.
            Some(_) => format!("Under these rules, if the judge is right: {guarantee}."),
            None => format!("Under these rules: {guarantee}."),
        };
    }
    "One debate proves little; only the average over many counts. The payoff is what training rewards, not a verdict."
        .to_owned()
}

/// Returns the closing lines of a finished debate's report, beginning with an empty line. `amounts` formats payoffs for
/// the viewer's seat.
pub fn closing_lines(
    seating: &SeatedDebate<'_, Exact>,
    instance: &Instance,
    amounts: &PayoffFormatter,
) -> Vec<String> {
    let state = seating.state();
    let perspective = amounts.perspective;
    let narrator =
        DebateNarrator::new(instance, FormulaCharacterSet::Unicode).seen_from(perspective);
    let mut lines = vec![String::new()];
    let own = perspective
        .is_viewer_seat(Seat::Judge)
        .then(|| own_verdict_sentence(state, seating.log(), instance));
    lines.extend(own.flatten());
    if let Some(end) = spoken_end(state, seating.log(), instance, perspective) {
        let judge = format!(
            "{} {}",
            perspective.player_name_or_you(Seat::Judge),
            end.judge
        );
        lines.extend([end.right, judge].map(|line| replace_unsafe_characters(&line).into_owned()));
        lines.push(amounts.payoff_sentence_of_log(
            seating.log(),
            &state.payoff(),
            state.kind() == ProtocolKind::ProverEstimator,
        ));
        lines.push(debate_moral(seating.log(), state.kind()));
        return lines;
    }
    if let Some(answer) = state.answer() {
        let truth = match (
            state.root_truth_probability(),
            instance.truth(instance.root()),
        ) {
            (Some(probability), _) => {
                format!(
                    "; {}",
                    DebateNarrator::coin_probability_clause(&probability)
                )
            }
            (None, Some(truth)) if truth == answer => ", and it is".to_owned(),
            (None, Some(truth)) => format!(
                ", but it is {true_or_false}",
                true_or_false = DebateNarrator::truth_word(truth)
            ),
            (None, None) => "; its truth cannot be decided here".to_owned(),
        };
        let text = instance.text(instance.root());
        let (text, true_or_false) = (
            replace_unsafe_characters(&text),
            DebateNarrator::truth_word(answer),
        );
        let alice = perspective.player_name_or_you(Seat::Prover);
        let claim = text.trim_end_matches('.');
        lines.push(format!(
            "{alice} claimed that “{claim}” is {true_or_false}{truth}."
        ));
    }
    lines.push(amounts.payoff_sentence_of_log(
        seating.log(),
        &state.payoff(),
        state.kind() == ProtocolKind::ProverEstimator,
    ));
    let log = seating.log();
    let paid = log
        .paid_rewards()
        .map(|reward| (reward, reward.payment_to_prover()))
        .filter(|(_, value)| *value != Exact::default());
    let largest = paid.max_by_key(|(_, value)| value.abs());
    if let Some(verdict) = verdict(log, &narrator) {
        lines.push(verdict);
    } else if let Some((reward, value)) = largest {
        let amounts = amounts.clone().with_digits_matching_log_payments(log);
        let value = amounts.signed_payment_with_unit(&value);
        let why = narrator.reward_reason(reward);
        let round = match (reward.round_of_reward(), Round::first_of(&state.schedule())) {
            (Round::Number(k), Some(d)) => format!("round {}", Round::round_ordinal(k, d)),
            _ => "the first estimate".to_owned(),
        };
        lines.push(format!(
            "The largest part of the payoff, {value}, comes from {round}: {why}."
        ));
    }
    lines.push(debate_moral(log, state.kind()));
    lines
}

/// Returns lines with everything that was hidden until the end of the debate: the full names of the players, and the
/// scenario's closing texts.
pub fn end_disclosure_lines(
    setup: &LoadedScenario,
    world: usize,
    players: &[String; 3],
    blind: bool,
) -> Vec<String> {
    let mut lines = Vec::new();
    let people = players.iter().any(|name| name == "human");
    if blind
        || people
            && players
                .iter()
                .any(|name| player_name_without_arguments(name) != name)
    {
        let names = players.join(", ");
        let names = replace_unsafe_characters(&names);
        lines.push(format!(
            "The prover, the opponent and the judge were: {names}."
        ));
    }
    let texts = setup.scenario_texts(world);
    let about = Some(&texts.about).filter(|_| blind);
    let debrief = debrief_with_remark(&texts.debrief, &players_of_scenario(setup), players);
    let shown = about.into_iter().chain([&debrief]);
    let shown = shown.filter(|text| !text.is_empty());
    lines.extend(shown.map(|text| replace_unsafe_multiline(text).into_owned()));
    lines
}

/// Texts about the end of a debate in free speeches.
struct SpokenEnd {
    /// A sentence with the right answer, or that the right answer is not known.
    right: String,
    /// A clause with the judge's final probability and, if the right answer is known, the judge's score. The caller
    /// adds the judge's name.
    judge: String,
}

/// Returns texts about the end of a debate in free speeches. `None` under other rules, or if the judge gave no
/// probability.
fn spoken_end(
    state: &State<'_, Exact>,
    log: &Log<Exact>,
    instance: &Instance,
    perspective: ViewerPerspective,
) -> Option<SpokenEnd> {
    let debate: &SpeechDebate<'_, Exact> = state.try_into().ok()?;
    let question = instance.as_two_answer_question()?;
    let [first, second] = question.answers().map(str::trim);
    let p = debate.last_judge_probability()?;
    let held = |answer: &str, p: f64| {
        format!(
            "finally estimated “{answer}” at {probability}",
            probability = format_percent(p)
        )
    };
    let Some(first_is_right) = instance.truth(instance.root()) else {
        return Some(SpokenEnd {
            right: "The right answer is not known here.".to_owned(),
            judge: format!("{}.", held(first, p.to_float())),
        });
    };
    let (right, p) = if first_is_right {
        (first, p.to_float())
    } else {
        (second, (Exact::ratio(1, 1) - p).to_float())
    };
    let rounds = rounds_heard_by_judge(log);
    let score = match debate.parameters().scoring.judge_score(p, rounds) {
        score if score.is_finite() => {
            let parameters = debate.parameters();
            let own = parameters.scoring.judge_score(p, 0);
            let best = parameters
                .scoring
                .judge_score(1.0, parameters.min_rounds_heard());
            format!(
                "{score} bits: log2 of {probability} is {log2_value}, minus {cost} for {rounds_heard} (the best possible score is {best} bits)",
                best = format_rounded_with_sign(best, 3),
                score = format_rounded_with_sign(score, 3),
                probability = format_percent(p),
                log2_value = format_rounded_with_sign(own, 3),
                cost = format_rounded(own - score, 3),
                rounds_heard = count_with_noun(u64::from(rounds), "round", "rounds"),
            )
        }
        _ => "minus infinity".to_owned(),
    };
    let after = match rounds {
        1 => "after one round".to_owned(),
        rounds => format!("after {rounds} rounds"),
    };
    let possessive = capitalized(perspective.possessive(Seat::Judge));
    Some(SpokenEnd {
        right: format!(
            "The right answer is “{answer}”.",
            answer = right.trim_end_matches('.')
        ),
        judge: format!(
            "{estimate}, {after_rounds}. {judges} score: {score}.",
            after_rounds = after,
            judges = possessive,
            estimate = held(right, p)
        ),
    })
}

#[cfg(test)]
mod tests;
