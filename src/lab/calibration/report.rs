//! The report on a person's calibration: a JSON document for scripts and a page for readers.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{PersonDebateMeasures, VerdictOnKnownClaim};
use crate::judgements::statistics::{brier_score_and_parts, count_to_float, group_by_bin, mean};
use debate_core::number::format_with_decimals;
use debate_core::protocol::Seat;
use debate_core::text::{count_with_noun, replace_unsafe_characters};
use debate_text::HeadedTextPage;
use debate_text::results::PrintableCommandResult;
use debate_text::review::DISTANCE_TO_BEST;
use debate_text::table::{ColumnAlignment, TextTable};

/// The number of days that the text report lists; the JSON document lists all days.
const MAX_SHOWN_DAYS: usize = 14;

/// A person's calibration over their finished debates.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CalibrationReport {
    /// The version of this document: 1.
    pub format: u32,
    /// The number of debates that this report counts.
    pub debates: usize,
    /// The saves that this report does not count, by reason.
    pub left_out: LeftOutSaveCounts,
    /// The number of the person's estimates of claims whose truth is known: estimates of the root claim, and of the
    /// first round's subclaims if the earlier coins agree with the truth.
    pub estimates: usize,
    /// The mean squared error of the person's estimates of claims whose truth is known; null without such estimates.
    pub squared_error: Option<f64>,
    /// The mean squared error of the program's hints for the claims that `estimates` counts; null if no hint can be
    /// computed.
    pub hints_squared_error: Option<f64>,
    /// The distances of the person's estimates to the posterior probability, in scenarios that show Bob no evidence;
    /// null without such estimates.
    pub to_posterior: Option<EstimateDistanceToPosteriorReport>,
    /// The sum of the gaps in the person's estimates, averaged over debates; null if the person gave no estimates. A
    /// gap is the distance of an estimate to the nearest consistent probability, times the probability of the round's
    /// coins before the estimate.
    pub mean_gap: Option<f64>,
    /// The number of debates in which the person gave estimates. The printed page shows this number; the JSON document
    /// does not contain it.
    #[serde(skip)]
    pub debates_with_gap: usize,
    /// The reliability curve: the estimates that `estimates` counts, in bins of ten percentage points. Empty bins are
    /// left out.
    pub reliability: Vec<ReliabilityBin>,
    /// The debates in which the person gave estimates, grouped by day, oldest first. Debates without a date are left
    /// out.
    pub days: Vec<MeanGapOnDayRow>,
    /// The debates grouped by scenario and by the person's seat.
    pub seats: Vec<PersonScenarioSeatReport>,
    /// The verdicts of the person as a judge; null without verdicts.
    pub verdicts: Option<PersonVerdictsReport>,
    /// The number of consecutive days, up to today or yesterday, on which the person began the daily debate of that
    /// day. Only debates that are finished by now count.
    pub daily_streak: u32,
}

/// The distances of a person's estimates to the posterior probability, given everything that Bob knows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "PosteriorDistanceReport")]
pub struct EstimateDistanceToPosteriorReport {
    pub estimates: usize,
    /// The mean squared distance.
    pub squared_distance: f64,
}

/// The numbers of saves that the calibration report does not count, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "LeftOutSaves")]
pub struct LeftOutSaveCounts {
    /// Saves that are damaged, do not verify or cannot be read.
    pub damaged: usize,
    /// The number of saves of unfinished debates, of matches and studies, of debates that continue another debate, and
    /// of imported saves. Also counts saves of debates in which people play no seat or all three seats.
    pub other: usize,
    /// Saves that were not read before the time limit.
    pub unread: usize,
}

/// The estimates between two probabilities.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReliabilityBin {
    /// The mean estimate.
    pub mean_estimate: f64,
    /// The proportion of the estimated claims that are true.
    pub proportion_true: f64,
    pub count: usize,
}

/// One day's debates in which the person gave estimates.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "DayRow")]
pub struct MeanGapOnDayRow {
    /// The day in UTC: YYYY-MM-DD.
    pub day: String,
    pub debates: usize,
    /// The sum of the gaps in the person's estimates, averaged over the day's debates. A gap is between 0 and 1.
    pub mean_gap: f64,
}

