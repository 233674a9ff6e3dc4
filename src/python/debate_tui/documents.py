"""The documents of debate-tui as types. Made by `classes.py` from `debate-tui schema`; not written by hand."""

from __future__ import annotations

import sys
from typing import Any, Literal, TypeAlias, TypedDict

if sys.version_info >= (3, 11):
    from typing import NotRequired
else:
    from typing_extensions import NotRequired


class BatchSlot(TypedDict):
    """A debate of a batch: the pending request to the caller, or the end."""
    asks: NotRequired[str | None]
    """The name of the requested reply."""
    claim: NotRequired[int | None]
    """The claim, as a number that is equal for claims that look the same."""
    coins: list[bool]
    """The coins of the round that an estimate may depend on, in order."""
    illegal: list[int]
    """Indices of illegal replies."""
    number: int
    """The index of the debate under the seed."""
    payoff: float
    """The prover's payoff so far."""
    place: NotRequired[int | None]
    """The claim's index among its siblings, from 0, or the requested proof bit."""
    replies: int
    """The number of possible replies; a reply is given by its index, from 0. For `answer`, `oracle` and `continue`,
    index 0 is true. For `direction`, the order is from too high to too low. For `challenge`, index 0 is none. For
    `probability`, the indices are the points from 0 to 1. For `bits`, the index is the bits as a binary number."""
    round: NotRequired[int | None]
    """The current round, as the number of rounds after it."""
    seat: NotRequired[SeatName | None]
    """The seat with the pending request; null if the debate is over."""
    seen: int
    """A digest of the seat's observations: equal in the same information set, except for prior knowledge of the
    instance. 0 if the reply must depend on the request only."""
    stated: NotRequired[float | None]
    """The probability that a bet is about."""


class BulkBitsMessage(TypedDict):
    flips: list[int]
    """Indices, from 0, of the bits that differ."""


class BySeat(TypedDict):
    """One value for each seat."""
    judge: dict[str, int]
    opponent: dict[str, int]
    prover: dict[str, int]


class BySeat2(TypedDict):
    """One value for each seat."""
    judge: str
    opponent: str
    prover: str


class BySeat3(TypedDict):
    """One value for each seat."""
    judge: Expenses
    opponent: Expenses
    prover: Expenses


class ComposeMessageGate1(TypedDict):
    at_least: int


class ComposeMessage(TypedDict):
    gate: Literal['all', 'any', 'majority', 'not', 'xor'] | ComposeMessageGate1
    """The rule by which the claim follows from its subclaims."""
    judged: NotRequired[list[int] | None]
    """Indices, from 0, of the subclaims that the judge answers directly."""
    on: list[str]
    """The subclaims, in words."""


class Cost(TypedDict):
    """The cost of a reply to the program that gave it, as the program reports it."""
    calls: NotRequired[int]
    """Number of calls of a model."""
    model: NotRequired[str | None]
    prompt_digest: NotRequired[str | None]
    """A digest of the model's prompt."""
    snapshot: NotRequired[str | None]
    """The version of the model."""
    temperature: NotRequired[str | None]
    """A string or a number."""
    tokens_in: NotRequired[int]
    tokens_out: NotRequired[int]
    usd: NotRequired[str | None]
    """US dollars: a string such as "0.0041", or a number."""


# The reason why an engine has no reply.
EngineErrorKind: TypeAlias = "Literal['transient'] | Literal['infrastructure'] | Literal['model_refusal'] | Literal['bug']"


# The type of an option's values.
EngineOptionKind: TypeAlias = "Literal['text', 'number'] | Literal['boolean']"


class Expenses(TypedDict):
    """The expenses of a seat. The verifier's expenses belong to the judge's seat."""
    bits_read: int
    """Bits read of proofs, transcripts, inputs and pointers."""
    calls: int
    """Replies given."""
    configurations_read: int
    """Configurations of a machine read."""
    oracle_queries: int
    samples: int
    """Samples drawn to estimate a probability."""


# The kind of a fault in a reply.
FaultKind: TypeAlias = "Literal['misfit'] | Literal['known'] | Literal['worse']"


class Forfeit(TypedDict):
    """The fault that ended a debate."""
    fault: str
    """`illegal`, `timeout`, `stall`, `crash`, `bad_json`, `bug` or `model_refusal`."""
    seat: str


# The reason why a driven player forfeits.
ForfeitFault: TypeAlias = "Literal['illegal'] | Literal['timeout'] | Literal['model_refusal'] | Literal['bug']"


class FromEngineHelloOptionsItem(TypedDict):
    """An option of an engine."""
    default: NotRequired[Any]
    """The value if the option is not set."""
    kind: NotRequired[EngineOptionKind]
    name: NotRequired[str]


class FromEngineHello(TypedDict):
    """An engine's description of itself."""
    max_parallel: NotRequired[int]
    """Maximum number of concurrent debates; 1 if not given."""
    name: NotRequired[str]
    options: NotRequired[list[FromEngineHelloOptionsItem]]
    """The options that can be set with `engine(name=value):COMMAND`."""
    protocols: NotRequired[list[str]]
    """The names of the protocols that the engine can play; empty for all."""
    seats: NotRequired[list[str]]
    """The seats that the engine can play; empty for all."""
    type: Literal['hello']
    version: NotRequired[str]


class FromEngineInfo(TypedDict):
    """The engine is still thinking: the deadline restarts."""
    id: int
    text: NotRequired[str]
    type: Literal['info']


class FromEngineReply(TypedDict):
    """A reply to a request."""
    cost: NotRequired[Cost | None]
    """The cost of the reply."""
    debate: NotRequired[str]
    """The handle, or the name of the debate."""
    id: NotRequired[int]
    """The number of the request."""
    note: NotRequired[str | None]
    """A note, which is stored in the save."""
    reply: NotRequired[ReplyMessage]
    """A reply that matches `legal`."""
    type: Literal['reply']


class FromEngineError(TypedDict):
    """The engine has no reply; the message gives the reason."""
    cost: NotRequired[Cost | None]
    """The cost of the failed call."""
    id: int
    kind: EngineErrorKind
    retry_after_ms: NotRequired[int | None]
    """The time after which the engine can be asked again, in milliseconds."""
    type: Literal['error']
    why: NotRequired[str]


class FromEnginePong(TypedDict):
    type: Literal['pong']


# A message of an engine, one per line. Unknown fields are ignored.
FromEngine: TypeAlias = "FromEngineHello | FromEngineInfo | FromEngineReply | FromEngineError | FromEnginePong"


class FromServerHello(TypedDict):
    """The first line."""
    app: str
    """The program and its version."""
    protocol_version: int
    type: Literal['hello']


class FromServerStarted(TypedDict):
    """A debate has begun or was resumed."""
    debates: Handles
    """The handle of each of the caller's seats: a secret for one debate and one seat."""
    id: NotRequired[str | None]
    save: NotRequired[str | None]
    """The path of the save; null if the debate is not saved."""
    type: Literal['started']


class FromServerAct(TypedDict):
    """A request to a seat."""
    deadline_ms: NotRequired[int | None]
    """The time limit of the reply in milliseconds, if there is one."""
    debate: str
    """The handle, or the name of the debate."""
    id: int
    """The number of the request to this seat, from 1. The reply repeats it."""
    legal: StrictSchema
    """The JSON Schema of a legal `reply`, ready for structured outputs."""
    request: RequestMessage
    text: NotRequired[str | None]
    """The rules, the events and the question, in words; omitted if the caller wants no texts."""
    type: Literal['act']
    view: SeatView


class FromServerOpened(TypedDict):
    """A batch has begun."""
    batch: str
    """The handle of the batch."""
    id: NotRequired[str | None]
    point: float
    """The payoff of one point."""
    replies: BySeat
    """The maximum number of replies to each kind of request for each seat, in randomly played debates of the
    scenario."""
    slots: list[BatchSlot]
    type: Literal['opened']


class FromServerStepped(TypedDict):
    """The debates of a batch after a step."""
    batch: str
    slots: list[BatchSlot]
    type: Literal['stepped']


class FromServerIllegal(TypedDict):
    """The reply breaks the rules; the request is still pending."""
    debate: str
    id: int
    type: Literal['illegal']
    why: str


class FromServerEnd(TypedDict):
    debate: str
    outcome: PlayReport
    reward: str | None
    """The seat's payoff so far, as a fraction; null for a judge."""
    type: Literal['end']


class FromServerError(TypedDict):
    debate: NotRequired[str | None]
    """The handle that was given."""
    id: NotRequired[str | None]
    kind: ServerErrorKind
    type: Literal['error']
    why: str


class FromServerPong(TypedDict):
    type: Literal['pong']


# A message of `serve`, one per line.
FromServer: TypeAlias = "FromServerHello | FromServerStarted | FromServerAct | FromServerOpened | FromServerStepped | FromServerIllegal | FromServerEnd | FromServerError | FromServerPong"


class GivenCoin(TypedDict):
    claim: int
    value: bool


class Handles(TypedDict):
    """Handles by seat."""
    judge: NotRequired[str | None]
    opponent: NotRequired[str | None]
    prover: NotRequired[str | None]


