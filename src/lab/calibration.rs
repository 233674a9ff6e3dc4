//! A person's calibration over their own debates: estimates against the truth, gaps, and verdicts.
//!
//! [`measure_save`] reads one save, [`report_on_debates`] summarises the debates, and the functions of `chart` draw the
//! report.

mod chart;
mod report;

use std::path::Path;

use debate_core::number::Number as _;
use debate_core::protocol::speeches::judge_probabilities_by_round;
use debate_core::protocol::{ProtocolKind, Reply, Rules as _, Seat};
use debate_core::scenario::Instance;
use debate_host::plan::estimator_measures_of_save;
use debate_host::record::{DAILY_TAG, Save, SaveFileError, SaveHeader, SavedDebateWithCursor};
use debate_solver::analysis::review::{
    ClaimPosteriorsGivenOpponentKnowledge, total_estimate_gap, truth_for_knowledge_score,
};
use debate_solver::setup::{ScenarioLimits, scenario_title};

pub use chart::{calibration_chart_svg, calibration_chart_vega};
pub use report::{
    CalibrationReport, LeftOutSaveCounts, MeanGapOnDayRow, PersonScenarioSeatReport,
    PersonVerdictsReport, ReliabilityBin, report_on_debates,
};

/// The player name that a save's header gives to a person (not a built-in strategy or engine).
const HUMAN: &str = "human";

/// The measures of one finished debate, for the seats that a person played.
#[derive(Clone, Debug, PartialEq)]
pub struct PersonDebateMeasures {
    /// The scenario's title, with the name of the debate's instance.
    pub scenario: String,
    /// The day on which the debate began, in UTC; `None` if the save does not record it.
    pub day: Option<String>,
    /// The seats that a person played.
    pub seats: Vec<Seat>,
    /// The person's estimates of claims whose truth is known: the estimated probability, and true if the claim is true.
    pub estimates: Vec<(f64, bool)>,
    /// The mean squared error of the program's hints for the claims of `estimates`. `None` if `estimates` is empty, or
    /// if the hints cannot be computed.
    pub hints_squared_error: Option<f64>,
    /// For the claims of `estimates`, the squared distances of the estimates to the posterior probability, if it is
    /// known. Empty if Bob reads evidence in this scenario.
    pub squared_distances: Vec<f64>,
    /// The sum of the sizes of the gaps in the person's estimates, as the program shows it after a debate. `None` if
    /// the person did not play Bob under prover-estimator rules.
    pub gap: Option<f64>,
    /// The person's verdicts as the judge, about claims whose truth is known.
    pub verdicts: Vec<VerdictOnKnownClaim>,
}

/// A verdict of a judge on a claim whose truth is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VerdictOnKnownClaim {
    /// True if the judge's answer is right; `None` if a judge of speeches gave both answers the same probability.
    pub is_right: Option<bool>,
    /// The judge's probability that the claim is true, and the claim's truth; `None` if the judge gave no probability.
    pub forecast: Option<(f64, bool)>,
}

/// True if the save is of a debate that one person started: people play one or two seats, and the save has no tag other
/// than the daily debate's. Imports and debates of matches or studies do not satisfy this. False for a branch that
/// repeats moves of another debate.
fn is_own_debate(header: &SaveHeader) -> bool {
    let people = header.players.iter().filter(|name| *name == HUMAN).count();
    if header.branch.as_ref().is_some_and(|branch| branch.from > 0) {
        return false;
    }
    header.tags.keys().all(|name| name == DAILY_TAG) && (1..3).contains(&people)
}

