//! Money moves between accounts.

use fluo_engine::Transaction;
use fluo_table::Result;

use super::{Actor, number_of, value};
use crate::ground::number;
use crate::history::StoryId;
use crate::recorded::Recorded;

pub(crate) const ACCOUNTS: [&str; 5] = ["bank:a", "bank:b", "bank:c", "bank:d", "bank:e"];
/// The first balance of every account.
pub(crate) const OPENING: i64 = 100;

/// Moves money in a transaction that the actor commits, or in one that a runner does.
pub(super) async fn transfer(actor: &Actor) -> Result<()> {
    if actor.world.random.chance(500) {
        let transfer = async |tx| {
            let bank = Recorded::new(&actor.world, "bank", &tx);
            move_money(actor, &bank, &tx).await
        };
        return actor.run(transfer).await;
    }
    let tx = actor.begin().await?;
    let story = move_money(actor, &actor.record("bank", &tx), &tx).await?;
    actor.commit(tx, story).await
}

/// Moves an amount from one account to one or two others. An empty account is deleted. Sometimes it
/// reads a further account, with or without a lock.
async fn move_money(actor: &Actor, bank: &Recorded<'_>, tx: &Transaction) -> Result<StoryId> {
    let random = &actor.world.random;
    let mut accounts = ACCOUNTS.to_vec();
    let mut draw = || {
        let account = random.pick(&accounts);
        accounts.retain(|other| *other != account);
        account
    };
    let payer = draw();
    let payees = match random.chance(300) {
        true => vec![draw(), draw()],
        false => vec![draw()],
    };
    if random.chance(300) {
        let witness = draw();
        match random.chance(500) {
            true => bank.get_locked(witness, &number()).await?,
            false => bank.get(witness, &number()).await?,
        };
    }
    let mut amount = 1 + i64::try_from(random.below(20)).unwrap_or_default();
    let rich = number_of(bank.get(payer, &number()).await?.as_ref());
    let count = i64::try_from(payees.len()).unwrap_or(1);
    if amount * count > rich {
        amount = rich / count;
    }
    let mut moved = Vec::new();
    for payee in payees {
        let poor = number_of(bank.get(payee, &number()).await?.as_ref());
        moved.push((payee, poor + amount));
    }
    moved.push((payer, rich - amount * count));
    for (account, balance) in moved {
        match balance {
            0 => bank.delete(account, &number())?,
            _ => bank.set(account, &number(), value(balance, tx))?,
        }
    }
    Ok(bank.story())
}
