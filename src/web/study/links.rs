//! Links to a study and cookies: identification and authentication of participants.
//!
//! A link has one of two forms. `token=…` has a name of the list in `private/invited.txt`. The other form has
//! Prolific's parameters `PROLIFIC_PID`, `STUDY_ID` and `SESSION_ID`. Its participant must be on the list, or the link
//! must have a `signature` of the recruiting study's name.
//!
//! Anyone with the signed link can put any name into it. Names from signed links are therefore separate from equal
//! names on the list. A session that began by a signed link continues only with the cookie from that time. The
//! experimenter can make a link that replaces the cookie (`again=…&cookie=…`).

use std::path::Path;
use std::{fs, io};

use hmac::{Hmac, KeyInit as _, Mac as _};
use rand::Rng as _;
use sha2::Sha256;

use debate_host::record::{create_file_atomically, create_private_folder};
use debate_solver::setup::check_regular_file;
use debate_study::{StudyFolder, id_of_signed_link_participant};

/// Upper limit on the characters of a participant's name.
const MAX_NAME: usize = 64;
/// Length in bytes of the key that signs links.
const KEY: usize = 32;

/// The parameters of a link to a study.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct StudyLinkParams {
    pub(super) name: String,
    /// The recruiting service's ids of its study and of the participant's visit.
    pub(super) recruitment: Option<(String, String)>,
    signature: Option<String>,
    /// True if the experimenter made this link so that a participant who began in another browser can continue.
    pub(super) again: bool,
    /// The signature from the participant's cookie, which the link itself contains in place of the browser's cookie.
    cookie: Option<String>,
    /// The language in which the participant's session begins.
    pub(super) language: Option<String>,
}

impl StudyLinkParams {
    /// True if the parameters of an address contain a participant's name, valid or not.
    pub(super) fn has_participant_name(query_parameters: &[(String, String)]) -> bool {
        let named = ["token", "again", "PROLIFIC_PID"];
        query_parameters
            .iter()
            .any(|(name, _)| named.contains(&name.as_str()))
    }

