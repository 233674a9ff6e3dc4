//! Images, audio and video of a study: files in its folder `media/` to which Markdown texts refer.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::{Result, StudyError};
use debate_core::digest::Digest;
use debate_solver::setup::{check_regular_file, read_one_past_limit};

/// The folder of media files inside the study folder, with its slash. Every reference to a media file begins with this
/// text.
const FOLDER: &str = "media/";
/// Upper limit on the bytes of an image and of captions.
const MAX_IMAGE: u64 = 8 << 20;
/// Upper limit on the bytes of an audio or video file.
const MAX_RECORDING: u64 = 64 << 20;
/// Upper limit on the bytes of all media files of a study. The server holds them in memory.
const MAX_ALL: u64 = 128 << 20;
/// Upper limit on the characters of a media file's path inside the study folder.
const MAX_NAME: usize = 200;

/// The kind of a media file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MediaKind {
    Image,
    Audio,
    Video,
    /// Captions of the video that has the same file name.
    Captions,
}

/// A type of media files.
#[derive(Debug)]
pub struct StudyMediaFileType {
    extension: &'static str,
    pub kind: MediaKind,
    /// The value of the response header `Content-Type` for the type.
    pub content_type: &'static str,
    /// The bytes by which a file of the type is recognised, and their position in the file.
    signature: (usize, &'static [u8]),
}

const fn media_type(
    extension: &'static str,
    kind: MediaKind,
    content_type: &'static str,
    signature: (usize, &'static [u8]),
) -> StudyMediaFileType {
    StudyMediaFileType {
        extension,
        kind,
        content_type,
        signature,
    }
}

/// The types of media files. SVG is not among them, because an SVG file can contain scripts and refer to other sites.
const TYPES: [StudyMediaFileType; 12] = [
    media_type("png", MediaKind::Image, "image/png", (0, b"\x89PNG")),
    media_type("jpg", MediaKind::Image, "image/jpeg", (0, b"\xFF\xD8\xFF")),
    media_type("jpeg", MediaKind::Image, "image/jpeg", (0, b"\xFF\xD8\xFF")),
    media_type("gif", MediaKind::Image, "image/gif", (0, b"GIF8")),
    media_type("webp", MediaKind::Image, "image/webp", (8, b"WEBP")),
    // MP3 files begin with a tag or with a frame, so they have no common signature.
    media_type("mp3", MediaKind::Audio, "audio/mpeg", (0, b"")),
    media_type("ogg", MediaKind::Audio, "audio/ogg", (0, b"OggS")),
    media_type("wav", MediaKind::Audio, "audio/wav", (8, b"WAVE")),
    media_type("m4a", MediaKind::Audio, "audio/mp4", (4, b"ftyp")),
    media_type("mp4", MediaKind::Video, "video/mp4", (4, b"ftyp")),
    media_type(
        "webm",
        MediaKind::Video,
        "video/webm",
        (0, b"\x1A\x45\xDF\xA3"),
    ),
    media_type(
        "vtt",
        MediaKind::Captions,
        "text/vtt; charset=utf-8",
        (0, b"WEBVTT"),
    ),
];

/// The beginnings of an MP3 file: an ID3 tag, or the first byte of a frame.
const MP3_SIGNATURES: [&[u8]; 2] = [b"ID3", b"\xFF"];

impl StudyMediaFileType {
    fn max_bytes(&self) -> u64 {
        match self.kind {
            MediaKind::Image | MediaKind::Captions => MAX_IMAGE,
            MediaKind::Audio | MediaKind::Video => MAX_RECORDING,
        }
    }

    fn fits_contents(&self, bytes: &[u8]) -> bool {
        if self.extension == "mp3" {
            return MP3_SIGNATURES.iter().any(|mark| bytes.starts_with(mark));
        }
        let (position, mark) = self.signature;
        bytes
            .get(position..)
            .is_some_and(|rest| rest.starts_with(mark))
    }
}

/// Returns the type of a media file by its name.
///
/// # Errors
/// If the name is no path of a file in `media/`, or the type is unknown.
pub(super) fn media_type_of_file(name: &str) -> Result<&'static StudyMediaFileType, String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let is_part =
        |part: &str| !part.is_empty() && !part.starts_with('.') && part.chars().all(plain);
    let inside = name.strip_prefix(FOLDER);
    if name.len() > MAX_NAME || !inside.is_some_and(|inside| inside.split('/').all(is_part)) {
        return Err(format!(
            "the path `{name}` is not allowed; write a path in {FOLDER}, such as {FOLDER}map.png, with letters, digits, `-`, `_`, and `.` inside"
        ));
    }
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let lower = extension.to_ascii_lowercase();
    if lower == "svg" {
        return Err(format!(
            "the file `{name}` is an SVG image. SVG is not allowed, because it can contain scripts; convert the image to PNG"
        ));
    }
    TYPES
        .iter()
        .find(|it| it.extension == lower)
        .ok_or_else(|| {
            let known: Vec<&str> = TYPES.iter().map(|it| it.extension).collect();
            format!(
                "the file `{name}` has an unknown type; use one of {types}",
                types = known.join(", ")
            )
        })
}

/// A media file of a study, with its contents.
#[derive(Clone)]
pub struct MediaFile {
    pub media_type: &'static StudyMediaFileType,
    pub bytes: Arc<[u8]>,
    pub digest: Digest,
}

impl fmt::Debug for MediaFile {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} ({} bytes)", self.digest, self.bytes.len())
    }
}

