//! Links to a study, and what browsers keep: who comes, and that it is they.
//!
//! A link has `token=…`, a name of the list in `private/invited.txt`, or what Prolific passes on: `PROLIFIC_PID`,
//! `STUDY_ID` and `SESSION_ID`, of somebody on the list, or with a `signature` of the recruiting study's name.
//!
//! Whoever has the signed link can say any name in it. So these names are others than the same ones on the list, and what
//! was begun under one goes on where the cookie is that its browser was given then, or by a link that the experimenter
//! makes for it (`again=…&cookie=…`).

use std::path::Path;
use std::{fs, io};

use hmac::{Hmac, KeyInit as _, Mac as _};
use rand::Rng as _;
use sha2::Sha256;

use debate_host::record::{create_whole, private_folder};
use debate_solver::setup::check_plain;
use debate_study::{StudyFolder, link_id};

/// Characters of a name at most.
const MAX_NAME: usize = 64;
/// Bytes of the key that signs links.
const KEY: usize = 32;

/// Who comes, as the link says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Coming {
    pub(super) name: String,
    /// The recruiting service's names for its study and for the visit.
    pub(super) recruitment: Option<(String, String)>,
    signature: Option<String>,
    /// True if the experimenter made this link for somebody who has begun elsewhere.
    pub(super) again: bool,
    /// What it says in place of what their browser keeps.
    cookie: Option<String>,
}

impl Coming {
    /// True if an address names somebody, rightly or not.
    pub(super) fn is_link(asks: &[(String, String)]) -> bool {
        let named = ["token", "again", "PROLIFIC_PID"];
        asks.iter().any(|(name, _)| named.contains(&name.as_str()))
    }

    pub(super) fn of(asks: &[(String, String)]) -> Option<Self> {
        let value = |name: &str| {
            let mut asks = asks.iter();
            let value = asks
                .find(|(asked, _)| asked == name)
                .map(|(_, value)| value);
            value.filter(|value| is_name(value)).cloned()
        };
        let alone = |name: String, again| Self {
            name,
            recruitment: None,
            signature: None,
            again,
            cookie: value("cookie").filter(|_| again),
        };
        if let Some(name) = value("token") {
            return Some(alone(name, false));
        }
        if let Some(name) = value("again") {
            return Some(alone(name, true));
        }
        let recruitment = Some((value("STUDY_ID")?, value("SESSION_ID")?));
        Some(Self {
            recruitment,
            signature: value("signature"),
            ..alone(value("PROLIFIC_PID")?, false)
        })
    }

    /// True if they came by the signed link, or by one in its place. `kept` is what their browser keeps.
    pub(super) fn is_by_link(&self, key: &LinkKey, kept: Option<&str>) -> bool {
        self.is_signed(key) || (self.again && self.knows_cookie(key, kept))
    }

    /// True if they, or their browser, know what was kept for this name.
    pub(super) fn knows_cookie(&self, key: &LinkKey, kept: Option<&str>) -> bool {
        let cookie = self.cookie.as_deref();
        let by_link = cookie.is_some_and(|cookie| key.wrote(Signed::Cookie, &self.name, cookie));
        let id = link_id(&self.name);
        by_link | kept.is_some_and(|kept| key.known(kept) == Some(id))
    }

    fn is_signed(&self, key: &LinkKey) -> bool {
        match (&self.recruitment, &self.signature) {
            (Some((study, _)), Some(signature)) => key.verifies(study, signature),
            _ => false,
        }
    }
}

/// True if a text can be somebody's name in a link.
pub fn is_name(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    !text.is_empty() && text.len() <= MAX_NAME && text.chars().all(plain)
}

/// What a key makes a text of that nobody else can make.
#[derive(Clone, Copy)]
enum Signed {
    Recruitment,
    /// What the browser of somebody keeps who came by the signed link, and of somebody who is invited.
    Cookie,
    Invited,
    /// The form of one page of a session.
    Form,
    /// The page on which the experimenter sees how far everybody is.
    Status,
}

