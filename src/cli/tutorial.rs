//! `tutorial`: four short lessons, on the screen or in plain lines, left and taken up again.

mod comparison;

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use clap::Args;

use super::plain::{Plain, Stopped};
use super::plan::{Plan, begin, seated};
use super::screen::{self, Next, Stage};
use super::{DisplayArgs, Failure, KeepingArgs, compare, report};
use crate::tui::coach::{AFTER, BEFORE, COUNT, Coach, LESSONS, Lesson, SCENARIO};
use crate::tui::screen::keys::{COMPARE, LECTURE};
use crate::tui::screen::{Action, Lecture, Paragraphs, Went};
use comparison::Comparison;
use debate_core::chance::Seed;
use debate_core::player::{Seating, Spec};
use debate_core::protocol::Seat;
use debate_core::scenario::Instance;
use debate_core::text::safe;
use debate_lab::analysis::review::Watch;
use debate_lab::record::{Progress, Save, Session, folder};
use debate_lab::setup::{Limits, Setup};

/// The pages of the last lesson.
const PAGES: usize = 3;
/// The name of the last lesson.
const LAST: &str = "The same liar under two sets of rules";

#[derive(Debug, Args)]
pub(super) struct TutorialArgs {
    /// Begin this lesson anew; else the tutorial goes on where it was left.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=4))]
    lesson: Option<u8>,
    #[command(flatten)]
    display: DisplayArgs,
    #[command(flatten)]
    keeping: KeepingArgs,
}

impl TutorialArgs {
    /// How it is shown.
    pub(super) fn display(&mut self) -> &mut DisplayArgs {
        &mut self.display
    }

    /// The folder of saves that was asked for.
    pub(super) fn saves(&mut self) -> &mut Option<PathBuf> {
        &mut self.keeping.saves
    }
}

pub(super) fn tutorial(args: &TutorialArgs) -> Result<(), Failure> {
    if args.display.json {
        return Err(Failure::input(
            "the tutorial is told in words; leave --json out",
        ));
    }
    let lesson = args.lesson.map(|number| usize::from(number) - 1);
    let mut course = Course::open(&args.keeping, lesson)?;
    let mut closed = Ok(());
    if args.display.wants_screen() {
        let mut stage = Stage::open(&args.display)?;
        course.on_screen(&mut stage)?;
        closed = stage.close();
    } else {
        course.in_lines()?;
    }
    if let Some(place) = course.place() {
        write!(io::stderr(), "{place}. ")?;
        say_how_to_go_on()?;
    }
    closed
}

/// Says it where the tutorial was left.
pub(super) fn say_how_to_go_on() -> Result<(), Failure> {
    Ok(writeln!(io::stderr(), "To go on: debate-tui tutorial")?)
}

/// Goes on with the tutorial on a screen that is open already.
pub(super) fn on_screen(stage: &mut Stage, keeping: &KeepingArgs) -> Result<(), Failure> {
    Course::open(keeping, None)?.on_screen(stage)
}

/// Goes on with a lesson's debate that was kept, and after it with the tutorial.
pub(super) fn lesson_on_screen(
    stage: &mut Stage,
    keeping: &KeepingArgs,
    path: &Path,
    coach: Coach,
) -> Result<(), Failure> {
    let mut course = Course::open(keeping, None)?;
    if course.progress.save.as_deref() == Some(path) {
        return course.on_screen(stage);
    }
    // A lesson that was left for another one is finished for itself.
    let mut next = Next::Left;
    super::play::resumed(path, |plan, instance, session| {
        next = screen::taught(stage, plan, instance, session, coach)?;
        Ok(())
    })?;
    match next {
        Next::Left => Ok(()),
        Next::Again => Course::open(keeping, Some(coach.number()))?.on_screen(stage),
        Next::On if course.is_complete => Ok(()),
        Next::On => course.on_screen(stage),
    }
}

/// How far the tutorial has come, in a few words: "lesson 2 of 4".
pub(super) fn how_far(folder: &Path) -> String {
    let progress = Progress::read(folder);
    match progress.done {
        0 if progress.save.is_none() => "four short lessons".to_owned(),
        done if done >= COUNT => "done".to_owned(),
        done => format!("lesson {} of {COUNT}", done + 1),
    }
}

/// The lessons by name.
pub(super) fn titles() -> impl Iterator<Item = &'static str> {
    LESSONS.iter().map(|lesson| lesson.title).chain([LAST])
}

/// Somebody's way through the lessons.
struct Course<'k> {
    keeping: &'k KeepingArgs,
    /// Where progress is kept; `None`: nowhere.
    folder: Option<PathBuf>,
    progress: Progress,
    /// Whether all lessons had been done when it was taken up.
    is_complete: bool,
}

