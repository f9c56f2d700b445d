import { Type } from "typebox";
import { type Caller, isAllowed } from "../domains/accounts/index.ts";
import { countHeldShards, shardCount } from "../domains/runs/index.ts";
import {
  listServers,
  maxClockSkewMs,
  type Server,
  toSkippedPercent,
} from "../domains/servers/index.ts";
import type { Database } from "../platform/database.ts";
import { answers, DateTime, Described, OrNull } from "../platform/http/schema.ts";
import type { HttpServer } from "../platform/http/server.ts";

export interface ServerTools {
  readonly db: Database;
  /** Of the server that answers. */
  readonly serverId: string;
}

const Flag = (description: string, example: boolean) =>
  Type.Boolean({ description, examples: [example] });

const ServerAnswer = Type.Object(
  {
    id: Type.String({
      description: "Stays the same when the server is restarted on its data folder.",
      examples: ["0b6f2c1e-8a4d-4f1e-9a57-3f1f0a6f2b11"],
    }),
    name: Described(
      OrNull(Type.String()),
      "The name of its machine; null: the caller is no admin.",
      "vedette-1",
    ),
    address: Described(
      OrNull(Type.String()),
      "Where it listens; null: not yet, or the caller is no admin.",
      "http://10.0.0.5:3000",
    ),
    version: Type.String({ description: "Its version of Vedette.", examples: ["1.0.0"] }),
    isLive: Flag("Whether it looked in within the last 8 seconds.", true),
    isThis: Flag("Whether it is the one that answers this request.", true),
    isScheduling: Flag(
      "False while it cannot record results and leaves its checks to others.",
      true,
    ),
    startedAt: Described(DateTime, "When it was started."),
    lastSeenAt: Described(DateTime, "When it last looked in."),
    shards: Type.Integer({
      description: "How many of the shards of checks it holds.",
      minimum: 0,
      maximum: shardCount,
      examples: [32],
    }),
    clockOffsetSeconds: Described(
      OrNull(Type.Number()),
      "By how much its clock is ahead of the database's; null: not measured. It is corrected for.",
      0.004,
    ),
    isClockWrong: Flag("Whether its clock is more than two seconds off.", false),
    lagSeconds: Type.Number({
      description: "How long its slowest work in the background has not got on; 0 while all does.",
      minimum: 0,
      examples: [0],
    }),
    slowestLoop: Described(OrNull(Type.String()), "Which work that is; null: none.", null),
    skippedPercent: Type.Integer({
      description: "Percent of the runs due in the last minute that it skipped, being overloaded.",
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
      description: "Those that are alive, and those that were lost within the last day.",
    }),
    shards: Type.Object(
      {
        total: Type.Integer({ description: "How many there are.", examples: [shardCount] }),
        free: Type.Integer({
          description: "How many no server holds; their checks do not run until one takes them.",
          examples: [0],
        }),
      },
      { description: "The parts that checks are split in, to be shared among servers." },
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
          "Which servers share this database, which of them live, how the checks are shared " +
          "among them and how far each is behind. Names and addresses are for admins.",
        response: answers({ 200: ServersAnswer }),
      },
    },
    ({ caller }) => describeServers(tools, caller),
  );
}
