import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

export interface ObservedRequest {
  readonly method: string;
  readonly route: string;
  readonly statusCode: number;
  readonly elapsedMs: number;
}

export interface Metrics {
  readonly registry: Registry;
  readonly observeRequest: (request: ObservedRequest) => void;
  readonly databaseRestarts: Counter;
  readonly databaseUp: Gauge;
}

/** One registry per app, so that tests can run several in one process. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const requests = new Histogram({
    name: "vedette_http_request_duration_seconds",
    help: "Time from the first byte of a request to the last byte of its answer.",
    labelNames: ["method", "route", "status"],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
    registers,
  });
  return {
    registry,
    observeRequest: ({ method, route, statusCode, elapsedMs }) => {
      requests.observe({ method, route, status: String(statusCode) }, elapsedMs / 1000);
    },
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
  };
}
