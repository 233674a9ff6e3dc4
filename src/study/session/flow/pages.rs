//! What each step shows.
//!
//! Pages of trials are made from the question, what was told and what is asked: nothing here looks at
//! what is right, who plays, or what a condition is called, until the debrief.

use super::steps::{GUESSES, Step};
use super::{Asked, Assigned, Participant, SpokenCodes, Status};
use crate::plan::{Role, ScoreShown, SurveyAnswer, SurveyQuestion, Task};
use crate::session::page::SessionPage;
use crate::session::trial::AnswerForm;
use debate_lab::tell::{Ask, AskKind, Line, Page, Role as LineRole, paragraphs};

/// What an estimate of a claim is about.
const OF_A_CLAIM: [&str; 2] = ["Yes, it is true", "No, it is not true"];

pub(super) fn page(participant: &Participant<'_>) -> SessionPage {
    if participant.leaving {
        return leave(participant);
    }
    if participant.status != Status::Started {
        return end(participant.status, &participant.codes);
    }
    let text = |name: &str| paragraphs(participant.study.text(name));
    match participant.step() {
        Step::Screener { min } => plain(
            "Your window",
            &[&screener(*min)],
            Ask::new("", "", AskKind::Size),
        ),
        Step::Consent(name) => {
            let ask = choice("Do you agree to take part?", &["I agree", "I do not agree"]);
            with_lines("Before you begin", text(name), ask)
        }
        Step::Instructions(name) => with_lines("What you will do", text(name), next()),
        Step::Quiz { file, .. } => quiz(participant, file),
        Step::Trial(assigned) => trial(participant, *assigned),
        Step::Attention { words, right } => {
            let question = format!(
                "This question checks that pages are read. Choose “{}”.",
                words[*right]
            );
            plain("A short check", &[], choice(&question, words))
        }
        Step::Break { max_s } => {
            let minutes = max_s.div_ceil(60);
            let words = format!("Take a break if you like, up to {minutes} minutes. Then go on.");
            plain("A break", &[&words], next())
        }
        Step::Survey { file, index } => survey(&participant.study.survey(file)[*index]),
        Step::Guess { label } => {
            let question = format!(
                "In the tasks called “{label}” somebody argued. What do you think of what they said?"
            );
            plain(
                "Looking back",
                &[],
                choice(&question, &GUESSES.map(|(_, words)| words)),
            )
        }
        Step::Debrief { reveal, text } => debrief(participant, *reveal, text.as_deref()),
        Step::Place | Step::End => end(participant.status, &participant.codes),
    }
}

fn text_line(text: impl Into<String>) -> Line {
    Line::of(LineRole::Text, text)
}

fn strong_line(text: impl Into<String>) -> Line {
    Line::of(LineRole::Title, text)
}

fn with_lines(heading: &str, lines: Vec<Line>, ask: Ask) -> SessionPage {
    SessionPage {
        page: Page::new(heading, lines).asking(ask),
        ..SessionPage::default()
    }
}

fn plain(heading: &str, lines: &[&str], ask: Ask) -> SessionPage {
    with_lines(heading, lines.iter().copied().map(text_line).collect(), ask)
}

/// To read, and then to go on.
fn next() -> Ask {
    Ask::new("", "", AskKind::Next)
}

fn choice<T: AsRef<str>>(question: &str, options: &[T]) -> Ask {
    let options = options.iter().map(|option| option.as_ref().to_owned());
    Ask::new("", question, AskKind::OneOf(options.collect()))
}

fn screener((columns, rows): (u16, u16)) -> String {
    format!(
        "This study needs a window of {columns} columns and {rows} rows. Make it large enough, then go on."
    )
}

fn leave(participant: &Participant<'_>) -> SessionPage {
    let hours = participant.study.plan.time.resume_within_h;
    let text = "Everything that you answered so far is kept.";
    let later = format!("Close it for now: I come back within {hours} hours and go on from here");
    let options = [
        "Go on",
        &later,
        "Stop taking part: what I answered is not counted",
    ];
    plain(
        "Leaving",
        &[text],
        choice("What do you want to do?", &options),
    )
}

