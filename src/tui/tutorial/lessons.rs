//! The lessons.

use super::RequestKind::{
    Answer, Bet, Coin, Judgement, PartEstimate, RootEstimate, Select, Support,
};
use super::StepCondition::{
    AllParts, Asked, Awaited, FirstPart, Flawed, InRound, JudgedTruly, LedToError, Over,
};
use super::{Lesson, LessonStep};

/// The bundled scenario that is debated.
pub const SCENARIO: &str = "primes-small";

/// The liar of the first lesson, under two sets of rules.
pub const COMPARED: [&str; 3] = ["obfuscator", "bayes", "oracle"];

/// The lessons that are debates.
pub static LESSONS: [Lesson; 3] = [
    Lesson {
        title: "You are Bob, against a liar",
        players: ["obfuscator", "human", "oracle"],
        seed: "lesson 1",
        steps: BOB,
    },
    Lesson {
        title: "You are honest Alice",
        players: ["human", "stubborn(0.9)", "oracle"],
        seed: "lesson 2",
        steps: ALICE,
    },
    Lesson {
        title: "You are the judge",
        players: ["honest", "stubborn(0.9)", "human"],
        seed: "lesson 2",
        steps: JUDGE,
    },
];

const fn say(when: &'static [super::StepCondition], text: &'static str) -> LessonStep {
    LessonStep { when, text }
}

const BOB: &[LessonStep] = &[
    say(
        &[Awaited(Answer)],
        "You will sit in each seat once; then two sets of rules are compared. Here Alice lies: she \
         says that 323 is prime, sealed, so that you cannot just repeat it.{on}",
    ),
    say(
        &[Asked(RootEstimate)],
        "Bob never says yes or no, only how likely. A quick test has told you that 323 is \
         composite, but not what divides it. Type 0, then {send}.",
    ),
    say(
        &[Awaited(Coin), FirstPart(true)],
        "A coin falls with your number. If it agrees with Alice's answer she gets r³: a little, \
         for the truth. Each later round weighs ten times the one before; “at stake” says how \
         much.{on}",
    ),
    say(
        &[Asked(PartEstimate), FirstPart(true), InRound(2)],
        "Alice has bet, sealed, whether your {p} is too low or too high, and split her claim. One \
         part must be false; nobody told you which. So doubt all alike: {fair}.",
    ),
    say(
        &[Asked(PartEstimate), FirstPart(true)],
        "This round paid Alice {paid}. She goes on with {claim}, which you held {p} likely, at ten \
         times the stake. Share that doubt out evenly: {fair}.",
    ),
    say(
        &[Asked(PartEstimate), Flawed(false)],
        "True so far, so more doubt falls on the rest: {fair}.",
    ),
    say(
        &[Asked(PartEstimate)],
        "One part came out false; the doubt is used up: {fair}.",
    ),
    say(
        &[Awaited(Coin), AllParts, InRound(2)],
        "Now Alice's bet opens: too low is +1, too high −1. M is 1 if the coins made her claim \
         true, else 0. She gets weight × bet × (M − p), p being your {p}. Numbers that agree with \
         each other leave her nothing to expect.{on}",
    ),
    say(
        &[Awaited(Coin), AllParts],
        "After this coin Alice picks one division. The judge does it, and M is the truth.{on}",
    ),
    say(
        &[Over],
        "Alice got {payoff}. One bluff may be lucky, but she could not say where you err: whoever \
         doubts evenly loses nothing to her on average.{on}",
    ),
];

const ALICE: &[LessonStep] = &[
    say(
        &[Asked(Answer)],
        "Now you are Alice, and honest. You know that 323 = 17 × 19, so answer no. Bob believes \
         almost anything.",
    ),
    say(
        &[Asked(Bet), InRound(2)],
        "Bob says {p}. You bet which way that errs. The claim is {truth}: bet that he is {err}.",
    ),
    say(
        &[Awaited(PartEstimate), FirstPart(true), InRound(2)],
        "Bob's numbers now throw the coins that make M. You get weight × bet × (M − p): here \
         {weight} × your bet × (M − {p}).{on}",
    ),
    say(
        &[Asked(Bet), InRound(0)],
        "The last stake is 1, and M is what the judge finds. It is {truth}; he said {p}: {err}.",
    ),
    say(
        &[Asked(Bet)],
        "Ten times the stake. This one is {truth} and he said {p}: {err}.",
    ),
    say(
        &[Asked(Support)],
        "Split the claim: Bob must now estimate each part, given how the coins before it fell.",
    ),
    say(
        &[Asked(Select), InRound(2)],
        "The coins paid you {paid}; they may fall either way. What counts is to go on where Bob \
         errs most: {worst}.",
    ),
    say(&[Asked(Select)], "He errs most on {worst}."),
    say(
        &[Over, LedToError(true)],
        "You got {payoff}, most of it at the end: you knew where Bob erred and led there. A liar \
         knows no such place.{on}",
    ),
    say(
        &[Over, LedToError(false)],
        "You got {payoff}. There was more to win: at each step go where Bob errs most, and bet \
         that way.{on}",
    ),
];

const JUDGE: &[LessonStep] = &[
    say(
        &[Awaited(Answer)],
        "The same debate once more, and you are its judge. One question comes to you, at the very \
         end.{on}",
    ),
    say(
        &[Asked(Judgement)],
        "All of it now rests on this one small division, with the work shown. Below is what your \
         answer pays Alice; you have no stake. Say what is so.",
    ),
    say(
        &[Over, JudgedTruly(true)],
        "You did one division, not sixteen, and honesty was paid {payoff}. That is what a debate \
         is for: a weak judge checks one small thing, and telling the truth pays.{on}",
    ),
    say(
        &[Over, JudgedTruly(false)],
        "That was not so, and honesty was paid {payoff}. A debate needs a judge who is mostly right \
         about small things.{on}",
    ),
];

/// The text before the comparison.
pub const BEFORE: &[&str] = &[
    "Obfuscation: a liar splits a false claim into parts that look alike. One is false; Bob cannot \
     tell which.",
    "Left, plain recursion: Alice vouches for every part, and Bob must point at the false one. He, \
     bounded(0), can look nothing up, so he guesses.",
    "Right, the rules you played: Bob, bayes, says how likely each part is, and it is Alice who \
     must show where he errs.",
    "The same liar, claim and coins. Look at the payoff, then at the average: one debate proves \
     nothing.",
];

/// The text after the comparison, below the figures.
pub const AFTER: &str = "What can be expected is exact, a mean is not; both are for this number and \
    these players, no more. A Bob who knows every truth beats the liar even on the left; a careless \
    one pays her even on the right. What holds in general, and under which conditions: \
    `debate-tui guide theorems`.";
