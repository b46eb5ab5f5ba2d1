//! The line of an event: time, level, crate, spans, and a sentence.

use std::error::Error;
use std::fmt::{Debug, Result};
use std::time::SystemTime;

use humantime::format_rfc3339_millis;
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields, FormattedFields};
use tracing_subscriber::registry::LookupSpan;

pub(super) struct Line;

impl<S, F> FormatEvent<S, F> for Line
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    F: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, F>,
        mut line: Writer<'_>,
        event: &Event<'_>,
    ) -> Result {
        let time = format_rfc3339_millis(SystemTime::now());
        let target = event.metadata().target();
        let name = target.split("::").next().unwrap_or(target);
        write!(line, "{time} {} {name}: ", event.metadata().level())?;
        if let Some(scope) = context.event_scope() {
            for span in scope.from_root() {
                line.write_str(span.name())?;
                match span.extensions().get::<FormattedFields<F>>() {
                    Some(fields) if !fields.is_empty() => write!(line, "{{{fields}}}: ")?,
                    _ => line.write_str(": ")?,
                }
            }
        }
        let mut sentence = Sentence::default();
        event.record(&mut sentence);
        sentence.write(line)
    }
}

/// The fields of an event.
#[derive(Default)]
struct Sentence {
    message: String,
    /// The error, or the cause of an error.
    cause: Option<String>,
    /// The other fields, as `name=value`.
    others: Vec<String>,
}

impl Sentence {
    fn add(&mut self, field: &Field, value: String) {
        match field.name() {
            "message" => self.message = value,
            "error" | "cause" => self.cause = Some(value),
            name => self.others.push(format!("{name}={value}")),
        }
    }

    fn write(&self, mut line: Writer<'_>) -> Result {
        line.write_str(&self.message)?;
        if !self.others.is_empty() {
            write!(line, " ({})", self.others.join(", "))?;
        }
        match &self.cause {
            Some(cause) => writeln!(line, ": {cause}"),
            None => writeln!(line),
        }
    }
}

impl Visit for Sentence {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.add(field, value.to_owned());
    }

    fn record_error(&mut self, field: &Field, value: &(dyn Error + 'static)) {
        self.add(field, value.to_string());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.add(field, format!("{value:?}"));
    }
}
