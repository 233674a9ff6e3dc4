//! `replay --as judge`: finished debates, judged again without looking ahead.

use std::collections::HashSet;
use std::fs::{self, OpenOptions};
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};

use super::replies::{self, PlainInput};
use super::{Failure, ReplayArgs};
use crate::app::plan;
use debate_core::bits::Bits;
use debate_core::digest::Digest;
use debate_core::number::{Exact, percent};
use debate_core::protocol::words::{Narrator, Script};
use debate_core::protocol::{Reply, Request};
use debate_core::scenario::Instance;
use debate_core::text::{safe, safe_multiline};
use debate_lab::judgements::{JudgedDebate, Judgement, Rejudgement, RoundBelief, read_lines};
use debate_lab::record::Save;
use debate_lab::setup::{Limits, Setup};

/// The file with the judgements, beside the saves.
const RESULTS: &str = "rejudgements.jsonl";

/// What a judge of finished debates leaves with.
enum Verdict {
    /// The debate was judged to the end.
    Judged,
    /// They left in the middle of it.
    Left,
}

pub(super) fn rejudge(args: &ReplayArgs) -> Result<(), Failure> {
    let seed = plan::seed(args.seed.as_deref())?;
    let saves = shuffled(&args.save, seed.as_str())?;
    let folder = if args.save.is_dir() {
        args.save.as_path()
    } else {
        args.save.parent().unwrap_or_else(|| Path::new(""))
    };
    let results = args.results.clone().unwrap_or_else(|| folder.join(RESULTS));
    let judge = args.judge_name.as_deref().unwrap_or("me");
    let done = done(&results, judge)?;
    let (mut input, mut out) = (io::stdin().lock(), io::stdout().lock());
    let many = saves.len() > 1;
    if many {
        writeln!(
            out,
            "{} saves in random order, seed {}. Judgements go to {}.",
            saves.len(),
            safe(seed.as_str()),
            safe(&results.display().to_string())
        )?;
    }
    let mut judged = 0;
    for path in saves {
        let Some(case) = Case::of(&path, judge, many)? else {
            continue;
        };
        if done.contains(&case.told.debate) {
            continue;
        }
        match case.judge(&mut input, &mut out, &results)? {
            Verdict::Left => break,
            Verdict::Judged => judged += 1,
        }
    }
    let debates = if judged == 1 { "debate" } else { "debates" };
    writeln!(out, "\n{judged} {debates} judged.")?;
    Ok(())
}

/// The saves of a folder in an order that the seed decides, or the one save.
fn shuffled(path: &Path, seed: &str) -> Result<Vec<PathBuf>, Failure> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let unread = |error: io::Error| Failure::input(format!("{}: {error}", path.display()));
    let entries = fs::read_dir(path).map_err(unread)?;
    let files = entries.map(|entry| Ok(entry?.path()));
    let mut files = files.collect::<io::Result<Vec<_>>>().map_err(unread)?;
    files.retain(|file| file.extension().is_some_and(|ending| ending == "ron"));
    files.sort_by_cached_key(|file| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        Digest::of(format!("{seed}\n{name}").as_bytes()).to_string()
    });
    if files.is_empty() {
        return Err(Failure::input(format!("{}: no saves here", path.display())));
    }
    Ok(files)
}

/// The debates that this judge has judged already.
fn done(results: &Path, judge: &str) -> Result<HashSet<String>, Failure> {
    let Ok(text) = fs::read_to_string(results) else {
        return Ok(HashSet::new());
    };
    let made = read_lines(&text)
        .map_err(|error| Failure::input(format!("{}: {error}", results.display())))?;
    let own = made.into_iter().filter(|made| made.judge == judge);
    Ok(own.map(|made| made.debate).collect())
}

/// A finished debate that is judged.
struct Case {
    save: Save,
    setup: Setup,
    instance: Instance,
    told: JudgedDebate,
}

impl Case {
    /// `None` where a save among several is not finished.
    fn of(path: &Path, judge: &str, many: bool) -> Result<Option<Self>, Failure> {
        let named =
            |error: &dyn std::fmt::Display| Failure::input(format!("{}: {error}", path.display()));
        let read = Save::read(path).map_err(|error| named(&error))?;
        let setup = read
            .setup(&Limits::default())
            .map_err(|error| named(&error))?;
        let instance = read
            .header
            .instance(&setup)
            .map_err(|error| named(&error))?;
        if read.end().is_none() {
            if many {
                return Ok(None);
            }
            return Err(named(
                &"this debate is not finished; resume goes on with it",
            ));
        }
        let tag = |name: &str| setup.tags.get(name).cloned();
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let told = JudgedDebate {
            condition: tag("condition").unwrap_or_else(|| setup.title.clone()),
            debate: tag("debate").unwrap_or_else(|| name.into_owned()),
            judge: judge.to_owned(),
            story: tag("story"),
        };
        Ok(Some(Self {
            save: read,
            setup,
            instance,
            told,
        }))
    }

