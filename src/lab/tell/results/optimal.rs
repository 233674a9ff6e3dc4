//! `equilibrium --all`: the value between all strategies of both debaters.

use super::{Page, Tell, hypotheses, in_brackets};
use debate_core::number::{Exact, Number as _, short, signed};
use debate_core::protocol::Protocol;
use debate_core::text::counted;
use debate_solver::analysis::equilibrium::{
    EquilibriumDocument, LeastTrueReport, OptimalPlay, OptimalReport,
};
use schemars::JsonSchema;
use serde::Serialize;

/// The value between all strategies, and the plans that bracket it.
#[derive(Clone, Debug)]
pub struct OptimalResult<'f> {
    pub protocol: &'f Protocol,
    pub play: &'f OptimalPlay,
    pub report: OptimalReport,
}

impl Tell for OptimalResult<'_> {
    fn document(&self) -> impl Serialize + JsonSchema {
        EquilibriumDocument::All(Box::new(self.report.clone()))
    }

    fn page(&self) -> Page {
        let report = &self.report;
        let parameters = in_brackets(self.protocol);
        let mut page = Page::titled(format!("{}{parameters}", report.title));
        let instances = match report.instances {
            1 => String::new(),
            many => format!(", the mean over {many} instances"),
        };
        let (alice, bob) = (&report.prover_knows, &report.opponent_knows);
        page.paragraph(format!(
            "Every strategy of Alice against every strategy of Bob{instances}; the judge is {}. Alice \
             knows of the instance: {alice}. Bob: {bob}.",
            report.judge
        ));
        if !report.grid.is_empty() {
            let grid: Vec<String> = report.grid.iter().map(ToString::to_string).collect();
            page.paragraph(format!(
                "Bob says one of {} probabilities: {}. That is a hypothesis: with more to say he can \
                 only leave her less.",
                grid.len(),
                grid.join(", ")
            ));
        }
        page.gap();
        self.bracket(&mut page);
        if let Some(correct) = &report.answer_correct {
            page.row(format!(
                "Under her plan Alice's answer is true with probability {}.",
                correct.to_text()
            ));
        }
        if let Some(least) = &report.least_true {
            least_true(&mut page, least);
        }
        let method = match report.rounds {
            None => "linear programs in sequence form".to_owned(),
            Some(rounds) => format!("{} of double oracle", counted(rounds, "round", "rounds")),
        };
        page.gap();
        page.paragraph(format!(
            "By {method}, over {} sequences of Alice and {} of Bob from {} positions, and exact best \
             replies to what they propose.",
            report.prover.sequences, report.opponent.sequences, report.positions
        ));
        page
    }
}

impl OptimalResult<'_> {
    /// Both ends of the value.
    fn bracket(&self, page: &mut Page) {
        let (report, play) = (&self.report, self.play);
        let [low, high] = [&play.lower, &play.upper].map(|end| signed(end.to_float(), 10));
        page.row(format!("The value lies between {low} and {high}."));
        page.paragraph(format!(
            "The lower end is what Alice's plan keeps against the best Bob, the upper what the best \
             Alice gets against Bob's plan, both exact; they are {} apart, {} of the range of payoffs.",
            report.width.to_text(),
            short(report.width_of_range, 2)
        ));
        // Betting nothing keeps 0, so a bound below 0 says nothing.
        let keeps = play
            .lower_of_all
            .as_ref()
            .is_some_and(|of_all| *of_all > Exact::default());
        if let Some(of_all) = report.lower_of_all_probabilities.as_ref().filter(|_| keeps) {
            page.paragraph(format!(
                "Against a Bob who may say any probability she keeps at least {} by this, and the value \
                 is at most the upper end.",
                of_all.to_text()
            ));
        }
    }
}

/// PE Theorem 6.2.
fn least_true(page: &mut Page, least: &LeastTrueReport) {
    page.gap();
    page.paragraph(format!(
        "Of all plans that guarantee the lower end less α = {}, the one found that answers truly least \
         does so with probability {}, and keeps {}.",
        least.alpha.to_text(),
        least.answer_correct.to_text(),
        least.keeps.to_text()
    ));
    if let Some(promised) = &least.promised {
        page.row(format!(
            "PE Theorem 6.2 promises more than 1 - 4ε = {} where all of this holds:",
            promised.to_text()
        ));
        hypotheses(page, &least.hypotheses);
    }
}