    pub(super) fn from_query_parameters(query_parameters: &[(String, String)]) -> Option<Self> {
        let value = |name: &str| {
            let mut query_parameters = query_parameters.iter();
            let value = query_parameters
                .find(|(asked, _)| asked == name)
                .map(|(_, value)| value);
            value
                .filter(|value| is_valid_participant_name(value))
                .cloned()
        };
        let alone = |name: String, again| Self {
            name,
            recruitment: None,
            signature: None,
            again,
            cookie: value("cookie").filter(|_| again),
            language: value("lang"),
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

    /// True if the participant came by the signed link or its replacement. `browser_cookie`: the cookie that the
    /// browser sent.
    pub(super) fn is_from_signed_link(
        &self,
        key: &LinkSigningKey,
        browser_cookie: Option<&str>,
    ) -> bool {
        self.is_signed(key) || (self.again && self.has_cookie_of_name(key, browser_cookie))
    }

    /// True if the link has the cookie signature of the participant with this name, or the browser has their cookie.
    pub(super) fn has_cookie_of_name(
        &self,
        key: &LinkSigningKey,
        browser_cookie: Option<&str>,
    ) -> bool {
        let cookie = self.cookie.as_deref();
        let by_link = cookie.is_some_and(|cookie| {
            key.is_signature_of(SignaturePurpose::Cookie, &self.name, cookie)
        });
        let id = id_of_signed_link_participant(&self.name);
        by_link
            | browser_cookie
                .is_some_and(|cookie| key.participant_id_of_signed_cookie(cookie) == Some(id))
    }

    fn is_signed(&self, key: &LinkSigningKey) -> bool {
        match (&self.recruitment, &self.signature) {
            (Some((study, _)), Some(signature)) => key.verifies(study, signature),
            _ => false,
        }
    }
}

/// True if a text can be a participant's name in a link.
pub fn is_valid_participant_name(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    !text.is_empty() && text.len() <= MAX_NAME && text.chars().all(plain)
}

/// The purpose of a signature. A signature for one purpose is not valid for another one.
#[derive(Clone, Copy)]
enum SignaturePurpose {
    Recruitment,
    /// A signature in the cookie of a participant who came by the signed link; also the one in `cookie=…` of links.
    Cookie,
    Invited,
    /// A signature that is the form token of one page of a session.
    Form,
    /// A signature in the address of the experimenter's status page.
    Status,
}

/// The key that signs a study's links, cookies and form tokens. It also signs the address of the study's status page.
pub struct LinkSigningKey(Vec<u8>);

impl LinkSigningKey {
    /// Reads the key that signs links from a study's folder. Creates the key if it is missing.
    ///
    /// # Errors
    /// Returns an error if the key cannot be read or created.
    pub fn read_or_create_link_key(folder: &StudyFolder) -> io::Result<Self> {
        let path = folder.link_key_file();
        match read_key(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => make_key(&path),
            read => read,
        }
    }

    fn mac(&self, of: SignaturePurpose, name: &str) -> Hmac<Sha256> {
        // HMAC accepts keys of any length.
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).unwrap_or_else(|_| unreachable!());
        let purpose: &[u8] = match of {
            SignaturePurpose::Recruitment => b"debate-tui recruitment ",
            SignaturePurpose::Cookie => b"debate-tui cookie ",
            SignaturePurpose::Invited => b"debate-tui invited ",
            SignaturePurpose::Form => b"debate-tui form ",
            SignaturePurpose::Status => b"debate-tui status ",
        };
        mac.update(purpose);
        mac.update(name.as_bytes());
        mac
    }

    /// Returns the signature of a name for one purpose, in hexadecimal digits.
    fn signature_of(&self, of: SignaturePurpose, name: &str) -> String {
        let bytes = self.mac(of, name).finalize().into_bytes();
        bytes
            .iter()
            .fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
    }

    /// Returns the signature of the name of a recruiting service's study.
    pub fn sign_recruiting_study(&self, recruiting_study: &str) -> String {
        self.signature_of(SignaturePurpose::Recruitment, recruiting_study)
    }

    /// Returns the cookie signature for a participant who came under this name by the signed link.
    pub fn participant_cookie_signature(&self, name: &str) -> String {
        self.signature_of(SignaturePurpose::Cookie, name)
    }

    /// Returns the cookie of a participant: their name and a signature of it.
    pub(super) fn participant_cookie(&self, name: &str, by_link: bool) -> String {
        let (kind, of) = Self::kind(by_link);
        format!("{kind}.{name}.{}", self.signature_of(of, name))
    }

    fn kind(by_link: bool) -> (&'static str, SignaturePurpose) {
        if by_link {
            ("link", SignaturePurpose::Cookie)
        } else {
            ("invited", SignaturePurpose::Invited)
        }
    }

    /// Returns the id of the participant to whom a cookie belongs; `None` if this key did not sign the cookie.
    pub(super) fn participant_id_of_signed_cookie(&self, cookie: &str) -> Option<String> {
        let mut parts = cookie.splitn(3, '.');
        let (kind, name, written) = (parts.next()?, parts.next()?, parts.next()?);
        let by_link = [true, false]
            .into_iter()
            .find(|it| Self::kind(*it).0 == kind)?;
        let is_own = is_valid_participant_name(name)
            && self.is_signature_of(Self::kind(by_link).1, name, written);
        is_own.then(|| {
            if by_link {
                id_of_signed_link_participant(name)
            } else {
                name.to_owned()
            }
        })
    }

    /// Returns the form token for the page with this number in a session.
    pub(super) fn form_token(&self, session: &str, page_number: u64) -> String {
        let written =
            self.signature_of(SignaturePurpose::Form, &format!("{session} {page_number}"));
        format!("{page_number}.{written}")
    }

    /// Returns the page number in a form token; `None` if the token is not valid for the session.
    pub(super) fn page_number_of_signed_token(&self, session: &str, token: &str) -> Option<u64> {
        let (number, written) = token.split_once('.')?;
        let number: u64 = number.parse().ok()?;
        let is_own = self.is_signature_of(
            SignaturePurpose::Form,
            &format!("{session} {number}"),
            written,
        );
        is_own.then_some(number)
    }

    /// Returns the key in the status page's address. With it, the experimenter of the study with this id sees the
    /// progress.
    pub fn status_page_key(&self, study_id: &str) -> String {
        self.signature_of(SignaturePurpose::Status, study_id)
    }

    pub(super) fn is_status_page_key(&self, study: &str, key: &str) -> bool {
        self.is_signature_of(SignaturePurpose::Status, study, key)
    }

    /// True if `signature` is the signature of the recruiting study's name. The comparison does not stop at the first
    /// wrong byte of a signature.
    fn verifies(&self, recruiting_study: &str, signature: &str) -> bool {
        self.is_signature_of(SignaturePurpose::Recruitment, recruiting_study, signature)
    }

    /// True if `text` is the signature of `name` for this purpose.
    fn is_signature_of(&self, of: SignaturePurpose, name: &str, text: &str) -> bool {
        let bytes: Option<Vec<u8>> = (0..text.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(text.get(at..at + 2)?, 16).ok())
            .collect();
        let mac = self.mac(of, name);
        mac.verify_slice(&bytes.unwrap_or_default()).is_ok()
    }
}

fn read_key(path: &Path) -> io::Result<LinkSigningKey> {
    check_regular_file(path)?;
    let bytes = fs::read(path)?;
    if bytes.len() == KEY {
        Ok(LinkSigningKey(bytes))
    } else {
        let why = format!(
            "{file}: this file is not a valid key; delete it, and do not use the links signed with it",
            file = path.display()
        );
        Err(io::Error::other(why))
    }
}

fn make_key(path: &Path) -> io::Result<LinkSigningKey> {
    let mut bytes = vec![0; KEY];
    rand::rng().fill_bytes(&mut bytes);
    create_private_folder(path.parent().unwrap_or_else(|| Path::new(".")))?;
    // If two processes create the key at the same time, the first one succeeds and the second one reads its key.
    match create_file_atomically(path, &bytes) {
        Ok(()) => Ok(LinkSigningKey(bytes)),
        Err(_) => read_key(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query_parameters(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        let pairs = pairs.iter();
        pairs
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
    }

    #[test]
    fn a_signature_is_valid_for_one_recruiting_study() {
        let folder = tempfile::tempdir().unwrap();
        let folder = StudyFolder::new(folder.path());
        let key = LinkSigningKey::read_or_create_link_key(&folder).unwrap();
        let again = LinkSigningKey::read_or_create_link_key(&folder).unwrap();
        let signature = key.sign_recruiting_study("abc");
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
    fn a_changed_cookie_is_valid_for_no_other_participant() {
        let folder = tempfile::tempdir().unwrap();
        let key =
            LinkSigningKey::read_or_create_link_key(&StudyFolder::new(folder.path())).unwrap();
        let invited = key.participant_cookie("p1", false);
        assert_eq!(
            key.participant_id_of_signed_cookie(&invited),
            Some("p1".to_owned())
        );
        let linked = key.participant_cookie("p1", true);
        assert_eq!(
            key.participant_id_of_signed_cookie(&linked),
            Some(id_of_signed_link_participant("p1"))
        );
        let mut cut = invited.clone();
        cut.truncate(invited.len() - 2);
        // A changed cookie is valid for no other name and no other kind of participant.
        for wrong in [
            invited.replace("p1", "p2"),
            invited.replace("invited", "link"),
            linked.replace("link", "invited"),
            cut,
            format!("{invited}00"),
            String::new(),
            "invited.p1".to_owned(),
            "invited..".to_owned(),
        ] {
            assert_eq!(key.participant_id_of_signed_cookie(&wrong), None, "{wrong}");
        }
        let form = key.form_token("s0003", 7);
        assert_eq!(key.page_number_of_signed_token("s0003", &form), Some(7));
        assert_eq!(key.page_number_of_signed_token("s0004", &form), None);
        assert_eq!(
            key.page_number_of_signed_token("s0003", &form.replacen('7', "8", 1)),
            None
        );
        for wrong in ["", ".", "7", "7.", "07", "x.y", "-1.00"] {
            assert_eq!(
                key.page_number_of_signed_token("s0003", wrong),
                None,
                "{wrong}"
            );
        }
    }

    #[test]
    fn names_in_links_contain_only_plain_characters() {
        let whole = [
            ("PROLIFIC_PID", "5f"),
            ("STUDY_ID", "s1"),
            ("SESSION_ID", "v1"),
        ];
        assert!(StudyLinkParams::from_query_parameters(&query_parameters(&whole)).is_some());
        for left_out in 0..3 {
            let mut some = whole.to_vec();
            some.remove(left_out);
            assert_eq!(
                StudyLinkParams::from_query_parameters(&query_parameters(&some)),
                None
            );
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
            assert_eq!(
                StudyLinkParams::from_query_parameters(&query_parameters(&[("token", wrong)])),
                None,
                "{wrong}"
            );
        }
    }
}