/// The key that signs links.
pub struct LinkKey(Vec<u8>);

impl LinkKey {
    /// The key of a study's folder, which is made where there is none.
    ///
    /// # Errors
    /// If it cannot be read or made.
    pub fn of(folder: &StudyFolder) -> io::Result<Self> {
        let path = folder.link_key_file();
        match read_key(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => make_key(&path),
            read => read,
        }
    }

    fn mac(&self, of: Signed, name: &str) -> Hmac<Sha256> {
        // A key of any length is one.
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).unwrap_or_else(|_| unreachable!());
        let purpose: &[u8] = match of {
            Signed::Recruitment => b"debate-tui recruitment ",
            Signed::Cookie => b"debate-tui cookie ",
            Signed::Invited => b"debate-tui invited ",
            Signed::Form => b"debate-tui form ",
            Signed::Status => b"debate-tui status ",
        };
        mac.update(purpose);
        mac.update(name.as_bytes());
        mac
    }

    fn written(&self, of: Signed, name: &str) -> String {
        let bytes = self.mac(of, name).finalize().into_bytes();
        bytes
            .iter()
            .fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
    }

    /// The signature of a recruiting study's name.
    pub fn sign(&self, recruiting: &str) -> String {
        self.written(Signed::Recruitment, recruiting)
    }

    /// What the browser keeps of somebody who came under this name by the signed link.
    pub fn cookie(&self, name: &str) -> String {
        self.written(Signed::Cookie, name)
    }

    /// What the browser of somebody keeps: who they are, and that it is they.
    pub(super) fn kept(&self, name: &str, by_link: bool) -> String {
        let (kind, of) = Self::kind(by_link);
        format!("{kind}.{name}.{}", self.written(of, name))
    }

    fn kind(by_link: bool) -> (&'static str, Signed) {
        if by_link {
            ("link", Signed::Cookie)
        } else {
            ("invited", Signed::Invited)
        }
    }

    /// The id under which somebody has their session whose browser keeps this; `None` where nobody wrote it here.
    pub(super) fn known(&self, kept: &str) -> Option<String> {
        let mut parts = kept.splitn(3, '.');
        let (kind, name, written) = (parts.next()?, parts.next()?, parts.next()?);
        let by_link = [true, false]
            .into_iter()
            .find(|it| Self::kind(*it).0 == kind)?;
        let is_own = is_name(name) && self.wrote(Self::kind(by_link).1, name, written);
        is_own.then(|| {
            if by_link {
                link_id(name)
            } else {
                name.to_owned()
            }
        })
    }

    /// What stands for the form of a session's page of this number.
    pub(super) fn form(&self, session: &str, number: u64) -> String {
        let written = self.written(Signed::Form, &format!("{session} {number}"));
        format!("{number}.{written}")
    }

    /// The number of the page of a session whose form this stands for; `None` where it is no form of it.
    pub(super) fn form_number(&self, session: &str, token: &str) -> Option<u64> {
        let (number, written) = token.split_once('.')?;
        let number: u64 = number.parse().ok()?;
        let is_own = self.wrote(Signed::Form, &format!("{session} {number}"), written);
        is_own.then_some(number)
    }

    /// The key of the page on which the experimenter of a study of this id sees how far everybody is.
    pub fn status_key(&self, study: &str) -> String {
        self.written(Signed::Status, study)
    }

    pub(super) fn is_status_key(&self, study: &str, key: &str) -> bool {
        self.wrote(Signed::Status, study, key)
    }

    /// True if the signature is that of the name; takes the same time whatever is wrong.
    fn verifies(&self, recruiting: &str, signature: &str) -> bool {
        self.wrote(Signed::Recruitment, recruiting, signature)
    }

    fn wrote(&self, of: Signed, name: &str, text: &str) -> bool {
        let bytes: Option<Vec<u8>> = (0..text.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(text.get(at..at + 2)?, 16).ok())
            .collect();
        let mac = self.mac(of, name);
        mac.verify_slice(&bytes.unwrap_or_default()).is_ok()
    }
}

