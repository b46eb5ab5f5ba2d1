//! Connections between processes, with the interface of `tokio::net`.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::atomic::{AtomicU16, Ordering};
use std::task::{Context, Poll};

use tokio::io::{
    AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream, ReadBuf, duplex,
};
use tokio::sync::{Mutex, mpsc};

use super::process::{draw, pass, process_of, state_of};

const BUFFER_BYTES: usize = 64 * 1024;

thread_local! {
    static LISTENERS: RefCell<BTreeMap<u16, mpsc::UnboundedSender<TcpStream>>> = RefCell::default();
}

pub(super) fn begin() {
    drop(LISTENERS.take());
}

#[derive(Debug)]
pub(crate) struct TcpStream(DuplexStream);

#[derive(Debug)]
pub(crate) struct TcpListener {
    arrivals: Mutex<mpsc::UnboundedReceiver<TcpStream>>,
    port: u16,
}

#[derive(Debug, Default)]
pub(crate) struct TcpSocket {
    port: AtomicU16,
}

impl TcpSocket {
    pub(crate) fn new_v4() -> io::Result<Self> {
        Ok(Self::default())
    }

    pub(crate) fn new_v6() -> io::Result<Self> {
        Ok(Self::default())
    }

    pub(crate) fn set_reuseaddr(&self, _: bool) -> io::Result<()> {
        Ok(())
    }

    pub(crate) fn bind(&self, _: SocketAddr) -> io::Result<()> {
        Ok(())
    }

    pub(crate) fn local_addr(&self) -> io::Result<SocketAddr> {
        // Ports are random, so that no other process has the same one.
        self.port.store(draw(|random| random.u16(10_000..)), Ordering::Relaxed);
        Ok(at(self.port.load(Ordering::Relaxed)))
    }

    pub(crate) fn listen(self, _: u32) -> io::Result<TcpListener> {
        let port = self.port.into_inner();
        let (sender, arrivals) = mpsc::unbounded_channel();
        LISTENERS.with_borrow_mut(|listeners| listeners.insert(port, sender));
        Ok(TcpListener { arrivals: Mutex::new(arrivals), port })
    }
}

fn at(port: u16) -> SocketAddr {
    SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port)
}

impl TcpListener {
    pub(crate) async fn accept(&self) -> io::Result<(TcpStream, SocketAddr)> {
        let arrived = self.arrivals.lock().await.recv().await;
        let stream = arrived.ok_or(io::ErrorKind::NotConnected)?;
        Ok((stream, at(self.port)))
    }
}

impl Drop for TcpListener {
    fn drop(&mut self) {
        LISTENERS.with_borrow_mut(|listeners| listeners.remove(&self.port));
    }
}

impl TcpStream {
    /// Connects to a process. A frozen one accepts, and does not answer.
    pub(crate) async fn connect(address: &str) -> io::Result<Self> {
        let process = process_of(address);
        let port = address.rsplit_once(':').and_then(|(_, port)| port.parse::<u16>().ok());
        if state_of(process).is_dead {
            return Err(io::ErrorKind::ConnectionRefused.into());
        }
        let (near, mut far_of_near) = duplex(BUFFER_BYTES);
        let (far, mut near_of_far) = duplex(BUFFER_BYTES);
        let port = port.unwrap_or_default();
        let listener = LISTENERS.with_borrow(|listeners| listeners.get(&port).cloned());
        let listener = listener.ok_or(io::ErrorKind::ConnectionRefused)?;
        real_tokio::spawn(async move {
            let (mut near_read, mut near_write) = tokio::io::split(&mut far_of_near);
            let (mut far_read, mut far_write) = tokio::io::split(&mut near_of_far);
            tokio::select! {
                _ = carry(&mut near_read, &mut far_write, process) => {}
                _ = carry(&mut far_read, &mut near_write, process) => {}
            }
        });
        let _ = listener.send(Self(far));
        Ok(Self(near))
    }

    pub(crate) fn set_nodelay(&self, _: bool) -> io::Result<()> {
        Ok(())
    }
}

/// Carries bytes in one direction, in pieces that take their time.
async fn carry(
    from: &mut (impl AsyncRead + Unpin),
    to: &mut (impl AsyncWrite + Unpin),
    process: u32,
) -> io::Result<()> {
    let mut buffer = vec![0; 4096];
    loop {
        let bytes = from.read(&mut buffer).await?;
        pass(process).await?;
        if bytes == 0 {
            return Ok(());
        }
        to.write_all(&buffer[..bytes]).await?;
    }
}

impl AsyncRead for TcpStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl AsyncWrite for TcpStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
