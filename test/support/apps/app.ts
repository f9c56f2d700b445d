import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { type App, type AppOptions, startApp } from "../../../src/app/app.ts";
import { parseConfig } from "../../../src/config.ts";
import type { Bootstrapped } from "../../../src/domains/accounts/index.ts";
import { type IcmpEngine, startIcmpEngine } from "../../../src/kinds/icmp/prober/index.ts";
import { createIcmpProber } from "../../../src/kinds/icmp/prober/prober.ts";
import type { StartProber } from "../../../src/kinds/prober.ts";
import { probers } from "../../../src/kinds/probers.ts";
import { setPasswordCost } from "../../../src/platform/secrets.ts";
import { createTestDatabase } from "../database/database.ts";
import { TestClock } from "../time/clock.ts";
import { captureLog } from "./log.ts";
import type { Answer, CallOptions, ServedApp } from "./served-app.ts";

export type { Answer, CallOptions } from "./served-app.ts";

export interface TestApp extends ServedApp {
  readonly app: App;
  readonly clock: TestClock;
  readonly owner: Bootstrapped;
  readonly query: (text: string, values?: readonly unknown[]) => Promise<pg.QueryResult>;
}

export const ownerKey = "owner-key-0123456789-0123456789";
export const ownerPassword = "correct horse battery";

function buildHeaders(options: CallOptions): Record<string, string> {
  const { key = ownerKey, cookie, account, headers = {} } = options;
  return {
    ...(key === null || cookie !== undefined ? {} : { authorization: `Bearer ${key}` }),
    ...(cookie === undefined ? {} : { cookie }),
    ...(account === undefined ? {} : { "x-service-account": account }),
    ...(options.body === undefined && options.rawBody === undefined
      ? {}
      : { "content-type": "application/json" }),
    ...headers,
  };
}

export async function send(url: string, method: string, options: CallOptions): Promise<Answer> {
  const body =
    options.rawBody ?? (options.body === undefined ? null : JSON.stringify(options.body));
  const response = await fetch(url, { method, headers: buildHeaders(options), body });
  const text = await response.text();
  const isJson = /\/(?:[\w.-]+\+)?json\b/.test(response.headers.get("content-type") ?? "");
  return {
    status: response.status,
    headers: response.headers,
    body: isJson && text !== "" ? JSON.parse(text) : undefined,
    text,
  };
}

const cheapPasswords = { memory: 64, passes: 1 };

let engine: Promise<IcmpEngine> | undefined;

/** All apps of a process share one ping engine, because starting its thread is expensive. */
const startSharedIcmp: StartProber = async (tools) => {
  engine ??= startIcmpEngine();
  return { ...createIcmpProber(await engine, tools), close: async () => {} };
};

/**
 * Starts the whole product on a separate database, with a clock and a log controlled by the test.
 */
export async function startTestApp(
  environment: Readonly<Record<string, string>> = {},
  options: AppOptions = {},
): Promise<TestApp> {
  setPasswordCost(cheapPasswords);
  const database = await createTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), "vedette-test-app-"));
  const clock = options.clock instanceof TestClock ? options.clock : new TestClock();
  const { log, text: logText } = captureLog();
  const config = parseConfig({
    PORT: "0",
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    RATE_LIMIT_PER_MINUTE: "0",
    BOOTSTRAP_API_KEY: ownerKey,
    EXAMPLE: "false",
    // Test domains are not in DNS; tests of domain verification start a DNS server.
    DOMAIN_PROOF: "off",
    // Only tests of stopping depend on the runs in progress at their end.
    DRAIN_SECONDS: "0",
    BOOTSTRAP_EMAIL: "owner@example.com",
    BOOTSTRAP_PASSWORD: ownerPassword,
    PROBE_IPV6: "2001:db8::1",
    PROBE_IPV4: "192.0.2.1",
    ...environment,
  });
  const pool = new pg.Pool({ connectionString: database.url, max: 2 });
  // A pool ends before its connections do; dropping the database breaks them.
  pool.on("connect", (client) => client.on("error", () => {}));
  pool.on("error", () => {});
  let owner: Bootstrapped | undefined;
  const app = await startApp(config, {
    clock,
    log,
    probers: { ...probers, ICMP: startSharedIcmp },
    ...options,
    announce: (created) => {
      owner = created;
    },
  });
  if (owner === undefined) throw new Error("the first start reported no account");
  return {
    app,
    url: app.url,
    clock,
    owner,
    logText,
    dataDir,
    databaseUrl: database.url,
    call: (method, path, options = {}) => send(`${app.url}${path}`, method, options),
    query: (text, values = []) => pool.query(text, [...values]),
    stop: async () => {
      await app.stop();
      await pool.end();
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
