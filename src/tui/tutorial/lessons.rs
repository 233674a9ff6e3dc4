//! The lessons.

use super::StepCondition::{
    AgreedThroughout, Agrees, AllParts, AnsweredTruly, Asked, Awaited, Begun, BetTruly, Chosen,
    ErrorHere, FirstPart, Flawed, InRound, JudgedTruly, LedToError, Lost, NothingWrong, Over,
    PartAsTold, RootAsTold, WentFurthest, Won,
};
use super::{Lesson, LessonStep};

/// The bundled scenario of the first course.
pub const SCENARIO: &str = "primes-small";

/// The prover whose play lessons teach: hints and the review compare Alice with it.
pub const REFERENCE_PROVER: &str = "honest";

/// The liar of the first lesson, under two sets of rules.
pub const COMPARED: [&str; 3] = ["obfuscator", "bayes", "oracle"];

/// The lessons that are debates.
pub static LESSONS: [Lesson; 7] = [
    Lesson {
        title: "You are Bob, against a liar",
        scenario: SCENARIO,
        players: ["obfuscator", "human", "oracle"],
        seed: "lesson 1",
        steps: BOB,
    },
    Lesson {
        title: "You are honest Alice",
        scenario: SCENARIO,
        players: ["human", "stubborn(0.9)", "oracle"],
        seed: "lesson 2",
        steps: ALICE,
    },
    Lesson {
        title: "You are the judge",
        scenario: SCENARIO,
        players: ["honest", "stubborn(0.9)", "human"],
        seed: "lesson 2",
        steps: JUDGE,
    },
    Lesson {
        title: "Bisection: halve until one step is left",
        scenario: "turing",
        players: ["liar(23)", "human", "oracle"],
        seed: "second course 1",
        steps: BISECTION,
    },
    Lesson {
        title: "Cross-examination: point at the mistake",
        scenario: "law",
        players: ["liar(3)", "human", "oracle"],
        seed: "second course 2",
        steps: CROSS_EXAMINATION,
    },
    Lesson {
        title: "Quantifiers: a formula as a game",
        scenario: "qbf",
        players: ["human", "honest", "oracle"],
        seed: "second course 3",
        steps: QUANTIFIERS,
    },
    Lesson {
        title: "Stochastic: where people disagree",
        scenario: "caffeine-plan",
        players: ["liar(1)", "human", "oracle"],
        seed: "second course 4",
        steps: STOCHASTIC,
    },
];

pub const fn say(when: &'static [super::StepCondition], text: &'static str) -> LessonStep {
    LessonStep { when, text }
}

