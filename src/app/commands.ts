import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  type Bootstrapped,
  buildSignInUrl,
  createLinkFromCommandLine,
} from "../access/accounts/index.ts";
import { createProbeKey, listNatsLogins } from "../checks/locations/index.ts";
import type { Config } from "../config.ts";
import { builtInRoute } from "../contract/protocol.ts";
import { systemClock } from "../platform/clock.ts";
import type { Database } from "../platform/database.ts";
import { isMissingTable } from "../platform/database-errors.ts";
import { type DatabaseConnection, openDatabase } from "../platform/database-pool.ts";
import { findRunningPostgres, startEmbeddedPostgres } from "../platform/embedded-postgres/index.ts";
import { loadEncryption } from "../platform/encryption.ts";
import { ExplainedError } from "../platform/errors.ts";
import { createLog, type Log } from "../platform/log.ts";
import { migrate } from "../platform/migrations.ts";
import { acceptSealingKey } from "../platform/sealing-key.ts";
import { examplePaths } from "./example.ts";
import { addressOf, readAddress } from "./listening-address.ts";
import { writeNatsUsers } from "./nats-users.ts";

const another = "npm run vedette sign-in-link";

/**
 * Describes the first account after the first start. Secrets from the environment are not printed,
 * because the operator knows them and the output may be logged.
 */
export function announceFirstAccount(created: Bootstrapped, config: Config): string {
  const address = config.PUBLIC_URL ?? addressOf(config);
  const { linkToken } = created;
  const opened =
    linkToken === null
      ? `  Open         ${address}\n               (password: as set by BOOTSTRAP_PASSWORD)`
      : `  Open         ${buildSignInUrl(address, linkToken)}\n` +
        `               (signs you in once, within an hour; \`${another}\` makes another)`;
  const apiKey = config.BOOTSTRAP_API_KEY ? "as set by BOOTSTRAP_API_KEY" : created.apiKey;
  const shownKey = config.BOOTSTRAP_API_KEY ? "$BOOTSTRAP_API_KEY" : created.apiKey;
  const { statusPage, dashboard } = examplePaths;
  const example =
    config.EXAMPLE === "true"
      ? `\n  Example      ${address}${statusPage}\n               ${address}${dashboard}`
      : "";
  return `
${opened}
  Sign-in      ${created.email}
  Account id   ${created.accountId}
  API key      ${apiKey}
  API guide    ${address}/docs/api${example}

  This is shown once: keep it. Then try
  curl -H "Authorization: Bearer ${shownKey}" ${address}/v1/accounts/me
`;
}

/**
 * Runs work with the database while no server runs. Starts the embedded PostgreSQL unless
 * DATABASE_URL is set.
 */
export async function withDatabase<Value>(
  config: Config,
  work: (connection: DatabaseConnection, log: Log) => Promise<Value>,
): Promise<Value> {
  const log = createLog(config.LOG_LEVEL, config.LOG_FORMAT);
  const embedded =
    config.DATABASE_URL === undefined
      ? await startEmbeddedPostgres({
          dataDir: config.DATA_DIR,
          log,
          onRestart: () => {},
          onAbandoned: (error) => log.fatal({ err: error }, "PostgreSQL keeps dying"),
        })
      : null;
  try {
    const connection = embedded?.connection ?? { connectionString: config.DATABASE_URL ?? "" };
    return await work(connection, log);
  } finally {
    await embedded?.stop();
  }
}

export function runMigrations(config: Config): Promise<string> {
  return withDatabase(config, async (connection) => {
    const applied = await migrate(connection);
    if (applied.length === 0) return "The database is up to date.";
    return `Applied ${applied.length === 1 ? "one migration" : `${applied.length} migrations`}: ${applied.join(", ")}`;
  });
}

/** Accepts the current encryption key for the database, for operators who have lost the old key. */
export function acceptKey(config: Config): Promise<string> {
  return withDatabase(config, async (connection, log) => {
    await migrate(connection);
    const encryption = await loadEncryption(config.DATA_DIR, config.ENCRYPTION_KEY);
    const { db, close } = openDatabase(connection, log);
    try {
      await acceptSealingKey(db, encryption);
    } finally {
      await close();
    }
    return (
      "The current encryption key is now the key of this database. Secrets encrypted with " +
      "another one cannot be read and must be entered again; alert channels report it until then."
    );
  });
}

