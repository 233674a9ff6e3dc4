//! Names of keys in sentences.

use super::{Contexts, KeyMap};

impl<I: Copy> KeyMap<I> {
    /// The key of an action in a context, for a sentence; the command by name, as the palette
    /// finds it, where it has no key there.
    pub fn called(&self, context: Contexts, id: I) -> String
    where
        I: PartialEq,
    {
        let mut here = self.here(context);
        here.retain(|(action, _)| action.id == id);
        let Some((action, _)) = here.first() else {
            return String::new();
        };
        let key = here.iter().flat_map(|(_, keys)| keys).next();
        key.map_or_else(|| by_name(action.name), |key| key.label(false))
    }

    /// A sentence of the program with the names of actions in braces, such as `{undo}`, each
    /// replaced by what its key is called.
    pub fn filled(&self, text: &str) -> String {
        let mut filled = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            filled.push_str(before);
            let Some((name, after)) = after.split_once('}') else {
                filled.push('{');
                rest = after;
                continue;
            };
            let at = self.actions.iter().position(|action| action.name == name);
            let keys = self.keys.borrow();
            match at.map(|at| keys[at].first()) {
                Some(Some(key)) => filled.push_str(&key.label(false)),
                Some(None) => filled.push_str(&by_name(name)),
                None => filled.extend(["{", name, "}"]),
            }
            rest = after;
        }
        filled.push_str(rest);
        filled
    }
}

/// The name of an action without a key, as the palette finds it.
fn by_name(name: &str) -> String {
    format!("the command “{name}”")
}
