//! The handle of one application: [`ApplicationHandle`].

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use fluo_table::coordination::{
    Application, ObservedColumn, ObserverKind, check_application_name, shown_setting,
    shown_settings,
};
use fluo_table::{Authorizations, Bytes, Column, Error, ErrorKind, Instance, Result, Timestamp};

use crate::application::binding::bind;
use crate::application::class_path;
use crate::client::Client;
use crate::context::{Backoff, ClientOptions};
use crate::observer::{Observer, ObserverError, Observers, observer_fn};
use crate::recipe::{Recipe, Registration};
use crate::transaction::Transaction;

/// The handle of one application: options first, then one of the calls that create, open or remove
/// it.
///
/// [`application`](crate::InstanceExt::application) returns it. The application need not exist; the
/// handle holds nothing open.
///
/// # Examples
///
/// ```
/// use fluo_engine::{Column, Instance, InstanceExt, Status};
///
/// const LINKS: Column = Column::from_static("page", "links");
/// const LENGTH: Column = Column::from_static("page", "length");
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> fluo_engine::Result<()> {
/// let fluo = Instance::in_memory();
/// let web = fluo.application("web").table("pages").set("language", "en");
/// let web = web.observe(&LINKS, "count", async |tx, page| {
///     let length = tx.get(page.clone(), &LINKS).await?.map_or(0, |links| links.len());
///     tx.set(page, &LENGTH, length.to_string())
/// });
///
/// // The first process creates the application, and every later one opens it.
/// let client = web.open_or_create().await?;
/// assert_eq!(client.application().table, "pages");
/// assert_eq!(web.status().await?, Status::Running);
///
/// drop(client);
/// assert_eq!(web.status().await?, Status::Stopped);
/// web.remove().await?;
/// assert_eq!(web.status().await?, Status::NotFound);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
#[must_use = "a handle does nothing until one of its calls is awaited"]
pub struct ApplicationHandle {
    pub(super) instance: Instance,
    pub(super) name: String,
    table: Option<String>,
    own: Registration,
    recipes: Vec<Result<Registration>>,
    pub(super) jars: Vec<String>,
    pub(super) clear: bool,
    options: ClientOptions,
}

impl ApplicationHandle {
    pub(super) fn new(instance: Instance, name: String) -> Self {
        Self {
            instance,
            name,
            table: None,
            own: Registration::new("", "the application"),
            recipes: Vec::new(),
            jars: Vec::new(),
            clear: false,
            options: ClientOptions::new(),
        }
    }

    /// Sets the table of the application. A new application gets a new table of this name; an
    /// existing one must have this table. Default: a new application's table has the name of the
    /// application, and an existing one may have any table.
    pub fn table(self, table: impl Into<String>) -> Self {
        Self { table: Some(table.into()), ..self }
    }

    /// Adds a strong observer: an async closure that runs in a transaction of its own when a value
    /// is set in a column, with the row. A new application stores its column and id; an existing
    /// one must have them.
    ///
    /// A second observer of a column or with an id is an error of the calls that create or open the
    /// application, as are all other invalid declarations.
    pub fn observe<F, R, E>(self, column: &Column, id: impl Into<String>, process: F) -> Self
    where
        F: Fn(Transaction, Bytes) -> R + Send + Sync + 'static,
        R: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<ObserverError> + 'static,
    {
        let observed = ObservedColumn::new(column.clone(), ObserverKind::Strong, id);
        self.observe_with(observed, observer_fn(move |tx, row, _| process(tx, row)))
    }

    /// Adds an observer of an observed column, strong or weak. See [`observe`](Self::observe).
    pub fn observe_with(self, observed: ObservedColumn, observer: impl Observer) -> Self {
        let own = self.own.observe_with(observed, Some(Arc::new(observer)));
        Self { own, ..self }
    }

    /// Adds a set of observers.
    pub fn observers(mut self, observers: &Observers) -> Self {
        self.own.observers.extend(observers.declared().cloned());
        self
    }

    /// Adds observers by their columns, for a program that does not run them itself.
    pub fn observed_columns(self, observed: impl IntoIterator<Item = ObservedColumn>) -> Self {
        let own = observed.into_iter().fold(self.own, |own, one| own.observe_with(one, None));
        Self { own, ..self }
    }

    /// Adds a recipe: its observers, its settings and its rows. A new application stores the
    /// settings; an existing one must have its observers and its [required](Registration::require)
    /// settings.
    pub fn recipe(mut self, recipe: &dyn Recipe) -> Self {
        self.recipes.push(recipe.registration());
        self
    }

    /// Adds a setting of a new application, for its observers and loaders. An existing application
    /// keeps its own settings, which an operator may have changed.
    pub fn set(self, name: impl Into<String>, value: impl Into<String>) -> Self {
        Self { own: self.own.set(name, value), ..self }
    }

    /// Adds a setting that all programs of the application must have in common. A new application
    /// stores it; an existing one must have it with this value. If [`set`](Self::set) names the
    /// same setting, the later call decides the value.
    pub fn require(self, name: impl Into<String>, value: impl Into<String>) -> Self {
        Self { own: self.own.require(name, value), ..self }
    }

    /// Adds jars of a new application: URLs from which the servers of Accumulo load Fluo's
    /// iterators for its table, such as `hdfs://host:8020/fluo/fluo-accumulo-1.2.0.jar`. All
    /// servers must reach them. Default: none, and the iterators are on the class path of the
    /// servers.
    ///
    /// Tables of other kinds load no jars, so creating the application fails there.
    pub fn jars(mut self, urls: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.jars.extend(urls.into_iter().map(Into::into));
        self
    }

    /// Sets whether [`create`](Self::create) and [`initialize`](Self::initialize) first delete an
    /// application and a table of these names, with all their data. Default: no, and both calls
    /// fail if either exists.
    ///
    /// The existing application must have the same table, because its own table would be left
    /// behind otherwise.
    pub fn clear(self, clear: bool) -> Self {
        Self { clear, ..self }
    }

    /// Sets the options of the client that the handle opens.
    pub fn options(self, options: ClientOptions) -> Self {
        Self { options, ..self }
    }

    /// Returns the name of the application.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Checks all options that can be checked without reading anything. All calls that create the
    /// application do it too.
    ///
    /// # Errors
    ///
    /// [`Invalid`](ErrorKind::Invalid) for the name of the application, an observed column, a
    /// setting of the application, the URL of a jar, or an option of the client.
    pub fn check(&self) -> Result<()> {
        self.new_application("id".to_owned()).map(drop)
    }

    /// Creates the application and its table, and opens a client of it.
    ///
    /// # Errors
    ///
    /// Those of [`initialize`](Self::initialize), then those of [`open`](Self::open): the
    /// application exists then.
    pub async fn create(&self) -> Result<Client> {
        self.initialize().await?;
        self.open_existing().await
    }

    /// Opens a client of the application.
    ///
    /// # Errors
    ///
    /// - Those of [`Client::open`], and of [`properties`](fluo_table::TableAdmin::properties) and
    ///   [`set_property`](fluo_table::TableAdmin::set_property). If the user may not read or change
    ///   properties, this logs a warning instead.
    /// - [`NotFound`](ErrorKind::NotFound) if the application or its table does not exist.
    /// - [`Invalid`](ErrorKind::Invalid) if the application has another [`table`](Self::table),
    ///   lacks an [observer](Self::observe), or has other [required](Self::require) settings than
    ///   the handle; if [`clear`](Self::clear) is set; if the table belongs to another application,
    ///   drops versions of cells, or was opened with another copy of the coordination since; or if
    ///   the servers lack a part that
    ///   [transactions need](fluo_table::TableAdmin::check_transactions).
    pub async fn open(&self) -> Result<Client> {
        self.declared()?;
        self.check_keeps("open")?;
        self.open_existing().await
    }

    /// Opens a client of the application, and creates the application first if it does not exist.
    ///
    /// Several processes may call this at the same time: one of them creates the application, and
    /// the others wait until they can open it, for at most
    /// [`max_elapsed`](ClientOptions::max_elapsed).
    ///
    /// # Errors
    ///
    /// Those of [`open`](Self::open), apart from `NotFound` for the application, and of
    /// [`initialize`](Self::initialize). [`AlreadyExists`](ErrorKind::AlreadyExists) if a table has
    /// the name of the new application's table: an interrupted creation or removal may have left
    /// it. [`create`](Self::create) with [`clear`](Self::clear) replaces it.
    pub async fn open_or_create(&self) -> Result<Client> {
        self.declared()?;
        self.check_keeps("open_or_create")?;
        let mut backoff = Backoff::new(&self.options, Timestamp::ZERO);
        loop {
            let is_new = self.stored().await?.is_none();
            let opened = if is_new { self.create().await } else { self.open_existing().await };
            let Err(error) = opened else {
                return opened;
            };
            let is_overtaken = match error.kind() {
                // Another caller is creating or removing it.
                ErrorKind::Unavailable => is_new,
                // Another caller has created it.
                ErrorKind::AlreadyExists => is_new && self.stored().await?.is_some(),
                // Another caller has removed it.
                ErrorKind::NotFound => self.stored().await?.is_none(),
                _ => false,
            };
            if !is_overtaken || !backoff.wait().await {
                return Err(error);
            }
        }
    }

    /// Opens a client of the application. Nothing is written before the stored configuration is
    /// checked.
    async fn open_existing(&self) -> Result<Client> {
        let observers = self.declared()?;
        let (name, tables) = (&self.name, &**self.instance.table_admin());
        tables.check_transactions(None).await?;
        let coordination = self.instance.applications().open(name).await?;
        let application = coordination.application().await?;
        self.check_stored(&application, &observers)?;
        let table = application.table;
        let opened = tables.open_table(&table, Authorizations::none()).await;
        let table = opened.map_err(|error| match error.kind() {
            ErrorKind::NotFound => Error::application_without_table(name, &table),
            _ => error,
        })?;
        bind(tables, &*coordination).await?;
        let client = Client::open(table, coordination, self.options.clone()).await?;
        Ok(client.with_observers(observers))
    }

    /// Checks all declarations, and returns the observers of the handle and its recipes.
    fn declared(&self) -> Result<Observers> {
        let mut recipes: Vec<&Registration> = Vec::new();
        for recipe in &self.recipes {
            let recipe = recipe.as_ref().map_err(Error::clone)?;
            recipes.iter().try_for_each(|other| recipe.check_beside(other))?;
            recipes.push(recipe);
        }
        let observers = self.registrations().flat_map(|one| &one.observers);
        observers.cloned().try_fold(Observers::new(), Observers::with)
    }

    /// Returns the application that is created, after all checks that need no reading.
    pub(super) fn new_application(&self, id: String) -> Result<Application> {
        let observers = self.declared()?;
        self.options.check()?;
        check_application_name(&self.name)?;
        self.jars.iter().try_for_each(|url| class_path::check_url(url))?;
        let application = Application {
            id,
            table: self.table.as_ref().unwrap_or(&self.name).clone(),
            observers: observers.observed_columns(),
            settings: self.settings(),
        };
        application.check()?;
        Ok(application)
    }

    /// Returns the settings that a new application stores: those of the handle and of its recipes.
    #[must_use]
    pub fn settings(&self) -> BTreeMap<String, String> {
        self.registrations().flat_map(|one| one.settings.clone()).collect()
    }

    fn registrations(&self) -> impl Iterator<Item = &Registration> {
        self.recipes.iter().flatten().chain([&self.own])
    }

    /// Rejects a call that keeps an existing application if the handle is to replace it.
    fn check_keeps(&self, call: &str) -> Result<()> {
        if !self.clear {
            return Ok(());
        }
        Err(Error::invalid(format!(
            "`clear` deletes the application `{name}`, and `{call}` keeps it; call `create` to replace `{name}`, or \
             `{call}` without `clear`",
            name = self.name
        )))
    }

    fn check_stored(&self, stored: &Application, observers: &Observers) -> Result<()> {
        if let Some(table) = self.table.as_ref().filter(|table| **table != stored.table) {
            return Err(Error::invalid(format!(
                "the application `{}` has the table `{}`, not `{table}`; open it with that table, or without naming one",
                self.name, stored.table
            )));
        }
        observers.check_declared(stored)?;
        let (settings, application) = (self.settings(), &self.name);
        let mut required = self.registrations().flat_map(|one| &one.required);
        let differs = |name: &&String| stored.settings.get(*name) != settings.get(*name);
        let Some(name) = required.find(differs) else {
            return Ok(());
        };
        let required = settings.get(name).map_or("", |value| shown_setting(name, value));
        let found = stored.settings.get(name).map(|value| shown_setting(name, value));
        Err(Error::invalid(match found {
            Some(found) => format!(
                "setting `{name}` of application `{application}` is `{found}`, not `{required}`; use the stored value \
                 in the program"
            ),
            None => format!(
                "application `{application}` lacks setting `{name}`, which must be `{required}`; use the recipes that \
                 it was created with"
            ),
        }))
    }
}

impl fmt::Debug for ApplicationHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let observers: Vec<_> = self.registrations().flat_map(|one| &one.observers).collect();
        f.debug_struct("ApplicationHandle")
            .field("name", &self.name)
            .field("table", &self.table)
            .field("observers", &observers)
            .field("recipes", &self.recipes)
            .field("settings", &shown_settings(&self.settings()))
            .field("clear", &self.clear)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

/// The calls of an [`Instance`] that need transactions.
pub trait InstanceExt {
    /// Returns the handle of the application with this name, whether the application exists or not.
    /// Nothing is read or written until one of the handle's calls is awaited.
    fn application(&self, name: impl Into<String>) -> ApplicationHandle;
}

impl InstanceExt for Instance {
    fn application(&self, name: impl Into<String>) -> ApplicationHandle {
        ApplicationHandle::new(self.clone(), name.into())
    }
}