/// The person's debates of one scenario in one seat.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "SeatRow")]
pub struct PersonScenarioSeatReport {
    /// The scenario's title.
    pub scenario: String,
    /// `prover`, `opponent` or `judge`.
    pub seat: &'static str,
    pub debates: usize,
    /// The sum of the gaps in the person's estimates, averaged over the debates in this seat; null in seats that give
    /// no estimates.
    pub mean_gap: Option<f64>,
    /// The number of debates over which `mean_gap` is averaged; `None` without a gap. The printed page shows this
    /// number; the JSON document does not contain it.
    #[serde(skip)]
    pub debates_with_gap: Option<usize>,
    /// The mean squared error of the person's probabilities for claims whose truth is known: Bob's estimates, or the
    /// probabilities of a judge's verdicts. Null without such probabilities.
    pub squared_error: Option<f64>,
    /// The mean squared error of the program's hints for the claims that the person estimated; null without estimates.
    pub hints_squared_error: Option<f64>,
}

/// A person's verdicts as the judge, on claims whose truth is known.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "VerdictReport")]
pub struct PersonVerdictsReport {
    pub verdicts: usize,
    /// The number of right verdicts.
    pub right: usize,
    /// The number of verdicts in which the judge gave both answers the same probability.
    pub undecided: usize,
    /// The number of verdicts with a probability. Only for the page.
    #[serde(skip)]
    pub with_probability: usize,
    /// The mean probability that the judge gave to the likelier answer; null if no verdict has a probability.
    pub mean_confidence: Option<f64>,
    /// The mean squared error of the judge's probabilities (Brier score); null if no verdict has a probability.
    pub brier: Option<f64>,
}

/// Summarises measured debates. `daily_streak` is the number of consecutive days with a daily debate.
pub fn report_on_debates(
    debates: &[PersonDebateMeasures],
    left_out: LeftOutSaveCounts,
    daily_streak: u32,
) -> CalibrationReport {
    let estimates: Vec<(f64, bool)> = debates
        .iter()
        .flat_map(|debate| debate.estimates.iter().copied())
        .collect();
    let distances: Vec<f64> = debates
        .iter()
        .flat_map(|debate| debate.squared_distances.iter().copied())
        .collect();
    let gaps: Vec<f64> = debates.iter().filter_map(|debate| debate.gap).collect();
    let verdicts: Vec<VerdictOnKnownClaim> = debates
        .iter()
        .flat_map(|debate| debate.verdicts.iter().copied())
        .collect();
    CalibrationReport {
        format: 1,
        debates: debates.len(),
        left_out,
        estimates: estimates.len(),
        squared_error: squared_error(&estimates),
        hints_squared_error: hints_squared_error(debates.iter()),
        to_posterior: mean_if_any(&distances).map(|squared_distance| {
            EstimateDistanceToPosteriorReport {
                estimates: distances.len(),
                squared_distance,
            }
        }),
        mean_gap: mean_if_any(&gaps),
        debates_with_gap: gaps.len(),
        reliability: reliability(&estimates),
        days: days(debates),
        seats: seats(debates),
        verdicts: verdict_report(&verdicts),
        daily_streak,
    }
}

/// Returns the mean squared error of the program's hints, over all estimates in the debates whose hints were computed.
/// `None` if there are none.
fn hints_squared_error<'d>(debates: impl Iterator<Item = &'d PersonDebateMeasures>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0.0);
    for debate in debates {
        if let Some(mean) = debate.hints_squared_error {
            let estimates = count_to_float(debate.estimates.len());
            sum += mean * estimates;
            count += estimates;
        }
    }
    (count > 0.0).then(|| sum / count)
}

fn mean_if_any(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| mean(values))
}

fn squared_error(forecasts: &[(f64, bool)]) -> Option<f64> {
    (!forecasts.is_empty()).then(|| brier_score_and_parts(forecasts).0)
}

fn reliability(estimates: &[(f64, bool)]) -> Vec<ReliabilityBin> {
    let mut bins = Vec::new();
    for bin in group_by_bin(estimates, |(p, _)| p) {
        if bin.is_empty() {
            continue;
        }
        let count = count_to_float(bin.len());
        let are_true = bin.iter().filter(|(_, truth)| *truth).count();
        bins.push(ReliabilityBin {
            mean_estimate: bin.iter().map(|(p, _)| p).sum::<f64>() / count,
            proportion_true: count_to_float(are_true) / count,
            count: bin.len(),
        });
    }
    bins
}

fn days(debates: &[PersonDebateMeasures]) -> Vec<MeanGapOnDayRow> {
    let mut days: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for debate in debates {
        if let (Some(day), Some(gap)) = (&debate.day, debate.gap) {
            days.entry(day).or_default().push(gap);
        }
    }
    let rows = days.into_iter().map(|(day, gaps)| MeanGapOnDayRow {
        day: day.to_owned(),
        debates: gaps.len(),
        mean_gap: mean(&gaps),
    });
    rows.collect()
}

