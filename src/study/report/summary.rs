//! The report as text for a terminal, Markdown, HTML and Vega-Lite.

use std::fmt::Write as _;

use crate::plan::StudyStage;
use crate::report::{
    ConfidenceInterval95, MeanReport, PrimaryContrastReport, StudyConditionReport, StudyReport,
};
use debate_core::number::format_with_decimals;
use debate_core::text::{count_with_noun, duration_in_words, nearest_whole_seconds};
use debate_lab::export::safe::escape_html_or_svg;
use debate_lab::judgements::{
    ConfidenceInterval, IndependentJudgementUnit, JudgementReport, ReliabilityDiagramBin,
    judgement_chart_svg,
};
use debate_text::table::{ColumnAlignment, TextTable};
use serde_json::Value;

/// Maximum number of characters per line of the paragraphs in the report's text. Tables can be wider.
const WIDTH: usize = 100;
/// Width of a reliability diagram in text, in steps from 0 % to 100 % right.
const COLUMNS: usize = 20;
/// Maximum number of judges that the report lists individually. With more judges, it lists none.
const MAX_JUDGES: usize = 40;

/// A heading, a paragraph or a table of a report.
enum Part {
    Heading(String),
    Text(String),
    Table(TextTable),
}

/// The parts of the report's document, in order.
#[derive(Default)]
struct Parts(Vec<Part>);

impl Parts {
    fn heading(&mut self, text: impl Into<String>) {
        self.0.push(Part::Heading(text.into()));
    }

    fn text(&mut self, text: impl Into<String>) {
        self.0.push(Part::Text(text.into()));
    }

    /// Adds a table with these column names to the report. The first column is aligned left, the other columns right.
    fn table<const N: usize>(&mut self, names: [&str; N], rows: Vec<[String; N]>) {
        let side = |place| {
            if place == 0 {
                ColumnAlignment::Left
            } else {
                ColumnAlignment::Right
            }
        };
        let columns = names.into_iter().enumerate();
        let mut table = TextTable::new(columns.map(|(place, name)| (name, side(place))));
        for row in rows {
            table.row(row);
        }
        self.0.push(Part::Table(table));
    }
}

fn number(value: f64) -> String {
    format_with_decimals(value, 3)
}

fn optional(value: Option<String>) -> String {
    value.unwrap_or_else(|| "-".to_owned())
}

fn ends(ends: Option<ConfidenceInterval95>) -> String {
    optional(ends.map(|ends| format!("{} to {}", number(ends.low), number(ends.high))))
}

fn percents(ends: Option<[f64; 2]>) -> String {
    let [low, high] = match ends {
        Some(ends) => ends.map(|end| format_with_decimals(end * 100.0, 0)),
        None => return "-".to_owned(),
    };
    format!("{low} to {high} %")
}

fn percent(share: f64) -> String {
    format!("{} %", format_with_decimals(share * 100.0, 0))
}

/// Formats the report as plain text, for a terminal.
pub fn report_text(report: &StudyReport) -> String {
    let mut out = String::new();
    for part in parts(report) {
        match part {
            // Writing to a string cannot fail.
            Part::Heading(heading) => {
                let _ = writeln!(out, "\n{heading}");
            }
            Part::Text(text) => out += &wrapped(&text),
            Part::Table(table) => {
                for line in table.aligned_table_lines() {
                    let _ = writeln!(out, "  {line}");
                }
            }
        }
    }
    out.trim_start().to_owned()
}

/// Wraps a paragraph into lines of at most [`WIDTH`] characters, indented as its first line. A longer word is not
/// split.
fn wrapped(text: &str) -> String {
    let indent = " ".repeat(text.len() - text.trim_start().len());
    let mut out = String::new();
    let mut column = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > WIDTH {
            out.push('\n');
            column = 0;
        }
        let before = if column == 0 { indent.as_str() } else { " " };
        out += before;
        out += word;
        column += before.len() + length;
    }
    out.push('\n');
    out
}

