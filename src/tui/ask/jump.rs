//! A number that is being typed to go somewhere.

/// More digits than this are not taken.
const DIGITS: usize = 18;

/// A number on its way; closed, open and empty, or with digits.
#[derive(Clone, Debug, Default)]
pub(super) struct Jump(Option<String>);

impl Jump {
    /// Waits for digits.
    pub(super) fn open(&mut self) {
        self.0 = Some(String::new());
    }

    /// Ends; says whether it was open.
    pub(super) fn close(&mut self) -> bool {
        self.0.take().is_some()
    }

    pub(super) fn is_open(&self) -> bool {
        self.0.is_some()
    }

    /// Takes a digit, opening where it is closed; says whether it was one.
    pub(super) fn press(&mut self, c: char) -> bool {
        let typed = self.0.get_or_insert_default();
        if c.is_ascii_digit() && typed.len() < DIGITS {
            typed.push(c);
        } else if typed.is_empty() && !c.is_ascii_digit() {
            self.0 = None;
        }
        c.is_ascii_digit()
    }

    /// Takes the last digit back, and closes where there is none; says whether it was open.
    pub(super) fn erase(&mut self) -> bool {
        let Some(typed) = &mut self.0 else {
            return false;
        };
        if typed.pop().is_none() {
            self.0 = None;
        }
        true
    }

    /// The number as it stands.
    pub(super) fn number(&self) -> Option<u64> {
        self.0.as_ref()?.parse().ok()
    }

    /// The text typed so far.
    pub(super) fn typed(&self) -> Option<&str> {
        self.0.as_deref()
    }
}