const BOB: &[LessonStep] = &[
    say(
        &[Awaited("Answer")],
        "You will sit in each seat once; then two sets of rules are compared. Here Alice lies: she \
         says that 323 is prime, sealed, so that you cannot just repeat it.{on}",
    ),
    say(
        &[Asked("Probability")],
        "Bob never says yes or no, only how likely. A quick test has told you that 323 is \
         composite, but not what divides it. Type 0, then {send}.",
    ),
    say(
        &[Awaited("Draw"), FirstPart(true), RootAsTold(true)],
        "A coin falls with your number: it comes out true with the {p} that you gave. Where it \
         agrees with Alice's answer she gets {weight}: a little, for the truth. Each later round \
         weighs ten times the one before.{on}",
    ),
    say(
        &[Awaited("Draw"), FirstPart(true), RootAsTold(false)],
        "You gave {p}, though the test says composite: 0 % was right. A coin now comes out true \
         with your {p}, and where it agrees with Alice's answer she gets {weight}: so your error \
         pays a liar. Each later round weighs ten times the one before.{on}",
    ),
    say(
        &[Asked("Part"), FirstPart(true), InRound(2)],
        "Alice has bet, sealed, whether your {p} is too low or too high, and split her claim. A \
         gate says how parts make a claim: here all must be true. One is false, and nobody told \
         you which. So doubt all alike: {fair}.",
    ),
    say(
        &[Asked("Part"), FirstPart(true)],
        "This round paid Alice {paid}. She goes on with {claim}, which you held {p} likely, at ten \
         times the stake. Its parts are leaves: single divisions, which are not split again. Share \
         that doubt out evenly: {fair}.",
    ),
    say(
        &[Asked("Part"), Flawed(true)],
        "One part came out false; the doubt is used up: {fair}.",
    ),
    say(
        &[Asked("Part"), PartAsTold(true)],
        "True so far, so more doubt falls on the rest: {fair}.",
    ),
    say(
        &[Asked("Part"), PartAsTold(false)],
        "You gave it {typed}, an even share was {share}; it came out true. What doubt is left, \
         shared out evenly: {fair}.",
    ),
    say(
        &[Awaited("Draw"), AllParts, InRound(2), Agrees(true)],
        "Your numbers make the claim {implied} likely, and you had said {p}: {agree}. Now Alice's \
         bet opens: too low is +1, too high −1. M is 1 if the coins made all parts true, else 0. She \
         gets weight × bet × (M − {p}): where your numbers agree she can expect nothing of it.{on}",
    ),
    say(
        &[Awaited("Draw"), AllParts, InRound(2), Agrees(false)],
        "Your numbers make the claim {implied} likely, but you had said {p}. Now Alice's bet opens: \
         too low is +1, too high −1. M is 1 if the coins made all parts true, else 0. She gets \
         weight × bet × (M − {p}): having bet {side}, she could expect {gap} of this round.{on}",
    ),
    say(
        &[Awaited("Draw"), AllParts, Agrees(true)],
        "After this coin Alice picks one leaf. The judge does that division, and M is what it \
         shows.{on}",
    ),
    say(
        &[Awaited("Draw"), AllParts, Agrees(false)],
        "{again} your numbers differ: they make {claim} {implied} likely, and you had said {p}. Next \
         Alice picks one leaf, the judge divides, and M is what that shows.{on}",
    ),
    say(
        &[Over, AgreedThroughout(true)],
        "Alice got {payoff}. One bluff may be lucky. But your numbers fit together, and this liar does \
         not know where the flaw is: from even doubt she gets nothing on average.{on}",
    ),
    say(
        &[Over, AgreedThroughout(false)],
        "Alice got {payoff}. Luck apart, this liar is paid where your numbers do not agree with each \
         other: from even doubt she gets nothing on average.{on}",
    ),
];

