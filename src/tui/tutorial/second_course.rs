//! The second course: a lesson for each other family of rules, whose computations a judge could not follow.

use super::LessonStep;
use super::RequestKind::{Block, Configuration, Select, Step, Transcript};
use super::StepCondition::{
    Asked, Awaited, Begun, Chosen, ErrorHere, Lost, NothingWrong, Over, Won,
};
use super::lessons::say;

pub(super) const BISECTION: &[LessonStep] = &[
    say(
        &[Awaited(Configuration), Begun(false)],
        "One set of rules a lesson. A machine strikes out the first and the last \
         symbol of a word, pair by pair, as long as they match. Alice says that it comes to a yes. \
         Bob can run it himself; the judge cannot, and checks a single step at most.{on}",
    ),
    say(
        &[Asked(Select), NothingWrong(true)],
        "You contested steps that follow one from another. There is no error left to find, so this is \
         lost: whichever part you take, the judge will find nothing wrong.{back}",
    ),
    say(
        &[Asked(Select), Chosen(false)],
        "The start is right and Alice's end is not: somewhere right turns into wrong. You ran the \
         machine: {middle} So that happens within: {advised}.",
    ),
    say(
        &[Asked(Select)],
        "Halve it again: {middle} So right turns into wrong within: {advised}.",
    ),
    say(
        &[Over, Won(true)],
        "Each question halved what was left, until one step stood alone, and the judge checked that \
         one. A run of double length takes a single question more.{on}",
    ),
    say(
        &[Over, Won(false)],
        "You went into a part in which nothing was wrong. The judge checks one step, not your \
         reasons: follow the place where right turns into wrong.{on}",
    ),
];

pub(super) const CROSS_EXAMINATION: &[LessonStep] = &[
    say(
        &[Awaited(Transcript)],
        "Now without questions back and forth: Alice writes the whole argument down, a line a step. \
         You point at a step, and only that one is checked.{on}",
    ),
    say(
        &[Asked(Step)],
        "Some steps are read off evidence, others follow from steps above. A false conclusion that \
         follows from what stands above it is no error: point at where the mistake was made. Hold \
         each answer against its evidence: {advised}.",
    ),
    say(
        &[Over, Won(true)],
        "One step was checked, with the evidence for it, out of a whole argument. A false \
         conclusion needs an error somewhere, and whoever finds it wins.{on}",
    ),
    say(
        &[Over, Won(false)],
        "That step was sound. What is false further down followed from an error above it; the \
         evidence shows where.{on}",
    ),
];

pub(super) const QUANTIFIERS: &[LessonStep] = &[
    say(
        &[Asked(Block), Begun(false)],
        "A formula as a game: ∃ is yours to choose, ∀ is Bob's, in this order, and in the end every \
         clause must hold. This formula is true: you can win whatever Bob does, if each choice \
         leaves a way. One that does: {advised}.",
    ),
    say(
        &[Asked(Block), Lost(true)],
        "This is lost now: whatever you choose, Bob can make a clause fail. It was won before your \
         last choice, or the one before it.{back}",
    ),
    say(
        &[Asked(Block)],
        "Bob has chosen. Look at the clauses that your values decide, and keep those that come \
         later possible: {advised}.",
    ),
    say(
        &[Asked(Transcript), Lost(true)],
        "All values are chosen, and a clause fails. Whatever you write down, one step is false, and \
         Bob points at it.{back}",
    ),
    say(
        &[Asked(Transcript)],
        "All values are chosen. Write down what each step of the check gives: what stands prepared \
         is what the values make of it, and a step that is false can be pointed at. Send it as it \
         is.",
    ),
    say(
        &[Over, Won(true)],
        "Every clause holds, and the judge checked a single gate. Where a formula is true Alice can \
         win against every Bob; where it is false Bob can against every Alice.{on}",
    ),
    say(
        &[Over, Won(false)],
        "A clause failed. The formula is true: at each turn there was a choice that wins, until one \
         gave it away.{on}",
    ),
];

pub(super) const STOCHASTIC: &[LessonStep] = &[
    say(
        &[Begun(false)],
        "The last one: questions on which people disagree. For each step Alice says what share of \
         people would say yes, and a coin falls by her number. Once you may have a number checked: \
         a panel is asked, and the debate ends there.{on}",
    ),
    say(
        &[Asked(Step), ErrorHere(false)],
        "Read it as those people would. Her number is about what they would say, and whoever has a \
         right number checked loses nearly always: let it stand, and go on.",
    ),
    say(
        &[Asked(Step), ErrorHere(true)],
        "Read it as those people would: her number is far from what they would say. Have it \
         checked.",
    ),
    say(
        &[Over, Won(true)],
        "A panel was asked, and her number was too far off. A small lie would have passed, but it \
         moves the result less as well.{on}",
    ),
    say(
        &[Over, Won(false)],
        "Either you had a number checked that was near enough, or you let one stand that was not. A \
         panel finds what is far off, and nothing finer.{on}",
    ),
];
