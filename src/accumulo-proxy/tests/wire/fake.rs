//! A scripted proxy: a function from requests to answers, and a record of the requests.

#[path = "raw.rs"]
pub(crate) mod raw;

use std::future::pending;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use accumulo_proxy::{Credentials, ErrorKind, Protocol, ProxyClient, ProxyOptions};
use thrift::protocol::{
    TBinaryInputProtocol, TCompactInputProtocol, TInputProtocol, TMessageType, TOutputProtocol,
    TType,
};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio::time::{self, Instant, sleep};

use self::raw::{Asked, field, read_request, structure};
use crate::interface as wire;

/// The password of every client, which no output may show.
pub(crate) const PASSWORD: &str = "correct-horse-battery";

/// The token of a login, which is as powerful as the password.
pub(crate) const TOKEN: &[u8] = b"token";

/// The exception of a proxy of Accumulo 2.x for a call with a wrong shared secret, if the call
/// declares it.
pub(crate) const WRONG_SECRET: &str = "org.apache.accumulo.core.client.AccumuloSecurityException: Error BAD_CREDENTIALS for \
                                       user Incorrect shared secret provided - Username or Password is Invalid";

/// The time after which a wait for an expected event fails, and a call of a client times out. Every
/// machine makes some progress in it, however busy it is.
pub(crate) const STUCK: Duration = Duration::from_secs(300);

/// A gate that holds answers until the test closes the semaphore.
pub(crate) type Gate = Arc<Semaphore>;

pub(crate) fn gate() -> Gate {
    Arc::new(Semaphore::new(0))
}

/// A call that arrived.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) call: String,
    /// Number of earlier calls with this name.
    pub(crate) nth: usize,
    body: Vec<u8>,
    protocol: Protocol,
}

impl Request {
    /// Returns the size of the frame, without its length.
    pub(crate) fn bytes(&self) -> usize {
        self.body.len()
    }

    /// Decodes the structure of the arguments.
    pub(crate) fn read<R: wire::WireValue>(&self) -> R {
        let mut input: Box<dyn TInputProtocol + '_> = match self.protocol {
            Protocol::Compact => Box::new(TCompactInputProtocol::new(self.body.as_slice())),
            Protocol::Binary => Box::new(TBinaryInputProtocol::new(self.body.as_slice(), true)),
        };
        input.read_message_begin().unwrap();
        R::read(&mut wire::Reader::new(&mut *input, usize::MAX)).unwrap()
    }
}

type Body = Box<dyn Fn(&mut dyn TOutputProtocol) -> thrift::Result<()> + Send>;

/// The reaction of the server to a call.
pub(crate) enum Answer {
    Reply(Body),
    Late(Duration, Box<Answer>),
    /// An answer that the gate holds.
    Held(Gate, Box<Answer>),
    /// A rejection of the message with an application exception of this kind (6 is an internal
    /// error).
    Refuse(i32, &'static str),
    /// The end of the connection.
    Close,
    /// No answer and no further calls.
    Never,
}

impl Answer {
    pub(crate) fn result<C: wire::Call<Success: Send> + 'static>(result: C::Success) -> Self {
        Self::reply(wire::Reply::<C>(Ok(Some(result))))
    }

    pub(crate) fn thrown<C: wire::Call<Success: Send> + 'static>(
        kind: ErrorKind,
        message: &str,
    ) -> Self {
        let name = C::NAME;
        assert!(C::EXCEPTIONS.contains(&kind), "{name} does not declare {kind:?}");
        Self::reply(wire::Reply::<C>(Err((kind, message.to_owned()))))
    }

    fn reply<C: wire::Call<Success: Send> + 'static>(reply: wire::Reply<C>) -> Self {
        Self::Reply(Box::new(move |output| wire::WireValue::write(&reply, output)))
    }

    pub(crate) fn after(self, pause: Duration) -> Self {
        Self::Late(pause, Box::new(self))
    }

    /// Holds the answer until the gate lets it pass.
    pub(crate) fn held_by(self, gate: &Gate) -> Self {
        Self::Held(Arc::clone(gate), Box::new(self))
    }
}

/// Answers a call that opens a scanner or a writer with the handle `<call>-<number>`.
pub(crate) fn opened(request: &Request) -> Answer {
    let handle = format!("{}-{}", request.call, request.nth);
    match request.call.as_str() {
        "createScanner" => Answer::result::<wire::CreateScanner>(handle),
        "createBatchScanner" => Answer::result::<wire::CreateBatchScanner>(handle),
        "createConditionalWriter" => Answer::result::<wire::CreateConditionalWriter>(handle),
        other => panic!("unexpected call {other}"),
    }
}

type Script = Arc<dyn Fn(&Request) -> Answer + Send + Sync>;