fn seats(debates: &[PersonDebateMeasures]) -> Vec<PersonScenarioSeatReport> {
    let mut groups: BTreeMap<(&str, usize), (Seat, Vec<&PersonDebateMeasures>)> = BTreeMap::new();
    for debate in debates {
        for seat in &debate.seats {
            let key = (debate.scenario.as_str(), seat.seat_index());
            let group = groups.entry(key).or_insert_with(|| (*seat, Vec::new()));
            group.1.push(debate);
        }
    }
    let mut rows = Vec::new();
    for ((scenario, _), (seat, group)) in groups {
        let mut gaps = Vec::new();
        let mut forecasts = Vec::new();
        match seat {
            Seat::Opponent => {
                for debate in &group {
                    gaps.extend(debate.gap);
                    forecasts.extend(debate.estimates.iter().copied());
                }
            }
            Seat::Judge => {
                let verdicts = group.iter().flat_map(|debate| &debate.verdicts);
                forecasts.extend(verdicts.filter_map(|verdict| verdict.forecast));
            }
            _ => {}
        }
        let hints = match seat {
            Seat::Opponent => hints_squared_error(group.iter().copied()),
            _ => None,
        };
        rows.push(PersonScenarioSeatReport {
            hints_squared_error: hints,
            scenario: scenario.to_owned(),
            seat: seat.name_in_flags_and_json(),
            debates: group.len(),
            mean_gap: mean_if_any(&gaps),
            debates_with_gap: Some(gaps.len()).filter(|count| *count > 0),
            squared_error: squared_error(&forecasts),
        });
    }
    rows
}

fn verdict_report(verdicts: &[VerdictOnKnownClaim]) -> Option<PersonVerdictsReport> {
    if verdicts.is_empty() {
        return None;
    }
    let forecasts: Vec<(f64, bool)> = verdicts.iter().filter_map(|it| it.forecast).collect();
    let confidences: Vec<f64> = forecasts.iter().map(|(p, _)| p.max(1.0 - p)).collect();
    Some(PersonVerdictsReport {
        verdicts: verdicts.len(),
        right: verdicts
            .iter()
            .filter(|it| it.is_right == Some(true))
            .count(),
        undecided: verdicts.iter().filter(|it| it.is_right.is_none()).count(),
        with_probability: forecasts.len(),
        mean_confidence: mean_if_any(&confidences),
        brier: squared_error(&forecasts),
    })
}

/// Returns the name of a seat on screens: "Bob". `name` is the name in documents.
fn seat_name(name: &'static str) -> &'static str {
    let mut seats = Seat::PLAYERS.into_iter();
    let seat = seats.find(|seat| seat.name_in_flags_and_json() == name);
    seat.map_or(name, Seat::player_name_of_seat)
}

/// Formats a probability in percent.
fn percent(p: f64) -> String {
    format!("{} %", format_with_decimals(p * 100.0, 1))
}

/// Formats a sum of gaps of estimates in percentage points, without the unit; `None` becomes a dash.
fn points(gap: Option<f64>) -> String {
    gap.map_or_else(
        || "–".to_owned(),
        |gap| format_with_decimals(gap * 100.0, 1),
    )
}

fn error(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| format_with_decimals(value, 3))
}

impl PrintableCommandResult for CalibrationReport {
    fn document(&self) -> impl Serialize {
        self
    }

