import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { Registry } from "prom-client";
import { Type } from "typebox";
import { type Caller, isAllowed } from "../access/accounts/index.ts";
import {
  listServers,
  maxClockSkewMs,
  type Presence,
  type Server,
  toSkippedPercent,
} from "../access/servers/index.ts";
import type { Database } from "../platform/database.ts";
import { KnownError } from "../platform/errors.ts";
import { answers, DateTime, Described, OrNull, publicAnswers } from "../platform/http/schema.ts";
import type { HttpServer } from "../platform/http/server.ts";
import type { Log } from "../platform/log.ts";
import { addGauge, type Metrics } from "../platform/metrics.ts";
import { http } from "../platform/node-modules.ts";
import { addReachMetrics } from "../response/alerting/index.ts";
import { addGapMetrics } from "../response/on-call/index.ts";
import { countHeldShards, type ScheduleContext, shardCount } from "../runs/scheduling/index.ts";
import type { ReadinessWatch } from "./readiness.ts";

interface ServiceState {
  readonly readiness: Pick<ReadinessWatch, "check">;
}

const tags = ["Service"];
const config = { access: "public", isUnlimited: true } as const;
const Status = Type.Object({
  status: Type.String({ description: "`alive`.", examples: ["alive"] }),
});
const Ready = Type.Object({
  status: Type.String({ description: "`ready`.", examples: ["ready"] }),
  problems: Type.Optional(
    Type.Array(Type.String(), { description: "Problems that leave the server ready" }),
  ),
});

/**
 * Adds the routes for load balancers and supervisors. Their responses contain no data of accounts.
 */
export function addServiceRoutes(server: HttpServer, state: ServiceState): void {
  server.get(
    "/healthz",
    {
      config,
      schema: {
        tags,
        operationId: "getHealth",
        summary: "Check whether the process is alive",
        description: "For supervisors. It does not query the database.",
        response: { 200: Status },
      },
    },
    async () => ({ status: "alive" }),
  );
  server.get(
    "/readyz",
    {
      config,
      schema: {
        tags,
        operationId: "getReadiness",
        summary: "Check whether the server is ready",
        description:
          "For load balancers: checks the database, its disk and the background loops. 503 means that traffic should go to another server.",
        response: publicAnswers({ 200: Ready }, "unavailable"),
      },
    },
    async () => {
      const { isReady, problems } = await state.readiness.check();
      if (!isReady) {
        const message = `Not ready: ${problems.join("; ")}`;
        throw new KnownError("unavailable", { message, retryAfterSeconds: 2 });
      }
      return problems.length === 0
        ? { status: "ready" }
        : { status: "ready", problems: [...problems] };
    },
  );
}

interface ServerTools {
  readonly db: Database;
  /** Id of the server that handles the request. */
  readonly serverId: string;
}

const Flag = (description: string, example: boolean) =>
  Type.Boolean({ description, examples: [example] });

const ServerAnswer = Type.Object(
  {
    id: Type.String({
      description: "Id of the server; survives a restart on its data folder.",
      examples: ["0b6f2c1e-8a4d-4f1e-9a57-3f1f0a6f2b11"],
    }),
    name: Described(
      OrNull(Type.String()),
      "Host name; `null` if the caller is not an admin.",
      "vedette-1",
    ),
    address: Described(
      OrNull(Type.String()),
      "URL it listens on; `null` if not known yet, or if the caller is not an admin.",
      "http://10.0.0.5:3000",
    ),
    version: Type.String({ description: "Version of Vedette.", examples: ["1.0.0"] }),
    isLive: Flag("Whether it reported within the last 8 seconds.", true),
    isThis: Flag("Whether it is the server that handles this request.", true),
    isScheduling: Flag(
      "False while it cannot record results and other servers run its checks.",
      true,
    ),
    startedAt: Described(DateTime, "When the server was started."),
    lastSeenAt: Described(DateTime, "When it last reported."),
    shards: Type.Integer({
      description: "Number of shards of checks it holds.",
      minimum: 0,
      maximum: shardCount,
      examples: [32],
    }),
    clockOffsetSeconds: Described(
      OrNull(Type.Number()),
      "How far its clock is ahead of the database's; `null` if not measured. Times are corrected for it.",
      0.004,
    ),
    isClockWrong: Flag("Whether its clock is more than two seconds off.", false),
    lagSeconds: Type.Number({
      description: "How long its slowest background loop has made no progress; 0 while all do.",
      minimum: 0,
      examples: [0],
    }),
    slowestLoop: Described(
      OrNull(Type.String()),
      "Name of that loop; `null` if there is none.",
      null,
    ),
    skippedPercent: Type.Integer({
      description:
        "Percentage of the runs due in the last minute that it skipped because of overload.",
      minimum: 0,
      maximum: 100,
      examples: [0],
    }),
  },
  { title: "Server" },
);

