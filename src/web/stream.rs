//! The stream of a connection. It adds the security headers to the responses that hyper itself generates for requests
//! that it cannot parse.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// A stream from which a server reads HTTP requests.
pub(super) struct SecurityHeaderStream<S> {
    stream: S,
    /// True once a valid request has been read from the stream. Later responses come from the routes, which add all
    /// headers themselves.
    is_read: Arc<AtomicBool>,
    /// The security headers as lines, each with its line end.
    headers: String,
    /// The unsent part of a response to a request that cannot be parsed; `None` if no part is waiting.
    pending: Option<Vec<u8>>,
}

impl<S> SecurityHeaderStream<S> {
    pub(super) fn new(stream: S, is_request_read: &Arc<AtomicBool>, headers: String) -> Self {
        Self {
            stream,
            is_read: Arc::clone(is_request_read),
            headers,
            pending: None,
        }
    }

    /// Returns the bytes of the response with the security headers inserted after its first line.
    fn guarded(&self, response: &[u8]) -> Vec<u8> {
        let line_end = b"\r\n";
        let first = response.windows(2).position(|pair| pair == line_end);
        let (line, rest) = response.split_at(first.map_or(0, |at| at + line_end.len()));
        let headers = if first.is_some() { &*self.headers } else { "" };
        [line, headers.as_bytes(), rest].concat()
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for SecurityHeaderStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, into)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for SecurityHeaderStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if self.is_read.load(Ordering::Relaxed) {
            return Pin::new(&mut self.stream).poll_write(context, bytes);
        }
        let mut pending = match self.pending.take() {
            Some(pending) => pending,
            None => self.guarded(bytes),
        };
        while !pending.is_empty() {
            match Pin::new(&mut self.stream).poll_write(context, &pending) {
                Poll::Ready(Ok(0)) => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                Poll::Ready(Ok(written)) => drop(pending.drain(..written)),
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Pending => {
                    self.pending = Some(pending);
                    return Poll::Pending;
                }
            }
        }
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
