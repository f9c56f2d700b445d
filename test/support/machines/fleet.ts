/**
 * The whole of it on one machine: PostgreSQL, servers and probes as processes, with a link between
 * any two that talk, the targets that are watched and the receiver of the alerts.
 */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { findFreePort } from "../servers/free-port.ts";
import { type HttpReceiver, startHttpReceiver } from "../servers/http-receiver.ts";
import { waitUntil } from "../time/wait-until.ts";
import { Endings } from "./endings.ts";
import { type Link, startLink } from "./link.ts";
import { Machine } from "./machine.ts";
import { PostgresMachine } from "./postgres-machine.ts";
import { startTargets, type Targets } from "./targets.ts";

const script = join(import.meta.dirname, "..", "..", "..", "bin", "vedette.ts");
const apiKey = "faults-key-0123456789abcdef";
const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
const answerPatienceMs = 30_000;

export interface FleetOptions {
  readonly servers: number;
  readonly targets: number;
}

export interface Answer {
  /** Null: the connection broke, or nothing came in time. */
  readonly status: number | null;
  readonly body: string;
}

export interface Server {
  readonly machine: Machine;
  readonly url: string;
  readonly isReady: () => Promise<boolean>;
}

export interface Fleet {
  /** Where everything keeps its files; `NAME.log` is what a process wrote. */
  readonly folder: string;
  readonly postgres: PostgresMachine;
  readonly servers: readonly Server[];
  /** All processes but PostgreSQL, by their names. */
  readonly machines: ReadonlyMap<string, Machine>;
  readonly links: ReadonlyMap<string, Link>;
  /** Waits until a machine that was started again does its work. */
  readonly isBack: (name: string) => Promise<void>;
  readonly targets: Targets;
  readonly receiver: HttpReceiver;
  readonly query: <Row extends object>(text: string, values?: unknown[]) => Promise<Row[]>;
  readonly ask: (url: string, method?: string, body?: unknown) => Promise<Answer>;
  /** Kept: the files stay, for those who look at a failure. */
  readonly stop: (options?: { readonly isKept: boolean }) => Promise<void>;
}

async function ask(url: string, method = "GET", body?: unknown): Promise<Answer> {
  try {
    const answer = await fetch(url, {
      method,
      headers,
      signal: AbortSignal.timeout(answerPatienceMs),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: await answer.text() };
  } catch (error) {
    return { status: null, body: String(error) };
  }
}

/** Asks PostgreSQL past all links. */
function createQuery(postgres: PostgresMachine, endings: Endings): Fleet["query"] {
  const pool = new pg.Pool({ ...postgres.connection, max: 2 });
  pool.on("error", () => {});
  endings.after(() => pool.end());
  return async <Row extends object>(text: string, values: unknown[] = []) =>
    (await pool.query<Row>(text, values)).rows;
}

interface Ground {
  readonly folder: string;
  readonly endings: Endings;
  readonly links: Map<string, Link>;
  readonly postgres: PostgresMachine;
  /** Seals secrets on every server alike. */
  readonly encryptionKey: string;
}

async function addLink(ground: Ground, name: string, ...ends: (number | string)[]): Promise<Link> {
  const link = await startLink(name, ...ends);
  ground.endings.after(link.stop);
  ground.links.set(name, link);
  return link;
}

function createMachine(
  ground: Ground,
  name: string,
  list: readonly string[],
  environment: Readonly<Record<string, string>>,
): Machine {
  const { PATH = "", NODE_COMPILE_CACHE = "" } = process.env;
  const machine = new Machine({
    name,
    file: process.execPath,
    arguments: [script, ...list],
    environment: { PATH, NODE_COMPILE_CACHE, ...environment },
    logFile: join(ground.folder, `${name}.log`),
  });
  ground.endings.after(() => machine.kill());
  return machine;
}

async function createServer(ground: Ground, name: string): Promise<Server> {
  const database = await addLink(ground, `${name}>postgres`, ground.postgres.socketPath);
  const port = await findFreePort();
  const { user, database: databaseName } = ground.postgres.connection;
  const machine = createMachine(ground, name, ["server"], {
    DATA_DIR: join(ground.folder, name),
    PORT: String(port),
    DATABASE_URL: `postgres://${user}@127.0.0.1:${database.port}/${databaseName}`,
    DATABASE_TIMEOUT_MS: "5000",
    ENCRYPTION_KEY: ground.encryptionKey,
    BOOTSTRAP_API_KEY: apiKey,
    EXAMPLE: "false",
    LOG_LEVEL: "info",
    RATE_LIMIT_PER_MINUTE: "0",
    OUTBOUND_ALLOW_PRIVATE: "true",
    DRAIN_SECONDS: "2",
  });
  const url = `http://127.0.0.1:${port}`;
  return { machine, url, isReady: async () => (await ask(`${url}/readyz`)).status === 200 };
}

export async function startFleet(options: FleetOptions): Promise<Fleet> {
  const endings = new Endings();
  try {
    const folder = await mkdtemp(join(tmpdir(), "vedette-faults-"));
    let isKept = false;
    endings.after(() => isKept || rm(folder, { recursive: true, force: true, maxRetries: 10 }));
    const postgres = await PostgresMachine.start(join(folder, "database"));
    endings.after(() => postgres.stop());
    const targets = await startTargets(options.targets);
    endings.after(targets.stop);
    const receiver = await startHttpReceiver(endings);
    const links = new Map<string, Link>();
    const encryptionKey = randomBytes(32).toString("base64");
    const ground: Ground = { folder, endings, links, postgres, encryptionKey };
    const servers: Server[] = [];
    for (let number = 1; number <= options.servers; number += 1) {
      servers.push(await createServer(ground, `server-${number}`));
    }
    // The first one makes the tables; started together they would wait for each other anyway.
    for (const { machine, isReady } of servers) {
      machine.start();
      await waitUntil(`${machine.name} is ready`, isReady);
    }
    const query = createQuery(postgres, endings);
    const machines = new Map(servers.map(({ machine }) => [machine.name, machine]));
    const isBack = async (name: string) => {
      const server = servers.find(({ machine }) => machine.name === name);
      await waitUntil(`${name} is ready`, async () => {
        server?.machine.keepUp();
        return server === undefined || (await server.isReady());
      });
    };
    const things = { folder, postgres, servers, machines, links, targets, receiver };
    const stop: Fleet["stop"] = (how) => {
      isKept = how?.isKept ?? false;
      return endings.run();
    };
    return { ...things, query, ask, isBack, stop };
  } catch (error) {
    await endings.run().catch(() => {});
    throw error;
  }
}
