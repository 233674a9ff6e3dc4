//! `tutorial`: two courses of four short lessons, on the screen or in plain lines. The user can leave and resume them.

use std::io::{BufRead, Write as _};
use std::path::PathBuf;

use clap::Args;

use super::output::{stderr, stdin, stdout};
use super::plain::{PlainModeDebate, PlainModeEnd};
use super::{CommandFailure, DisplayArgs, Result, SaveStorageArgs, report};
use crate::app::{
    AppPage, CONTINUE_HINT, CourseStep, LAST_LESSON_NAME, LessonCourseProgress, open_save,
    prepare_tutorial_comparison_chart, tutorial_comparison_texts,
};
use crate::tui::tutorial::{
    COMPARISON_LESSON, DebateSuggestedAfterTutorial, LessonTexts, TUTORIAL, position_in_course,
};
use debate_core::budget::ComputationBudget;
use debate_core::scenario::Instance;
use debate_core::text::replace_unsafe_characters;
use debate_host::Debate;
use debate_host::plan::{DebatePlan, ExternalPlayerOptions, OpenedDebate, SaveStorageOptions};
use debate_text::{PayoffFormatter, closing_lines};

#[derive(Debug, Args)]
pub(super) struct TutorialArgs {
    /// Restart this lesson; 5 to 8 are the second course. The default continues where you left off, or with the first
    /// unfinished lesson.
    #[arg(value_name = "N", value_parser = clap::value_parser!(u8).range(1..=8))]
    number: Option<u8>,
    /// The lesson to restart, as a flag.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=8), conflicts_with = "number")]
    lesson: Option<u8>,
    #[command(flatten)]
    display: DisplayArgs,
    #[command(flatten)]
    save_options: SaveStorageArgs,
}

impl TutorialArgs {
    /// Returns the display flags.
    pub(super) fn display_args(&mut self) -> &mut DisplayArgs {
        &mut self.display
    }

    /// Returns the folder of saves that `--saves` names, if any.
    pub(super) fn saves_folder_arg(&mut self) -> &mut Option<PathBuf> {
        &mut self.save_options.saves
    }
}

pub(super) fn run_tutorial(args: &TutorialArgs) -> Result {
    if args.display.json {
        return Err(CommandFailure::from_input_error(
            "the tutorial has no JSON form; remove --json",
        ));
    }
    let lesson = args.number.or(args.lesson);
    let lesson = lesson.map(|number| usize::from(number) - 1);
    let save_options = SaveStorageOptions::from(&args.save_options);
    let mut course = LessonCourseProgress::open(&save_options, lesson)?;
    if args.display.uses_full_screen() {
        return args
            .display
            .show_page(save_options, AppPage::Tutorial(course));
    }
    run_lessons_in_lines(&mut course)?;
    if let Some(position) = course.next_lesson_position() {
        writeln!(stderr(), "{position}. {CONTINUE_HINT}")?;
    }
    Ok(())
}

/// Runs the tutorial's lessons in plain lines, until the course is done, the user leaves or the input ends.
fn run_lessons_in_lines(course: &mut LessonCourseProgress) -> Result {
    let mut input = stdin();
    loop {
        let stopped = match course.advance_to_next_step()? {
            CourseStep::Begin(coach, plan) => {
                let instance = plan.instance();
                let players = plan.build_players(&instance, ComputationBudget::default())?;
                let mut debate = plan.debate(&instance, players, &course.save_options, None)?;
                course.record_save_of_reached_lesson(debate.save_path())?;
                let stopped = play_lesson(&plan, &instance, &mut debate, coach, &mut input)?;
                debate
                    .delete_save_if_unplayed()
                    .map_err(CommandFailure::from_system_error)?;
                stopped
            }
            CourseStep::Resume(coach, path) => {
                let OpenedDebate {
                    plan,
                    instance,
                    file,
                } = open_save(&path, ExternalPlayerOptions::default())?;
                let players = plan.build_players(&instance, ComputationBudget::default())?;
                let mut debate = file.debate(&instance, players)?;
                play_lesson(&plan, &instance, &mut debate, coach, &mut input)?
            }
            CourseStep::Figures => {
                print_comparison(course)?;
                continue;
            }
            CourseStep::Done => return print_next_steps(course),
        };
        if stopped == PlainModeEnd::Left {
            return Ok(());
        }
        course.record_end_of_lesson()?;
    }
}

/// Plays the debate of a lesson in plain lines.
fn play_lesson<'a>(
    plan: &DebatePlan,
    instance: &'a Instance,
    debate: &mut Debate<'a>,
    coach: LessonTexts,
    input: &mut impl BufRead,
) -> Result<PlainModeEnd> {
    let mut out = stdout();
    let title = coach.lesson_of_texts().title;
    writeln!(out, "{}: {title}.", coach.position_in_course())?;
    let mut plain = PlainModeDebate::new(debate, plan, instance, Some(coach), &mut out);
    let stopped = plain.run(input)?;
    debate
        .flush_save()
        .map_err(CommandFailure::from_system_error)?;
    if stopped == PlainModeEnd::Finished {
        let lines = closing_lines(
            debate.state_and_players(),
            instance,
            &PayoffFormatter::in_unit_of_rules(plan.narration_perspective()),
        );
        report::write_lines(&mut out, &lines)?;
        writeln!(out)?;
    }
    Ok(stopped)
}

/// Prints the page after a course of the tutorial: suggestions for what to play next.
fn print_next_steps(course: &LessonCourseProgress) -> Result {
    let mut out = stdout();
    let done = if course.is_second_course_done() {
        TUTORIAL.second_done
    } else {
        TUTORIAL.done
    };
    writeln!(out, "{done} What next?")?;
    if !course.is_second_course_done() {
        writeln!(
            out,
            "  debate-tui tutorial 5   A second course: four short lessons on other rules."
        )?;
    }
    for DebateSuggestedAfterTutorial {
        label,
        about,
        scenario,
    } in &TUTORIAL.next
    {
        writeln!(out, "  debate-tui {scenario:<12} {label} {about}")?;
    }
    Ok(())
}

/// Prints the last pages of the tutorial's comparison of two debates, and records the end of the lesson.
fn print_comparison(course: &mut LessonCourseProgress) -> Result {
    let mut out = stdout();
    writeln!(
        out,
        "{}: {LAST_LESSON_NAME}.",
        position_in_course(COMPARISON_LESSON)
    )?;
    let comparison_computation = prepare_tutorial_comparison_chart()?;
    for (_, text) in comparison_computation(ComputationBudget::default())?
        .into_iter()
        .chain(tutorial_comparison_texts().concat())
    {
        for line in text.lines() {
            writeln!(out, "{}", replace_unsafe_characters(line))?;
        }
    }
    writeln!(out)?;
    course.record_end_of_lesson()
}