/// Returns the report as Markdown.
pub fn report_markdown(report: &StudyReport) -> String {
    let mut out = String::new();
    for (place, part) in parts(report).into_iter().enumerate() {
        let _ = match part {
            Part::Heading(heading) if place == 0 => writeln!(out, "# {heading}\n"),
            Part::Heading(heading) => writeln!(out, "\n## {heading}\n"),
            Part::Text(text) => writeln!(out, "{text}\n"),
            Part::Table(table) => writeln!(out, "{}", table.markdown()),
        };
    }
    out
}

/// Returns the parts of a report, in order.
fn parts(report: &StudyReport) -> Vec<Part> {
    let mut parts = Parts::default();
    parts.heading(&report.title);
    parts.text(status_line(report));
    flow(report, &mut parts);
    conditions(report, &mut parts);
    groups(report, &mut parts);
    tiers(report, &mut parts);
    primary(&report.primary, report.simulated, &mut parts);
    calibration(report, &mut parts);
    rounds(report, &mut parts);
    queries(report, &mut parts);
    quality(report, &mut parts);
    parts.0
}

fn status_line(report: &StudyReport) -> String {
    let judges = if report.simulated {
        " SIMULATED JUDGES: this tests the pipeline and says nothing about people."
    } else {
        ""
    };
    let stage = match report.stage {
        StudyStage::Debug => {
            " Stage Debug: no report of a later stage counts these sessions.".to_owned()
        }
        stage => format!(" Stage {}.", stage.study_stage_name()),
    };
    let lock = match (&report.lock, report.simulated) {
        (Some(hash), _) => format!(" Locked: {hash}."),
        (None, true) => String::new(),
        (None, false) => " Not locked.".to_owned(),
    };
    format!("{}.{stage}{lock}{judges}", report.id)
}

fn flow(report: &StudyReport, parts: &mut Parts) {
    let flow = &report.flow;
    parts.heading("Participants");
    let mut rows = Vec::new();
    let mut count = |what: String, count: usize| rows.push([what, count.to_string()]);
    for (status, sessions) in &flow.by_status {
        count(status.replace('_', " "), *sessions);
    }
    for (language, sessions) in &flow.by_language {
        count(format!("language {language}"), *sessions);
    }
    for (why, sessions) in &flow.excluded {
        let why = why.replace('_', " ");
        count(format!("complete, but excluded: {why}"), *sessions);
    }
    if flow.forgotten > 0 {
        count("forgotten on request".to_owned(), flow.forgotten);
    }
    if flow.damaged > 0 {
        count("damaged".to_owned(), flow.damaged);
    }
    let target = flow.target;
    count(format!("counted (the target is {target})"), flow.counted);
    parts.table(["", "sessions"], rows);
    if !flow.quotas.is_empty() {
        let rows = flow.quotas.iter().map(|quota| {
            let filled = format!("{} of {}", quota.filled, quota.most);
            [
                quota.quota_question_and_answers(),
                filled,
                quota.complete.to_string(),
            ]
        });
        parts.table(["quota", "with a place", "complete"], rows.collect());
    }
    for sentence in report.damage.damage_sentences() {
        parts.text(sentence);
    }
    if report.programs.len() > 1 {
        let programs = report.programs.join(", ");
        parts.text(format!("Versions of the program: {programs}."));
    }
    if let Some(groups) = &flow.groups {
        let wait = groups.wait_seconds_median;
        let wait = wait.map(|it| {
            format!(
                " Median time in the waiting room: {time}.",
                time = duration_in_words(nearest_whole_seconds(it))
            )
        });
        parts.text(format!(
            "Groups: {formed} formed, {complete} complete, {void} void. Participants: {waited} found no group in time, {left_alone} lost their group, {absent} did not answer in time.{waiting_time}",
            formed = groups.made,
            complete = groups.complete,
            void = groups.void,
            waited = groups.waited,
            left_alone = groups.left_alone,
            absent = groups.forfeited,
            waiting_time = wait.unwrap_or_default()
        ));
    }
    if let Some(minutes) = flow.active_minutes_median {
        let time = duration_in_words(nearest_whole_seconds(minutes * 60.0));
        parts.text(format!("Median active time of a session: {time}."));
    }
}