# The round before the first decomposition.
InitialRound: TypeAlias = "Literal['init']"


class NamedPlayers(TypedDict):
    """Players by name."""
    judge: NotRequired[str | None]
    opponent: NotRequired[str | None]
    prover: NotRequired[str | None]


class NumberedClaim(TypedDict):
    id: NotRequired[str | None]
    """The scenario's name for the claim, if it has one."""
    short: str
    text: str


class OfferedSupport(TypedDict):
    gate: str
    label: NotRequired[str | None]
    on: list[int]


class OracleMessage(TypedDict):
    confidence: NotRequired[SpokenNumber | None]
    """The judge's probability of the claim, from 0 to 1. It does not affect the debate."""
    holds: bool
    """True if the judge believes the claim."""


class PayoffPart(TypedDict):
    """A part of the payoff."""
    exact: str
    """The value as a fraction, or a whole number."""
    value: float


class PayoffSums(TypedDict):
    """`payoff = first_answer + misses + coins + last_claim`, all to the prover. The equation is exact for the fractions."""
    coins: PayoffPart
    """The remaining reward of each round."""
    first_answer: PayoffPart
    """The reward of the first answer, paid by its coin."""
    last_claim: PayoffPart
    """The reward of the last claim."""
    misses: PayoffPart
    """The gap of each round's estimates, times the bet."""
    open: PayoffPart
    """The sizes of the gaps, in whichever direction the bets were. A round's gap can exceed its stake: the coins then
    compensate for it."""


class PlayFault(TypedDict):
    """A fault in a reply of a person."""
    kind: FaultKind
    loss: PayoffPart
    """The payoff that the fault made available to the other side."""
    number: int
    """The index of the move, from 0."""
    seat: Seat
    share: float
    """The loss as a proportion of the round's maximum payoff; for a verdict, as a probability of winning."""


PlayOutcome: TypeAlias = "Literal['finished', 'unfinished'] | Literal['forfeited']"


class PlayReport(TypedDict):
    """The outcome of a debate, as far as its reader may know it. Before the end, the truth and a sealed answer are null.
    For a reader who does not follow the debate, the payoff, its rounds and the ledger are null too."""
    answer: bool | None
    """Alice's answer."""
    by_round: list[PlayedRound]
    forfeit: Forfeit | None
    """The seat and the fault that ended the debate; null if it was not forfeited."""
    instance: str
    ledger: Expenses | None
    """The verifier's costs."""
    ledger_by_seat: BySeat3 | None
    outcome: PlayOutcome
    parameters: str
    """The protocol, as in a scenario file."""
    payoff: float | None
    """Alice's payoff."""
    payoff_exact: str | None
    """Alice's payoff as a fraction, or a whole number."""
    players: BySeat2
    protocol: str
    """The name of the protocol."""
    review: PlayReview | None
    """The faults of people and the parts of the payoff. Present at the end of a debate that a person played or that
    was played with `--hints`. Null otherwise, in a blind debate, and if the review was not computed."""
    seed: str
    truth: bool | None
    """True if the root claim is true; null also if the truth is not known."""


class PlayReview(TypedDict):
    """A review of the replies of people."""
    faults: list[PlayFault]
    """At most three, in order of time."""
    parts: PayoffSums | None
    """The four sums of the payoff under prover-estimator rules; null under other rules."""


class PlayedRound(TypedDict):
    reward: float | None
    """Null if the round paid no reward."""
    round: RoundLabel
    weight: float
    """The maximum payoff of the round."""


class ReadMessage(TypedDict):
    """A bit that a step reads, as it was given."""
    name: str
    value: bool


ReplyMessage = TypedDict("ReplyMessage", {
    "answer": "NotRequired[bool | None]",
    "bits": "NotRequired[str | None]",
    "bulk_bits": "NotRequired[BulkBitsMessage | None]",
    "challenge": "NotRequired[int | None]",
    "compose": "NotRequired[ComposeMessage | None]",
    "continue": "NotRequired[bool | None]",
    "direction": "NotRequired[Literal['too_high', 'about_right', 'too_low', None]]",
    "oracle": "NotRequired[OracleMessage | None]",
    "probability": "NotRequired[SpokenNumber | None]",
    "select": "NotRequired[int | None]",
    "speech": "NotRequired[str | None]",
    "support": "NotRequired[int | None]",
})


class RequestMessageAnswer(TypedDict):
    """Is the claim true?"""
    claim: int
    context_free: bool
    """True if the answer must depend on this request only. A copy of the player without knowledge of the debate
    answers it, so its view has no events."""
    evidence: NotRequired[str | None]
    """The evidence for the player who answers, if the scenario has any."""
    kind: Literal['answer']
    question: str
    """The question in words."""


class RequestMessageProbability(TypedDict):
    """The probability of the claim."""
    alone: bool
    """True if the estimate must ignore the coins of this round."""
    claim: int
    context_free: bool
    """True if the answer must depend on this request only. A copy of the player without knowledge of the debate
    answers it, so its view has no events."""
    evidence: NotRequired[str | None]
    """The evidence for the player who answers, if the scenario has any."""
    given: list[GivenCoin]
    """The results of this round's coins so far."""
    kind: Literal['probability']
    place: NotRequired[int | None]
    """Index among the sibling claims, from 0; null for the root."""
    question: str
    """The question in words."""


class RequestMessageDirection(TypedDict):
    """Is the probability stated for the claim too low, about right or too high?"""
    claim: int
    context_free: bool
    """True if the answer must depend on this request only. A copy of the player without knowledge of the debate
    answers it, so its view has no events."""
    evidence: NotRequired[str | None]
    """The evidence for the player who answers, if the scenario has any."""
    kind: Literal['direction']
    question: str
    """The question in words."""
    stated: NotRequired[str | None]
    """The probability as a fraction."""


class RequestMessageSupport(TypedDict):
    """The choice of a decomposition of the claim."""
    claim: int
    compose: NotRequired[int | None]
    """Maximum number of subclaims of a support in your own words; null if you cannot write one."""
    context_free: bool
    """True if the answer must depend on this request only. A copy of the player without knowledge of the debate
    answers it, so its view has no events."""
    evidence: NotRequired[str | None]
    """The evidence for the player who answers, if the scenario has any."""
    kind: Literal['support']
    offered: list[OfferedSupport]
    question: str
    """The question in words."""


class RequestMessageSelect(TypedDict):
    """The choice of a subclaim."""
    claim: int
    context_free: bool
    """True if the answer must depend on this request only. A copy of the player without knowledge of the debate
    answers it, so its view has no events."""
    count: int
    evidence: NotRequired[str | None]
    """The evidence for the player who answers, if the scenario has any."""
    kind: Literal['select']
    on: list[int]
    """The subclaims in their order."""
    question: str
    """The question in words."""


class RequestMessageShare(TypedDict):
    """A number from 0 to 1, as if drawn uniformly: one half of a coin."""
    claim: int
    context_free: bool
    """True if the answer must depend on this request only. A copy of the player without knowledge of the debate
    answers it, so its view has no events."""
    evidence: NotRequired[str | None]
    """The evidence for the player who answers, if the scenario has any."""
    kind: Literal['share']
    question: str
    """The question in words."""


class RequestMessageChallenge(TypedDict):
    """The choice of a wrong step, or of none."""
    claim: int
    context_free: bool
    """True if the answer must depend on this request only. A copy of the player without knowledge of the debate
    answers it, so its view has no events."""
    evidence: NotRequired[str | None]
    """The evidence for the player who answers, if the scenario has any."""
    first: int
    """The first step that can be challenged."""
    kind: Literal['challenge']
    last: int
    """The last step that can be challenged."""
    question: str
    """The question in words."""
    steps: list[StepMessage]


class RequestMessageBits(TypedDict):
    """A string of bits."""
    claim: NotRequired[int | None]
    context_free: bool
    """True if the answer must depend on this request only. A copy of the player without knowledge of the debate
    answers it, so its view has no events."""
    evidence: NotRequired[str | None]
    """The evidence for the player who answers, if the scenario has any."""
    kind: Literal['bits']
    length: int
    on: NotRequired[list[int] | None]
    """The subclaims whose answers are claimed, in order."""
    prepared: NotRequired[str | None]
    """The bits that are sent if you change none; null if there are more than 4,096 bits, or if each bit is
    requested separately."""
    question: str
    """The question in words."""
    result: NotRequired[bool | None]
    """The value that the claimed answers must give to the claim."""
    steps: NotRequired[list[StepMessage] | None]
    """The first steps of a computation that the seat must write down."""
    what: str
    """The meaning of the bits."""


class RequestMessageOracle(TypedDict):
    """The question to the judge: is this claim true?"""
    claim: int
    context_free: bool
    """True if the answer must depend on this request only. A copy of the player without knowledge of the debate
    answers it, so its view has no events."""
    evidence: NotRequired[str | None]
    """The evidence for the player who answers, if the scenario has any."""
    kind: Literal['oracle']
    proof: str
    """The proof bits given for the claim, in the order in which its check reads them."""
    question: str
    """The question in words."""


