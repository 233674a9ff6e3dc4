//! The symbols used in texts, and the display of bits and counts.

use std::borrow::Cow;
use std::fmt::Display;

use debate_core::bits::BitString;
use debate_core::protocol::Bet;
use debate_core::text::count_with_noun;

/// The character set of formulas.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FormulaCharacterSet {
    /// Unicode, with superscripts and subscripts: r² · A₂.
    #[default]
    Unicode,
    /// ASCII only: r^2 * A_2.
    Ascii,
}

impl FormulaCharacterSet {
    /// If the script is ASCII, spells the Greek letters ε, ρ, δ and μ in ASCII, for example ε as `eps`. Otherwise
    /// returns the text unchanged.
    pub fn spell_greek_letters(self, text: &str) -> Cow<'_, str> {
        const NAMES: [(char, &str); 4] = [('ε', "eps"), ('ρ', "rho"), ('δ', "delta"), ('μ', "mu")];
        if self == Self::Unicode {
            return Cow::Borrowed(text);
        }
        let spelled = NAMES
            .into_iter()
            .fold(text.to_owned(), |text, (letter, name)| {
                text.replace(letter, name)
            });
        Cow::Owned(spelled)
    }
}

/// Returns the word `yes` or `no` for an answer or the outcome of a coin.
pub fn yes_no_word(value: bool) -> &'static str {
    if value { "yes" } else { "no" }
}

/// Signs of one column each, except the ASCII form of `plus_minus`, which has two.
#[derive(Debug, PartialEq, Eq)]
pub struct SignCharacters {
    /// The symbol after the claim under discussion.
    pub current: &'static str,
    /// The symbol after the chosen item.
    pub chosen: &'static str,
    /// The symbol before the item of a screen that changed last, such as a claim, a cell or an event.
    pub newest: &'static str,
    /// The symbol before an item whose check succeeded.
    pub right: &'static str,
    /// The symbol before an item whose check failed.
    pub wrong: &'static str,
    /// The symbol between a probability and the outcome of its coin.
    pub fell: &'static str,
    /// The symbol beside the value that is larger than all other values together.
    pub dominant: &'static str,
    /// The symbol at the position where a text was cut.
    pub ellipsis: &'static str,
    /// The symbol before the outcome of a coin.
    pub coin: &'static str,
    /// The symbol for the gap between inconsistent estimates, in a bar that shows the estimates of a round.
    pub gap: &'static str,
    /// The symbol for a sealed bet or answer.
    pub sealed: &'static str,
    /// The symbols for the three bets: that an estimate is too low, about right, or too high.
    pub bets: [&'static str; 3],
    /// The symbol before the seat that must reply.
    pub asked: &'static str,
    /// The symbol before a number that means both the payoff and its negative.
    pub plus_minus: &'static str,
}

static UNICODE: SignCharacters = SignCharacters {
    current: "◀",
    chosen: "»",
    newest: "•",
    right: "✔",
    wrong: "✘",
    fell: "→",
    dominant: "◆",
    ellipsis: "…",
    coin: "⚄",
    gap: "╳",
    sealed: "◇",
    bets: ["▲", "○", "▼"],
    asked: "◂",
    plus_minus: "±",
};

static ASCII: SignCharacters = SignCharacters {
    current: "<",
    chosen: "&",
    newest: "*",
    right: "+",
    wrong: "!",
    fell: ">",
    dominant: "*",
    ellipsis: "~",
    coin: "*",
    gap: "x",
    sealed: "?",
    bets: ["^", "=", "v"],
    asked: "<",
    plus_minus: "+-",
};

impl SignCharacters {
    /// Explains the symbols of a debate, each in a few words.
    pub fn symbol_explanations(&self) -> [String; 10] {
        let [low_sign, about_right_sign, high_sign] = self.bets;
        [
            format!("{} a sealed reply", self.sealed),
            format!("{low_sign} a bet that the number is too low"),
            format!("{about_right_sign} a bet that the number is about right"),
            format!("{high_sign} a bet that the number is too high"),
            format!(
                "{gap_sign} a gap: inconsistent numbers",
                gap_sign = self.gap
            ),
            format!(
                "{sign} a coin; all {sign}: the outcome of all subclaims' coins together; no/yes: the claim's coin no, its subclaims' coins together yes",
                sign = self.coin
            ),
            format!(
                "{sign} the player to move, or the key to press",
                sign = self.asked
            ),
            format!("{} the latest change", self.newest),
            format!(
                "{sign} the most that a round can pay or cost",
                sign = self.plus_minus
            ),
            format!(
                "{sign} the round that outweighs the others",
                sign = self.dominant
            ),
        ]
    }