/**
 * Runs work with the database. If a server runs, its embedded PostgreSQL is used; otherwise the
 * embedded PostgreSQL is started.
 */
export async function besideServer<Value>(
  config: Config,
  work: (connection: DatabaseConnection, log: Log) => Promise<Value>,
): Promise<Value> {
  const running =
    config.DATABASE_URL === undefined ? await findRunningPostgres(config.DATA_DIR) : null;
  return running === null
    ? withDatabase(config, work)
    : work(running, createLog(config.LOG_LEVEL, config.LOG_FORMAT));
}

/** Error codes of a database that is unreachable, rejects the login, or does not exist. */
const unreachableCodes = new Set(["ECONNREFUSED", "ENOTFOUND", "28000", "28P01", "3D000"]);

/**
 * Rejects a data folder without a database, because the embedded PostgreSQL would create an empty
 * one.
 */
function rejectUnusedFolder({ DATABASE_URL, DATA_DIR }: Config): void {
  if (DATABASE_URL !== undefined || existsSync(join(DATA_DIR, "postgres"))) return;
  const folder = resolve(DATA_DIR);
  const found = existsSync(join(DATA_DIR, "server.id"))
    ? `The server of ${folder} does not use the embedded database. Set DATABASE_URL to the same value.`
    : `No server has stored anything in ${folder}. Set DATA_DIR to the folder of your server ` +
      "(or DATABASE_URL, if it uses its own PostgreSQL), for example:\n\n" +
      `  DATA_DIR=/var/lib/vedette ${another}\n\n` +
      "`npm start` creates a new installation.";
  throw new ExplainedError(found);
}

function explainDatabaseError(error: unknown): unknown {
  if (isMissingTable(error)) {
    return new ExplainedError(
      "The database has not been migrated to this version yet. Start the server first with `npm start`.",
    );
  }
  const { code = "", message = "" } = (error ?? {}) as Partial<NodeJS.ErrnoException>;
  if (!unreachableCodes.has(code)) return error;
  const reason = message === "" ? code : message;
  return new ExplainedError(`The database of DATABASE_URL cannot be used: ${reason}`);
}

/**
 * Runs work with the open database, whether or not a server is running. Fails if the database is
 * not migrated.
 */
async function inDatabase<Value>(
  config: Config,
  work: (db: Database) => Promise<Value>,
): Promise<Value> {
  rejectUnusedFolder(config);
  return besideServer(config, async (connection, log) => {
    const { db, close } = openDatabase(connection, log);
    try {
      return await work(db);
    } catch (error) {
      throw explainDatabaseError(error);
    } finally {
      await close();
    }
  });
}

async function findAddress(config: Config): Promise<string> {
  return config.PUBLIC_URL ?? (await readAddress(config.DATA_DIR)) ?? addressOf(config);
}

/**
 * Creates a key for a probe that the operator runs in a region. In this region, the probe runs the
 * checks of all accounts.
 */
export async function makeProbeKey(config: Config, region: string | null): Promise<string> {
  if (region === null || !/^[a-z0-9][a-z0-9-]{0,29}$/.test(region) || region === builtInRoute) {
    throw new ExplainedError(
      "Name the region with --region, such as --region eu-west-1: a public location, or your own " +
        "slug that checks use.",
    );
  }
  const text = await inDatabase(config, (db) => createProbeKey(db, { region }, systemClock.now()));
  const address = await findAddress(config);
  return (
    `The key of a probe in ${region}, shown once:\n\n  ${text}\n\n` +
    "On the machine there, in a checkout of Vedette:\n\n" +
    `  npm ci\n  PROBE_TOKEN=${text} npm run vedette probe -- --server ${address}\n`
  );
}

export async function makeSignInLink(config: Config, email: string | null): Promise<string> {
  const made = await inDatabase(config, (db) =>
    createLinkFromCommandLine({ db, clock: systemClock }, email),
  );
  const address = await findAddress(config);
  return (
    `Open this link within an hour. It works once and signs in ${made.email}:\n\n` +
    `  ${buildSignInUrl(address, made.token)}\n`
  );
}

/**
 * Returns the part of nats-server's configuration that contains the users and their permissions.
 */
export async function printNatsUsers(config: Config): Promise<string> {
  const logins = await inDatabase(config, listNatsLogins);
  return writeNatsUsers(logins, config.NATS_URL);
}
