import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";

const name = "vedette_http_request_duration_seconds";

/** Maximum number of series. Above it, all other combinations of labels share one series. */
const maxSeries = 200;

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
 * Adds the default metrics of the process. The event loop histogram wakes up a hundred times a
 * second, which would be most of the cost of an idle server, so it is nearly disabled. The current
 * lag is measured at each scrape instead.
 */
function collectProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 3_600_000 });
  for (const figure of ["min", "max", "mean", "stddev", "p50", "p90", "p99"]) {
    registry.removeSingleMetric(`nodejs_eventloop_lag_${figure}_seconds`);
  }
  // Remove gauges that end with `_total`: `nodejs_active_resources` has the same values.
  for (const name of ["handles", "requests", "resources"]) {
    registry.removeSingleMetric(`nodejs_active_${name}_total`);
  }
}

/**
 * Metrics of the process, such as garbage collections. All servers of the process share one
 * registry, because each further registry would add an observer of garbage collections that cannot
 * be removed.
 */
let processRegistry: Registry | undefined;

function findProcessRegistry(): Registry {
  if (processRegistry === undefined) {
    processRegistry = new Registry();
    collectProcessMetrics(processRegistry);
  }
  return processRegistry;
}

/** Creates the metrics of one app, so that tests can run several apps in one process. */
export function createMetrics(): Metrics {
  const ofProcess = findProcessRegistry();
  const registry = new Registry();
  const registers = [registry];
  const requestTimes = new RequestTimes();
  return {
    registry,
    requestTimes,
    write: async () =>
      (await ofProcess.metrics()) + (await registry.metrics()) + requestTimes.write(),
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

/** Adds a gauge whose value is read at each scrape. */
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
const bounds = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5];

/** One series of the histogram, for one route, method and status. */
class Series {
  readonly labels: string;
  readonly counts = new Float64Array(bounds.length);
  count = 0;
  sumSeconds = 0;

  constructor(labels: string) {
    this.labels = labels;
  }

  observe(seconds: number): void {
    this.count += 1;
    this.sumSeconds += seconds;
    let index = 0;
    while (seconds > (bounds[index] ?? seconds)) index += 1;
    if (index < bounds.length) this.counts[index] = (this.counts[index] ?? 0) + 1;
  }

  *lines(): Generator<string> {
    let below = 0;
    for (const [index, bound] of bounds.entries()) {
      below += this.counts[index] ?? 0;
      yield `${name}_bucket{le="${bound}",${this.labels}} ${below}`;
    }
    yield `${name}_bucket{le="+Inf",${this.labels}} ${this.count}`;
    yield `${name}_sum{${this.labels}} ${this.sumSeconds}`;
    yield `${name}_count{${this.labels}} ${this.count}`;
  }
}

export type ObserveRequest = (statusCode: number, elapsedMs: number) => void;

/**
 * Histogram of request durations. The histogram of the library hashes the labels on every request,
 * which is expensive, so each route stores its own series.
 */
export class RequestTimes {
  readonly #series: Series[] = [];
  readonly #rest = new Series('method="other",route="other",status="other"');

  forRoute(method: string, route: string): ObserveRequest {
    const byStatus = new Map<number, Series>();
    return (statusCode, elapsedMs) => {
      const known = byStatus.get(statusCode) ?? this.#add({ byStatus, method, route, statusCode });
      known.observe(elapsedMs / 1_000);
    };
  }

  /** Returns the histogram in the Prometheus text format. */
  write(): string {
    const help = `# HELP ${name} Time from the first byte of a request to the end of its response.`;
    const shown = this.#rest.count === 0 ? this.#series : [...this.#series, this.#rest];
    const lines = shown.flatMap((series) => [...series.lines()]);
    return [help, `# TYPE ${name} histogram`, ...lines, ""].join("\n");
  }

  #add(one: {
    readonly byStatus: Map<number, Series>;
    readonly method: string;
    readonly route: string;
    readonly statusCode: number;
  }): Series {
    const { byStatus, method, route, statusCode } = one;
    const series =
      this.#series.length < maxSeries
        ? new Series(`method="${method}",route="${route}",status="${statusCode}"`)
        : this.#rest;
    byStatus.set(statusCode, series);
    if (series !== this.#rest) this.#series.push(series);
    return series;
  }
}
