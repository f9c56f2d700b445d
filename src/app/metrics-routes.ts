import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { Type } from "typebox";
import type { HttpServer } from "../platform/http/server.ts";
import type { Log } from "../platform/log.ts";
import type { Metrics } from "../platform/metrics.ts";
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