const ServersAnswer = Type.Object(
  {
    servers: Type.Array(ServerAnswer, {
      description: "Live servers, and those lost within the last day.",
    }),
    shards: Type.Object(
      {
        total: Type.Integer({ description: "Number of shards.", examples: [shardCount] }),
        free: Type.Integer({
          description: "Number of shards that no server holds; their checks do not run.",
          examples: [0],
        }),
      },
      { description: "Shards: parts of all checks, divided among the servers." },
    ),
  },
  { title: "Servers" },
);

function describeServer(server: Server, shards: number, mayKnow: boolean, serverId: string) {
  const { clockSkewMs } = server;
  return {
    id: server.id,
    name: mayKnow ? server.name : null,
    address: mayKnow ? server.address : null,
    version: server.version,
    isLive: server.isLive,
    isThis: server.id === serverId,
    isScheduling: server.isScheduling,
    startedAt: server.startedAt.toISOString(),
    lastSeenAt: server.seenAt.toISOString(),
    shards,
    clockOffsetSeconds: clockSkewMs === null ? null : clockSkewMs / 1_000,
    isClockWrong: Math.abs(clockSkewMs ?? 0) > maxClockSkewMs,
    lagSeconds: server.lagMs / 1_000,
    slowestLoop: server.slowestLoop,
    skippedPercent: toSkippedPercent(server.skippedShare),
  };
}

async function describeServers({ db, serverId }: ServerTools, caller: Caller) {
  const mayKnow = isAllowed("admin", caller.role, caller.type === "SESSION");
  const [servers, held] = await Promise.all([listServers(db), countHeldShards(db)]);
  let free = shardCount;
  for (const count of held.values()) free -= count;
  return {
    servers: servers.map((one) => describeServer(one, held.get(one.id) ?? 0, mayKnow, serverId)),
    shards: { total: shardCount, free },
  };
}

export function addServerRoutes(server: HttpServer, tools: ServerTools): void {
  server.get(
    "/v1/servers",
    {
      config: { access: "read" },
      schema: {
        tags: ["Service"],
        operationId: "listServers",
        summary: "List the servers of this installation",
        description:
          "The servers that share this database, which of them are alive, how checks are divided " +
          "among them and how far each lags behind. Only admins see names and URLs.",
        response: answers({ 200: ServersAnswer }),
      },
    },
    ({ caller }) => describeServers(tools, caller),
  );
}

const keptMs = 1_000;

/**
 * Reads a monotonic clock of this machine. The clock of the time of day is not used here, because
 * it jumps when the time is corrected.
 */
type ReadMs = () => number;
const readMachineMs: ReadMs = () => performance.now();

/** Returns a function that renders the metrics at most once per second, even with many clients. */
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

/**
 * Adds metrics about on-call gaps, unreachable members, skipped runs, live servers and the clock.
 */
export function addServerMetrics(
  registry: Registry,
  presence: Pick<Presence, "liveCount" | "clockSkewMs">,
  { load, db, clock }: Pick<ScheduleContext, "load" | "db" | "clock">,
  alerting: Parameters<typeof addReachMetrics>[1],
): void {
  addGapMetrics(registry, { db, clock });
  addReachMetrics(registry, alerting);
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