class RequestMessageSpeech(TypedDict):
    """A speech."""
    argues_for: NotRequired[str | None]
    """The answer for which the seat argues; null for a judge."""
    context_free: bool
    """True if the answer must depend on this request only. A copy of the player without knowledge of the debate
    answers it, so its view has no events."""
    evidence: NotRequired[str | None]
    """The evidence for the player who answers, if the scenario has any."""
    kind: Literal['speech']
    most_quoted: NotRequired[int | None]
    """Maximum number of characters in quotations."""
    most_words: NotRequired[int | None]
    """Maximum number of characters in the speaker's own words; null if there is no limit."""
    question: str
    """The question in words."""
    source: NotRequired[str | None]
    """The text that can be quoted; null for a judge, who has not read it."""


class RequestMessageContinue(TypedDict):
    """The decision between another round and the end."""
    context_free: bool
    """True if the answer must depend on this request only. A copy of the player without knowledge of the debate
    answers it, so its view has no events."""
    evidence: NotRequired[str | None]
    """The evidence for the player who answers, if the scenario has any."""
    kind: Literal['continue']
    question: str
    """The question in words."""
    round: int
    """The number of the next round, from 1."""


# A request. Claims are given by their index in the view's `claims`.
RequestMessage: TypeAlias = "RequestMessageAnswer | RequestMessageProbability | RequestMessageDirection | RequestMessageSupport | RequestMessageSelect | RequestMessageShare | RequestMessageChallenge | RequestMessageBits | RequestMessageOracle | RequestMessageSpeech | RequestMessageContinue"


# A round: `"init"`, or its number; numbers count down to 0.
RoundLabel: TypeAlias = "InitialRound | int"


class ScenarioSourceInline(TypedDict):
    """The text of a scenario."""
    inline: str
    """The text, as in a scenario file. It must not refer to other files."""


# The scenario under debate.
ScenarioSource: TypeAlias = "str | ScenarioSourceInline"


# A seat at the table.
Seat: TypeAlias = "Literal['Prover'] | Literal['Opponent'] | Literal['Judge'] | Literal['Chance']"


# The name of a seat.
SeatName: TypeAlias = "Literal['prover', 'opponent', 'judge']"


class SeatViewEventsItem0Entered(TypedDict):
    """The start of a round."""
    claim: int
    kind: Literal['entered']
    p: NotRequired[float]
    p_exact: NotRequired[str]
    sealed: NotRequired[str | None]
    """The seal that hid the event from the other seats when it was made."""
    seat: str
    text: str


class SeatViewEventsItem0Answered(TypedDict):
    """The answer to the root claim."""
    answer: bool
    claim: int
    kind: Literal['answered']
    sealed: NotRequired[str | None]
    """The seal that hid the event from the other seats when it was made."""
    seat: str
    text: str


class SeatViewEventsItem0Estimated(TypedDict):
    """A probability that a player stated."""
    alone: bool
    """True if it was estimated separately, before this round's coins."""
    claim: int
    kind: Literal['estimated']
    p: float
    p_exact: str
    place: NotRequired[int | None]
    """Index among the sibling claims, from 0; null for the root."""
    sealed: NotRequired[str | None]
    """The seal that hid the event from the other seats when it was made."""
    seat: str
    text: str


class SeatViewEventsItem0Tossed(TypedDict):
    """A coin toss."""
    claim: int
    kind: Literal['tossed']
    p: float
    p_exact: str
    place: NotRequired[int | None]
    """Index among the sibling claims, from 0; null for the root."""
    sealed: NotRequired[str | None]
    """The seal that hid the event from the other seats when it was made."""
    seat: str
    text: str
    value: bool


class SeatViewEventsItem0Betted(TypedDict):
    bet: int
    """1 too low, 0 about right, -1 too high."""
    claim: int
    kind: Literal['betted']
    sealed: NotRequired[str | None]
    """The seal that hid the event from the other seats when it was made."""
    seat: str
    text: str


class SeatViewEventsItem0Supported(TypedDict):
    """The choice of a decomposition."""
    claim: int
    gate: NotRequired[str | None]
    kind: Literal['supported']
    on: list[int]
    sealed: NotRequired[str | None]
    """The seal that hid the event from the other seats when it was made."""
    seat: str
    support: int
    """Index of the support, from 0."""
    text: str


class SeatViewEventsItem0Claimed(TypedDict):
    """Claimed answers to all subclaims of a support."""
    answers: list[bool]
    claim: int
    kind: Literal['claimed']
    sealed: NotRequired[str | None]
    """The seal that hid the event from the other seats when it was made."""
    seat: str
    support: int
    text: str


class SeatViewEventsItem0Gated(TypedDict):
    """The gate's value, computed from the coins."""
    claim: int
    holds: bool
    kind: Literal['gated']
    sealed: NotRequired[str | None]
    """The seal that hid the event from the other seats when it was made."""
    seat: str
    text: str


class SeatViewEventsItem0Selected(TypedDict):
    """The choice of the subclaim with which the debate continues."""
    by: str
    """The seat that made the choice."""
    claim: int
    kind: Literal['selected']
    place: int
    sealed: NotRequired[str | None]
    """The seal that hid the event from the other seats when it was made."""
    seat: str
    text: str


class SeatViewEventsItem0Parts(TypedDict):
    """The decomposition of a claim."""
    claim: int
    kind: Literal['parts']
    on: list[int]
    sealed: NotRequired[str | None]
    """The seal that hid the event from the other seats when it was made."""
    seat: str
    text: str


class SeatViewEventsItem0Gave(TypedDict):
    """Bits given by a player."""
    bits: NotRequired[str | None]
    """Null if there are more than 4,096."""
    claim: NotRequired[int | None]
    kind: Literal['gave']
    length: int
    sealed: NotRequired[str | None]
    """The seal that hid the event from the other seats when it was made."""
    seat: str
    text: str
    what: str


class SeatViewEventsItem0Shared(TypedDict):
    """A number that a copy of the player gave for a coin."""
    kind: Literal['shared']
    place: int
    sealed: NotRequired[str | None]
    """The seal that hid the event from the other seats when it was made."""
    seat: str
    share: float
    share_exact: str
    text: str


class SeatViewEventsItem0Challenged(TypedDict):
    challenged: NotRequired[int | None]
    """The step, from 0; null if no step is challenged."""
    kind: Literal['challenged']
    sealed: NotRequired[str | None]
    """The seal that hid the event from the other seats when it was made."""
    seat: str
    text: str
    verifier: bool
    """True if the steps are those of the verifier's own computation."""


SeatViewEventsItem0Read = TypedDict("SeatViewEventsItem0Read", {
    "from": "str",
    "kind": "Literal['read']",
    "place": "int",
    "sealed": "NotRequired[str | None]",
    "seat": "str",
    "text": "str",
    "value": "bool",
    "verifier": "bool",
})


class SeatViewEventsItem0Sampled(TypedDict):
    count: int
    kind: Literal['sampled']
    ones: int
    sampled: int
    """The step."""
    sealed: NotRequired[str | None]
    """The seal that hid the event from the other seats when it was made."""
    seat: str
    text: str


class SeatViewEventsItem0Checked(TypedDict):
    check: str
    holds: bool
    kind: Literal['checked']
    sealed: NotRequired[str | None]
    """The seal that hid the event from the other seats when it was made."""
    seat: str
    text: str


class SeatViewEventsItem0GaveBit(TypedDict):
    """A proof bit given by a player."""
    bit: int
    kind: Literal['gave_bit']
    sealed: NotRequired[str | None]
    """The seal that hid the event from the other seats when it was made."""
    seat: str
    text: str
    value: bool


class SeatViewEventsItem0Judged(TypedDict):
    """The answer to the oracle's question; `p` is the judge's confidence."""
    answer: bool
    claim: int
    kind: Literal['judged']
    p: NotRequired[float]
    p_exact: NotRequired[str]
    sealed: NotRequired[str | None]
    """The seal that hid the event from the other seats when it was made."""
    seat: str
    text: str


class SeatViewEventsItem0SpokeSpeechItem0(TypedDict):
    """The speaker's own words."""
    text: str


class SeatViewEventsItem0SpokeSpeechItem1(TypedDict):
    """A quotation from the source."""
    quote: str


class SeatViewEventsItem0Spoke(TypedDict):
    """A speech."""
    kind: Literal['spoke']
    sealed: NotRequired[str | None]
    """The seal that hid the event from the other seats when it was made."""
    seat: str
    speech: list[SeatViewEventsItem0SpokeSpeechItem0 | SeatViewEventsItem0SpokeSpeechItem1]
    speech_round: int
    """The round, from 1; 0 before the first."""
    text: str


class SeatViewEventsItem0Continued(TypedDict):
    """The judge's decision whether to hear another round."""
    goes_on: bool
    kind: Literal['continued']
    sealed: NotRequired[str | None]
    """The seal that hid the event from the other seats when it was made."""
    seat: str
    text: str


