import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { Registry } from "prom-client";
import { Type } from "typebox";
import { addGapMetrics } from "../domains/on-call/index.ts";
import type { ScheduleContext } from "../domains/schedule/index.ts";
import type { Presence } from "../domains/servers/index.ts";
import type { HttpServer } from "../platform/http/server.ts";
import type { Log } from "../platform/log.ts";
import { addGauge, type Metrics } from "../platform/metrics.ts";
import { http } from "../platform/node-modules.ts";

const keptMs = 1_000;

/** The machine's clock, not the product's: this limits load. */
type ReadMs = () => number;
const readMachineMs: ReadMs = () => performance.now();

/** Renders at most once a second for any number of clients. */
function createWriter({ write }: Pick<Metrics, "write">, readMs: ReadMs): () => Promise<string> {
  let writtenAtMs = Number.NEGATIVE_INFINITY;
  let written = Promise.resolve("");
  return () => {
    const nowMs = readMs();
    if (nowMs - writtenAtMs < keptMs) return written;
    writtenAtMs = nowMs;
    written = write();
    written.catch(() => {
      writtenAtMs = Number.NEGATIVE_INFINITY;
    });
    return written;
  };
}

export function addMetricsRoute(server: HttpServer, metrics: Metrics): void {
  const write = createWriter(metrics, readMachineMs);
  server.get(
    "/metrics",
    {
      config: { access: "public", isForReaders: true },
      schema: {
        tags: ["Service"],
        operationId: "getMetrics",
        summary: "Read metrics for Prometheus",
        description: "Prometheus text format; rendered at most once a second.",
        produces: ["text/plain"],
        response: { 200: Type.String() },
      },
    },
    async (_request, reply) => reply.type(metrics.registry.contentType).send(await write()),
  );
}

/** Starts a separate port that serves only `/metrics`. */
export async function startMetricsServer(
  place: { readonly host: string; readonly port: number },
  metrics: Metrics,
  { log, readMs = readMachineMs }: { readonly log: Log; readonly readMs?: ReadMs },
): Promise<{ readonly port: number; readonly stop: () => Promise<void> }> {
  const write = createWriter(metrics, readMs);
  const server = http.createServer(async (request, response) => {
    if (request.url !== "/metrics") {
      response.writeHead(404).end();
      return;
    }
    try {
      const text = await write();
      response.writeHead(200, { "content-type": metrics.registry.contentType }).end(text);
    } catch (error) {
      log.error({ err: error }, "failed to render the metrics");
      response.writeHead(500).end();
    }
  });
  server.maxConnections = 64;
  server.requestTimeout = 10_000;
  server.listen(place.port, place.host);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  log.info({ port }, "metrics are served on a separate port");
  return {
    port,
    stop: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Adds metrics about all servers, as known to this one. */
export function addServerMetrics(
  registry: Registry,
  presence: Pick<Presence, "liveCount" | "clockSkewMs">,
  { load, db, clock }: Pick<ScheduleContext, "load" | "db" | "clock">,
): void {
  addGapMetrics(registry, { db, clock });
  addGauge(registry, {
    name: "vedette_runs_skipped_ratio",
    help: "Share of the runs due in the last minute that were skipped because of overload.",
    read: () => load.overloadShare(clock.nowMs()),
  });
  addGauge(registry, {
    name: "vedette_live_servers",
    help: "Live servers on this database.",
    read: () => presence.liveCount,
  });
  addGauge(registry, {
    name: "vedette_clock_offset_seconds",
    help: "How far this machine's clock is ahead of the database's; times are corrected for it.",
    read: () => (presence.clockSkewMs ?? 0) / 1_000,
  });
}
