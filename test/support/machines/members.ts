/** The members of a fleet: how each member is started, and which links it uses. */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { writeNatsUsers } from "../../../src/app/nats-users.ts";
import { endsWithParent } from "../programs/end-with-parent-option.ts";
import { findProgram } from "../programs/programs.ts";
import { findFreePort } from "../servers/free-port.ts";
import { apiKey, ask, create } from "./ask.ts";
import type { Endings } from "./endings.ts";
import { type Link, startLink } from "./link.ts";
import { Machine } from "./machine.ts";
import type { PostgresMachine } from "./postgres-machine.ts";

const script = join(import.meta.dirname, "..", "..", "..", "bin", "vedette.ts");

/** Configuration that all members share. */
export interface Ground {
  readonly folder: string;
  readonly endings: Endings;
  readonly links: Map<string, Link>;
  readonly postgres: PostgresMachine;
  /** Encryption key, which is equal on all servers. */
  readonly encryptionKey: string;
  readonly natsPort: number;
}

export interface Member {
  readonly machine: Machine;
  readonly isReady: () => Promise<boolean>;
}

export interface Server extends Member {
  readonly url: string;
  readonly port: number;
  readonly environment: Readonly<Record<string, string>>;
}

export interface ProbePlan {
  readonly name: string;
  readonly transport: "nats" | "websocket";
  /** Private location that the probe serves. Several probes can serve one location. */
  readonly location: string;
}

async function addLink(ground: Ground, name: string, ...ends: (number | string)[]): Promise<Link> {
  const link = await startLink(name, ...ends);
  ground.endings.after(link.stop);
  ground.links.set(name, link);
  return link;
}

interface Command {
  readonly file: string;
  readonly arguments: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

function createMachine(ground: Ground, name: string, command: Command): Machine {
  const { PATH = "", NODE_COMPILE_CACHE = "" } = process.env;
  const machine = new Machine({
    ...command,
    name,
    environment: { PATH, NODE_COMPILE_CACHE, ...command.environment },
    logFile: join(ground.folder, `${name}.log`),
  });
  ground.endings.after(() => machine.kill());
  return machine;
}

const vedette = (...list: string[]) => ({
  file: process.execPath,
  arguments: [...endsWithParent, script, ...list],
});

/** Credentials with which the servers sign in to NATS. */
const [user, password] = ["vedette", "servers-of-the-fleet"];
const usersFile = ({ folder }: Ground) => join(folder, "users.conf");

/** Writes the NATS users to a file and reloads NATS, as an operator does after creating keys. */
export async function admitProbes(
  ground: Ground,
  nats: Member,
  { environment }: Server,
): Promise<void> {
  const { file, arguments: list } = vedette("nats-users");
  const { PATH = "", NODE_COMPILE_CACHE = "" } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, ...environment };
  // The command must not block this process, because it connects through a link and the links run
  // in this process.
  const { stdout } = await promisify(execFile)(file, list, { env });
  writeFileSync(usersFile(ground), stdout);
  process.kill(nats.machine.pid, "SIGHUP");
}

export function createNats(ground: Ground): Member {
  const path = join(ground.folder, "nats.conf");
  const store = join(ground.folder, "nats");
  const listen = `listen: "127.0.0.1:${ground.natsPort}"`;
  const users = writeNatsUsers([], { servers: [], isTls: false, user, password });
  writeFileSync(usersFile(ground), users);
  const lines = [listen, `jetstream { store_dir: "${store}" }`, `include "users.conf"`];
  writeFileSync(path, `${lines.join("\n")}\n`);
  const file = findProgram("nats-server") ?? "nats-server";
  const machine = createMachine(ground, "nats", { file, arguments: ["-c", path] });
  return { machine, isReady: () => canConnect(ground.natsPort) };
}

async function canConnect(port: number): Promise<boolean> {
  const socket = createConnection(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

export async function createServer(ground: Ground, name: string): Promise<Server> {
  const database = await addLink(ground, `${name}>postgres`, ground.postgres.socketPath);
  const nats = await addLink(ground, `${name}>nats`, ground.natsPort);
  const port = await findFreePort();
  const { user, database: databaseName } = ground.postgres.connection;
  const environment = {
    DATA_DIR: join(ground.folder, name),
    PORT: String(port),
    DATABASE_URL: `postgres://${user}@127.0.0.1:${database.port}/${databaseName}`,
    DATABASE_TIMEOUT_MS: "5000",
    NATS_URL: `nats://${user}:${password}@127.0.0.1:${nats.port}`,
    ENCRYPTION_KEY: ground.encryptionKey,
    BOOTSTRAP_API_KEY: apiKey,
    EXAMPLE: "false",
    LOG_LEVEL: "info",
    RATE_LIMIT_PER_MINUTE: "0",
    OUTBOUND_ALLOW_PRIVATE: "true",
    DRAIN_SECONDS: "2",
  };
  const machine = createMachine(ground, name, { ...vedette("server"), environment });
  const url = `http://127.0.0.1:${port}`;
  const isReady = async () => (await ask(`${url}/readyz`)).status === 200;
  return { machine, url, port, environment, isReady };
}

/** Creates a key for a probe, and the probe's private location if it does not exist. */
async function makeToken(url: string, slugName: string): Promise<string> {
  const path = `${url}/v1/private-locations`;
  const known = JSON.parse((await ask(path)).body) as { id: string; slugName: string }[];
  const place =
    known.find((one) => one.slugName === slugName) ??
    (await create<{ id: string }>(path, { name: slugName, slugName }));
  return (await create<{ rawKey: string }>(`${path}/${place.id}/keys`, {})).rawKey;
}

export async function createProbe(
  ground: Ground,
  { name, transport, location }: ProbePlan,
  servers: readonly Server[],
): Promise<Member> {
  const token = await makeToken(servers[0]?.url ?? "", location);
  const isOverNats = transport === "nats";
  const link = isOverNats
    ? await addLink(ground, `${name}>nats`, ground.natsPort)
    : await addLink(ground, `${name}>servers`, ...servers.map(({ port }) => port));
  const address = isOverNats
    ? ["--nats", `nats://127.0.0.1:${link.port}`]
    : ["--server", `http://127.0.0.1:${link.port}`];
  const machine = createMachine(ground, name, {
    ...vedette("probe", ...address, "--name", name),
    environment: {
      PROBE_TOKEN: token,
      DATA_DIR: join(ground.folder, name),
      LOG_LEVEL: "info",
      DRAIN_SECONDS: "2",
    },
  });
  return { machine, isReady: async () => machine.output.includes(" probes for ") };
}