class SeatViewEventsItem0Opened(TypedDict):
    """Sealed replies become visible with this event."""
    kind: Literal['opened']
    opened: str
    sealed: NotRequired[str | None]
    """The seal that hid the event from the other seats when it was made."""
    seat: str
    text: str


class SeatViewEventsItem021Rewarded(TypedDict):
    answer: bool
    claimed: bool
    kind: Literal['rewarded']
    reward: float
    reward_exact: str
    sealed: NotRequired[str | None]
    """The seal that hid the event from the other seats when it was made."""
    seat: str
    text: str


class SeatViewEventsItem0Ended(TypedDict):
    """The end of the debate."""
    kind: Literal['ended']
    payoff_exact: str
    sealed: NotRequired[str | None]
    """The seal that hid the event from the other seats when it was made."""
    seat: str
    text: str


class SeatViewEventsItem1(TypedDict):
    """An event whose content is sealed from the reader."""
    kind: str
    sealed: NotRequired[str | None]
    """The seal that hid the event from the other seats when it was made."""
    seat: str
    text: str


class SeatView(TypedDict):
    """A debate as one seat may see it: without replies sealed from the seat, without the truth, and with no future coin,
    and no name of another player."""
    about: NotRequired[str | None]
    """The scenario's text for all players."""
    briefing: NotRequired[str | None]
    """The scenario's text for this seat only."""
    claim: NotRequired[int | None]
    """The root claim; null for a judge who does not see it."""
    claims: list[NumberedClaim]
    """The claims in this view and in the request. Claims are numbered by their index here, from 0."""
    events: list[SeatViewEventsItem0Entered | SeatViewEventsItem0Answered | SeatViewEventsItem0Estimated | SeatViewEventsItem0Tossed | SeatViewEventsItem0Betted | SeatViewEventsItem0Supported | SeatViewEventsItem0Claimed | SeatViewEventsItem0Gated | SeatViewEventsItem0Selected | SeatViewEventsItem0Parts | SeatViewEventsItem0Gave | SeatViewEventsItem0Shared | SeatViewEventsItem0Challenged | SeatViewEventsItem0Read | SeatViewEventsItem0Sampled | SeatViewEventsItem0Checked | SeatViewEventsItem0GaveBit | SeatViewEventsItem0Judged | SeatViewEventsItem0Spoke | SeatViewEventsItem0Continued | SeatViewEventsItem0Opened | SeatViewEventsItem021Rewarded | SeatViewEventsItem0Ended | SeatViewEventsItem1]
    """All events that the seat has seen, in order. Without history, only the events since the seat's last request."""
    known: NotRequired[str | None]
    """The opponent's knowledge of the instance, if it is incomplete."""
    parameters: NotRequired[str | None]
    """The protocol, as in a scenario file."""
    protocol: NotRequired[str | None]
    """The name of the protocol; null for a judge from whom the rules are hidden."""
    reward: NotRequired[str | None]
    """The seat's payoff so far, as a fraction; null for a judge."""
    round: NotRequired[RoundLabel | None]
    """The current round; null at the end, and for a judge who does not follow the debate."""
    rounds: list[WeightedRound]
    """The rounds in playing order; empty for a judge who does not follow the debate."""
    scenario: str
    """The scenario's title."""
    seat: str
    """The seat."""
    title: str
    """The seat's name in the rules."""


# The reason why a message is refused.
ServerErrorKind: TypeAlias = "Literal['bad_json'] | Literal['too_long'] | Literal['bad_request'] | Literal['unknown_debate'] | Literal['not_your_turn'] | Literal['answered'] | Literal['over'] | Literal['busy'] | Literal['save'] | Literal['failed']"


# A number: a string such as "1/3", "0.62" or "62%", or a JSON number. A probability is from 0 to 1.
SpokenNumber: TypeAlias = "str | float"


class StepMessage(TypedDict):
    """A step of a computation, with the bit that the prover wrote for it."""
    asks: bool
    """True if the step asks the oracle."""
    evidence: NotRequired[str | None]
    reads: list[ReadMessage]
    step: int
    text: str
    wrote: NotRequired[bool | None]
    """The written bit; null if none was written."""


class StrictSchema(TypedDict):
    """A JSON Schema in the strict subset."""
    additionalProperties: NotRequired[bool | None]
    """False for every object."""
    anyOf: NotRequired[list[StrictSchema] | None]
    description: NotRequired[str | None]
    enum: NotRequired[list[Any] | None]
    items: NotRequired[StrictSchema | None]
    pattern: NotRequired[str | None]
    properties: NotRequired[dict[str, StrictSchema] | None]
    required: NotRequired[list[str] | None]
    type: NotRequired[str | None]


class ToEngineHello(TypedDict):
    """The first line. The engine answers with its own `hello`."""
    app: str
    """This program and its version."""
    protocol_version: int
    type: Literal['hello']


class ToEngineNew(TypedDict):
    """A debate begins in which the engine plays a seat."""
    debate: str
    options: dict[str, Any]
    """A value for each option of the engine: the value that was set, or the default."""
    parameters: str
    """The protocol, as in a scenario file."""
    protocol: str
    """The name of the protocol."""
    seat: str
    seed: str
    """A seed for the engine's own randomness, the same for the same debate. The coins of the debate cannot be
    derived from it."""
    type: Literal['new']


class ToEngineAct(TypedDict):
    """A request. The engine answers with `reply` or `error`, and may send `info` before."""
    deadline_ms: NotRequired[int | None]
    """The time limit of the reply in milliseconds, if there is one."""
    debate: str
    """The handle, or the name of the debate."""
    id: int
    """The number of the request to this seat, from 1. The reply repeats it."""
    legal: StrictSchema
    """The JSON Schema of a legal `reply`, ready for structured outputs."""
    request: RequestMessage
    text: NotRequired[str | None]
    """The rules, the events and the question, in words; omitted if the caller wants no texts."""
    type: Literal['act']
    view: SeatView


class ToEngineIllegal(TypedDict):
    """The reply was illegal or unreadable. Another reply is expected."""
    debate: str
    id: int
    retries_left: int
    type: Literal['illegal']
    why: str


class ToEngineStop(TypedDict):
    """The reply to this request is no longer wanted."""
    debate: str
    id: int
    type: Literal['stop']


class ToEnginePing(TypedDict):
    """The engine answers with `pong`."""
    type: Literal['ping']


class ToEngineEnd(TypedDict):
    """The debate is over."""
    debate: str
    outcome: NotRequired[PlayReport | None]
    """Null if the debate is unfinished and may be continued later."""
    reward: NotRequired[str | None]
    """The seat's payoff so far, as a fraction; null for a judge."""
    type: Literal['end']


class ToEngineBye(TypedDict):
    """The engine must exit."""
    type: Literal['bye']


# A message to an engine, one per line.
ToEngine: TypeAlias = "ToEngineHello | ToEngineNew | ToEngineAct | ToEngineIllegal | ToEngineStop | ToEnginePing | ToEngineEnd | ToEngineBye"


class ToServerNew(TypedDict):
    """Begins a debate."""
    blind: NotRequired[bool]
    """True to hide the scenario's description from all seats, and the rules from a judge, until the end."""
    history: NotRequired[bool | None]
    """False to send with each request only the events since the seat's last request. After `resume` all events are
    sent again."""
    id: NotRequired[str | None]
    """Any text, which is repeated in `started` or `error`."""
    instance: NotRequired[str | None]
    """The name of the instance. The default is the scenario's own, or one drawn from the seed."""
    number: NotRequired[int]
    """Index of the debate under the seed."""
    players: NotRequired[NamedPlayers]
    """The players of the other seats."""
    protocol: NotRequired[str | None]
    """The rules in RON, as in a scenario file."""
    save: NotRequired[bool | None]
    """False to write no save."""
    scenario: NotRequired[ScenarioSource]
    seats: NotRequired[list[SeatName]]
    """The seats that the caller plays; each seat gets a separate handle."""
    seed: NotRequired[str | None]
    """The seed of all coins. The default is a random seed."""
    text: NotRequired[bool | None]
    """False to omit the texts of requests."""
    type: Literal['new']


class ToServerReply(TypedDict):
    """Answers a request."""
    cost: NotRequired[Cost | None]
    """The cost of the reply."""
    debate: NotRequired[str]
    """The handle, or the name of the debate."""
    id: NotRequired[int]
    """The number of the request."""
    note: NotRequired[str | None]
    """A note, which is stored in the save."""
    reply: NotRequired[ReplyMessage]
    """A reply that matches `legal`."""
    type: Literal['reply']


class ToServerResume(TypedDict):
    """Resumes a debate after either program has ended: its pending request is sent again."""
    debate: str
    type: Literal['resume']


class ToServerLeave(TypedDict):
    """Leaves the debate; its save can be resumed. Ends a batch."""
    debate: str
    type: Literal['leave']


class ToServerForfeit(TypedDict):
    """Forfeits the debate: the player of the handle's seat loses."""
    debate: str
    fault: NotRequired[ForfeitFault]
    """The reason for the forfeit."""
    type: Literal['forfeit']