    fn page(&self) -> HeadedTextPage {
        let mut page = HeadedTextPage::default();
        page.add_paragraph(format!(
            "{} of yours.",
            count_with_noun(self.debates, "finished debate", "finished debates")
        ));
        if self.daily_streak >= 2 {
            page.add_paragraph(format!(
                "Daily debate: {days} days in a row.",
                days = self.daily_streak
            ));
        }
        self.add_estimates(&mut page);
        if let Some(verdicts) = &self.verdicts {
            page.add_empty_line();
            add_verdicts(&mut page, verdicts);
        }
        if !self.seats.is_empty() {
            let mut table = TextTable::new([
                ("scenario", ColumnAlignment::Left),
                ("seat", ColumnAlignment::Left),
                ("debates", ColumnAlignment::Right),
                ("mean gap", ColumnAlignment::Right),
                ("squared error", ColumnAlignment::Right),
                ("hints", ColumnAlignment::Right),
            ]);
            for row in &self.seats {
                table.row([
                    replace_unsafe_characters(&row.scenario).into_owned(),
                    seat_name(row.seat).to_owned(),
                    row.debates_with_gap.unwrap_or(row.debates).to_string(),
                    points(row.mean_gap),
                    error(row.squared_error),
                    error(row.hints_squared_error),
                ]);
            }
            add_table(&mut page, "Your debates by scenario and seat", &table);
            page.add_empty_line();
        }
        let LeftOutSaveCounts {
            damaged,
            other,
            unread,
        } = self.left_out;
        for (count, why) in [
            (damaged, "damaged or unreadable"),
            (
                other,
                "unfinished, continued from another debate, imported, part of a match or study, or not played by one person",
            ),
            (unread, "not read, because the time limit was reached"),
        ] {
            if count > 0 {
                page.add_paragraph(format!("Debates that are not counted: {count} ({why})."));
            }
        }
        page
    }
}

fn add_table(page: &mut HeadedTextPage, title: &str, table: &TextTable) {
    page.add_empty_line();
    page.add_paragraph(format!("{title}:"));
    let table = table.without_columns_filled_with("–");
    for line in table.aligned_table_lines() {
        page.add_row(line);
    }
}

fn add_verdicts(page: &mut HeadedTextPage, verdicts: &PersonVerdictsReport) {
    let mut verdict_line = format!(
        "As judge: {right} of your {verdicts} verdicts right",
        right = verdicts.right,
        verdicts = verdicts.verdicts
    );
    if verdicts.undecided > 0 {
        verdict_line = format!("{verdict_line}, {} undecided", verdicts.undecided);
    }
    if let (Some(confidence), Some(brier)) = (verdicts.mean_confidence, verdicts.brier) {
        verdict_line = format!(
            "{verdict_line}. In the {verdicts_with_probability} where you gave a probability, you were {mean_confidence} sure on average; Brier score {brier}",
            verdicts_with_probability =
                count_with_noun(verdicts.with_probability, "verdict", "verdicts"),
            mean_confidence = percent(confidence),
            brier = format_with_decimals(brier, 3)
        );
    }
    page.add_paragraph(verdict_line + ".");
}