/// A server that follows its script. It answers `login` by itself. Dropping it stops the server and
/// closes all its connections.
pub(crate) struct Fake {
    address: SocketAddr,
    shared: Arc<Shared>,
    listener: Mutex<Option<JoinHandle<()>>>,
}

struct Shared {
    protocol: Protocol,
    script: Script,
    calls: Mutex<Vec<Request>>,
    connections: AtomicUsize,
    open: AtomicUsize,
    most_open: AtomicUsize,
    tasks: Mutex<Vec<JoinHandle<()>>>,
    /// Number of connections to close as soon as they are accepted.
    refusals: AtomicUsize,
    /// Number of logins to answer with an exception.
    bad_logins: AtomicUsize,
    /// `true` if the server has no `login`, like a proxy of Accumulo 2.x.
    has_no_login: AtomicBool,
}

impl Fake {
    /// Starts a server with the compact protocol.
    pub(crate) async fn start(script: impl Fn(&Request) -> Answer + Send + Sync + 'static) -> Self {
        Self::start_with(Protocol::Compact, script).await
    }

    pub(crate) async fn start_with(
        protocol: Protocol,
        script: impl Fn(&Request) -> Answer + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            protocol,
            script: Arc::new(script),
            calls: Mutex::new(Vec::new()),
            connections: AtomicUsize::new(0),
            open: AtomicUsize::new(0),
            most_open: AtomicUsize::new(0),
            tasks: Mutex::new(Vec::new()),
            refusals: AtomicUsize::new(0),
            bad_logins: AtomicUsize::new(0),
            has_no_login: AtomicBool::new(false),
        });
        let task = tokio::spawn(listen(listener, Arc::clone(&shared)));
        Self { address, shared, listener: Mutex::new(Some(task)) }
    }

    pub(crate) fn address(&self) -> String {
        self.address.to_string()
    }

    /// Returns settings for a client of the server, with long limits and almost no pauses.
    pub(crate) fn settings(&self) -> ProxyOptions {
        let credentials = Credentials::password("root", PASSWORD);
        ProxyOptions::new(self.address(), credentials)
            .protocol(self.shared.protocol)
            .connect_timeout(STUCK)
            .call_timeout(STUCK)
            .first_pause(Duration::from_millis(2))
            .max_pause(Duration::from_millis(20))
    }

    pub(crate) fn client(&self) -> ProxyClient {
        ProxyClient::lazy(self.settings())
    }

    /// Returns the calls with this name that arrived.
    pub(crate) fn calls(&self, name: &str) -> Vec<Request> {
        let calls = self.shared.calls.lock().unwrap();
        calls.iter().filter(|request| request.call == name).cloned().collect()
    }

    pub(crate) fn all_calls(&self) -> Vec<Request> {
        self.shared.calls.lock().unwrap().clone()
    }

    /// Returns the number of calls with this name that arrived.
    pub(crate) fn count(&self, name: &str) -> usize {
        self.calls(name).len()
    }

    /// Returns the number of connections that were accepted.
    pub(crate) fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::SeqCst)
    }

    /// Returns the maximum number of connections that were open at the same time.
    pub(crate) fn most_open(&self) -> usize {
        self.shared.most_open.load(Ordering::SeqCst)
    }

    /// Returns the number of connections that are open now.
    pub(crate) fn open(&self) -> usize {
        self.shared.open.load(Ordering::SeqCst)
    }

    /// Closes this number of connections as soon as they are accepted.
    pub(crate) fn refuse_connections(&self, connections: usize) {
        self.shared.refusals.store(connections, Ordering::SeqCst);
    }

    /// Returns the number of connections that are still to be closed.
    pub(crate) fn refusals_left(&self) -> usize {
        self.shared.refusals.load(Ordering::SeqCst)
    }

    pub(crate) fn refuse_logins(&self, logins: usize) {
        self.shared.bad_logins.store(logins, Ordering::SeqCst);
    }

    /// Answers `login` from now on like a proxy of Accumulo 2.x, which does not have the call.
    pub(crate) fn forget_login(&self) {
        self.shared.has_no_login.store(true, Ordering::SeqCst);
    }

    /// Closes all connections and stops listening, until [`Fake::come_back`].
    pub(crate) async fn go_away(&self) {
        let listener = self.listener.lock().unwrap().take();
        if let Some(task) = listener {
            task.abort();
            let _ = task.await;
        }
        self.break_connections();
    }

    /// Listens again at the same address.
    pub(crate) async fn come_back(&self) {
        let listener = TcpListener::bind(self.address).await.unwrap();
        let task = tokio::spawn(listen(listener, Arc::clone(&self.shared)));
        *self.listener.lock().unwrap() = Some(task);
    }

    /// Closes all connections. New connections are accepted.
    pub(crate) fn break_connections(&self) {
        for task in self.shared.tasks.lock().unwrap().drain(..) {
            task.abort();
        }
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        if let Some(task) = self.listener.lock().unwrap().take() {
            task.abort();
        }
        self.break_connections();
    }
}

