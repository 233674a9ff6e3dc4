//! `replay --as judge`: a person judges finished debates again. Each debate is shown round by round, as far as the
//! judge wants to read.

use std::io::{BufRead, Write};

use super::errors::print_warning;
use super::output::{prompt_and_read_text, stdin, stdout};
use super::{CommandFailure, ReplayArgs, Result};
use crate::app::{AppPage, RejudgePage};
use debate_core::bits::BitString;
use debate_core::number::Exact;
use debate_core::protocol::{Reply, Request};
use debate_core::text::{count_with_noun, replace_unsafe_characters, replace_unsafe_multiline};
use debate_host::plan;
use debate_lab::judgements::{FinishedDebateToRejudge, RejudgeQueue, compare_judgements};
use debate_text::{DebateNarrator, FormulaCharacterSet, ParsedTypedLine, read_line};

pub(super) fn run_rejudge(args: &ReplayArgs) -> Result {
    let seed = plan::given_or_random_seed(args.seed.as_deref())?;
    let judge = args.judge_name.as_deref().unwrap_or("me");
    let results = args.results.clone();
    let queue = RejudgeQueue::new(&args.save, seed.as_str(), results, judge)?;
    if args.display.uses_full_screen() {
        let page = AppPage::Rejudge(Box::new(RejudgePage { queue, seed }));
        return args.display.show_page(&args.save_options, page);
    }
    rejudge_in_lines(queue, seed.as_str())
}

/// The outcome of asking the judge about one finished debate.
enum Verdict {
    /// The judge finished the judgement, perhaps without reading all rounds.
    Judged,
    /// The judge left, or the input ended, before the judgement was finished.
    Left,
}

fn rejudge_in_lines(mut queue: RejudgeQueue, seed: &str) -> Result {
    let mut input = stdin();
    let mut out = stdout();
    if queue.remaining_save_count() > 1 {
        writeln!(
            out,
            "{save_count} saves are shown in random order, with seed {seed}. Your judgements are written to {judgements_file}.",
            save_count = queue.remaining_save_count(),
            seed = replace_unsafe_characters(seed),
            judgements_file =
                replace_unsafe_characters(&queue.judgements_file().display().to_string())
        )?;
    }
    let mut judged = 0;
    let mut failed = None;
    loop {
        match queue.next_debate_to_rejudge() {
            Ok(None) => break,
            Ok(Some(case)) => match judge_debate(&case, &queue, &mut input, &mut out)? {
                Verdict::Left => break,
                Verdict::Judged => judged += 1,
            },
            // If one save cannot be read, the remaining ones can still be judged.
            Err(error) => {
                print_warning(error)?;
                failed = Some(CommandFailure::Reported);
            }
        }
    }
    writeln!(
        out,
        "\n{} judged.",
        count_with_noun(judged, "debate", "debates")
    )?;
    failed.map_or(Ok(()), Err)
}

/// Asks the judge about a finished debate, round by round.
fn judge_debate(
    case: &FinishedDebateToRejudge,
    queue: &RejudgeQueue,
    input: &mut impl BufRead,
    out: &mut impl Write,
) -> Result<Verdict> {
    let mut rejudged = case.begin_rejudgement()?;
    let narrator = DebateNarrator::new(&case.instance, FormulaCharacterSet::Unicode);
    let more = Request::Continue { round: 0 };
    let probability = Request::Probability {
        claim: case.instance.root(),
        place: None,
        alone: false,
    };
    writeln!(
        out,
        "\n{}",
        replace_unsafe_multiline(&case.question_or_root_claim_text().join("\n  "))
    )?;
    while let Some(new) = rejudged.show_debate_up_to_next_question()? {
        writeln!(out)?;
        for line in rejudged.new_sentences_with_evidence(&narrator, new) {
            writeln!(out, "{}", replace_unsafe_multiline(&line))?;
        }
        let prompt = format!("{} In percent", case.probability_prompt());
        let percentage = "a percentage from 0 to 100, such as 33.3";
        let Some(Reply::Probability(p)) = ask_judge(&prompt, &probability, percentage, input, out)?
        else {
            return Ok(Verdict::Left);
        };
        rejudged.record_probability_of_second_judge(&p);
        if rejudged.rounds_shown_so_far() == 0 {
            continue;
        }
        let prompt = "Read another round? yes or no";
        match ask_judge(prompt, &more, "yes or no", input, out)? {
            Some(Reply::Continue(true)) => {}
            Some(_) => break,
            None => return Ok(Verdict::Left),
        }
    }
    let ended = rejudged.end(
        &case.instance,
        &case.protocol,
        case.debate_and_second_judge_names(),
    );
    let Some((made, theirs)) = ended? else {
        writeln!(
            out,
            "The right answer of this debate is unknown, so the judgement is not saved."
        )?;
        return Ok(Verdict::Judged);
    };
    queue
        .append_judgement(&made)
        .map_err(CommandFailure::from_system_error)?;
    writeln!(out)?;
    for line in compare_judgements(case, &made, &theirs) {
        writeln!(out, "{}", replace_unsafe_characters(&line))?;
    }
    let debrief = case
        .setup
        .scenario_texts(case.instance.world_index())
        .debrief;
    if !debrief.is_empty() {
        writeln!(out, "\n{}", replace_unsafe_multiline(&debrief))?;
    }
    Ok(Verdict::Judged)
}

/// Asks the judge a question until the judge gives a valid reply; `None` if the judge leaves or the input ends.
/// `expected` describes the accepted replies.
fn ask_judge(
    prompt: &str,
    request: &Request<Exact>,
    expected: &str,
    input: &mut impl BufRead,
    out: &mut impl Write,
) -> Result<Option<Reply<Exact>>> {
    loop {
        write!(out, "{prompt} ")?;
        let Some(line) = prompt_and_read_text(input, 4096, out)? else {
            return Ok(None);
        };
        match read_line(&line, request, false, BitString::default) {
            Ok(ParsedTypedLine::Reply(reply)) => return Ok(Some(reply)),
            Ok(ParsedTypedLine::Quit) => return Ok(None),
            Ok(ParsedTypedLine::Unclear(question)) => writeln!(out, "{question}")?,
            _ => writeln!(
                out,
                "Type {expected}, or q to leave without judging this debate."
            )?,
        }
    }
}
