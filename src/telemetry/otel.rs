//! Exports events as log records of OpenTelemetry, over OTLP with HTTP. Built only with the feature `otel`, and off unless
//! an address is given.

use std::net::IpAddr;
use std::thread;
use std::time::Duration;

use opentelemetry::logs::{AnyValue, LogRecord as _, Logger as _, LoggerProvider as _, Severity};
use opentelemetry_otlp::{LogExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::logs::{SdkLogger, SdkLoggerProvider};
use reqwest::Url;
use reqwest::blocking::Client;

use super::event::{Event, EventKind};

/// Time limit for a request to the collector: the default of the OTLP specification.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Sends events to a collector. The SDK's bounded queue drops what the collector cannot take.
pub struct Exporter {
    provider: SdkLoggerProvider,
    logger: SdkLogger,
}

impl std::fmt::Debug for Exporter {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Exporter")
    }
}

impl Exporter {
    /// An exporter to the collector at `endpoint`, for example `http://localhost:4318/v1/logs`.
    pub fn new(endpoint: &str) -> Result<Self, String> {
        // In builds with the gateway, the HTTP client supports TLS and needs a cryptography provider even for plain
        // HTTP.
        #[cfg(feature = "gateway")]
        let _ = rustls::crypto::ring::default_provider().install_default();
        let exporter = LogExporter::builder()
            .with_http()
            .with_http_client(client(endpoint)?)
            .with_endpoint(endpoint)
            .build()
            .map_err(|e| e.to_string())?;
        let resource = Resource::builder().with_service_name(env!("CARGO_PKG_NAME")).build();
        let provider =
            SdkLoggerProvider::builder().with_resource(resource).with_batch_exporter(exporter).build();
        let logger = provider.logger(env!("CARGO_PKG_NAME"));
        Ok(Self { provider, logger })
    }

    /// Exports one event.
    pub fn export(&self, event: &Event) {
        let (name, severity) = match &event.what {
            EventKind::Result(_) => ("tersed.result", Severity::Info),
            EventKind::Failure(_) => ("tersed.failure", Severity::Error),
            EventKind::Alert(_) => ("tersed.alert", Severity::Warn),
            EventKind::End => ("tersed.end", Severity::Info),
            // The header of a file; collectors have no files.
            EventKind::Header => return,
        };
        let mut record = self.logger.create_log_record();
        record.set_event_name(name);
        record.set_severity_number(severity);
        record.set_timestamp(std::time::UNIX_EPOCH + std::time::Duration::from_millis(event.time));
        if let Ok(serde_json::Value::Object(members)) = serde_json::to_value(event) {
            for (key, value) in members {
                if let Some(value) = any(value) {
                    record.add_attribute(format!("tersed.{key}"), value);
                }
            }
        }
        self.logger.emit(record);
    }

    /// Exports what is still queued.
    pub fn close(&self) {
        // An unreachable collector does not change how the process ends.
        let _ = self.provider.shutdown();
    }
}

/// A client that uses the proxy from the environment, but never for this machine itself, which a proxy cannot reach.
fn client(endpoint: &str) -> Result<Client, String> {
    let url = Url::parse(endpoint).map_err(|e| e.to_string())?;
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    let here = host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    // The client cannot be created on a thread of the async runtime.
    let client = thread::spawn(move || {
        let builder = Client::builder().timeout(TIMEOUT);
        if here { builder.no_proxy() } else { builder }.build()
    });
    client.join().map_err(|_| "the HTTP client could not be made".to_owned())?.map_err(|e| e.to_string())
}

fn any(value: serde_json::Value) -> Option<AnyValue> {
    use serde_json::Value;
    Some(match value {
        Value::Null => return None,
        Value::Bool(is) => AnyValue::Boolean(is),
        Value::Number(n) => match n.as_i64() {
            Some(n) => AnyValue::Int(n),
            None => AnyValue::Double(n.as_f64()?),
        },
        Value::String(text) => AnyValue::String(text.into()),
        Value::Array(items) => AnyValue::ListAny(Box::new(items.into_iter().filter_map(any).collect())),
        Value::Object(members) => {
            let members = members.into_iter().filter_map(|(key, value)| Some((key.into(), any(value)?)));
            AnyValue::Map(Box::new(members.collect()))
        }
    })
}