fn quiz(participant: &Participant<'_>, file: &str) -> SessionPage {
    if participant.within.again {
        let text = "Some answers were not right. Here they are asked once more; think of what the \
                    instructions said.";
        return plain("Did we explain it well?", &[text], next());
    }
    let place = participant.within.questions.last().copied().unwrap_or(0);
    let question = &participant.study.quiz(file)[place];
    plain(
        "Did we explain it well?",
        &[],
        choice(&question.ask, &question.options),
    )
}

fn survey(question: &SurveyQuestion) -> SessionPage {
    let ask = match &question.answer {
        SurveyAnswer::Choice(options) => choice(&question.ask, options),
        SurveyAnswer::Scale { from, to, ends } => {
            let named = |number: i32| match number {
                number if number == *from && !ends.0.is_empty() => format!("{number} ({})", ends.0),
                number if number == *to && !ends.1.is_empty() => format!("{number} ({})", ends.1),
                number => number.to_string(),
            };
            let options: Vec<String> = (*from..=*to).map(named).collect();
            choice(&question.ask, &options)
        }
        SurveyAnswer::Number { .. } => text_ask(&question.ask, 20),
        SurveyAnswer::Text(most) => text_ask(&question.ask, *most),
    };
    plain("A few questions", &[], ask)
}

fn text_ask(question: &str, most: usize) -> Ask {
    Ask::new("", question, AskKind::Text { most })
}

/// The question's answers in the order in which they stand on the screen.
fn answers(participant: &Participant<'_>, assigned: Assigned) -> (String, [String; 2]) {
    let (question, [first, second]) = participant.trial_of(assigned).item().question();
    let answers = if assigned.swap {
        [second, first]
    } else {
        [first, second]
    };
    (question, answers)
}

fn heading(participant: &Participant<'_>, assigned: Assigned) -> String {
    let condition = &participant.study.plan.conditions[assigned.condition];
    let label = &condition.shown_as;
    // Without a debate nobody has a seat.
    let role = match (&condition.task, participant.study.plan.role()) {
        (Task::Debate { .. }, role) if role != Role::Judge => {
            format!(" - you are {}", role.seat().person())
        }
        _ => String::new(),
    };
    if assigned.practice {
        return format!("{label} - practice, which does not count{role}");
    }
    let all = participant
        .steps
        .iter()
        .filter(|step| matches!(step, Step::Trial(trial) if !trial.practice));
    format!("{label} - {} of {}{role}", assigned.number, all.count())
}

fn trial(participant: &Participant<'_>, assigned: Assigned) -> SessionPage {
    let (question, answers) = answers(participant, assigned);
    let mut lines = vec![strong_line(question.as_str())];
    let moment = participant.within.moment.as_ref();
    let mut new_from = 0;
    if let Some(moment) = moment.filter(|moment| !moment.lines.is_empty()) {
        new_from = lines.len() + moment.new_from;
        lines.extend(moment.lines.iter().map(text_line));
    }
    let ask = match moment.map(|moment| &moment.asked) {
        None | Some(Asked::Over) => next(),
        Some(asked) => trial_ask(participant, asked, &question, answers),
    };
    let task = &participant.study.plan.conditions[assigned.condition].task;
    SessionPage {
        new_from,
        paced: !matches!(task, Task::Direct { .. }),
        ..with_lines(&heading(participant, assigned), lines, ask)
    }
}

