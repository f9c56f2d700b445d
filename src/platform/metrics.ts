import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { RequestTimes } from "./request-times.ts";

export interface Metrics {
  readonly registry: Registry;
  readonly requestTimes: RequestTimes;
  /** Everything, in the text format that Prometheus reads. */
  readonly write: () => Promise<string>;
  readonly databaseRestarts: Counter;
  readonly databaseUp: Gauge;
  readonly unexpectedErrors: Counter;
}

/**
 * The distribution of the event loop's delay is measured by waking up a hundred times a second,
 * which is most of what an idle server would cost. The delay itself is measured at each reading.
 */
function collectProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 3_600_000 });
  for (const figure of ["min", "max", "mean", "stddev", "p50", "p90", "p99"]) {
    registry.removeSingleMetric(`nodejs_eventloop_lag_${figure}_seconds`);
  }
  // Gauges with the ending of a counter; `nodejs_active_resources` tells the same, and by kind.
  for (const name of ["handles", "requests", "resources"]) {
    registry.removeSingleMetric(`nodejs_active_${name}_total`);
  }
}

/** One registry per app, so that tests can run several in one process. */
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
      help: "How often the embedded PostgreSQL died and was started again.",
      registers,
    }),
    databaseUp: new Gauge({
      name: "vedette_database_up",
      help: "1 while the last look at the database succeeded.",
      registers,
    }),
    unexpectedErrors: new Counter({
      name: "vedette_unexpected_errors_total",
      help: "Errors that no code handled. Each is logged; the server continues.",
      registers,
    }),
  };
}

/** Read whenever somebody reads the metrics. */
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
