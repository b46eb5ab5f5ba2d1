//! Scripted servers of either generation, with one table `pages`.

use std::collections::BTreeMap;

use accumulo_proxy::{Credentials, NextBatch};
use fluo_accumulo::AccumuloTables;

use crate::error;
use crate::fake::{Answer, Fake, Request};
use crate::interface as wire;

pub(crate) const PAGES: &str = "pages";
const DENIED: &str = "org.apache.accumulo.core.client.AccumuloSecurityException: Error PERMISSION_DENIED for user bob on table \
                      pages(ID:1) - User does not have permission to perform this action";

/// Observable properties of the servers.
#[derive(Clone, Copy)]
pub(crate) struct Servers {
    pub(crate) takes_secret: bool,
    /// The only property of the system; `None` if the user may not read the properties.
    pub(crate) system_property: Option<&'static str>,
    pub(crate) has_old_package: bool,
    pub(crate) has_new_balancers: bool,
    pub(crate) has_summarizer: bool,
    /// The iterators are on the class path of all tables.
    pub(crate) has_iterators: bool,
    /// The exception for a plain write.
    pub(crate) rejection: &'static str,
}

/// Accumulo 1.10 with the published jars.
pub(crate) const OLD: Servers = Servers {
    takes_secret: false,
    system_property: Some("master.port.client"),
    has_old_package: true,
    has_new_balancers: false,
    has_summarizer: false,
    has_iterators: true,
    rejection: "# constraint violations : 0  security codes: {pages(ID:1)=[PERMISSION_DENIED]}  # server errors 0 # \
                exceptions 0",
};

/// Accumulo 2.1 with the published jars.
pub(crate) const NEW: Servers = Servers {
    takes_secret: true,
    system_property: Some("manager.port.client"),
    has_old_package: false,
    has_new_balancers: true,
    has_summarizer: false,
    has_iterators: true,
    rejection: "constraint violation codes : []  security codes: {pages(ID:1)=[PERMISSION_DENIED]}  # server errors 0 # \
                exceptions 0",
};

impl Servers {
    pub(crate) async fn start(self) -> (Fake, AccumuloTables) {
        let fake = Fake::start(move |request| self.answer(request)).await;
        let mut settings = fake.settings();
        if self.takes_secret {
            fake.forget_login();
            settings = settings.credentials(Credentials::shared_secret("secret"));
        }
        let tables = AccumuloTables::connect(settings).await.unwrap();
        (fake, tables)
    }

    /// Answers like servers whose user may only read.
    pub(crate) fn answer(self, request: &Request) -> Answer {
        fn denied<C: wire::Call<Success: Send> + 'static>() -> Answer {
            Answer::thrown::<C>(error::ErrorKind::Security, DENIED)
        }
        match request.call.as_str() {
            "namespaceExists" => Answer::result::<wire::NamespaceExists>(true),
            "tableIdMap" => {
                let ids = BTreeMap::from([(PAGES.to_owned(), "1".to_owned())]);
                Answer::result::<wire::TableIdMap>(ids)
            }
            "getSystemConfiguration" => match self.system_property {
                Some(name) => {
                    let all = BTreeMap::from([(name.to_owned(), "9999".to_owned())]);
                    Answer::result::<wire::GetSystemConfiguration>(all)
                }
                None => denied::<wire::GetSystemConfiguration>(),
            },
            "testClassLoad" => {
                let asked: wire::TestClassLoad = request.read();
                let loads = self.loads(&asked.class_name.unwrap());
                Answer::result::<wire::TestClassLoad>(loads)
            }
            "createScanner" => {
                let handle = "scanner".to_owned();
                Answer::result::<wire::CreateScanner>(handle)
            }
            "nextK" => {
                let nothing = NextBatch { entries: Vec::new(), more: false };
                Answer::result::<wire::NextK>(nothing)
            }
            "closeScanner" => Answer::result::<wire::CloseScanner>(()),
            "createConditionalWriter" => {
                let handle = "writer".to_owned();
                Answer::result::<wire::CreateConditionalWriter>(handle)
            }
            "updateAndFlush" => {
                let rejected = error::ErrorKind::MutationsRejected;
                Answer::thrown::<wire::UpdateAndFlush>(rejected, self.rejection)
            }
            "updateRowsConditionally" => denied::<wire::UpdateRowsConditionally>(),
            "getTableProperties" => denied::<wire::GetTableProperties>(),
            "addSplits" => denied::<wire::AddSplits>(),
            "deleteTable" => denied::<wire::DeleteTable>(),
            "flushTable" => denied::<wire::FlushTable>(),
            _ => Answer::Refuse(1, "Invalid method name"),
        }
    }

    /// Checks whether the servers load a class.
    fn loads(self, class: &str) -> bool {
        match class {
            "org.apache.accumulo.core.iterators.system.SynchronizedIterator" => {
                self.has_old_package
            }
            "org.apache.accumulo.core.spi.balancer.TableLoadBalancer" => self.has_new_balancers,
            "org.apache.fluo.accumulo.summarizer.FluoSummarizer" => self.has_summarizer,
            // Every iterator of the published jars loads on every version, which proves nothing.
            class => self.has_iterators && class.starts_with("org.apache.fluo.accumulo.iterators."),
        }
    }
}