impl MediaFile {
    /// Returns the part of the digest that the file's address contains. An address therefore never changes its content,
    /// and browsers can cache it.
    pub fn digest_part_in_address(&self) -> String {
        self.digest.to_string().chars().take(16).collect()
    }
}

/// The media files of a study, by names such as `media/map.png`.
#[derive(Clone, Debug, Default)]
pub struct MediaFiles(BTreeMap<String, MediaFile>);

impl MediaFiles {
    /// Returns the file of a name, if a text of the study refers to it.
    pub fn file(&self, name: &str) -> Option<&MediaFile> {
        self.0.get(name)
    }

    /// Returns the names and digests of all media files.
    pub(crate) fn media_file_digests(&self) -> impl Iterator<Item = (PathBuf, Digest)> {
        self.0
            .iter()
            .map(|(name, file)| (PathBuf::from(name), file.digest))
    }

    /// Returns the captions of a video: the file with the same name and the extension `vtt`.
    pub(super) fn captions_name_and_file(&self, name: &str) -> Option<(String, &MediaFile)> {
        let captions = captions_name(name);
        self.file(&captions).map(|file| (captions, file))
    }

    /// Reads the file `name` of the study folder `root`, and its captions if it is a video that has some.
    /// `referring_file` is the file or field that refers to it.
    ///
    /// # Errors
    /// If the file is missing, no regular file inside the folder, too large, or of another type.
    pub(crate) fn read_media_file(
        &mut self,
        root: &Path,
        name: &str,
        referring_file: &str,
    ) -> Result {
        let wrong = |why: String| StudyError::Plan(format!("{referring_file}: {why}"));
        let media_type = media_type_of_file(name).map_err(wrong)?;
        if self.0.contains_key(name) {
            return Ok(());
        }
        let file = read_media(root, name, media_type).map_err(wrong)?;
        self.0.insert(name.to_owned(), file);
        let all: u64 = self.0.values().map(|file| file.bytes.len() as u64).sum();
        if all > MAX_ALL {
            return Err(wrong(format!(
                "the files in {FOLDER} have more than {most} MiB together; make them smaller",
                most = MAX_ALL >> 20
            )));
        }
        let captions = captions_name(name);
        if media_type.kind == MediaKind::Video && root.join(&captions).exists() {
            self.read_media_file(root, &captions, referring_file)?;
        }
        Ok(())
    }
}

fn captions_name(video: &str) -> String {
    let stem = video.rsplit_once('.').map_or(video, |(stem, _)| stem);
    format!("{stem}.vtt")
}