/// Reads a save and returns its calibration figures. `None` if it is not a finished debate that one person started.
///
/// # Errors
/// If the save cannot be read, or does not follow from its rules and its seed.
pub fn measure_save(
    path: &Path,
    limits: &ScenarioLimits,
) -> Result<Option<PersonDebateMeasures>, SaveFileError> {
    let save = Save::read_save(path)?;
    if !is_own_debate(&save.header) {
        return Ok(None);
    }
    let setup = save.read_saved_scenario(limits)?;
    let instance = save.header.debated_instance(&setup)?;
    let history = save.history(&instance)?;
    if save.stated_debate_end().is_none() || history.state_at_cursor().request().is_some() {
        return Ok(None);
    }
    let played = |seat: &Seat| save.header.player_name(*seat) == Some(HUMAN);
    let seats: Vec<Seat> = Seat::PLAYERS.into_iter().filter(played).collect();
    let day = save.header.started.as_deref();
    let mut measured = PersonDebateMeasures {
        scenario: scenario_title(&save.header.scenario, Some(&save.header.instance))
            .unwrap_or_else(|| setup.title.clone()),
        day: day.and_then(|time| time.get(..10)).map(str::to_owned),
        seats,
        estimates: Vec::new(),
        hints_squared_error: None,
        squared_distances: Vec::new(),
        gap: None,
        verdicts: Vec::new(),
    };
    let kind = save.header.protocol.kind();
    if kind == ProtocolKind::ProverEstimator && measured.seats.contains(&Seat::Opponent) {
        measured.add_estimates(&instance, &history);
        let knowledge = estimator_measures_of_save(&save)?.and_then(|figures| figures.knowledge);
        measured.hints_squared_error = knowledge.map(|knowledge| knowledge.reference.to_float());
    }
    if measured.seats.contains(&Seat::Judge) {
        measured.add_verdicts(&instance, &history);
    }
    Ok(Some(measured))
}

impl PersonDebateMeasures {
    /// Adds the sum of the gaps of a person in Bob's seat, and the estimates of claims whose truth is known. Undone
    /// moves do not count.
    fn add_estimates(&mut self, instance: &Instance, history: &SavedDebateWithCursor<'_>) {
        let mut replayed = history.timeline().copy_with_cursor_at_start();
        let posterior = ClaimPosteriorsGivenOpponentKnowledge::new(instance);
        let moves = history.moves_never_undone();
        let gap = total_estimate_gap(replayed.state(), &moves);
        self.gap = gap.map(|gap| gap.to_float());
        for made in moves {
            if let (Reply::Probability(p), Some(turn)) = (&made.reply, replayed.state().request())
                && turn.seat == Seat::Opponent
            {
                let truth = truth_for_knowledge_score(instance, &turn, replayed.log_to_cursor());
                let estimate = truth.map(|truth| (p.to_float(), truth));
                self.estimates.extend(estimate);
                let posterior = posterior.as_ref().filter(|_| truth.is_some());
                let posterior = posterior
                    .and_then(|it| it.posterior_of_claim_of_request(replayed.state(), &turn));
                let distance = posterior.map(|posterior| (p - posterior).to_float());
                self.squared_distances
                    .extend(distance.map(|distance| distance * distance));
            }
            // The history has followed these moves, so none is illegal.
            if replayed.make_move(made).is_err() {
                break;
            }
        }
    }

    /// Adds the judge's last probability in a debate of speeches. In other debates, adds each verdict with which the
    /// judge answered an oracle query.
    fn add_verdicts(&mut self, instance: &Instance, history: &SavedDebateWithCursor<'_>) {
        let log = history.log();
        if let Some((_, p)) = judge_probabilities_by_round(log).into_iter().last() {
            self.add_forecast(p.to_float(), instance.truth(instance.root()));
            return;
        }
        for entry in log.entries() {
            let Some((claim, answer, confidence)) = entry.event.judge_verdict() else {
                continue;
            };
            if entry.seat != Seat::Judge {
                continue;
            }
            let Some(truth) = instance.truth(claim) else {
                continue;
            };
            self.verdicts.push(VerdictOnKnownClaim {
                is_right: Some(answer == truth),
                forecast: confidence.map(|p| (p.to_float(), truth)),
            });
        }
    }

    fn add_forecast(&mut self, p: f64, truth: Option<bool>) {
        let Some(truth) = truth else { return };
        let is_right = match p.total_cmp(&0.5) {
            std::cmp::Ordering::Greater => Some(truth),
            std::cmp::Ordering::Equal => None,
            std::cmp::Ordering::Less => Some(!truth),
        };
        self.verdicts.push(VerdictOnKnownClaim {
            is_right,
            forecast: Some((p, truth)),
        });
    }
}