fn conditions(report: &StudyReport, parts: &mut Parts) {
    parts.heading("Conditions");
    let head = [
        "condition",
        "right",
        "Wilson 95 %",
        "Brier",
        "95 % by participants",
        "95 % by items",
        "log2 score",
        "seconds",
    ];
    parts.table(head, report.conditions.iter().map(condition_row).collect());
    parts.text(
        "Right: judgements with a probability above one half for the right answer; Wilson's interval treats them as \
         independent. Brier and score are means of participants' means. Brier: 0 is the best; always answering one \
         half gives 0.25. Score: in bits, 0 is the best. Seconds: median active time of a trial.",
    );
    for condition in &report.conditions {
        parts.text(format!(
            "{}: {}.",
            condition.id,
            condition.compared.condition_properties_phrase()
        ));
        let Some(chose) = condition.chose_first.map(percent) else {
            continue;
        };
        let before = condition.brier_before;
        let before = before.map(|brier| format!("; Brier score before the debate {brier:.3}"));
        let rounds = condition.rounds_mean.filter(|it| *it > 0.0);
        let rounds =
            rounds.map(|mean| format!("; they read {mean:.1} rounds per trial on average"));
        parts.text(format!(
            "{condition}: {participants} participants; they chose the answer shown first in {chose} of the trials (this answer was right in {right} of the trials){brier}{rounds}.",
            condition = condition.id,
            participants = condition.participants,
            right = percent(condition.first_was_right.unwrap_or(0.0)),
            brier = before.unwrap_or_default(),
            rounds = rounds.unwrap_or_default()
        ));
    }
}

/// Adds to the report the judgements grouped by properties that several conditions share.
fn groups(report: &StudyReport, parts: &mut Parts) {
    if report.groups.is_empty() {
        return;
    }
    parts.heading("Judgements, grouped by properties that conditions share");
    let rows = report.groups.iter().map(|group| {
        let mean = |of: &Option<MeanReport>| optional(of.as_ref().map(|it| number(it.mean)));
        let by_people =
            |of: &Option<MeanReport>| ends(of.as_ref().and_then(|it| it.participants95));
        [
            format!("{}: {}", group.by, group.value),
            group.n.to_string(),
            mean(&group.accuracy),
            by_people(&group.accuracy),
            mean(&group.brier),
            by_people(&group.brier),
        ]
    });
    let head = [
        "",
        "judgements",
        "right",
        "95 % by participants",
        "Brier",
        "95 % by participants",
    ];
    parts.table(head, rows.collect());
}

/// Adds to the report the judgements by difficulty tier and condition.
fn tiers(report: &StudyReport, parts: &mut Parts) {
    if report.tiers.is_empty() {
        return;
    }
    parts.heading("By difficulty tier");
    let rows = report.tiers.iter().map(|row| {
        let mean = |of: &Option<MeanReport>| optional(of.as_ref().map(|it| number(it.mean)));
        let interval = |of: &Option<MeanReport>| ends(of.as_ref().and_then(|it| it.participants95));
        [
            row.tier.clone(),
            row.condition.clone(),
            row.n.to_string(),
            mean(&row.accuracy),
            mean(&row.brier),
            interval(&row.brier),
        ]
    });
    let head = [
        "tier",
        "condition",
        "judgements",
        "right",
        "Brier",
        "95 % by participants",
    ];
    parts.table(head, rows.collect());
}

fn condition_row(condition: &StudyConditionReport) -> [String; 8] {
    let of = |report: &Option<MeanReport>| optional(report.as_ref().map(|it| number(it.mean)));
    let brier = condition.brier.as_ref();
    let seconds = condition.active_seconds_median;
    [
        condition.id.clone(),
        format!("{}/{}", condition.correct, condition.n),
        percents(condition.wilson95),
        of(&condition.brier),
        ends(brier.and_then(|it| it.participants95)),
        ends(brier.and_then(|it| it.items95)),
        of(&condition.log2_score),
        optional(seconds.map(|it| format!("{it:.0}"))),
    ]
}