impl<'k> Course<'k> {
    /// Takes it up where it was left, or at the beginning of a lesson.
    fn open(keeping: &'k KeepingArgs, lesson: Option<usize>) -> Result<Self, Failure> {
        let system = |error: debate_lab::record::RecordError| Failure::System(error.to_string());
        let folder = if keeping.no_save {
            None
        } else {
            Some(folder(keeping.saves.as_deref()).map_err(system)?)
        };
        let kept = folder.as_deref().map(Progress::read).unwrap_or_default();
        let is_complete = kept.done >= COUNT;
        let progress = match lesson {
            Some(done) => Progress {
                done,
                ..Progress::default()
            },
            // Who has done all of it begins again.
            None if is_complete => Progress::default(),
            None => kept,
        };
        Ok(Self {
            keeping,
            folder,
            progress,
            is_complete,
        })
    }

    /// The lesson that comes next; `None` where all are done.
    fn place(&self) -> Option<String> {
        (self.progress.done < COUNT)
            .then(|| format!("Lesson {} of {COUNT}", self.progress.done + 1))
    }

    fn keep(&self) -> Result<(), Failure> {
        if let Some(folder) = &self.folder {
            self.progress.keep(folder)?;
        }
        Ok(())
    }

    /// Notes that the lesson is done.
    fn done(&mut self) -> Result<(), Failure> {
        self.progress = Progress {
            done: self.progress.done + 1,
            ..Progress::default()
        };
        self.keep()
    }

    /// Notes where the lesson's debate is kept.
    fn begun(&mut self, save: Option<&Path>) -> Result<(), Failure> {
        self.progress.save = save.map(Path::to_owned);
        self.keep()
    }

    /// Notes which page of the last lesson is read.
    fn turn_to(&mut self, page: usize) -> Result<(), Failure> {
        self.progress.page = page;
        self.keep()
    }

    fn on_screen(&mut self, stage: &mut Stage) -> Result<(), Failure> {
        while let Some(lesson) = LESSONS.get(self.progress.done) {
            let went = self.debate(lesson, &mut |plan, instance, session, coach| {
                screen::taught(stage, plan, instance, session, coach)
            })?;
            if went == Went::Away {
                return Ok(());
            }
        }
        self.comparison(stage)
    }

    /// Plays the debate of a lesson, from its start or where it was left.
    fn debate(&mut self, lesson: &Lesson, play: &mut Play<'_>) -> Result<Went, Failure> {
        let Some(coach) = Coach::lesson(self.progress.done) else {
            return Ok(Went::On);
        };
        if let Some(path) = self.progress.save.clone() {
            let named = |error| self.stuck(&path, &error);
            if Save::read(&path).map_err(named)?.end().is_some() {
                self.done()?;
                return Ok(Went::On);
            }
            let mut next = (Next::Left, false);
            super::play::resumed(&path, |plan, instance, session| {
                let went = play(plan, instance, session, coach)?;
                next = (went, session.seating().turn().is_none());
                Ok(())
            })?;
            if let Some(went) = self.after(next)? {
                return Ok(went);
            }
        }
        let mut plan = plan(lesson)?;
        loop {
            let instance = plan.setup.instance(plan.world);
            let start = plan.protocol.start(&instance).map_err(Failure::input)?;
            let players = seated(&plan, &instance)?;
            let seating = Seating::new(start, players, &plan.seed, plan.debate);
            let mut session = Session::new(seating, begin(&plan, &instance, self.keeping, None)?);
            self.begun(session.path())?;
            let went = play(&plan, &instance, &mut session, coach)?;
            let over = session.seating().turn().is_none();
            session
                .drop_if_unplayed()
                .map_err(|error| Failure::System(error.to_string()))?;
            if let Some(went) = self.after((went, over))? {
                return Ok(went);
            }
            plan.seed = another_seed(lesson);
        }
    }

    /// What follows a lesson's debate; `None`: the same again.
    fn after(&mut self, (next, over): (Next, bool)) -> Result<Option<Went>, Failure> {
        if next == Next::Again {
            return Ok(None);
        }
        if over {
            self.done()?;
        }
        Ok(Some(match next {
            Next::On => Went::On,
            _ => Went::Away,
        }))
    }

    fn stuck(&self, path: &Path, error: &debate_lab::record::RecordError) -> Failure {
        Failure::input(format!(
            "{}: {error}; debate-tui tutorial --lesson {} begins the lesson anew",
            path.display(),
            self.progress.done + 1
        ))
    }