fn read_media(
    root: &Path,
    name: &str,
    media_type: &'static StudyMediaFileType,
) -> Result<MediaFile, String> {
    let mut path = root.to_owned();
    for part in name.split('/') {
        path.push(part);
        let metadata = path
            .symlink_metadata()
            .map_err(|error| format!("cannot read `{name}`: {error}"))?;
        if metadata.is_symlink() {
            return Err(format!(
                "the path `{name}` is or contains a symbolic link; copy the file into the folder"
            ));
        }
    }
    let cannot_read = |error: std::io::Error| format!("cannot read `{name}`: {error}");
    check_regular_file(&path).map_err(cannot_read)?;
    let max = media_type.max_bytes();
    let file = File::open(&path).map_err(cannot_read)?;
    let bytes = read_one_past_limit(file, max + 1).map_err(cannot_read)?;
    if bytes.len() as u64 > max {
        return Err(format!(
            "the file `{name}` is larger than {most} MiB; make it smaller",
            most = max >> 20
        ));
    }
    if !media_type.fits_contents(&bytes) {
        return Err(format!(
            "the content of `{name}` is not of the type that its name ends in; save it as {type}",
            type = media_type.extension
        ));
    }
    Ok(MediaFile {
        media_type,
        digest: Digest::digest_of_bytes(&bytes),
        bytes: bytes.into(),
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_name_cannot_leave_the_folder() {
        for name in [
            "media/../study.ron.png",
            "media/a/../../b.png",
            "/etc/passwd.png",
            "../media/a.png",
            "media//a.png",
            "media/.hidden.png",
            "media/a\\b.png",
            "media/a b.png",
            "media/",
            "private/a.png",
            "https://example.org/a.png",
            "media/a\u{202E}.png",
        ] {
            let why = media_type_of_file(name).expect_err(name);
            assert!(
                why.contains("is not allowed; write a path in media/"),
                "{why}"
            );
        }
        let long = format!("media/{}.png", "a".repeat(MAX_NAME));
        assert!(media_type_of_file(&long).is_err());
        assert_eq!(
            media_type_of_file("media/maps/a.PNG").unwrap().kind,
            MediaKind::Image
        );
        for (name, part) in [
            ("media/a.svg", "SVG is not allowed"),
            ("media/a.html", "unknown type"),
            ("media/png", "unknown type"),
        ] {
            let why = media_type_of_file(name).expect_err(name);
            assert!(why.contains(part), "{why}");
        }
    }

    #[test]
    fn files_are_checked_before_they_are_served() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir(root.join("media")).unwrap();
        let mut files = MediaFiles::default();
        let mut refused = |name: &str| {
            files
                .read_media_file(root, name, "howto.md")
                .unwrap_err()
                .to_string()
        };
        let why = refused("media/a.png");
        assert!(
            why.starts_with("howto.md: cannot read `media/a.png`"),
            "{why}"
        );
        fs::write(root.join("media/a.png"), "<html>").unwrap();
        assert!(refused("media/a.png").contains("is not of the type that its name ends in"));
        fs::write(root.join("media/a.png"), vec![0; (8 << 20) + 1]).unwrap();
        assert!(refused("media/a.png").contains("larger than 8 MiB"));
        fs::create_dir(root.join("media/b.png")).unwrap();
        assert!(refused("media/b.png").contains("cannot read"));
        #[cfg(unix)]
        {
            fs::write(root.join("secret"), b"\x89PNG").unwrap();
            std::os::unix::fs::symlink("../secret", root.join("media/c.png")).unwrap();
            assert!(refused("media/c.png").contains("symbolic link"));
            std::os::unix::fs::symlink("..", root.join("media/up")).unwrap();
            fs::write(root.join("d.png"), b"\x89PNG").unwrap();
            assert!(refused("media/up/d.png").contains("symbolic link"));
        }
        fs::write(root.join("media/v.mp4"), b"\0\0\0\x18ftypisom").unwrap();
        fs::write(root.join("media/v.vtt"), "WEBVTT\n").unwrap();
        files
            .read_media_file(root, "media/v.mp4", "howto.md")
            .unwrap();
        let (name, captions) = files.captions_name_and_file("media/v.mp4").unwrap();
        assert_eq!(name, "media/v.vtt");
        assert_eq!(captions.media_type.kind, MediaKind::Captions);
        assert_eq!(files.media_file_digests().count(), 2);
    }
}