/// Adds to the report the primary contrast. For simulated judges, omits the effect that is detectable with the observed
/// spread, because their spread says nothing about participants.
fn primary(contrast: &PrimaryContrastReport, simulated: bool, parts: &mut Parts) {
    let measure = contrast.measure.measure_name();
    let condition = &contrast.of;
    let other_condition = &contrast.against;
    parts.heading(format!(
        "Primary contrast: {measure} of {condition} minus {other_condition}"
    ));
    let within = if contrast.paired {
        "within participants, paired t"
    } else {
        "between participants, Welch's t"
    };
    let row = |what: String, difference: Option<f64>, interval| {
        [what, optional(difference.map(number)), ends(interval)]
    };
    let test = format!("{within}, n = {}", contrast.participants);
    let mut rows = vec![row(test, contrast.difference, contrast.t95)];
    if contrast.paired {
        let bootstrap = "studentised bootstrap".to_owned();
        rows.push(row(bootstrap, contrast.difference, contrast.bootstrap95));
        rows.push(row(
            "by items".to_owned(),
            contrast.by_items,
            contrast.items95,
        ));
    }
    parts.table(["", "difference", "95 %"], rows);
    let p = contrast.t_p.map(|p| format!(" p = {p:.3}."));
    parts.text(format!("{}{}", contrast.verdict, p.unwrap_or_default()));
    if let Some(least) = contrast.detectable_at_target.filter(|_| !simulated) {
        parts.text(format!(
            "At the target, the smallest difference detected with probability 0.8 is {least:.3}, given the standard \
             deviation observed here ({}).",
            optional(contrast.sd.map(number))
        ));
    }
    if let (Some(stated), Some(power)) = (contrast.stated, contrast.stated_power) {
        parts.text(format!(
            "Stated effect {} with standard deviation {}: power {} at the target; the smallest effect detected with \
             probability 0.8 is {}.",
            stated.effect,
            stated.sd,
            percent(power),
            optional(contrast.stated_detectable.map(number))
        ));
    }
}

fn calibration(report: &StudyReport, parts: &mut Parts) {
    parts.heading("Calibration");
    for condition in &report.judgements.conditions {
        parts.text(format!("{}:", condition.condition));
        // One row per bin: `o` at the proportion of right answers, `|` at the stated probability.
        let row = |bin: &ReliabilityDiagramBin| {
            [
                format!("{:.0} to {:.0} %", bin.from * 100.0, bin.to * 100.0),
                format!("{}/{}", bin.hits, bin.count),
                percents(Some(bin.share95)),
                marks(bin),
            ]
        };
        let head = [
            "stated",
            "right",
            "95 %",
            "0 % to 100 % (| mean stated, o proportion right)",
        ];
        parts.table(head, condition.reliability.iter().map(row).collect());
        parts.text(format!(
            "  Stated: {:.0} to {:.0} %. ECE {:.3}; expected for a perfectly calibrated judge with the same numbers: \
             {:.3} (ten bins by the probability of the more likely answer, each with its lower end; 50 % counts as \
             half right)",
            condition.range_used[0] * 100.0,
            condition.range_used[1] * 100.0,
            condition.calibration_error,
            condition.calibration_noise
        ));
    }
}

/// True if a table cell of the report contains a bar drawn by [`marks`], which needs characters of equal width.
fn is_bar(cell: &str) -> bool {
    cell.len() > COLUMNS && cell.chars().all(|mark| ".|o".contains(mark))
}

fn marks(bin: &ReliabilityDiagramBin) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "the index of a column is from 0 to COLUMNS"
    )]
    let place = |share: f64| ((share * COLUMNS as f64).round() as usize).min(COLUMNS);
    let mut line = vec!['.'; COLUMNS + 1];
    line[place(bin.mean_confidence)] = '|';
    line[place(bin.hits / debate_lab::judgements::statistics::count_to_float(bin.count))] = 'o';
    line.into_iter().collect()
}