impl CalibrationReport {
    fn add_estimates(&self, page: &mut HeadedTextPage) {
        if let Some(gap) = self.mean_gap {
            page.add_paragraph(format!(
                "As Bob: the gaps of your estimates add up to {points} percentage points on average, in the {debates} with estimates of yours.",
                points = points(Some(gap)),
                debates = count_with_noun(self.debates_with_gap, "debate", "debates"),
            ));
        }
        let Some(squared_error) = self.squared_error else {
            return;
        };
        let hints = self.hints_squared_error.map_or_else(String::new, |hints| {
            format!(
                "; the error of the hints on the same claims is {error}",
                error = format_with_decimals(hints, 3)
            )
        });
        page.add_paragraph(format!(
            "Of your estimates, {estimates} can be compared with the truth: mean squared error {error}{error_of_hints}.",
            error_of_hints = hints,
            estimates = self.estimates,
            error = format_with_decimals(squared_error, 3)
        ));
        page.add_paragraph(
            "These are estimates of main claims, and of subclaims in round 1 while the earlier coins agree with the \
             truth. Other estimates assume coins that contradict the truth, or follow Alice's choice of a claim, which \
             reveals something.",
        );
        if let Some(posterior) = self.to_posterior {
            page.add_paragraph(format!(
                "For your {estimates} in scenarios whose Bob reads no evidence, the mean {DISTANCE_TO_BEST} is {distance}.",
                estimates = count_with_noun(posterior.estimates, "estimate", "estimates"),
                distance = format_with_decimals(posterior.squared_distance, 3)
            ));
        }
        let mut table = TextTable::new([
            ("you said", ColumnAlignment::Right),
            ("true", ColumnAlignment::Right),
            ("estimates", ColumnAlignment::Right),
        ]);
        for bin in &self.reliability {
            table.row([
                percent(bin.mean_estimate),
                percent(bin.proportion_true),
                bin.count.to_string(),
            ]);
        }
        add_table(
            page,
            "Calibration: these claims, grouped by your estimate, and the proportion of true claims",
            &table,
        );
        if self.days.is_empty() {
            return;
        }
        let mut table = TextTable::new([
            ("day (UTC)", ColumnAlignment::Left),
            ("debates", ColumnAlignment::Right),
            ("mean gap", ColumnAlignment::Right),
        ]);
        let earlier = self.days.len().saturating_sub(MAX_SHOWN_DAYS);
        for row in &self.days[earlier..] {
            table.row([
                row.day.clone(),
                row.debates.to_string(),
                points(Some(row.mean_gap)),
            ]);
        }
        add_table(page, "Gaps by day, in percentage points", &table);
        if earlier > 0 {
            page.add_paragraph(format!(
                "Not shown: {days} before the days in this table; --json lists all days.",
                days = count_with_noun(earlier, "day", "days")
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn debate(day: &str, gap: f64, estimates: &[(f64, bool)]) -> PersonDebateMeasures {
        PersonDebateMeasures {
            scenario: "A title".to_owned(),
            day: Some(day.to_owned()),
            seats: vec![Seat::Opponent],
            estimates: estimates.to_vec(),
            hints_squared_error: (!estimates.is_empty()).then_some(0.25),
            squared_distances: Vec::new(),
            gap: Some(gap),
            verdicts: Vec::new(),
        }
    }

    #[test]
    fn estimates_are_binned_and_gaps_are_averaged_by_day() {
        let debates = [
            debate("2026-01-02", 0.5, &[(0.25, false), (0.25, true)]),
            debate("2026-01-01", 0.25, &[(1.0, true)]),
            debate("2026-01-01", 0.75, &[]),
        ];
        let report = report_on_debates(&debates, LeftOutSaveCounts::default(), 2);
        let bins: Vec<(f64, f64, usize)> = (report.reliability.iter())
            .map(|bin| (bin.mean_estimate, bin.proportion_true, bin.count))
            .collect();
        assert_eq!(bins, [(0.25, 0.5, 2), (1.0, 1.0, 1)]);
        let days: Vec<&str> = report.days.iter().map(|row| row.day.as_str()).collect();
        assert_eq!(days, ["2026-01-01", "2026-01-02"]);
        assert_eq!(report.mean_gap, Some(0.5));
        assert_eq!(report.seats.len(), 1);
        assert_eq!(report.seats[0].debates, 3);
        // The hints' errors count once for each estimate; the third debate has none.
        assert_eq!(report.hints_squared_error, Some(0.25));
        let text = format!("{:?}", report.page());
        assert!(
            text.contains("of the hints on the same claims is 0.250"),
            "{text}"
        );
        assert!(text.contains("2 days in a row"), "{text}");
    }

    #[test]
    fn an_even_verdict_is_neither_right_nor_wrong() {
        let verdict = |p: f64, is_right| VerdictOnKnownClaim {
            is_right,
            forecast: Some((p, true)),
        };
        let verdicts = [verdict(0.5, None), verdict(1.0, Some(true))];
        let report = verdict_report(&verdicts).unwrap();
        assert_eq!((report.verdicts, report.right, report.undecided), (2, 1, 1));
        assert_eq!(report.brier, Some(0.125));
        assert_eq!(report.mean_confidence, Some(0.75));
    }

    /// Tests which means in a person's calibration report state the number of values behind them, and that table
    /// columns without values are left out.
    #[test]
    fn means_name_the_number_of_their_values() {
        let sure = VerdictOnKnownClaim {
            is_right: Some(true),
            forecast: None,
        };
        let mut judged = debate("2026-01-01", 0.0, &[]);
        judged.seats = vec![Seat::Judge];
        judged.gap = None;
        judged.verdicts = vec![sure; 3];
        judged.verdicts.push(VerdictOnKnownClaim {
            is_right: Some(true),
            forecast: Some((0.75, true)),
        });
        let page = |debates: &[PersonDebateMeasures]| {
            let report = report_on_debates(debates, LeftOutSaveCounts::default(), 0);
            format!("{:?}", report.page())
        };
        let text = page(&[judged.clone()]);
        assert!(text.contains("4 of your 4 verdicts right"), "{text}");
        assert!(
            text.contains("In the 1 verdict where you gave a probability"),
            "{text}"
        );
        assert!(!text.contains("mean gap"), "{text}");
        let mut without = debate("2026-01-01", 0.0, &[]);
        without.gap = None;
        let text = page(&[judged, debate("2026-01-02", 0.5, &[(0.25, true)]), without]);
        assert!(
            text.contains("50.0 percentage points on average, in the 1 debate with"),
            "{text}"
        );
        let words: Vec<&str> = text.split_whitespace().collect();
        assert!(words.windows(2).any(|two| two == ["Bob", "1"]), "{text}");
    }
}
