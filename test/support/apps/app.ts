import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import type pg from "pg";
import { Agent, type Dispatcher, request } from "undici";
import type { Bootstrapped } from "../../../src/access/accounts/index.ts";
import { type App, type AppOptions, startApp } from "../../../src/app/app.ts";
import { parseConfig } from "../../../src/config.ts";
import type { StartProber } from "../../../src/kinds/kit/prober.ts";
import { type IcmpEngine, startIcmpEngine } from "../../../src/kinds/of/icmp/prober/index.ts";
import { createIcmpProber } from "../../../src/kinds/of/icmp/prober/prober.ts";
import { probers } from "../../../src/kinds/probers.ts";
import { setPasswordCost } from "../../../src/platform/secrets.ts";
import type { ScriptMachine } from "../../../src/sandbox/machine.ts";
import { takeReusableDatabase } from "../database/reusable-database.ts";
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

const testMachine: ScriptMachine = {
  ...{ isolation: "A1", isolationMessage: null, isolationAdvice: null, browserMessage: null },
  browser: { path: "/usr/lib/chromium/chromium", version: "150.0.7871.100" },
};

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

const dispatcher = new Agent();
const defaultHeaders = { accept: "*/*", "user-agent": "node", "sec-fetch-mode": "cors" };
const decoders: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  br: brotliDecompressSync,
  deflate: inflateSync,
  gzip: gunzipSync,
};

function copyHeaders(received: Readonly<Record<string, string | string[] | undefined>>): Headers {
  const headers = new Headers();
  for (const [name, value = ""] of Object.entries(received)) {
    for (const one of [value].flat()) headers.append(name, one);
  }
  return headers;
}

/**
 * Returns the request options after a redirect without the body, because only 307 and 308 repeat
 * the method and body.
 */
function dropBody({ body: _body, rawBody: _rawBody, ...options }: CallOptions): CallOptions {
  return options;
}

/** Sends a request like `fetch`, which would need more than twice the CPU time. */
export async function send(url: string, method: string, options: CallOptions): Promise<Answer> {
  const { rawBody, body } = options;
  const response = await request(url, {
    method: method as Dispatcher.HttpMethod,
    headers: { ...defaultHeaders, ...buildHeaders(options) },
    body: rawBody ?? (body === undefined ? null : JSON.stringify(body)),
    dispatcher,
  });
  const { statusCode: status } = response;
  const headers = copyHeaders(response.headers);
  const bytes = Buffer.from(await response.body.arrayBuffer());
  const location = headers.get("location");
  if (location !== null && status >= 300 && status < 400) {
    const target = new URL(location, url).href;
    return status >= 307
      ? send(target, method, options)
      : send(target, method === "HEAD" ? "HEAD" : "GET", dropBody(options));
  }
  const text = (decoders[headers.get("content-encoding") ?? ""]?.(bytes) ?? bytes).toString();
  const isJson = /\/(?:[\w.-]+\+)?json\b/.test(headers.get("content-type") ?? "");
  return { status, headers, body: isJson && text !== "" ? JSON.parse(text) : undefined, text };
}

const cheapPasswords = { memory: 64, passes: 1 };

let engine: Promise<IcmpEngine> | undefined;

/** All apps of a process share one ping engine, because starting its thread is expensive. */
const startSharedIcmp: StartProber = async (tools) => {
  engine ??= startIcmpEngine();
  return { ...createIcmpProber(await engine, tools), close: async () => {} };
};

/** A port below the range from which the system chooses ports. */
const samePort = 20_000 + (process.pid % 10_000);
let hasSamePort = false;

/**
 * Makes the apps of this process use a fixed port, one app after the other. A browser caches
 * compiled code by origin, and compiling the code takes more than a second.
 */
export function useSamePort(): void {
  hasSamePort = true;
}

/** Returns the fixed port, or 0 for any port if the fixed port is off or in use. */
function choosePort(): Promise<number> {
  if (!hasSamePort) return Promise.resolve(0);
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(0));
    server.listen(samePort, "127.0.0.1", () => server.close(() => resolve(samePort)));
  });
}

/** Starts the whole product with a separate database. The test controls its clock and log. */
export async function startTestApp(
  environment: Readonly<Record<string, string>> = {},
  options: AppOptions = {},
): Promise<TestApp> {
  setPasswordCost(cheapPasswords);
  const database = await takeReusableDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), "vedette-test-app-"));
  const clock = options.clock instanceof TestClock ? options.clock : new TestClock();
  const { log, text: logText } = captureLog();
  const config = parseConfig({
    PORT: String(await choosePort()),
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    RATE_LIMIT_PER_MINUTE: "0",
    BOOTSTRAP_API_KEY: ownerKey,
    EXAMPLE: "false",
    // Path traces send packets, so they are on only in tests of paths.
    PATHS_PER_MINUTE: "0",
    // Test domains are not in DNS. Tests of domain verification start a DNS server.
    DOMAIN_PROOF: "off",
    // Apps do not wait for runs in progress when they stop. Tests of stopping override this.
    DRAIN_SECONDS: "0",
    BOOTSTRAP_EMAIL: "owner@example.com",
    BOOTSTRAP_PASSWORD: ownerPassword,
    PROBE_IPV6: "2001:db8::1",
    PROBE_IPV4: "192.0.2.1",
    ...environment,
  });
  let owner: Bootstrapped | undefined;
  // Test files hold their `TestApp` until the process ends. This variable is cleared so that they
  // do not hold the app's memory as well.
  let running: App | null = await startApp(config, {
    clock,
    log,
    probers: { ...probers, ICMP: startSharedIcmp },
    // npm is not available, so that no test contacts a package registry.
    npmEnvironment: {},
    ...(environment.DATABASE_URL === undefined && { openDatabase: database.openAgain }),
    // New checks do not run immediately: most of them name hosts that must not be contacted.
    runsNewChecks: false,
    // A fixed description, because the real one starts a sandbox, which costs 0.5 s of CPU time.
    describeMachine: async () => testMachine,
    ...options,
    announce: (created) => {
      owner = created;
    },
  });
  if (owner === undefined) throw new Error("the first start reported no account");
  const { url } = running;
  return {
    get app() {
      if (running === null) throw new Error("The app has stopped.");
      return running;
    },
    url,
    clock,
    owner,
    logText,
    dataDir,
    databaseUrl: database.url,
    call: (method, path, options = {}) => send(`${url}${path}`, method, options),
    query: (text, values = []) => database.queries.query(text, [...values]),
    stop: async () => {
      await running?.stop();
      running = null;
      await database.release();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