    fn judge(
        self,
        input: &mut impl BufRead,
        out: &mut impl Write,
        results: &Path,
    ) -> Result<Verdict, Failure> {
        let history = self.save.history(&self.instance).map_err(Failure::input)?;
        let mut rejudged = Rejudgement::begin(history).map_err(Failure::input)?;
        let narrator = Narrator::new(&self.instance, Script::Unicode);
        writeln!(out, "\n{}", safe_multiline(&self.question()))?;
        loop {
            let Some(lines) = rejudged.next(&narrator).map_err(Failure::input)? else {
                writeln!(
                    out,
                    "The debate has no more rounds: your last probability stands."
                )?;
                break;
            };
            writeln!(out)?;
            for line in lines {
                writeln!(out, "{}", safe_multiline(&line))?;
            }
            let Some(p) = self.probability(input, out)? else {
                return Ok(Verdict::Left);
            };
            rejudged.judge(&p, String::new());
            if rejudged.rounds_shown() == 0 {
                continue;
            }
            match more(input, out)? {
                Some(true) => {}
                Some(false) => break,
                None => return Ok(Verdict::Left),
            }
        }
        let protocol = &self.save.header.protocol;
        let ended = rejudged.end(&self.instance, protocol, self.told.clone());
        let Some((made, theirs)) = ended.map_err(Failure::input)? else {
            writeln!(out, "Nobody knows what is right here: nothing is kept.")?;
            return Ok(Verdict::Judged);
        };
        keep(&made, results)?;
        self.compare(out, &made, &theirs)?;
        Ok(Verdict::Judged)
    }

    /// What the judge is to say, without a word on how it came out.
    fn question(&self) -> String {
        match self.instance.question() {
            Some(question) => {
                let [first, second] = question.answers().map(str::trim);
                let text = question.text().trim();
                format!("{text}\n  First answer: {first}\n  Second answer: {second}")
            }
            None => format!("Is this so: {}?", self.instance.text(self.instance.root())),
        }
    }

    /// The probability that is typed; `None` where they leave.
    fn probability(
        &self,
        input: &mut impl BufRead,
        out: &mut impl Write,
    ) -> Result<Option<Exact>, Failure> {
        let asked = match self.instance.question() {
            Some(_) => "How likely is the first answer",
            None => "How likely is it",
        };
        let request = Request::Probability {
            claim: self.instance.root(),
            place: None,
            alone: false,
        };
        loop {
            write!(out, "{asked}, in percent? > ")?;
            let Some(line) = typed(input, out)? else {
                return Ok(None);
            };
            match replies::read(&line, &request, false, Bits::default) {
                Ok(PlainInput::Reply(Reply::Probability(p))) => return Ok(Some(p)),
                Ok(PlainInput::Quit) => return Ok(None),
                Ok(PlainInput::Unclear(question)) => writeln!(out, "{question}")?,
                _ => writeln!(
                    out,
                    "Type a percentage from 0 to 100, such as 33.3; q leaves, and this debate is \
                     not counted."
                )?,
            }
        }
    }

    /// Yours beside theirs, and what is right.
    fn compare(
        &self,
        out: &mut impl Write,
        made: &Judgement,
        theirs: &[RoundBelief],
    ) -> Result<(), Failure> {
        let right = match (self.instance.question(), made.correct_answer_index) {
            (Some(question), place) => {
                let answers = question.answers();
                let answer = answers[usize::from(place > 0)].trim();
                format!("The right answer is “{answer}”.")
            }
            (None, 0) => "It is so.".to_owned(),
            (None, _) => "It is not so.".to_owned(),
        };
        writeln!(out, "\n{} How likely it was held:", safe(&right))?;
        let rounds = made.by_round.iter().chain(theirs).map(|it| it.round);
        let last = rounds.max().unwrap_or(0);
        for round in 0..=last {
            let held = |beliefs: &[RoundBelief]| {
                let belief = beliefs.iter().find(|belief| belief.round == round);
                belief.map_or_else(|| "-".to_owned(), |belief| percent(belief.p_correct))
            };
            let (yours, other) = (held(&made.by_round), held(theirs));
            if theirs.is_empty() {
                writeln!(out, "  after round {round}: you {yours}")?;
            } else {
                writeln!(
                    out,
                    "  after round {round}: you {yours}, the other judge {other}"
                )?;
            }
        }
        if let Some(score) = made.reward {
            writeln!(out, "Your score: {score:.3} bits.")?;
        }
        if !self.setup.debrief.is_empty() {
            writeln!(out, "\n{}", safe_multiline(&self.setup.debrief))?;
        }
        Ok(())
    }
}

/// Whether to hear another round; `None` where they leave.
fn more(input: &mut impl BufRead, out: &mut impl Write) -> Result<Option<bool>, Failure> {
    let request = Request::Continue { round: 0 };
    loop {
        write!(out, "Hear another round? yes or no > ")?;
        let Some(line) = typed(input, out)? else {
            return Ok(None);
        };
        match replies::read(&line, &request, false, Bits::default) {
            Ok(PlainInput::Reply(Reply::Continue(goes_on))) => return Ok(Some(goes_on)),
            Ok(PlainInput::Quit) => return Ok(None),
            _ => writeln!(
                out,
                "Type yes or no; q leaves, and this debate is not counted."
            )?,
        }
    }
}

/// The next line; `None` where there is no more input.
fn typed(input: &mut impl BufRead, out: &mut impl Write) -> Result<Option<String>, Failure> {
    out.flush()?;
    let mut line = String::new();
    if io::Read::take(input, 4096).read_line(&mut line)? > 0 {
        return Ok(Some(line));
    }
    writeln!(out)?;
    Ok(None)
}

/// Appends a judgement to the file, which is then on the disk.
fn keep(made: &Judgement, results: &Path) -> Result<(), Failure> {
    let name = || safe(&results.display().to_string()).into_owned();
    let failed = |error: io::Error| Failure::System(format!("{}: {error}", name()));
    let there = fs::symlink_metadata(results);
    if there.is_ok_and(|there| !there.is_file()) {
        return Err(Failure::Input(format!("{} is no plain file", name())));
    }
    let mut line = serde_json::to_string(made).map_err(io::Error::from)?;
    line.push('\n');
    let mut file = OpenOptions::new()
        .create(true)
        .append(true)
        .open(results)
        .map_err(failed)?;
    file.write_all(line.as_bytes()).map_err(failed)?;
    file.sync_data().map_err(failed)
}