fn read_key(path: &Path) -> io::Result<LinkKey> {
    check_plain(path)?;
    let bytes = fs::read(path)?;
    if bytes.len() == KEY {
        Ok(LinkKey(bytes))
    } else {
        let why = format!(
            "{}: is no key; delete it, and all links that it signed",
            path.display()
        );
        Err(io::Error::other(why))
    }
}

fn make_key(path: &Path) -> io::Result<LinkKey> {
    let mut bytes = vec![0; KEY];
    rand::rng().fill_bytes(&mut bytes);
    private_folder(path.parent().unwrap_or_else(|| Path::new(".")))?;
    // Of two who make one at once the first has made it.
    match create_whole(path, &bytes) {
        Ok(()) => Ok(LinkKey(bytes)),
        Err(_) => read_key(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asks(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        let pairs = pairs.iter();
        pairs
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
    }

    #[test]
    fn a_signature_is_of_one_recruiting_study_alone() {
        let folder = tempfile::tempdir().unwrap();
        let folder = StudyFolder::new(folder.path());
        let key = LinkKey::of(&folder).unwrap();
        let again = LinkKey::of(&folder).unwrap();
        let signature = key.sign("abc");
        assert!(again.verifies("abc", &signature));
        let mut other = signature.clone();
        other.replace_range(0..1, if signature.starts_with('0') { "1" } else { "0" });
        for (name, signature) in [
            ("abd", signature.as_str()),
            ("abc", other.as_str()),
            ("abc", ""),
            ("abc", "x"),
            ("abc", "é"),
        ] {
            assert!(!key.verifies(name, signature), "{name} {signature}");
        }
    }

    #[test]
    fn what_a_browser_keeps_and_what_a_form_says_is_nobody_elses() {
        let folder = tempfile::tempdir().unwrap();
        let key = LinkKey::of(&StudyFolder::new(folder.path())).unwrap();
        let kept = key.kept("p1", false);
        assert_eq!(key.known(&kept), Some("p1".to_owned()));
        let linked = key.kept("p1", true);
        assert_eq!(key.known(&linked), Some(link_id("p1")));
        let mut cut = kept.clone();
        cut.truncate(kept.len() - 2);
        // Nobody is another one for it, nor another kind of participant.
        for wrong in [
            kept.replace("p1", "p2"),
            kept.replace("invited", "link"),
            linked.replace("link", "invited"),
            cut,
            format!("{kept}00"),
            String::new(),
            "invited.p1".to_owned(),
            "invited..".to_owned(),
        ] {
            assert_eq!(key.known(&wrong), None, "{wrong}");
        }
        let form = key.form("s0003", 7);
        assert_eq!(key.form_number("s0003", &form), Some(7));
        assert_eq!(key.form_number("s0004", &form), None);
        assert_eq!(key.form_number("s0003", &form.replacen('7', "8", 1)), None);
        for wrong in ["", ".", "7", "7.", "07", "x.y", "-1.00"] {
            assert_eq!(key.form_number("s0003", wrong), None, "{wrong}");
        }
    }

    #[test]
    fn names_in_links_are_plain() {
        let whole = [
            ("PROLIFIC_PID", "5f"),
            ("STUDY_ID", "s1"),
            ("SESSION_ID", "v1"),
        ];
        assert!(Coming::of(&asks(&whole)).is_some());
        for left_out in 0..3 {
            let mut some = whole.to_vec();
            some.remove(left_out);
            assert_eq!(Coming::of(&asks(&some)), None);
        }
        let long = "a".repeat(65);
        for wrong in [
            "",
            "../../etc/passwd",
            "a b",
            "a\n",
            "a\0",
            "%2e%2e",
            "é",
            &long,
        ] {
            assert_eq!(Coming::of(&asks(&[("token", wrong)])), None, "{wrong}");
        }
    }
}
