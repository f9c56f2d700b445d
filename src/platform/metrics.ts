import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { RequestTimes } from "./request-times.ts";

export interface Metrics {
  readonly registry: Registry;
  readonly requestTimes: RequestTimes;
  /** Returns all metrics in the Prometheus text format. */
  readonly write: () => Promise<string>;
  readonly databaseRestarts: Counter;
  readonly databaseUp: Gauge;
  readonly unexpectedErrors: Counter;
}

/**
 * The histogram of the event loop's delay wakes up a hundred times a second, which would be most of
 * the cost of an idle server. The delay itself is measured at each scrape.
 */
function collectProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 3_600_000 });
  for (const figure of ["min", "max", "mean", "stddev", "p50", "p90", "p99"]) {
    registry.removeSingleMetric(`nodejs_eventloop_lag_${figure}_seconds`);
  }
  // Gauges that end with `_total`; `nodejs_active_resources` has the same values by type.
  for (const name of ["handles", "requests", "resources"]) {
    registry.removeSingleMetric(`nodejs_active_${name}_total`);
  }
}

/** Creates one registry per app, so that tests can run several in one process. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectProcessMetrics(registry);
  const registers = [registry];
  const requestTimes = new RequestTimes();
  return {
    registry,
    requestTimes,
    write: async () => (await registry.metrics()) + requestTimes.write(),
    databaseRestarts: new Counter({
      name: "vedette_embedded_postgres_restarts_total",
      help: "Number of restarts of the embedded PostgreSQL after a crash.",
      registers,
    }),
    databaseUp: new Gauge({
      name: "vedette_database_up",
      help: "1 if the last check of the database succeeded.",
      registers,
    }),
    unexpectedErrors: new Counter({
      name: "vedette_unexpected_errors_total",
      help: "Unhandled errors. Each is logged; the server continues.",
      registers,
    }),
  };
}

/** Adds a gauge that is read at each scrape. */
export function addGauge(
  registry: Registry,
  { read, ...about }: { readonly name: string; readonly help: string; readonly read: () => number },
): void {
  new Gauge({
    ...about,
    registers: [registry],
    collect() {
      this.set(read());
    },
  });
}