const ALICE: &[LessonStep] = &[
    say(
        &[Asked("Answer")],
        "Now you are Alice, and honest. You know that 323 = 17 × 19, so answer no. Bob believes \
         almost anything.",
    ),
    say(
        &[Awaited("Probability"), AnsweredTruly(false)],
        "You said yes, and 323 = 17 × 19. That stays sealed until Bob's first coin has fallen; from \
         here on say what you know.{on}",
    ),
    say(
        &[Asked("Direction"), InRound(2)],
        "Bob says {p}. You bet which way that errs. The claim is {truth}: bet that he is {err}.",
    ),
    say(
        &[Asked("Support"), BetTruly(false)],
        "You bet {bet}, though the claim is {truth}: luck apart, that pays Bob. Now split the claim: \
         he must estimate each part, given how the coins before it fell.",
    ),
    say(
        &[Awaited("Part"), FirstPart(true), InRound(2)],
        "Bob's numbers now throw the coins. M is 1 if they make all parts true, else 0. You get \
         weight × bet × (M − p): here {weight} × your bet × (M − {p}).{on}",
    ),
    say(
        &[Asked("Direction"), WentFurthest(false)],
        "That is not where Bob errs most. Still: {claim} is {truth}, and he said {p}: {err}.",
    ),
    say(
        &[Asked("Direction"), InRound(0)],
        "The last stake is {weight}, and M is what the judge finds. It is {truth}; he said {p}: {err}.",
    ),
    say(
        &[Asked("Direction")],
        "Ten times the stake. This one is {truth} and he said {p}: {err}.",
    ),
    say(
        &[Asked("Support")],
        "Split the claim: Bob must now estimate each part, given how the coins before it fell.",
    ),
    say(
        &[Asked("Select"), InRound(2)],
        "The coins paid you {paid}; they may fall either way. What counts is to go on where Bob \
         errs most: {worst}.",
    ),
    say(&[Asked("Select")], "He errs most on {worst}."),
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
        &[Awaited("Answer")],
        "The same debate once more, and you are its judge. One question comes to you, at the very \
         end.{on}",
    ),
    say(
        &[Asked("Oracle")],
        "All of it now rests on this one leaf, a small division, with the work shown. Below is what \
         your answer moves; you have no stake. Say what is so.",
    ),
    say(
        &[Over, JudgedTruly(true)],
        "You did one division, not sixteen, and honesty was paid {payoff}. That is what a debate \
         is for: a weak judge checks one small thing. From this Bob the truth earns far more than a lie.{on}",
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

/// Said at the end of the tutorial, before the choices.
pub const DONE: &str = "You have sat in each seat. Bob loses where his numbers do not fit together, Alice \
    gains where she knows that he errs, and the judge decides one small thing.";

/// Said at the end of the second course.
pub const SECOND_DONE: &str = "Whatever the computation, the judge checked one small thing. What each set of rules promises, and \
    for whom: `debate-tui guide protocols`.";

/// What to do after the tutorial: in a few words, what for, and the bundled scenario.
pub const NEXT: &[(&str, &str, &str)] = &[
    (
        "Is 4331 prime?",
        "The same game at full size, against the same liar: sit down as Bob.",
        "primes",
    ),
    (
        "A machine's computation",
        "Two claims about one run, halved until a single step is checked: sit down as Alice.",
        "turing",
    ),
    (
        "A question of law",
        "Claims in words, with evidence: sit down as Bob, or judge.",
        "law",
    ),
    (
        "A hidden flaw",
        "The liar who knows where you cannot look: sit down as Bob.",
        "hidden-flaw",
    ),
];

pub const BISECTION: &[LessonStep] = &[
    say(
        &[Awaited("Configuration"), Begun(false)],
        "One set of rules a lesson. A machine strikes out the first and the last \
         symbol of a word, pair by pair, as long as they match. Alice says that it comes to a yes. \
         Bob can run it himself; the judge cannot, and checks a single step at most.{on}",
    ),
    say(
        &[Asked("Select"), NothingWrong(true)],
        "You contested steps that follow one from another. There is no error left to find, so this is \
         lost: whichever part you take, the judge will find nothing wrong.{back}",
    ),
    say(
        &[Asked("Select"), Chosen(false)],
        "The start is right and Alice's end is not: somewhere right turns into wrong. You ran the \
         machine: {middle} So that happens within: {advised}.",
    ),
    say(
        &[Asked("Select")],
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

pub const CROSS_EXAMINATION: &[LessonStep] = &[
    say(
        &[Awaited("Transcript")],
        "Now without questions back and forth: Alice writes the whole argument down, a line a step. \
         You point at a step, and only that one is checked.{on}",
    ),
    say(
        &[Asked("Challenge")],
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

pub const QUANTIFIERS: &[LessonStep] = &[
    say(
        &[Asked("Block"), Begun(false)],
        "A formula as a game: ∃ is yours to choose, ∀ is Bob's, in this order, and in the end every \
         clause must hold. This formula is true: you can win whatever Bob does, if each choice \
         leaves a way. One that does: {advised}.",
    ),
    say(
        &[Asked("Block"), Lost(true)],
        "This is lost now: whatever you choose, Bob can make a clause fail. It was won before your \
         last choice, or the one before it.{back}",
    ),
    say(
        &[Asked("Block")],
        "Bob has chosen. Look at the clauses that your values decide, and keep those that come \
         later possible: {advised}.",
    ),
    say(
        &[Asked("Transcript"), Lost(true)],
        "All values are chosen, and a clause fails. Whatever you write down, one step is false, and \
         Bob points at it.{back}",
    ),
    say(
        &[Asked("Transcript")],
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

pub const STOCHASTIC: &[LessonStep] = &[
    say(
        &[Begun(false)],
        "The last one: questions on which people disagree. For each step Alice says what share of \
         people would say yes, and a coin falls by her number. Once you may have a number checked: \
         a panel is asked, and the debate ends there.{on}",
    ),
    say(
        &[Asked("Challenge"), ErrorHere(false)],
        "Read it as those people would. Her number is about what they would say, and whoever has a \
         right number checked loses nearly always: let it stand, and go on.",
    ),
    say(
        &[Asked("Challenge"), ErrorHere(true)],
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