class ToServerOpen(TypedDict):
    """Begins many debates that are stepped together."""
    blind: NotRequired[bool]
    """True to hide the scenario's description from all seats, and the rules from a judge, until the end."""
    count: NotRequired[int]
    """Number of concurrent debates: 1 to 4,096."""
    history: NotRequired[bool | None]
    """False to send with each request only the events since the seat's last request. After `resume` all events are
    sent again."""
    id: NotRequired[str | None]
    """Any text, which is repeated in `started` or `error`."""
    instance: NotRequired[str | None]
    """The name of the instance. The default is the scenario's own, or one drawn from the seed."""
    number: NotRequired[int]
    """Index of the debate under the seed."""
    players: NotRequired[NamedPlayers]
    """The players of the other seats."""
    points: NotRequired[int]
    """Number of evenly spaced probabilities from 0 to 1 that can be stated: 2 to 1,001."""
    protocol: NotRequired[str | None]
    """The rules in RON, as in a scenario file."""
    save: NotRequired[bool | None]
    """False to write no save."""
    scenario: NotRequired[ScenarioSource]
    seats: NotRequired[list[SeatName]]
    """The seats that the caller plays; each seat gets a separate handle."""
    seed: NotRequired[str | None]
    """The seed of all coins. The default is a random seed."""
    text: NotRequired[bool | None]
    """False to omit the texts of requests."""
    type: Literal['open']


class ToServerStep(TypedDict):
    """Replies in a batch."""
    batch: str
    """The handle of the batch."""
    replies: list[int | None]
    """For each debate the index of its reply; null begins the next debate in the same slot."""
    type: Literal['step']


class ToServerPing(TypedDict):
    """Asks for a `pong`."""
    type: Literal['ping']


class ToServerBye(TypedDict):
    """Announces the end of the messages: the server ends once the replies given so far are processed."""
    type: Literal['bye']


# A message of the driving program, one per line. Unknown fields are ignored.
ToServer: TypeAlias = "ToServerNew | ToServerReply | ToServerResume | ToServerLeave | ToServerForfeit | ToServerOpen | ToServerStep | ToServerPing | ToServerBye"


class WeightedRound(TypedDict):
    round: RoundLabel
    weight: str
    """The maximum payoff of the round, as a fraction."""


# A line between this program and another one. A reader ignores unknown fields. Probabilities are fractions or
# decimals from 0 to 1.
Message: TypeAlias = "ToServer | FromServer | ToEngine | FromEngine"


class BestResponseReport(TypedDict):
    """The knowledge and the permitted answers of a best response."""
    answers: bool | None
    """The only answer to the root claim that it may give; null if it may choose."""
    blocks: int
    """The number of blocks of instances that it distinguishes."""
    knows: str
    """The knowledge, in the syntax of `--prover-knows`."""
    queries: int
    """Maximum number of leaves that it may query in a debate."""
    seat: str


class SolutionBySeat(TypedDict):
    """One value for each seat."""
    judge: SolutionExpenses
    opponent: SolutionExpenses
    prover: SolutionExpenses


class EstimatorCost(TypedDict):
    """The maximum cost of a round for an estimator by PE Algorithm 1, in units of the prover's own work."""
    questions_to_prover: ReportNumber
    """q·2^q times the steps: a step evaluates each of 2^q outcomes of one test, and a test queries the
    prover q times."""
    steps: ReportNumber
    """(2^q − 1)/δ²."""


class SolutionExpenses(TypedDict):
    """The expenses of a seat. The verifier's expenses belong to the judge's seat."""
    bits_read: ReportNumber
    """Bits read of proofs, transcripts, inputs and pointers."""
    calls: ReportNumber
    """Replies given."""
    configurations_read: ReportNumber
    """Configurations of a machine read."""
    oracle_queries: ReportNumber
    samples: ReportNumber
    """Samples drawn to estimate a probability."""


class JudgeErrors(TypedDict):
    """The tolerable judge errors between these players. Numbers are fractions, or formatted for a report."""
    allowed: ReportNumber | None
    """The rate up to which honest Alice keeps her bound against every Bob (PE Lemma A.5): ρε if the oracle
    never errs. Null unless every hypothesis of the lemma holds."""
    any_leaves_cost_at_most: ReportNumber
    """The maximum cost to her of any set of wrong leaves: the sum of the costs of single leaves, if these
    are known. Otherwise the cost of a judge who errs, after each history, whenever that costs her; no set
    of leaves can exceed it."""
    break_even: list[ReportNumber] | None
    """The smallest rate at which she expects 0, as an interval whose ends are equal if it is exact. Null if
    there is none from 0 to 1."""
    polynomial: list[ReportNumber]
    """Alice's expected payoff as a polynomial in the rate at which the judge flips answers, beginning with
    the constant term."""
    worst_leaves: list[WrongLeaf] | None
    """The leaves that cost her most if the judge errs on them alone. Costs add up, and leaves without a cost
    are omitted. Null if a debate requests several answers, or if there are too many leaves."""


# A number in the requested format.
ReportNumber: TypeAlias = "float | str"


class SolveReport(TypedDict):
    """The expectations of named players. Rationals are strings `num/den` with `--exact`."""
    answer_correct: ReportNumber | None
    """The probability that the debate's finding about the claim is correct; null if the truth is unknown."""
    best_response: NotRequired[BestResponseReport | None]
    """The knowledge of the best response, if it was incomplete or if its answers were restricted."""
    by_round: list[SolvedRound]
    """The rounds in playing order, in the unit of `value`."""
    depth: int
    """The length of the longest path from the root to a leaf."""
    each: NotRequired[list[SolvedInstance] | None]
    """The first 1,000 instances, if there are several."""
    grid: NotRequired[list[ReportNumber] | None]
    """The probabilities among which a best response chose."""
    instance: NotRequired[str | None]
    """The instance, if there is only one."""
    instances: int
    """The number of instances in the mean."""
    judge: str
    judge_errors: NotRequired[JudgeErrors | None]
    """The tolerable judge errors, if requested."""
    ledger: SolutionExpenses
    """The verifier's mean expenses."""
    ledger_by_seat: SolutionBySeat
    opponent: str
    parameters: str
    """The protocol as a scenario file writes it."""
    protocol: str
    """The protocol's name."""
    prover: str
    prover_wins: NotRequired[ReportNumber | None]
    """The probability that the prover wins, if one side gets 1 and the other −1."""
    replies_played: int
    """The number of replies that were played."""
    reward_ratio: ReportNumber | None
    """The factor by which each earlier round weighs less than the next, if the weights of rounds differ."""
    soundness: NotRequired[SoundnessReport | None]
    """The promise of the soundness proof for this prover, if requested."""
    value: ReportNumber
    """Alice's expected payoff; under `Stochastic` the probability that she wins."""
    variance: ReportNumber
    """The variance, in the unit of `value` squared."""


class SolvedInstance(TypedDict):
    answer_correct: ReportNumber | None
    instance: str
    value: ReportNumber


class SolvedRound(TypedDict):
    expected: ReportNumber
    round: RoundLabel
    weight: ReportNumber | None
    """The maximum payoff of the round; null if instances differ in it."""


class SoundnessHypothesis(TypedDict):
    """A hypothesis of PE Lemma A.4, and the prover's gain from its failure."""
    gives: ReportNumber
    """The prover's gain from the steps that depend on it. The lemma assumes 0, and for all tests together
    less than (2d + 2)δ."""
    holds: bool
    what: str
    """The hypothesis, in a sentence without a full stop."""


class SoundnessReport(TypedDict):
    """The promise of the soundness proof for a prover, and her payoff."""
    answers_truly: ReportNumber
    """P[A = L]."""
    bound: ReportNumber
    """P[A = L]/n + η: the promised upper bound on her payoff."""
    delta: ReportNumber
    depth: int
    """d."""
    estimator_cost: EstimatorCost
    eta: ReportNumber
    """η = (2d + 2)δ."""
    holds: bool
    """True if her payoff is within the bound."""
    hypotheses: list[SoundnessHypothesis]
    kept: ReportNumber
    """Her payoff."""
    largest_advantage: ReportNumber
    n: ReportNumber
    """n = r^−(d+1)."""
    tests: list[SoundnessTest]
    """The tests of the proof that query this prover. Their advantages, P[A = L]/n and the gains from failed
    hypotheses add up to her payoff."""
    width: int
    """q."""


class SoundnessTest(TypedDict):
    """A test that an estimator must pass."""
    advantage: ReportNumber
    """The advantage in the prover's favour."""
    round: RoundLabel
    test: str
    """`root`: the root's coin (5); `gate`: the gate over a round's coins (6); `selection`: the coin of the
    claim that a round is about (8)."""


