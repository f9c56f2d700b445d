/** The compared deployment modes, each with real processes. */
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type pg from "pg";
import { writeNatsUsers } from "../../src/app/nats-users.ts";
import { startEmbeddedPostgres } from "../../src/platform/embedded-postgres/index.ts";
import { createLog } from "../../src/platform/log.ts";
import { type NatsServer, startNatsServer } from "../../test/support/servers/nats-server.ts";
import { type Spawned, spawnServer } from "../support.ts";

export interface Mode {
  readonly words: string;
  /** If missing, one server with its embedded PostgreSQL. */
  readonly servers?: 1 | 2;
  readonly hasNats?: boolean;
  /** If set, all checks run at a private location with one probe. */
  readonly probe?: "websocket" | "nats";
}

export const modes = {
  embedded: { words: "one process, PostgreSQL embedded" },
  one: { words: "one server on DATABASE_URL", servers: 1 },
  two: { words: "two servers", servers: 2 },
  "two-nats": { words: "two servers with NATS", servers: 2, hasNats: true },
  websocket: { words: "one server, a probe over WebSocket", servers: 1, probe: "websocket" },
  nats: { words: "one server, a probe over NATS", servers: 1, hasNats: true, probe: "nats" },
} as const satisfies Readonly<Record<string, Mode>>;

export type ModeName = keyof typeof modes;

/** The components of a mode. Each is the root of a process tree. */
export interface Running {
  readonly servers: readonly Spawned[];
  readonly probe: Spawned | null;
  readonly postgresPid: number | null;
  readonly natsPid: number | null;
  readonly connection: pg.ClientConfig;
  /** Location fields of the checks. */
  readonly places: object;
  readonly stop: () => Promise<void>;
}

const script = "bin/vedette.ts";
const key = "bench-key-bench-key-bench-key";
const location = "bench";
const [natsUser, natsPassword] = ["vedette", "servers-of-the-bench"];
const natsLogin = writeNatsUsers([], {
  ...{ servers: [], isTls: false, user: natsUser, password: natsPassword },
});

type Environment = Readonly<Record<string, string>>;
type Ending = () => unknown;

export async function post<Answer>(url: string, path: string, body: object): Promise<Answer> {
  const answer = await fetch(`${url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (answer.status !== 201) throw new Error(await answer.text());
  return (await answer.json()) as Answer;
}

const common: Environment = {
  PORT: "0",
  BOOTSTRAP_API_KEY: key,
  EXAMPLE: "false",
  RATE_LIMIT_PER_MINUTE: "0",
  DRAIN_SECONDS: "0",
  LOG_LEVEL: "warn",
};

async function startPostgres(folder: string, endings: Ending[]) {
  const postgres = await startEmbeddedPostgres({
    dataDir: join(folder, "database"),
    log: createLog("warn"),
    onRestart: () => {},
    onAbandoned: () => {},
  });
  endings.push(() => postgres.stop());
  const { host, user, database } = postgres.connection;
  const url = `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}`;
  return { pid: postgres.pid(), connection: postgres.connection, url };
}

async function startNats(endings: Ending[]) {
  const nats = await startNatsServer(natsLogin);
  endings.push(() => nats.stop());
  return nats;
}

interface ProbePlan {
  readonly folder: string;
  readonly transport: "websocket" | "nats";
  readonly server: Spawned;
  /** Server settings, from which the NATS users are derived. */
  readonly environment: Environment;
  readonly nats: NatsServer | null;
}

/** Sets up a location, a key and, if needed, NATS users, as an operator would. */
async function startProbe({ folder, transport, server, environment, nats }: ProbePlan) {
  const path = "/v1/private-locations";
  const { id } = await post<{ id: string }>(server.url, path, {
    name: location,
    slugName: location,
  });
  const { rawKey } = await post<{ rawKey: string }>(server.url, `${path}/${id}/keys`, {});
  if (transport === "nats") {
    const env = { ...process.env, ...environment };
    const { stdout } = await promisify(execFile)(process.execPath, [script, "nats-users"], { env });
    await nats?.configure(stdout);
  }
  const way = transport === "nats" ? ["--nats", nats?.url ?? ""] : ["--server", server.url];
  return spawnServer(
    script,
    ["probe", ...way, "--name", "bench"],
    { ...common, PROBE_TOKEN: rawKey, DATA_DIR: join(folder, "probe") },
    /probes for (\S+)/,
  );
}

async function startServer(environment: Environment, endings: Ending[]): Promise<Spawned> {
  const server = await spawnServer(script, ["server"], environment);
  endings.push(() => server.stop());
  return server;
}

async function startParts(mode: Mode, folder: string, endings: Ending[]) {
  const nats = mode.hasNats ? await startNats(endings) : null;
  const natsUrl = nats?.url.replace("nats://", `nats://${natsUser}:${natsPassword}@`);
  const postgres = mode.servers === undefined ? null : await startPostgres(folder, endings);
  const environment: Environment = {
    ...common,
    ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    ...(postgres !== null && { DATABASE_URL: postgres.url }),
    ...(natsUrl !== undefined && { NATS_URL: natsUrl }),
  };
  const settings = { ...environment, DATA_DIR: join(folder, "server-1") };
  const server = await startServer(settings, endings);
  const servers = [server];
  if (mode.servers === 2) {
    servers.push(
      await startServer({ ...environment, DATA_DIR: join(folder, "server-2") }, endings),
    );
  }
  const embedded = { host: join(folder, "server-1", "socket"), user: "vedette" };
  const parts = {
    servers,
    postgresPid: postgres?.pid ?? null,
    natsPid: nats?.pid() ?? null,
    connection: postgres?.connection ?? { ...embedded, database: "vedette" },
  };
  if (mode.probe === undefined) return { ...parts, probe: null, places: {} };
  const plan = { folder, transport: mode.probe, server, environment: settings, nats };
  const probe = await startProbe(plan);
  endings.push(() => probe.stop());
  return { ...parts, probe, places: { privateLocations: [location] } };
}

export async function startMode(mode: Mode): Promise<Running> {
  const folder = mkdtempSync(join(tmpdir(), "vedette-machines-"));
  const endings: Ending[] = [() => rmSync(folder, { recursive: true, force: true })];
  const stop = async () => {
    for (const end of endings.toReversed()) await end();
  };
  try {
    return { ...(await startParts(mode, folder, endings)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
