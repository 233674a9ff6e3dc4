//! Responses with images, audio and video of a study.
//!
//! Browsers request audio and video in ranges; Safari requires them. The address of a file contains a part
//! of its digest, so browsers may keep it.

use std::ops::Range;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};

use super::html::message_page;
use super::routes::text_response;
use debate_study::MediaFile;

/// Content security policy of a media file: it allows the file to be opened in a separate window, and allows no
/// scripts.
const POLICY: &str =
    "default-src 'none'; media-src 'self'; img-src 'self'; style-src 'unsafe-inline'; sandbox";

/// Returns the response with a media file, or with the range of it that the request names. Without a file, returns a
/// page that says so.
pub(super) fn media_response(file: Option<&MediaFile>, headers: &HeaderMap) -> Response {
    let Some(file) = file else {
        let html = message_page("File not found", "This study has no such file.");
        return text_response(StatusCode::NOT_FOUND, "text/html", html);
    };
    let tag = format!("\"{}\"", file.digest);
    let text_of = |name| {
        headers
            .get(name)
            .and_then(|value: &HeaderValue| value.to_str().ok())
    };
    let is_known = text_of(header::IF_NONE_MATCH).is_some_and(|known| {
        let mut tags = known.split(',').map(str::trim);
        tags.any(|known| known == "*" || known.trim_start_matches("W/") == tag)
    });
    let length = file.bytes.len();
    // A range of another version of the file is ignored.
    let is_same = text_of(header::IF_RANGE).is_none_or(|known| known == tag);
    let range = text_of(header::RANGE).filter(|_| is_same);
    let range = range.map_or(RequestedRange::All, |range| {
        RequestedRange::parse(range, length)
    });
    let (status, part) = match range {
        _ if is_known => (StatusCode::NOT_MODIFIED, 0..0),
        RequestedRange::All => (StatusCode::OK, 0..length),
        RequestedRange::Part(part) => (StatusCode::PARTIAL_CONTENT, part),
        RequestedRange::Outside => (StatusCode::RANGE_NOT_SATISFIABLE, 0..0),
    };
    let content_range = match status {
        StatusCode::PARTIAL_CONTENT => {
            Some(format!("bytes {}-{}/{length}", part.start, part.end - 1))
        }
        StatusCode::RANGE_NOT_SATISFIABLE => Some(format!("bytes */{length}")),
        _ => None,
    };
    // The file stays in memory once: a response holds a reference to it.
    let bytes = Bytes::from_owner(file.bytes.clone()).slice(part);
    let fixed = [
        (header::CONTENT_TYPE, file.media_type.content_type),
        (header::ACCEPT_RANGES, "bytes"),
        (
            header::CACHE_CONTROL,
            "private, max-age=31536000, immutable",
        ),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "same-origin"),
        (header::X_FRAME_OPTIONS, "DENY"),
    ];
    let mut response = (status, fixed, Body::from(bytes)).into_response();
    let computed = [
        (header::ETAG, Some(tag)),
        (header::CONTENT_RANGE, content_range),
    ];
    for (name, value) in computed {
        if let Some(Ok(value)) = value.map(HeaderValue::try_from) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

/// The byte range of a media file that a request names.
#[derive(Debug, PartialEq, Eq)]
enum RequestedRange {
    /// The whole file is sent: the request names no range, several ranges, an invalid range, or another unit.
    All,
    Part(Range<usize>),
    /// The range contains no byte of the file, so the request is refused.
    Outside,
}

impl RequestedRange {
    /// Parses the value of a `Range` header for a file of `length` bytes.
    fn parse(text: &str, length: usize) -> Self {
        let Some((first, last)) = text
            .strip_prefix("bytes=")
            .and_then(|it| it.split_once('-'))
        else {
            return Self::All;
        };
        let number = |digits: &str| {
            let is_number = !digits.is_empty() && digits.bytes().all(|it| it.is_ascii_digit());
            // A number of more digits than a `usize` has is after the end of every file.
            is_number.then(|| digits.parse().unwrap_or(usize::MAX))
        };
        let part = match (number(first.trim()), number(last.trim())) {
            (Some(first), Some(last)) if first <= last => first..last.saturating_add(1).min(length),
            (Some(first), None) if last.trim().is_empty() => first..length,
            // The last bytes of the file.
            (None, Some(count)) if first.trim().is_empty() => length.saturating_sub(count)..length,
            _ => return Self::All,
        };
        if part.is_empty() {
            Self::Outside
        } else {
            Self::Part(part)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_cut_at_the_end_of_the_file() {
        let part = |range: Range<usize>| RequestedRange::Part(range);
        for (text, expected) in [
            ("bytes=0-1", part(0..2)),
            ("bytes=0-", part(0..100)),
            ("bytes=90-500", part(90..100)),
            ("bytes=-10", part(90..100)),
            ("bytes=-500", part(0..100)),
            ("bytes=100-", RequestedRange::Outside),
            ("bytes=-0", RequestedRange::Outside),
            ("bytes=99999999999999999999999-", RequestedRange::Outside),
            ("bytes=0-1,5-6", RequestedRange::All),
            ("bytes=5-2", RequestedRange::All),
            ("bytes=a-b", RequestedRange::All),
            ("bytes=--1", RequestedRange::All),
            ("bytes=+1-2", RequestedRange::All),
            ("lines=0-1", RequestedRange::All),
            ("", RequestedRange::All),
        ] {
            assert_eq!(RequestedRange::parse(text, 100), expected, "{text}");
        }
        assert_eq!(
            RequestedRange::parse("bytes=0-", 0),
            RequestedRange::Outside
        );
    }
}
