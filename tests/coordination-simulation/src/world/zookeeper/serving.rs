//! The tasks of a session: they serve its requests, deliver answers and events, and end it.

use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, sleep_until};
use zookeeper_client::{Error, SessionState};

use super::answer::answer;
use super::connections::{LOOK, disconnect};
use super::ensemble::{Ensemble, with};
use super::message::{Answers, Delivery, Request};
use super::servers::link;
use crate::world::process::{dials, draw, pass, state_of};

/// Serves the requests of a session until its client is dropped.
pub(super) async fn serve(
    session: i64,
    process: u32,
    mut requests: mpsc::UnboundedReceiver<(Request, Answers, u64)>,
) {
    let mut connection = with(|ensemble| ensemble.session(session).connection.subscribe());
    while let Some((request, answers, number)) = requests.recv().await {
        let is_up = connection.wait_for(|now| now.is_up || now.number > number).await.is_ok();
        if !is_up || pass(process).await.is_err() {
            return;
        }
        let lost = async || {
            let _ = connection.clone().wait_for(|now| now.number > number).await;
            Err(Error::ConnectionLoss)
        };
        let losses = dials().losses;
        let answer = async || match draw(fastrand::Rng::f64) {
            dice if dice < losses / 2.0 => Err(Error::ConnectionLoss),
            dice if dice < losses => answer(session, request).await.and(Err(Error::ConnectionLoss)),
            _ => answer(session, request).await,
        };
        let answer = tokio::select! {
            lost = lost() => lost,
            answer = answer() => answer,
        };
        if matches!(answer, Err(Error::ConnectionLoss))
            && with(|ensemble| ensemble.session(session).connection.borrow().number == number)
        {
            disconnect(session);
        }
        let answer = Delivery::Answer(answers, number, answer);
        let _ = with(|ensemble| ensemble.sessions[&session].deliveries.send(answer));
    }
    with(|ensemble| ensemble.session(session).is_closed = true);
    // Otherwise it ends by its timeout.
    if pass(process).await.is_ok() && with(|ensemble| ensemble.session(session).is_connected()) {
        link(with(|ensemble| ensemble.sessions[&session].server)).await;
        with(|ensemble| ensemble.end(session));
    }
}

/// Hands answers and events to the client, in their order.
pub(super) async fn deliver(
    session: i64,
    process: u32,
    mut deliveries: mpsc::UnboundedReceiver<Delivery>,
) {
    while let Some(delivery) = deliveries.recv().await {
        if pass(process).await.is_err() {
            return;
        }
        match delivery {
            Delivery::Answer(answers, number, answer) => {
                let is_lost =
                    with(|ensemble| ensemble.session(session).connection.borrow().number > number);
                let answer = if is_lost { Err(Error::ConnectionLoss) } else { answer };
                drop(answers.send(answer));
            }
            Delivery::Event(event) => {
                // The server sends it again to a client that is back.
                while with(|ensemble| !ensemble.session(session).is_connected()) {
                    sleep(LOOK).await;
                }
                let _ = event.send(());
            }
        }
    }
}

/// Ends the session once its client was silent for the timeout.
pub(super) async fn expire(session: i64, process: u32, timeout: Duration) {
    // Some sessions end late.
    let limit = timeout.mul_f64(1.0 + draw(|random| random.f64() * f64::from(random.u8(..2))));
    loop {
        let end = with(|ensemble| {
            let served = ensemble.session(session);
            let end = served.reported + limit;
            if served.ended.is_none() && end <= Instant::now() {
                ensemble.end(session);
            }
            ensemble.session(session).ended.is_none().then_some(end)
        });
        let Some(end) = end else { break };
        sleep_until(end).await;
    }
    // The client learns it as soon as it is back.
    let is_away = || {
        let is_away = |ensemble: &mut Ensemble| {
            !ensemble.session(session).is_connected() || !ensemble.has_ended(session)
        };
        state_of(process).is_frozen || with(is_away)
    };
    while is_away() {
        sleep(LOOK).await;
    }
    let watches = with(|ensemble| {
        let served = ensemble.session(session);
        served.show(SessionState::Expired);
        std::mem::take(&mut served.watches)
    });
    drop(watches);
}