fn trial_ask(
    participant: &Participant<'_>,
    asked: &Asked,
    root: &str,
    root_answers: [String; 2],
) -> Ask {
    let within = &participant.within;
    let answers = match asked {
        Asked::Rules(_) => OF_A_CLAIM.map(str::to_owned),
        _ => root_answers,
    };
    if let Some((typed, meant)) = &within.perhaps {
        let question = format!("You typed {typed}. Do you mean {meant} percent?");
        let yes = format!("Yes, {meant} percent");
        return choice(&question, &[yes.as_str(), "No, I type it again"]);
    }
    if let Some(shown) = within.unconfirmed {
        let [first, second] = &answers;
        let question = format!(
            "You say: “{first}” {shown} %, “{second}” {} %. Is that what you think?",
            100 - shown
        );
        return choice(&question, &["Yes", "No, I change it"]);
    }
    let likely = format!("How likely is “{}”?", answers[0]);
    let question = match asked {
        Asked::Before => format!("Before you read on: {likely}"),
        // The question has scrolled away by then.
        Asked::Round(_) => format!("By what you know now: {root}\n{likely}"),
        Asked::Final | Asked::Over => format!("In the end: {root}\n{likely}"),
        Asked::Rules(rules) => match &rules.form {
            AnswerForm::Percent => rules.question.clone(),
            AnswerForm::Text(most) => return text_ask(&rules.question, *most),
            AnswerForm::OneOf(options) => {
                let price = participant.study.plan.score.per_continue();
                let cost = (rules.kind == "continue" && price > 0.0)
                    .then(|| format!(" It takes {price} bits off your score."));
                let evidence = rules.evidence.as_ref();
                let evidence = evidence.map(|seen| format!("\nEvidence: {seen}"));
                let question = [Some(rules.question.clone()), cost, evidence];
                let question: String = question.into_iter().flatten().collect();
                let labels: Vec<&str> = options.iter().map(|it| it.label.as_str()).collect();
                return choice(&question, &labels);
            }
        },
    };
    let (min, max) = participant.study.plan.response.range();
    Ask::new("", question, AskKind::Percent { answers, min, max })
}

fn debrief(participant: &Participant<'_>, reveal: bool, text: Option<&str>) -> SessionPage {
    let mut lines = text.map_or_else(Vec::new, |name| paragraphs(participant.study.text(name)));
    if reveal {
        if !lines.is_empty() {
            lines.push(text_line(""));
        }
        lines.push(strong_line("What was right"));
        for judged in participant
            .judged
            .iter()
            .filter(|judged| !judged.assigned.practice && !judged.assigned.repeat)
        {
            lines.push(right_answer(participant, judged));
        }
    }
    if participant.study.plan.score.shown() == ScoreShown::AtEnd {
        let mean = participant.mean_score();
        lines.extend(
            mean.map(|mean| text_line(format!("Your mean score: {mean:.2} bits (0 is the best)."))),
        );
    }
    with_lines("What this was about", lines, next())
}

fn right_answer(participant: &Participant<'_>, judged: &super::Judged) -> Line {
    let item = participant.trial_of(judged.assigned).item();
    let (question, answers) = item.question();
    let right = &answers[usize::from(!item.truth)];
    let given = if item.truth {
        judged.percent
    } else {
        100 - judged.percent
    };
    text_line(format!(
        "{question} Right: “{right}”. You gave that {given} %."
    ))
}

/// The last page of a session that ended so.
pub fn end(status: Status, codes: &SpokenCodes) -> SessionPage {
    let text = match status {
        Status::Started | Status::Complete | Status::FailedAttention => {
            "This is the end. Thank you."
        }
        Status::ScreenedOut => {
            "Your window is too small for this study, so it ends here. Thank you."
        }
        Status::NoConsent => "You did not agree, so nothing more is asked. Thank you.",
        Status::FailedQuiz => {
            "The questions about the instructions were not answered right, so it ends here. Thank you."
        }
        Status::Withdrawn => {
            "You have stopped. What you answered is not counted. If somebody sent you here, please give your \
             place back there."
        }
        Status::Full => {
            "All places of this study are taken by now, so it ends here. Thank you for your time."
        }
        Status::Expired => "The time in which you could go on is over. Thank you.",
    };
    let code = codes.of(status);
    let code = code.map(|code| strong_line(format!("Your code: {code}")));
    let lines = std::iter::once(text_line(text)).chain(code).collect();
    SessionPage {
        page: Page::new("The end", lines),
        ..SessionPage::default()
    }
}