pub(crate) async fn until(what: &str, holds: impl Fn() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < STUCK, "timed out waiting for {what}");
        sleep(Duration::from_millis(2)).await;
    }
}

/// Returns the output of a future that waits for its time limit. As soon as the condition holds,
/// the time passes without a real wait.
pub(crate) async fn timed_out<T>(
    what: &str,
    holds: impl Fn() -> bool,
    limited: impl Future<Output = T>,
) -> T {
    let skip = async {
        until(what, holds).await;
        time::pause();
        pending().await
    };
    let output = tokio::select! {
        output = limited => output,
        output = skip => output,
    };
    time::resume();
    output
}

/// Decrements the counter. Returns `false` if it is already zero.
fn is_due(left: &AtomicUsize) -> bool {
    let one_less = |left: usize| left.checked_sub(1);
    left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less).is_ok()
}

async fn listen(listener: TcpListener, shared: Arc<Shared>) {
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        if is_due(&shared.refusals) {
            continue;
        }
        shared.connections.fetch_add(1, Ordering::SeqCst);
        let task = tokio::spawn(serve(stream, Arc::clone(&shared)));
        shared.tasks.lock().unwrap().push(task);
    }
}

/// A guard that counts a connection while it is open.
struct Open(Arc<Shared>);

impl Open {
    fn new(shared: &Arc<Shared>) -> Self {
        let open = shared.open.fetch_add(1, Ordering::SeqCst) + 1;
        shared.most_open.fetch_max(open, Ordering::SeqCst);
        Self(Arc::clone(shared))
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::SeqCst);
    }
}

async fn serve(mut stream: TcpStream, shared: Arc<Shared>) {
    let _open = Open::new(&shared);
    while let Ok(asked) = read_request(&mut stream).await {
        let request = shared.receive(&asked);
        let answer = match request.call.as_str() {
            "login" if shared.has_no_login.load(Ordering::SeqCst) => {
                Answer::Refuse(1, "Invalid method name: 'login'")
            }
            "login" if is_due(&shared.bad_logins) => {
                let message = "org.apache.accumulo.core.client.AccumuloSecurityException: Error BAD_CREDENTIALS for user root - Username or Password is Invalid";
                Answer::thrown::<wire::Login>(ErrorKind::Security, message)
            }
            "login" => Answer::result::<wire::Login>(accumulo_proxy::Bytes::from_static(TOKEN)),
            _ => (shared.script)(&request),
        };
        if !answer_call(&mut stream, shared.protocol, &asked, answer).await {
            break;
        }
    }
}

impl Shared {
    fn receive(&self, asked: &Asked) -> Request {
        let mut calls = self.calls.lock().unwrap();
        let before = calls.iter().filter(|request| request.call == asked.name);
        let request = Request {
            nth: before.count(),
            call: asked.name.clone(),
            body: asked.message.clone(),
            protocol: self.protocol,
        };
        calls.push(request.clone());
        request
    }
}

/// Sends an answer. Returns `false` if the connection must be closed.
async fn answer_call(
    stream: &mut TcpStream,
    protocol: Protocol,
    asked: &Asked,
    mut answer: Answer,
) -> bool {
    loop {
        answer = match answer {
            Answer::Late(pause, later) => {
                sleep(pause).await;
                *later
            }
            Answer::Held(gate, later) => {
                drop(gate.acquire().await);
                *later
            }
            now => {
                answer = now;
                break;
            }
        };
    }
    let encode = |kind, body: Body| {
        raw::message(protocol, &asked.name, kind, asked.sequence, |output| body(output))
    };
    let bytes = match answer {
        Answer::Reply(body) => encode(TMessageType::Reply, body),
        Answer::Refuse(kind, reason) => encode(TMessageType::Exception, refusal(kind, reason)),
        Answer::Close => return false,
        Answer::Never => pending().await,
        Answer::Late(..) | Answer::Held(..) => unreachable!("waited for above"),
    };
    stream.write_all(&bytes).await.is_ok()
}

/// Encodes a `TApplicationException`: 1 message, 2 kind.
fn refusal(kind: i32, reason: &'static str) -> Body {
    Box::new(move |output| {
        structure(output, |output| {
            field(output, TType::String, 1, |output| output.write_string(reason))?;
            field(output, TType::I32, 2, |output| output.write_i32(kind))
        })
    })
}
