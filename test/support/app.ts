import { type App, startApp } from "../../src/app/app.ts";
import { parseConfig } from "../../src/config.ts";
import type { Bootstrapped } from "../../src/domains/accounts/index.ts";
import { TestClock } from "./clock.ts";
import { createTestDatabase } from "./database.ts";
import { captureLog } from "./log.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test asks any answer for any field.
  readonly body: any;
  readonly text: string;
}

export interface CallOptions {
  readonly key?: string | null;
  readonly cookie?: string;
  readonly account?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Sent as it is, whatever it is. */
  readonly rawBody?: string | Uint8Array<ArrayBuffer>;
}

export interface TestApp {
  readonly app: App;
  readonly url: string;
  readonly clock: TestClock;
  readonly owner: Bootstrapped;
  readonly logText: () => string;
  readonly call: (method: string, path: string, options?: CallOptions) => Promise<Answer>;
  readonly stop: () => Promise<void>;
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

async function send(url: string, method: string, options: CallOptions): Promise<Answer> {
  const body =
    options.rawBody ?? (options.body === undefined ? null : JSON.stringify(options.body));
  const response = await fetch(url, { method, headers: buildHeaders(options), body });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json") ?? false;
  return {
    status: response.status,
    headers: response.headers,
    body: isJson && text !== "" ? JSON.parse(text) : undefined,
    text,
  };
}

/** The whole product on a database of its own, with a clock and a log in the test's hand. */
export async function startTestApp(
  environment: Readonly<Record<string, string>> = {},
): Promise<TestApp> {
  const database = await createTestDatabase();
  const clock = new TestClock();
  const { log, text: logText } = captureLog();
  const config = parseConfig({
    PORT: "0",
    DATABASE_URL: database.url,
    RATE_LIMIT_PER_MINUTE: "0",
    BOOTSTRAP_API_KEY: ownerKey,
    BOOTSTRAP_EMAIL: "owner@example.com",
    BOOTSTRAP_PASSWORD: ownerPassword,
    PROBE_IPV6: "2001:db8::1",
    PROBE_IPV4: "192.0.2.1",
    ...environment,
  });
  let owner: Bootstrapped | undefined;
  const app = await startApp(config, {
    clock,
    log,
    announce: (created) => {
      owner = created;
    },
  });
  if (owner === undefined) throw new Error("the first start announced nobody");
  return {
    app,
    url: app.url,
    clock,
    owner,
    logText,
    call: (method, path, options = {}) => send(`${app.url}${path}`, method, options),
    stop: async () => {
      await app.stop();
      await database.drop();
    },
  };
}