class SweptReport(TypedDict):
    """One point of a sweep."""
    answer_correct: ReportNumber | None
    """The probability that the debate's finding about the claim is correct; null if the truth is unknown."""
    best_response: NotRequired[BestResponseReport | None]
    """The knowledge of the best response, if it was incomplete or if its answers were restricted."""
    by_round: list[SolvedRound]
    """The rounds in playing order, in the unit of `value`."""
    depth: int
    """The length of the longest path from the root to a leaf."""
    each: NotRequired[list[SolvedInstance] | None]
    """The first 1,000 instances, if there are several."""
    grid: NotRequired[list[ReportNumber] | None]
    """The probabilities among which a best response chose."""
    instance: NotRequired[str | None]
    """The instance, if there is only one."""
    instances: int
    """The number of instances in the mean."""
    judge: str
    judge_errors: NotRequired[JudgeErrors | None]
    """The tolerable judge errors, if requested."""
    ledger: SolutionExpenses
    """The verifier's mean expenses."""
    ledger_by_seat: SolutionBySeat
    opponent: str
    parameters: str
    """The protocol as a scenario file writes it."""
    protocol: str
    """The protocol's name."""
    prover: str
    prover_wins: NotRequired[ReportNumber | None]
    """The probability that the prover wins, if one side gets 1 and the other −1."""
    replies_played: int
    """The number of replies that were played."""
    reward_ratio: ReportNumber | None
    """The factor by which each earlier round weighs less than the next, if the weights of rounds differ."""
    soundness: NotRequired[SoundnessReport | None]
    """The promise of the soundness proof for this prover, if requested."""
    value: ReportNumber
    """Alice's expected payoff; under `Stochastic` the probability that she wins."""
    variance: ReportNumber
    """The variance, in the unit of `value` squared."""


class WrongLeaf(TypedDict):
    """The cost to Alice if the judge errs on a leaf."""
    claim: str
    """A short text of the claim."""
    cost: ReportNumber
    leaf: str
    """The leaf's id, in the syntax of the judge `wrong`."""


class Solution1(TypedDict):
    points: list[SweptReport]
    sweep: str
    """The parameter that varies."""


# The document that `solve` prints: one report, or one for each value of a sweep.
Solution: TypeAlias = "SolveReport | Solution1"


class SimulationBySeat(TypedDict):
    """One value for each seat."""
    judge: str
    opponent: str
    prover: str


class SimulationBySeat2(TypedDict):
    """One value for each seat."""
    judge: SimulationExpenses
    opponent: SimulationExpenses
    prover: SimulationExpenses


class ExactSums(TypedDict):
    """Exact sums, as integer multiples of a unit."""
    payoff: str
    squares: str
    """The sum of squares, each rounded once."""
    unit: str


class SimulationExpenses(TypedDict):
    """The expenses of a seat. The verifier's expenses belong to the judge's seat."""
    bits_read: float
    """Bits read of proofs, transcripts, inputs and pointers."""
    calls: float
    """Replies given."""
    configurations_read: float
    """Configurations of a machine read."""
    oracle_queries: float
    samples: float
    """Samples drawn to estimate a probability."""


class MomentsReport(TypedDict):
    """A quantity over many debates."""
    ci95: list[float] | None
    """Student's t."""
    mean: float | None
    stderr: float | None
    sums: ExactSums


class SideReport(TypedDict):
    """One set of rules and players."""
    answer_correct: float | None
    """The proportion of right answers among the decidable ones."""
    by_round: list[SimulatedRound]
    """The rounds in playing order."""
    ci95: list[float] | None
    """Student's t."""
    debates: int
    ledger: SimulationExpenses
    """The verifier's mean expenses."""
    ledger_by_seat: SimulationBySeat2
    mean: float | None
    parameters: str
    """The protocol as a scenario file writes it."""
    players: SimulationBySeat
    protocol: str
    """The protocol's name."""
    prover_wins: float | None
    """The proportion of debates in which the prover received more than the opponent."""
    prover_wins_ci95: list[float] | None
    """The Wilson interval of `prover_wins`."""
    stderr: float | None
    sums: ExactSums


class SimulatedRound(TypedDict):
    mean: float | None
    round: RoundLabel
    sum: str
    """The exact sum, in the unit of `sums`."""
    weight: float | None
    """The maximum payoff of the round; null if instances differ in it."""


class Simulation(TypedDict):
    """The results of many debates. Means, standard errors and intervals are null if there are too few debates
    for them."""
    answer_correct: float | None
    """The proportion of right answers among the decidable ones."""
    by_round: list[SimulatedRound]
    """The rounds in playing order."""
    ci95: list[float] | None
    """Student's t."""
    debates: int
    debates_per_second: float
    difference: NotRequired[MomentsReport | None]
    """The payoff of the first side's prover less that of the second side's, on the same instances and coins."""
    instance: str | None
    """The instance, if one was requested; otherwise each debate draws its own."""
    ledger: SimulationExpenses
    """The verifier's mean expenses."""
    ledger_by_seat: SimulationBySeat2
    mean: float | None
    parameters: str
    """The protocol as a scenario file writes it."""
    players: SimulationBySeat
    protocol: str
    """The protocol's name."""
    prover_wins: float | None
    """The proportion of debates in which the prover received more than the opponent."""
    prover_wins_ci95: list[float] | None
    """The Wilson interval of `prover_wins`."""
    seconds: float
    """The running time, in seconds."""
    seed: str
    stderr: float | None
    sums: ExactSums
    threads: int
    title: str
    """The scenario's title."""
    versus: NotRequired[SideReport | None]
    """The other side of a comparison."""


class BoundsReport(TypedDict):
    """The bounds that the rules promise."""
    completeness: NotRequired[ReportNumber | None]
    """The least payoff that honest Alice expects (PE Lemma A.5); absent unless all of
    `completeness_hypotheses` hold."""
    queries_on_average: NotRequired[ExpectedQueries | None]
    """DE Theorem 6.2, machine-checked."""
    soundness_offset: NotRequired[ReportNumber | None]
    """The term that PE Lemma A.4 adds to r^(d+1)·P[A = L]. The lemma's printed proof fails (Errata 1 and 6);
    it is open if the lemma holds."""


class CheckFailure(TypedDict):
    """The report of `check` on an invalid scenario."""
    error: str
    ok: bool
    """Always false."""
    scenario: str
    """The scenario as the user named it."""


class CheckReport(TypedDict):
    """The report of `check` on a valid scenario."""
    bounds: BoundsReport
    claim: str
    """The root claim."""
    claim_true: bool | None
    """True if the root claim is true in the checked instance; null if its truth is unknown."""
    claims: ClaimCount
    completeness_hypotheses: list[Hypothesis]
    """The hypotheses of `bounds.completeness` (PE Lemma A.5), which is null unless all of them hold. Empty
    under other rules, and if players write the claims."""
    depth: int
    drawn: bool
    """True if the seed draws the instance of a debate."""
    instance: str
    """The instance that is checked."""
    instances: int
    """The number of instances."""
    judge_error_allowed: ReportNumber | None
    """The greatest probability with which a judge may err on a leaf such that `bounds.completeness` holds;
    null if that bound is not promised."""
    judge_errors: CheckedJudgeErrors | None
    """The tolerable judge errors between honest Alice and the scenario's own Bob, in addition to that bound.
    Null if no player judges leaves or the computation takes too long here (`solve --judge-errors` allows
    more time)."""
    leaves: ClaimCount
    lipschitz: LipschitzReport | None
    """K of a random computation."""
    mend: str | None
    """A change that would make it stable."""
    ok: bool
    """Always true: an invalid scenario gives a [`CheckFailure`]."""
    open: open | None
    """The limits on written claims, if players write the claims during the debate."""
    parameters: str
    """The protocol as a scenario file writes it."""
    problem: str
    protocol: str
    """The protocol's name."""
    provable: ReportNumber | None
    """The probability that all claims can be proved (PE Definition 5.2)."""
    provable_by: ProvableBy | None
    """The same probability for a prover with the requested knowledge; null if none was requested or the
    probability is unknown."""
    query_bounds: list[QueryBoundReport]
    """The bounds that each playable protocol promises, and the lower bounds that hold for every protocol."""
    reward_ratio: ReportNumber | None
    """The factor by which each earlier round weighs less than the next, if the weights of rounds differ."""
    soundness_hypotheses: list[Hypothesis]
    """The hypotheses under which lies earn less. Empty under rules without such a promise, and if players
    write the claims."""
    splits: bool
    """True if the claim is split into subclaims."""
    stability: StabilityReport | None
    """Stability by PE Definition 5.3; null under rules that do not depend on it."""
    statements: list[StandingReport]
    """The statements of the papers that the figures depend on, with their status."""
    title: str
    truth: Truths
    """The truth of the root claim in each instance."""
    unstable: str | None
    """The reason why the decomposition is unstable, as a sentence."""
    warnings: list[str]
    width: int


# The result of `check` for one scenario.
Checked: TypeAlias = "CheckReport | CheckFailure"


class CheckedJudgeErrors(TypedDict):
    """The tolerable judge errors between honest Alice and an estimator or challenger."""
    allowed: ReportNumber | None
    """The rate up to which honest Alice keeps her bound against every Bob (PE Lemma A.5): ρε if the oracle
    never errs. Null unless every hypothesis of the lemma holds."""
    any_leaves_cost_at_most: ReportNumber
    """The maximum cost to her of any set of wrong leaves: the sum of the costs of single leaves, if these
    are known. Otherwise the cost of a judge who errs, after each history, whenever that costs her; no set
    of leaves can exceed it."""
    break_even: list[ReportNumber] | None
    """The smallest rate at which she expects 0, as an interval whose ends are equal if it is exact. Null if
    there is none from 0 to 1."""
    opponent: str
    polynomial: list[ReportNumber]
    """Alice's expected payoff as a polynomial in the rate at which the judge flips answers, beginning with
    the constant term."""
    worst_leaves: list[WrongLeaf] | None
    """The leaves that cost her most if the judge errs on them alone. Costs add up, and leaves without a cost
    are omitted. Null if a debate requests several answers, or if there are too many leaves."""