fn rounds(report: &StudyReport, parts: &mut Parts) {
    let mut rows = Vec::new();
    for condition in &report.judgements.conditions {
        rows.extend(condition.by_round.iter().map(|round| {
            [
                condition.condition.clone(),
                round.round.to_string(),
                format!("{}/{}", round.correct, round.judgements),
                percent(round.mean_p_correct),
            ]
        }));
    }
    if !rows.is_empty() {
        parts.heading("By round");
        parts.table(
            ["condition", "after round", "right", "mean probability"],
            rows,
        );
    }
}

fn queries(report: &StudyReport, parts: &mut Parts) {
    let queries = &report.queries;
    if queries.n == 0 {
        return;
    }
    parts.heading("Claims that participants decided as judges");
    let row = |class: &str, errors: usize, n: usize, rate| {
        [class.to_owned(), format!("{errors}/{n}"), percents(rate)]
    };
    let classes = queries.classes.iter();
    let rows = classes.map(|it| row(it.class, it.errors, it.n, it.error_rate95));
    let all = row("all", queries.errors, queries.n, queries.error_rate95);
    parts.table(["", "wrong", "95 %"], rows.chain([all]).collect());
    for condition in &report.conditions {
        if let Some(allowed) = condition.judge_error_allowed {
            parts.text(format!(
                "{}: every scenario meets the hypotheses of PE Lemma A.5, so honest Alice keeps her bound with \
                 judges whose error rate is at most {allowed:.3}.",
                condition.id
            ));
        }
    }
    if queries.judges.len() <= MAX_JUDGES {
        let judges = queries.judges.iter().map(|judge| {
            [
                judge.participant.clone(),
                format!("{}/{}", judge.errors, judge.n),
                judge.on_true.to_string(),
                judge.on_false.to_string(),
            ]
        });
        parts.table(["judge", "wrong", "on true", "on false"], judges.collect());
    }
    if let (Some(oracle), Some(player)) = (&queries.oracle, &queries.player) {
        parts.text(format!(
            "A judge with this error rate: `oracle: {oracle}` in a scenario, or `--judge '{player}'`, for solve and \
             simulate."
        ));
    }
}

fn quality(report: &StudyReport, parts: &mut Parts) {
    let quality = &report.quality;
    parts.heading("Quality");
    let times = if usize::try_from(quality.resumes) == Ok(quality.resumed_sessions) {
        String::new()
    } else {
        format!(" ({})", count_with_noun(quality.resumes, "time", "times"))
    };
    parts.text(format!(
        "{attention_questions} failed; {sessions} resumed{times}; {trials} interrupted, {late_trials} over the time limit.",
        attention_questions = count_with_noun(
            quality.attention_failed,
            "attention question",
            "attention questions"
        ),
        sessions = count_with_noun(quality.resumed_sessions, "session", "sessions"),
        trials = count_with_noun(quality.interrupted_trials, "trial", "trials"),
        late_trials = quality.trials_over_limit
    ));
    for (fault, trials) in &quality.void_trials {
        parts.text(format!(
            "Trials that ended by a program's fault ({fault}): {trials}.",
            fault = fault.replace('_', " ")
        ));
    }
    if let Some(gap) = quality.repeat_difference {
        parts.text(format!(
            "Repeated trials: {repeated}; the two probabilities of a repeated trial differ by {points:.0} percentage points on average.",
            repeated = quality.repeated,
            points = gap * 100.0
        ));
    }
    if let (Some(first), Some(second)) = (quality.first_half_brier, quality.second_half_brier) {
        parts.text(format!(
            "Brier score in the first half of the trials {first}, in the second half {second}.",
            first = number(first),
            second = number(second)
        ));
    }
    for (label, answers) in &quality.guesses {
        let count =
            |(answer, count): (&String, &usize)| format!("{} {count}", answer.replace('_', " "));
        let counts: Vec<String> = answers.iter().map(count).collect();
        parts.text(format!("Guesses about {label}: {}.", counts.join(", ")));
    }
}

