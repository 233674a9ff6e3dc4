//! What each step shows.
//!
//! Pages of trials are made from the question, what was told and what is asked: nothing here looks at
//! what is right, who plays, or what a condition is called, until the debrief.

use super::steps::{GUESSES, Step};
use super::{Asked, Assigned, Participant, SpokenCodes, Status};
use crate::plan::{Role, ScoreShown, SurveyAnswer, SurveyQuestion, Task};
use crate::session::page::{Ask, Page, PageLine};

/// The most characters of what a judge says to debaters.
const MOST_FEEDBACK: usize = 1000;
/// What an estimate of a claim is about.
const OF_A_CLAIM: [&str; 2] = ["Yes, it is true", "No, it is not true"];

pub(super) fn page(participant: &Participant<'_>) -> Page {
    if participant.leaving {
        return leave(participant);
    }
    if participant.status != Status::Started {
        return end(participant.status, &participant.codes);
    }
    match participant.step() {
        Step::Screener { min } => plain("Your window", &[&screener(*min)], Ask::Size),
        Step::Consent(name) => {
            let ask = choice("Do you agree to take part?", &["I agree", "I do not agree"]);
            of_text(participant, "Before you begin", name, ask)
        }
        Step::Instructions(name) => of_text(participant, "What you will do", name, Ask::Next),
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
            let text = format!("Take a break if you like, up to {minutes} minutes. Then go on.");
            plain("A break", &[&text], Ask::Next)
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

fn plain(heading: &str, lines: &[&str], ask: Ask) -> Page {
    Page {
        heading: heading.to_owned(),
        lines: lines.iter().map(|line| PageLine::plain(*line)).collect(),
        new_from: 0,
        ask,
        paced: false,
    }
}

fn choice<T: AsRef<str>>(question: &str, options: &[T]) -> Ask {
    Ask::Choice {
        question: question.to_owned(),
        options: options
            .iter()
            .map(|option| option.as_ref().to_owned())
            .collect(),
    }
}

fn of_text(participant: &Participant<'_>, heading: &str, name: &str, ask: Ask) -> Page {
    Page {
        lines: PageLine::of_text(participant.study.text(name)),
        ..plain(heading, &[], ask)
    }
}

fn screener((columns, rows): (u16, u16)) -> String {
    format!(
        "This study needs a window of {columns} columns and {rows} rows. Make it large enough, then go on."
    )
}

fn leave(participant: &Participant<'_>) -> Page {
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

fn quiz(participant: &Participant<'_>, file: &str) -> Page {
    if participant.within.again {
        let text = "Some answers were not right. Here they are asked once more; think of what the \
                    instructions said.";
        return plain("Did we explain it well?", &[text], Ask::Next);
    }
    let place = participant.within.questions.last().copied().unwrap_or(0);
    let question = &participant.study.quiz(file)[place];
    plain(
        "Did we explain it well?",
        &[],
        choice(&question.ask, &question.options),
    )
}

fn survey(question: &SurveyQuestion) -> Page {
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
        SurveyAnswer::Number { .. } => Ask::Text {
            question: question.ask.clone(),
            most: 20,
        },
        SurveyAnswer::Text(most) => Ask::Text {
            question: question.ask.clone(),
            most: *most,
        },
    };
    plain("A few questions", &[], ask)
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

fn trial(participant: &Participant<'_>, assigned: Assigned) -> Page {
    let (question, answers) = answers(participant, assigned);
    let mut lines = vec![PageLine::strong(question.as_str())];
    let within = &participant.within;
    let moment = within.moment.as_ref();
    let mut new_from = 0;
    if let Some(moment) = moment {
        let shown = lines.len();
        lines.extend(moment.lines.iter().map(PageLine::plain));
        new_from = if moment.lines.is_empty() {
            0
        } else {
            shown + moment.new_from
        };
    }
    let asked = moment.map_or(&Asked::Over, |moment| &moment.asked);
    let argued = !matches!(
        participant.study.plan.conditions[assigned.condition].task,
        Task::Direct { .. }
    );
    Page {
        heading: heading(participant, assigned),
        ask: ask(participant, asked, &question, &answers),
        lines,
        new_from,
        paced: argued,
    }
}

fn ask(participant: &Participant<'_>, asked: &Asked, root: &str, answers: &[String; 2]) -> Ask {
    let within = &participant.within;
    let of_a_claim = OF_A_CLAIM.map(str::to_owned);
    let answers = match asked {
        Asked::Estimate { .. } => &of_a_claim,
        _ => answers,
    };
    if let Some((typed, meant)) = &within.perhaps {
        let question = format!("You typed {typed}. Do you mean {meant} percent?");
        return choice(
            &question,
            &[
                format!("Yes, {meant} percent"),
                "No, I type it again".to_owned(),
            ],
        );
    }
    if let Some(shown) = within.unconfirmed {
        let [first, second] = answers;
        let question = format!(
            "You say: “{first}” {shown} %, “{second}” {} %. Is that what you think?",
            100 - shown
        );
        return choice(&question, &["Yes", "No, I change it"]);
    }
    let (min, max) = participant.study.plan.response.range();
    let percent = |question: String| Ask::Percent {
        question,
        answers: answers.clone(),
        min,
        max,
    };
    // The question has scrolled away by then.
    let again = |when: &str| format!("{when} {root}\nHow likely is “{}”?", answers[0]);
    match asked {
        Asked::Before => percent(format!(
            "Before you read on: How likely is “{}”?",
            answers[0]
        )),
        Asked::Round(_) => percent(again("By what you know now:")),
        Asked::Final => percent(again("In the end:")),
        Asked::Estimate { question } => percent(question.clone()),
        Asked::Move { question, options } => choice(question, options),
        Asked::Speech { question, most } => Ask::Text {
            question: question.clone(),
            most: *most,
        },
        Asked::Query { question, evidence, .. } => {
            let evidence = evidence.as_ref().map(|seen| format!("\nEvidence: {seen}")).unwrap_or_default();
            choice(&format!("{question}{evidence}"), &["Yes, it is true", "No, it is not true"])
        }
        Asked::Continue => {
            let price = participant.study.plan.score.per_continue();
            let costs = if price > 0.0 { format!(" It takes {price} bits off your score.") } else { String::new() };
            choice(&format!("Do you want to hear another round?{costs}"), &["Hear another round", "Stop here"])
        }
        Asked::Feedback => Ask::Text {
            question: "Is there anything that you want to say to those who argue? Enter alone says nothing.".to_owned(),
            most: MOST_FEEDBACK,
        },
        Asked::Over => Ask::Next,
    }
}

fn debrief(participant: &Participant<'_>, reveal: bool, text: Option<&str>) -> Page {
    let mut lines = text.map_or_else(Vec::new, |name| {
        PageLine::of_text(participant.study.text(name))
    });
    if reveal {
        if !lines.is_empty() {
            lines.push(PageLine::plain(""));
        }
        lines.push(PageLine::strong("What was right"));
        for judged in participant
            .judged
            .iter()
            .filter(|judged| !judged.assigned.practice && !judged.assigned.repeat)
        {
            lines.push(told(participant, judged));
        }
    }
    if participant.study.plan.score.shown() == ScoreShown::AtEnd {
        let mean = participant.mean_score();
        lines.extend(mean.map(|mean| {
            PageLine::plain(format!("Your mean score: {mean:.2} bits (0 is the best)."))
        }));
    }
    Page {
        lines,
        ..plain("What this was about", &[], Ask::Next)
    }
}

fn told(participant: &Participant<'_>, judged: &super::Judged) -> PageLine {
    let item = participant.trial_of(judged.assigned).item();
    let (question, answers) = item.question();
    let right = &answers[usize::from(!item.truth)];
    let given = if item.truth {
        judged.percent
    } else {
        100 - judged.percent
    };
    PageLine::plain(format!(
        "{question} Right: “{right}”. You gave that {given} %."
    ))
}

/// The last page of a session that ended so.
pub fn end(status: Status, codes: &SpokenCodes) -> Page {
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
    let code = code.map(|code| PageLine::strong(format!("Your code: {code}")));
    let mut page = plain("The end", &[text], Ask::End);
    page.lines.extend(code);
    page
}