# A count; a string of digits if it exceeds the range of a JSON number.
ClaimCount: TypeAlias = "int | str"


class EvidenceErrors(TypedDict):
    """The joint errors of the pieces of evidence of a decomposition that is made stable (PE Definition 8.1), and
    their effect on PE Theorem 8.3. Numbers are fractions, or formatted for a report."""
    allowed: ReportNumber
    """ε/(4n), the difference that the theorem permits."""
    error: ReportNumber
    """The greatest probability, over all leaves, that a piece errs independently, from the oracle."""
    required: ReportNumber
    """1 − ε/(4n), which the definition requires, with n = r^−(d+1)."""
    s_supported: bool
    shared_cause: ReportNumber
    """The probability that all pieces for a leaf err together, from the scenario's `evidence`."""
    supported: ReportNumber
    """The least probability, over all leaves, that a piece is right whatever all other pieces say: given the
    strongest evidence against it."""
    wrong: list[ReportNumber]
    """Bounds on the probability, over μ, that the truth of the debated claim differs from that of the
    intended one. The bounds are equal if the probability is known."""


class EvidenceReport(TypedDict):
    """The evidence counts of a decomposition that is made stable."""
    copies: int
    """κ, the number of pieces of evidence for each subclaim."""
    copies_least: int | None
    """The least κ, by exact search."""
    copies_needed: int | None
    """κ by the proof of PE Theorem 8.3, for this ρ: 2 ln(w/(ρε)) / ln(1/(6ε(1 − 3ε/2)))."""
    copies_printed: int | None
    """κ as printed in the paper, for ρ = 1/2: the second of two expressions. Null if ε ≥ 1/3."""
    copies_printed_first: int | None
    """The first of the two expressions, twice as large."""
    errors: EvidenceErrors | None
    """Null if some truth is unknown, or if there are too many claims."""
    inputs: int
    """w, the number of subclaims of a claim."""
    pieces: ClaimCount
    """s = κ^d, the number of pieces of evidence for a claim."""
    theorem_is_for_this_rho: bool
    """True if ρ is 1/2, as the theorem and its printed numbers assume."""
    width: int
    """q, the width of a support."""


class ExpectedQueries(TypedDict):
    """Upper bound on the expected number of oracle queries, as promised by the machine-checked version with its own
    constants."""
    alice: float
    """Alice: T (5000 k² ln(200 T) + 1)."""
    bob: float
    """Bob: T ((20000/9) k² ln(200 T) + 1)."""
    verifier: float
    """The verifier: 106000 k² + 1."""


# The distribution that a probability of provability refers to.
FlawDistribution: TypeAlias = "Literal['mu'] | Literal['even-places']"


class Hypothesis(TypedDict):
    """A hypothesis of a theorem."""
    holds: bool | None
    """True if it holds; null if that is not known."""
    what: str
    """The assumption, in a sentence without a full stop."""


class LipschitzReport(TypedDict):
    """The Lipschitz constant of a random computation: how much its answer moves if its oracle moves a little."""
    claimed: ReportNumber | None
    """K as the scenario claims it."""
    high: ReportNumber
    """A K that suffices."""
    k: ReportNumber
    """K as the protocol uses it."""
    low: ReportNumber
    """A lower bound on the least K."""


# The kind of a verdict.
Outcome: TypeAlias = "str"


class ProvableBy(TypedDict):
    """PE Definition 5.2 for the class of provers with the given knowledge and number of leaf queries before they
    speak: the greatest probability with which one of them answers every claim truly."""
    distribution: FlawDistribution
    high: ReportNumber
    """Equal to `low` if the best plan is known."""
    instances: int
    """The number of instances of μ; `likeliest` is the proportion of the likeliest one."""
    knows: str
    """The knowledge, in the syntax of `--prover-knows`. `instance` means a prover who reads the instance and
    knows if it contains a flaw, but not where the flaw is."""
    likeliest: ReportNumber
    low: ReportNumber
    queries: int


class QueryBoundReport0(TypedDict):
    """A protocol's promise."""
    protocol: str
    """The protocol as scenario files write it."""
    sources: list[str]
    """The theorems that prove the promise."""


class QueryBoundReport1(TypedDict):
    """A law for every debate about this function."""
    about: str
    """The law, in words."""
    bits_read: int
    sources: list[str]
    """The theorem that proves the law."""


# A bound that a protocol promises, or a lower bound for every protocol.
QueryBoundReport: TypeAlias = "QueryBoundReport0 | QueryBoundReport1"


class StabilityReport(TypedDict):
    """The (ε, ρ)-stability of a decomposition (PE Definition 5.3)."""
    allowed: ReportNumber
    """The greatest amount by which a support may move its claim."""
    copies: int | None
    """The number of independent pieces of evidence per subclaim that would make it stable, found by trying."""
    copies_needed: int | None
    """The same number by the proof of PE Theorem 8.3, for this ρ: 2 ln(w/(ρε)) / ln(1/(6ε(1 − 3ε/2))). The
    theorem itself is for ρ = 1/2."""
    epsilon: ReportNumber
    evidence: EvidenceReport | None
    """The evidence counts, for a decomposition that is made stable."""
    instance_stable: bool | None
    """True if the checked instance is stable on its own."""
    rho: ReportNumber
    share: ReportNumber
    """The proportion of instances that are stable."""
    stable: bool | None
    """Null if the stability is unknown."""
    worst_claim: str | None
    """The claim that its support moves most."""
    worst_deviation: ReportNumber
    worst_instance: str | None


StandingReport = TypedDict("StandingReport", {
    "also": "list[Verdict]",
    "class": "str | None",
    "erratum": "int | None",
    "instances": "list[str]",
    "name": "str",
    "outcome": "Outcome",
    "reading": "str | None",
    "text": "str",
    "variant": "str | None",
})


# The truth of the root claim; null if it is unknown.
Truths: TypeAlias = "bool | None | list[bool | None]"


Verdict = TypedDict("Verdict", {
    "class": "str | None",
    "erratum": "int | None",
    "instances": "list[str]",
    "outcome": "Outcome",
    "reading": "str | None",
    "variant": "str | None",
})


class open(TypedDict):
    """Limits on claims that the prover splits in their own words."""
    depth: int
    """Edges from the root to the claims that are judged at the latest."""
    width: int
    """Maximum number of subclaims of a support that is written."""


# One document, or a list of several.
Check: TypeAlias = "Checked | list[Checked]"


Bin = TypedDict("Bin", {
    "count": "int",
    "from": "float",
    "hits": "float",
    "mean_confidence": "float",
    "share95": "list[float]",
    "to": "float",
})


# The unit that an interval treats as independent.
ClusteredBy: TypeAlias = "Literal['judgement'] | Literal['judge'] | Literal['story']"


class ConditionReport(TypedDict):
    """The judgements under one condition."""
    accuracy: float
    accuracy_intervals: list[Interval]
    """Wilson's interval if every judge gave one judgement, else by the spread between judges. If a story was judged
    more than once, also an interval by the spread between stories."""
    brier: float
    """The mean of (1 − p)², where p is the probability of the right answer."""
    brier_intervals: list[Interval]
    by_round: list[RoundReport]
    calibration_error: float
    """The expected calibration error, with ten left-closed bins of the unrounded probability of the likelier answer.
    Equal probabilities count as half a hit."""
    calibration_noise: float
    """The expected value for a perfectly calibrated judge with the same probabilities."""
    condition: str
    continues: int
    """The total number of rounds that the judges saw."""
    correct: int
    """The number of judgements that gave the right answer more than one half."""
    judgements: int
    judges: int
    murphy: Murphy
    range_used: list[float]
    """The lowest and highest probability given to the likelier answer."""
    reliability: list[Bin]
    """The bins that are not empty."""
    score: float | None
    """The mean score in bits; null if a judge gave the right answer probability 0."""
    score_intervals: list[Interval]
    stories: int | None
    """The number of stories; null if a judgement names no story."""
    ties: int
    """The number of judgements with equal probabilities. They do not count as correct."""


class Interval(TypedDict):
    """A 95 % interval."""
    by: ClusteredBy
    high: float
    low: float


class LeftOut(TypedDict):
    """Debates that are not counted."""
    count: int
    why: str


class Murphy(TypedDict):
    """The parts of the Brier score: reliability − resolution + uncertainty + `within_bins`. Forecasts are probabilities of
    the first answer, in ten bins closed on the left (Murphy 1973; Stephenson et al. 2008)."""
    reliability: float
    resolution: float
    uncertainty: float
    within_bins: float


