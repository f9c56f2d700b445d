/**
 * Starts a complete fleet on one machine: PostgreSQL, NATS, servers and probes as processes, the
 * monitored targets, and the alert receiver. A link connects any two members that communicate.
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
import type { Link } from "./link.ts";
import type { Machine } from "./machine.ts";
import {
  admitProbes,
  createNats,
  createProbe,
  createServer,
  type Ground,
  type Member,
  type ProbePlan,
  type Server,
} from "./members.ts";
import { PostgresMachine } from "./postgres-machine.ts";
import { startTargets, type Targets } from "./targets.ts";

export interface FleetOptions {
  readonly servers: number;
  readonly targets: number;
  readonly probes: readonly ProbePlan[];
}

export interface Fleet {
  /** Folder of all files. `NAME.log` contains the output of the process NAME. */
  readonly folder: string;
  readonly postgres: PostgresMachine;
  readonly servers: readonly Server[];
  /** All processes except PostgreSQL, by name. */
  readonly machines: ReadonlyMap<string, Machine>;
  readonly links: ReadonlyMap<string, Link>;
  /** Waits until a restarted machine works again. */
  readonly isBack: (name: string) => Promise<void>;
  readonly targets: Targets;
  readonly receiver: HttpReceiver;
  readonly query: <Row extends object>(text: string, values?: unknown[]) => Promise<Row[]>;
  /** Stops the fleet. With `isKept`, the files are not deleted, for debugging. */
  readonly stop: (options?: { readonly isKept: boolean }) => Promise<void>;
}

/**
 * Returns a function that queries PostgreSQL directly, not through a link that a fault could
 * affect.
 */
function createQuery(postgres: PostgresMachine, endings: Endings): Fleet["query"] {
  const pool = new pg.Pool({ ...postgres.connection, max: 2 });
  pool.on("error", () => {});
  endings.after(() => pool.end());
  return async <Row extends object>(text: string, values: unknown[] = []) =>
    (await pool.query<Row>(text, values)).rows;
}

/** Starts the members in the order of their dependencies, like an operator. */
async function startMembers(ground: Ground, options: FleetOptions) {
  const members: Member[] = [];
  const start = async (member: Member) => {
    members.push(member);
    member.machine.start();
    await waitUntil(`${member.machine.name} is ready`, member.isReady);
  };
  const nats = createNats(ground);
  await start(nats);
  const servers: Server[] = [];
  for (let number = 1; number <= options.servers; number += 1) {
    const server = await createServer(ground, `server-${number}`);
    servers.push(server);
    await start(server);
  }
  const probes: Member[] = [];
  for (const plan of options.probes) probes.push(await createProbe(ground, plan, servers));
  const [first] = servers;
  if (options.probes.some(({ transport }) => transport === "nats") && first !== undefined) {
    await admitProbes(ground, nats, first);
  }
  for (const probe of probes) await start(probe);
  return { members, servers };
}

export async function startFleet(options: FleetOptions): Promise<Fleet> {
  const endings = new Endings();
  let isKept = false;
  try {
    const folder = await mkdtemp(join(tmpdir(), "vedette-faults-"));
    endings.after(() => isKept || rm(folder, { recursive: true, force: true, maxRetries: 10 }));
    const postgres = await PostgresMachine.start(join(folder, "database"));
    endings.after(() => postgres.stop());
    const targets = await startTargets(options.targets);
    endings.after(targets.stop);
    const receiver = await startHttpReceiver(endings);
    const links = new Map<string, Link>();
    const encryptionKey = randomBytes(32).toString("base64");
    const natsPort = await findFreePort();
    const ground: Ground = { folder, endings, links, postgres, encryptionKey, natsPort };
    const { members, servers } = await startMembers(ground, options);
    const query = createQuery(postgres, endings);
    const byName = new Map(members.map((member) => [member.machine.name, member]));
    const isBack = (name: string) =>
      waitUntil(`${name} is ready`, async () => {
        byName.get(name)?.machine.keepUp();
        return (await byName.get(name)?.isReady()) ?? false;
      });
    const machines = new Map(members.map(({ machine }) => [machine.name, machine]));
    const stop: Fleet["stop"] = (how) => {
      isKept = how?.isKept ?? false;
      return endings.run();
    };
    const things = { folder, postgres, servers, machines, links, targets, receiver };
    return { ...things, query, isBack, stop };
  } catch (error) {
    await endings.run().catch(() => {});
    throw error;
  }
}