    /// The last lesson: a page, two debates side by side, and a page with figures.
    fn comparison(&mut self, stage: &mut Stage) -> Result<(), Failure> {
        let comparison = Comparison::new()?;
        let title = format!("Lesson {COUNT} of {COUNT}: {LAST}");
        while self.progress.done < COUNT {
            let page = self.progress.page;
            let keys = stage.keys();
            let went = match page {
                0 => {
                    let mut told = before();
                    let on = keys.called(LECTURE, Action::Onward);
                    let plays = keys.called(COMPARE, Action::Auto);
                    let how = format!("Go on with {on}; then {plays} plays both.");
                    told.push((String::new(), how));
                    stage.show(&mut Lecture::new(&title, told, &keys))?
                }
                1 => compare::taught(stage, &comparison.plans)?,
                _ => {
                    let work = comparison.figures()?;
                    let page = Lecture::new(&title, Paragraphs::new(), &keys);
                    stage.show(&mut page.with_figures(work, after(), &stage.waker()))?
                }
            };
            let last = page + 1 >= PAGES;
            match went {
                // Whoever leaves the last page has read it.
                _ if last => self.done()?,
                Went::On => self.turn_to(page + 1)?,
                Went::Away => return self.keep(),
            }
        }
        Ok(())
    }

    fn in_lines(&mut self) -> Result<(), Failure> {
        let mut input = io::stdin().lock();
        while let Some(lesson) = LESSONS.get(self.progress.done) {
            let went = self.debate(lesson, &mut |plan, instance, session, coach| {
                let mut out = io::stdout();
                writeln!(out, "{}: {}.", coach.place(), lesson.title)?;
                let kind = plan.protocol.kind();
                let plain = Plain::new(session, instance, |seat| kind.title(seat), &mut out);
                let plain = plain.read_by(plan.reader(), plan.blind);
                let plain = plain.valuing(plan.case(instance), plan.hints);
                let stopped = plain.coached(coach).run(&mut input)?;
                session
                    .flush()
                    .map_err(|error| Failure::System(error.to_string()))?;
                if stopped == Stopped::Left {
                    return Ok(Next::Left);
                }
                report::conclude(&mut out, session.seating(), instance)?;
                writeln!(out)?;
                Ok(Next::On)
            })?;
            if went == Went::Away {
                return Ok(());
            }
        }
        let mut out = io::stdout();
        writeln!(out, "Lesson {COUNT} of {COUNT}: {LAST}.")?;
        let mut tell = |told: Paragraphs| -> Result<(), Failure> {
            for (label, text) in told {
                let label = if label.is_empty() {
                    label
                } else {
                    format!("{label}: ")
                };
                writeln!(out, "{}", safe(&format!("{label}{text}")))?;
            }
            Ok(writeln!(out)?)
        };
        let comparison = Comparison::new()?;
        tell(before())?;
        compare::tell(&mut io::stdout(), &comparison.plans)?;
        writeln!(io::stdout())?;
        let work = comparison.figures()?;
        let found = work(Watch::default());
        tell(found.map_err(Failure::input)?)?;
        tell(after())?;
        self.done()
    }
}

/// How a lesson's debate is played.
type Play<'p> =
    dyn for<'a> FnMut(&Plan, &'a Instance, &mut Session<'a>, Coach) -> Result<Next, Failure> + 'p;

/// Other coins for a lesson. The seed still says which lesson it is.
fn another_seed(lesson: &Lesson) -> Seed {
    let random = Seed::random();
    let named = Seed::new(format!("{} {}", lesson.seed, random.as_str()));
    named.unwrap_or(random)
}

fn plan(lesson: &Lesson) -> Result<Plan, Failure> {
    planned(lesson.seed, lesson.players)
}

fn planned(seed: &str, players: [&str; 3]) -> Result<Plan, Failure> {
    let setup = Setup::bundled(SCENARIO, &Limits::default()).map_err(Failure::input)?;
    let seed = super::plan::seed(Some(seed))?;
    let player = |seat: Seat| Spec::parse(players[seat.index()]).map_err(Failure::input);
    Ok(Plan {
        protocol: setup.protocol.clone(),
        debate: 0,
        world: setup.draw(&seed, 0),
        seed,
        fixed_world: true,
        players: [
            player(Seat::Prover)?,
            player(Seat::Opponent)?,
            player(Seat::Judge)?,
        ],
        blind: false,
        hints: false,
        setup,
    })
}

fn untitled(texts: &[&str]) -> Paragraphs {
    let told = texts.iter().map(|text| (String::new(), (*text).to_owned()));
    told.collect()
}

/// What is said before the comparison.
fn before() -> Paragraphs {
    untitled(BEFORE)
}

/// What is said below its figures.
fn after() -> Paragraphs {
    untitled(&[AFTER])
}