class RoundReport(TypedDict):
    """The judges' probabilities after a round."""
    correct: int
    judgements: int
    mean_p_correct: float
    round: int
    """The round number from 1; 0 before the first round."""


class Report(TypedDict):
    """The summary of many judgements."""
    conditions: list[ConditionReport]
    """In alphabetical order."""
    format: int
    """The version of this document: 1."""
    judgements: int
    """The number of judgements that are counted."""
    left_out: list[LeftOut]
    """The judgements that are not counted, with the reason."""


class MatchReportBySeat(TypedDict):
    """One value for each seat."""
    judge: str
    opponent: str
    prover: str


class MatchReportBySeat2(TypedDict):
    """One value for each seat."""
    judge: dict[str, int]
    opponent: dict[str, int]
    prover: dict[str, int]


class MatchReportBySeat3(TypedDict):
    """One value for each seat."""
    judge: int
    opponent: int
    prover: int


class BySeat4(TypedDict):
    """One value for each seat."""
    judge: PrintedCost
    opponent: PrintedCost
    prover: PrintedCost


class Determined(TypedDict):
    """A value that the games determine."""
    standard_error: float
    """The standard error from the curvature of the likelihood, which treats games as independent."""
    value: float


class Encounter(TypedDict):
    """The games of two players."""
    drawn: int
    exchanged: bool
    """True if each game is two debates with seats exchanged; false if it is one debate, in which `player` was Alice."""
    lost: int
    other: str
    player: str
    won: int
    """The number of games that `player` won."""


class Estimate(TypedDict):
    """A mean over the debates of a match."""
    by: EstimateUnit
    """The unit that counts as independent."""
    ci95: list[float] | None
    """The 95 % interval; null with fewer than ten units."""
    mean: float
    of: int
    """The number of values averaged."""
    units: int
    """The number of units."""


# The unit that an interval treats as independent. Debates about the same instance are not independent, unless all
# debates are about one instance.
EstimateUnit: TypeAlias = "Literal['instance', 'debate']"


class MatchRatings(TypedDict):
    """The ratings of players under the same rules and judge, over all scenarios.
    
    Two debates between two players about one instance, with seats exchanged, are one game. The player with the higher
    total payoff wins it. A debate without its exchange, such as a player against itself, is a game decided by the sign
    of the payoff. Only these games have a term for Alice's seat. A seat that forfeits has lost; a debate that the judge
    forfeits is not a game."""
    condition: str
    crosstable: list[Encounter]
    judge: str
    players: list[Rating]
    """The players by decreasing rating; players with an unbounded rating are last."""
    seat: Determined | None
    """The advantage of Alice's seat, in natural log-odds; null if the games do not determine it. The ratings then
    assume an advantage of 0."""


class MatchupReport(TypedDict):
    """The results of the same players under the same rules. If there are several scenarios, each has a row, and a further
    row covers all scenarios."""
    answer_correct: Estimate | None
    """The proportion of debates whose answer was true."""
    condition: str
    """The plan's name for the rules; without one, the protocol's name."""
    cost: BySeat4
    debates: int
    finished: int
    forfeits: MatchReportBySeat2
    """The number of debates that each seat forfeited, by fault."""
    illegal_replies: MatchReportBySeat3
    """The number of illegal and unreadable replies."""
    judge_right_dishonest: Estimate | None
    """The proportion of questions that the judge answered correctly when Alice argued for a falsehood."""
    judge_right_honest: Estimate | None
    """The proportion of questions that the judge answered correctly when Alice argued for the truth."""
    payoff: Estimate | None
    """Alice's mean payoff, over the debates that ended by the rules."""
    players: MatchReportBySeat
    prover_wins: Estimate | None
    """The proportion of debates that Alice won. A seat that forfeits has lost; a debate that the judge forfeits does
    not count."""
    scenario: str | None
    """The scenario as the plan names it; null for all scenarios together."""


class PrintedCost(TypedDict):
    """The total cost of replies, as reported by the programs that gave them."""
    calls: int
    tokens_in: int
    tokens_out: int
    usd: str
    """US dollars, as a decimal number."""


class Rating(TypedDict):
    """A player's rating."""
    games: int
    """The number of games against others."""
    player: str
    points: float
    """The points from these games: 1 for a win, ½ for a draw."""
    rating: Determined | None
    """The rating in natural log-odds, by maximum likelihood; the mean of all ratings is 0. Null if the games do not
    determine it: it is unbounded."""


class MatchReport(TypedDict):
    """The results of a match so far, computed from the saves of its debates alone."""
    cost: PrintedCost
    """The cost of all replies, including those of unfinished debates."""
    debates: int
    """The number of planned debates."""
    finished: int
    """The number of finished debates."""
    format: int
    """The version of this document: 1."""
    matchups: list[MatchupReport]
    ratings: list[MatchRatings]
    """The ratings of players, for each pair of rules and judge under which more than two players met, or two exchanged
    seats."""
    seed: str
    title: str


class EquilibriumReport(TypedDict):
    """The game of every prover against every opponent. Numbers are strings `num/den` with `--exact`."""
    answer_correct: list[ReportNumber | None]
    """The probability that each prover's answer is true; null if the truth is unknown."""
    answers_truly: bool | None
    best_replies: list[str | None]
    """The best reply to each prover."""
    best_reply: str
    """The best reply to the leader."""
    hypotheses: list[Hypothesis]
    """The hypotheses of that theorem that concern the scenario and its rules."""
    leader_answer_correct: ReportNumber | None
    leader_choice: str
    """The prover-leading Stackelberg choice."""
    left_out: list[LeftOutPlayer]
    margin: ReportNumber | None
    """`leader_answer_correct` less 1 − 4ε of PE Theorem 6.2."""
    opponents: list[str]
    parameters: str
    """The protocol as a scenario file writes it."""
    payoff: list[list[ReportNumber]]
    """One row per prover: its expected payoff against each opponent."""
    protocol: str
    """The protocol's name."""
    provers: list[str]
    title: str
    """The scenario's title."""
    value: ReportNumber
    """The leader's payoff against that reply."""


class LeastTrueReport(TypedDict):
    """PE Theorem 6.2."""
    alpha: ReportNumber
    """The requested α, or a larger one if the plan found is less accurate. Alice guarantees at least `lower`
    less α."""
    answer_correct: ReportNumber
    """The probability that this Alice's answer is true."""
    hypotheses: list[Hypothesis]
    keeps: ReportNumber
    """The payoff that she guarantees against the best Bob on the grid."""
    promised: ReportNumber | None
    """1 − 4ε, which the theorem promises if all hypotheses hold."""


class LeftOutPlayer(TypedDict):
    """A player who was requested but has no exact value."""
    player: str
    reason: str


class OptimalReport(TypedDict):
    """The value of a debate between all strategies of both debaters. Numbers are strings `num/den` with
    `--exact`."""
    answer_correct: ReportNumber | None
    """The probability that Alice's answer is true under her plan; null if the truth is unknown."""
    grid: list[ReportNumber]
    """The probabilities that Bob (or Alice, under stochastic debate) may give: a hypothesis."""
    instances: int
    """The number of instances in the mean."""
    judge: str
    least_true: LeastTrueReport | None
    """The Alice who answers truly least often, among all who guarantee the value less α."""
    lower: ReportNumber
    """The payoff that Alice's plan guarantees against the best Bob on the grid."""
    lower_of_all_probabilities: ReportNumber | None
    """The payoff that Alice guarantees against a Bob who may give any probability. Null if no player gives
    probabilities, if the grid lacks 0 or 1, or if steps can be disputed."""
    method: str
    """`programs`, or `double-oracle`."""
    opponent: EquilibriumSideReport
    opponent_knows: str
    parameters: str
    """The protocol as a scenario file writes it."""
    payoffs: int
    """Pairs of sequences of both sides with a payoff."""
    positions: int
    """The number of positions that were played."""
    program: ProgramSize
    """The largest linear program that was solved for the value. Under `double-oracle`, the program for the
    part of the game that was used."""
    protocol: str
    """The protocol's name."""
    prover: EquilibriumSideReport
    prover_knows: str
    """Alice's knowledge of the instance, in the syntax of `--prover-knows`."""
    rounds: int | None
    """The rounds of double oracle."""
    stopped: bool
    """True if `--seconds` or `--max-rounds` ended the search; higher limits may narrow the bracket."""
    title: str
    """The scenario's title."""
    upper: ReportNumber
    """The best Alice's payoff against Bob's plan."""
    width: ReportNumber
    """`upper` less `lower`."""
    width_of_range: float
    """The width divided by the range between the greatest and the least payoff."""


class ProgramSize(TypedDict):
    """The size of a linear program."""
    bytes: int
    """The memory for these entries, each with its column."""
    columns: int
    nonzeros: int
    """The number of nonzero entries in its rows."""
    rows: int


class EquilibriumSideReport(TypedDict):
    """The size of a debater's side of the game."""
    information_sets: int
    sequences: int


# The document that `equilibrium` prints: the table of named players, or the value between all strategies.
Equilibrium: TypeAlias = "EquilibriumReport | OptimalReport"