/// Returns the judgements for the charts, in the order of the study file. They have the mean accuracies of the report's
/// conditions, with the intervals over participants.
fn drawn(report: &StudyReport) -> JudgementReport {
    let mut conditions = Vec::new();
    for of in &report.conditions {
        let mut known = report.judgements.conditions.iter();
        let Some(known) = known.find(|it| it.condition == of.id) else {
            continue;
        };
        let mut condition = known.clone();
        if let Some(accuracy) = &of.accuracy {
            condition.accuracy = accuracy.mean;
            let ends = accuracy.participants95.into_iter();
            let intervals = ends.map(|ends| ConfidenceInterval {
                by: IndependentJudgementUnit::Judge,
                low: ends.low.max(0.0),
                high: ends.high.min(1.0),
            });
            condition.accuracy_intervals = intervals.collect();
        }
        conditions.push(condition);
    }
    JudgementReport {
        conditions,
        ..report.judgements.clone()
    }
}

/// Returns the charts of a report as a Vega-Lite document.
pub fn report_charts(report: &StudyReport) -> Value {
    debate_lab::judgements::judgement_chart_vega(&drawn(report))
}

/// Returns the report as an HTML page.
pub fn report_html(report: &StudyReport) -> String {
    let mut body = String::new();
    // The last heading and the number of tables under it, which give each scrolling region a unique name.
    let (mut above, mut tables) = (String::new(), 0);
    for (place, part) in parts(report).into_iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = match part {
            Part::Heading(heading) if place == 0 => {
                writeln!(body, "<h1>{}</h1>", escape_html_or_svg(&heading))
            }
            Part::Heading(heading) => {
                if heading == "Calibration" && !report.judgements.conditions.is_empty() {
                    body += &scrolling("Charts", &judgement_chart_svg(&drawn(report)));
                }
                let written = writeln!(body, "<h2>{}</h2>", escape_html_or_svg(&heading));
                (above, tables) = (heading, 0);
                written
            }
            Part::Text(text) => writeln!(body, "<p>{}</p>", escape_html_or_svg(&text)),
            Part::Table(shown) => {
                tables += 1;
                body += &scrolling(&format!("{above}, table {tables}"), &table(shown.rows()));
                Ok(())
            }
        };
    }
    let style = include_str!("report.css").trim_end();
    format!(
        include_str!("report.html"),
        title = escape_html_or_svg(&report.title),
        style = style,
        body = body
    )
}

/// Puts HTML that may be wider than the window into a scrolling region, which is also reachable by keyboard.
fn scrolling(name: &str, content: &str) -> String {
    format!(
        "<div class=\"scroll\" role=\"region\" aria-label=\"{label}\" tabindex=\"0\">{content}</div>\n",
        label = escape_html_or_svg(name)
    )
}

/// Returns an HTML table. The first row contains the column headers, and the first column the row headers.
fn table(rows: &[Vec<String>]) -> String {
    let mut out = "<table>".to_owned();
    for (line, row) in rows.iter().enumerate() {
        out += match line {
            0 => "<thead><tr>",
            1 => "<tbody><tr>",
            _ => "<tr>",
        };
        for (column, cell) in row.iter().enumerate() {
            let text = escape_html_or_svg(cell);
            let _ = match (line, column) {
                // Screen readers announce header cells, so an empty cell is a data cell.
                _ if cell.is_empty() => write!(out, "<td></td>"),
                _ if is_bar(cell) => write!(out, "<td class=\"bar\">{text}</td>"),
                (0, _) => write!(out, "<th scope=\"col\">{text}</th>"),
                (_, 0) => write!(out, "<th scope=\"row\">{text}</th>"),
                _ => write!(out, "<td>{text}</td>"),
            };
        }
        out += if line == 0 { "</tr></thead>" } else { "</tr>" };
    }
    if rows.len() > 1 {
        out += "</tbody>";
    }
    out + "</table>"
}
