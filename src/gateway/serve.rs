//! Listens, and answers each connection in its own task.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};

use super::access::{Client, is_loopback};
use super::conversation::Turns;
use super::forward::{Clients, Shared};
use super::owner::is_of_this_user;
use super::room::BodyMemory;
use super::{Totals, Upstreams};
use crate::engine::Engine;
use crate::protocol::reclaim::ReclaimMode;

/// The time limit for connecting to an API.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);

/// A client that sends no complete header for this time is disconnected. Between two requests of an agent, commands
/// run.
const HEADER_TIMEOUT: Duration = Duration::from_secs(600);

/// A pause after an error of the listener, for example when there are no more file descriptors.
const PAUSE_AFTER_ERROR: Duration = Duration::from_millis(50);

/// A gateway that listens.
#[derive(Clone)]
pub struct Gateway(Arc<Shared>);

/// A listening socket.
#[derive(Debug)]
pub struct Listening {
    listener: TcpListener,
    /// The address, with the port that was chosen.
    pub address: SocketAddr,
}

impl Listening {
    /// Listens on an address of this machine.
    ///
    /// # Errors
    ///
    /// The address can be reached from other machines, or is in use.
    pub async fn on(address: SocketAddr) -> Result<Self, String> {
        Self::allowed(address)?;
        let taken = |e: io::Error| format!("{address}: {e}");
        let listener = TcpListener::bind(address).await.map_err(taken)?;
        let address = listener.local_addr().map_err(taken)?;
        Ok(Self { listener, address })
    }

    /// Whether a gateway may listen there: only on an address that other machines cannot reach.
    ///
    /// # Errors
    ///
    /// Others could reach the address.
    pub fn allowed(address: SocketAddr) -> Result<(), String> {
        if is_loopback(address.ip()) {
            return Ok(());
        }
        Err(format!("{address}: the gateway listens on this machine alone, as 127.0.0.1:{}", address.port()))
    }
}

impl Gateway {
    /// A gateway to these addresses. With [`ReclaimMode::Auto`], results that are no longer needed are removed from
    /// their conversations.
    ///
    /// # Errors
    ///
    /// One of the addresses is the gateway itself, or the HTTP client cannot be created, for example without system
    /// certificates.
    pub fn new(
        engine: Engine,
        upstreams: Upstreams,
        reclaim: ReclaimMode,
        listening: &Listening,
    ) -> Result<Self, String> {
        // Another part of the process may have installed a provider first.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let port = listening.address.port();
        if let Some(place) = upstreams.on_this_machine_at(port) {
            return Err(format!("{place} is the address of the gateway itself; give the place of the API"));
        }
        let client = clients()?;
        let (turns, totals, room) = (Turns::default(), Totals::default(), BodyMemory::default());
        let last_requests = (reclaim == ReclaimMode::Auto).then(Default::default);
        Ok(Self(Arc::new(Shared { engine, client, upstreams, port, turns, totals, room, last_requests })))
    }

    /// Answers until the future is dropped.
    pub async fn serve(&self, listening: Listening) -> Infallible {
        loop {
            match listening.listener.accept().await {
                Ok((stream, peer)) => drop(tokio::spawn(connection(Arc::clone(&self.0), stream, peer))),
                Err(_) => tokio::time::sleep(PAUSE_AFTER_ERROR).await,
            }
        }
    }

    /// The sums so far.
    pub fn totals(&self) -> &Totals {
        &self.0.totals
    }

    /// Closes the engine.
    pub fn close(&self) {
        self.0.engine.close();
    }
}

/// A client that uses the proxies of the environment, and one for this machine.
fn clients() -> Result<Clients, String> {
    let builder = || {
        reqwest::Client::builder()
            .http1_only()
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            .connect_timeout(CONNECT_TIMEOUT)
            .tcp_nodelay(true)
    };
    let built =
        |builder: reqwest::ClientBuilder| builder.build().map_err(|e| format!("the client for HTTP: {e}"));
    Ok(Clients { far: built(builder())?, near: built(builder().no_proxy())? })
}

async fn connection(shared: Arc<Shared>, stream: TcpStream, peer: SocketAddr) {
    // Pieces of a stream are sent as they arrive.
    let _ = stream.set_nodelay(true);
    let Ok(here) = stream.local_addr() else { return };
    // Reading tables of the system may take a while.
    let is_of_this_user = tokio::task::spawn_blocking(move || is_of_this_user(here, peer)).await;
    let client = Client { address: peer, is_of_this_user: is_of_this_user.unwrap_or(false) };
    let answer = service_fn(move |request| {
        let shared = Arc::clone(&shared);
        async move { Ok::<_, Infallible>(shared.answer(client, request).await) }
    });
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(HEADER_TIMEOUT).half_close(false);
    // A client that breaks the protocol only loses its own connection.
    let _ = server.serve_connection(TokioIo::new(stream), answer).with_upgrades().await;
}