    /// Explains the symbols of a debate in one line. `has_bets`: true if the debate has bets and coins.
    pub fn sign_legend(&self, has_bets: bool) -> String {
        let [bets @ .., asked, newest, range, dominant] = self.symbol_explanations();
        let mut meanings = Vec::new();
        if has_bets {
            meanings.extend(bets);
        }
        meanings.extend([asked, newest]);
        if has_bets {
            meanings.extend([range, dominant]);
        }
        format!("{}.", meanings.join("; "))
    }

    /// Returns the symbol for a bet that is not sealed.
    pub fn bet_sign(&self, bet: Bet) -> &'static str {
        let [low_sign, about_right_sign, high_sign] = self.bets;
        match bet {
            Bet::TooLow => low_sign,
            Bet::AboutRight => about_right_sign,
            Bet::TooHigh => high_sign,
        }
    }

    /// Formats the outcome of a coin with the coin's symbol, so that a reader does not take it for a fact.
    pub fn coin_outcome(&self, value: bool) -> String {
        format!("{} {}", self.coin, yes_no_word(value))
    }

    pub fn symbols_for_character_set(script: FormulaCharacterSet) -> &'static Self {
        match script {
            FormulaCharacterSet::Unicode => &UNICODE,
            FormulaCharacterSet::Ascii => &ASCII,
        }
    }
}

/// Maximum number of bits that are all shown.
const SHOWN: usize = 48;

/// Formats a string of bits: all bits or, if it is long, the first and the last bits and the number of bits.
pub fn shortened_bits(bits: &BitString) -> String {
    match fit_bits(bits, SHOWN) {
        whole if bits.len() <= SHOWN => whole,
        short => format!(
            "{short} ({} bits)",
            with_thousands_separators(bits.len() as u64)
        ),
    }
}

/// Formats a string of bits: all bits if they fit into `columns`, else the first and the last bits.
pub fn fit_bits(bits: &BitString, columns: usize) -> String {
    let slice = bits.as_slice();
    let text = |part: Option<&[bool]>| {
        let digits = part.unwrap_or_default().iter();
        digits
            .map(|bit| if *bit { '1' } else { '0' })
            .collect::<String>()
    };
    if slice.len() <= columns {
        return text(Some(slice));
    }
    let tail = columns / 3;
    let head = columns.saturating_sub(tail + 1);
    let (head, tail) = (slice.get(..head), slice.get(slice.len() - tail..));
    format!("{}…{}", text(head), text(tail))
}

/// Formats a count with thousands separators: 1,048,576.
pub fn with_thousands_separators(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Returns the text with its first letter in upper case.
pub fn capitalized(text: &str) -> String {
    let mut rest = text.chars();
    let first = rest.next().into_iter().flat_map(char::to_uppercase);
    first.chain(rest).collect()
}

/// Returns the text with its first letter in lower case, for use within another sentence.
pub(super) fn lowercase_first(text: &str) -> String {
    let mut rest = text.chars();
    let first = rest.next().into_iter().flat_map(char::to_lowercase);
    first.chain(rest).collect()
}

/// Formats a cost with its kind in words: "1 oracle query", "2.5 oracle queries". `kind` is the name of a field of
/// [`SeatResourceCosts`](debate_core::protocol::SeatResourceCosts).
pub fn cost_with_kind_text(kind: &str, figure: impl Display) -> String {
    let (one, many) = match kind {
        "oracle_queries" => ("oracle query", "oracle queries"),
        "bits_read" => ("bit read", "bits read"),
        "configurations_read" => ("configuration read", "configurations read"),
        "samples" => ("sample", "samples"),
        "calls" => ("reply", "replies"),
        kind => return format!("{figure} {}", kind.replace('_', " ")),
    };
    count_with_noun(figure, one, many)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_bits_keep_their_ends_and_their_count() {
        assert_eq!(shortened_bits(&BitString::parse("0110").unwrap()), "0110");
        let long = BitString::zeros(1_000_000)
            .with_bit_flipped(0)
            .with_bit_flipped(999_999);
        let text = shortened_bits(&long);
        assert!(text.starts_with("1000") && text.ends_with("0001 (1,000,000 bits)"));
        assert!(text.chars().count() < 70, "{text}");
        assert_eq!(fit_bits(&long, 9), "10000…001");
    }

    #[test]
    fn counts_have_their_thousands_apart() {
        let counts = [0, 999, 1000, 1_048_576].map(with_thousands_separators);
        assert_eq!(counts, ["0", "999", "1,000", "1,048,576"]);
    }
}
