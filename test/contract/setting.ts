import assert from "node:assert/strict";
import { test } from "node:test";
import { type Answer, type CallOptions, startTestApp, type TestApp } from "../support/apps/app.ts";
import { addStranger, createKey, type Stranger } from "../support/apps/cast.ts";

/** What the tests of the contract act in: one account with its keys, and somebody else's. */
export interface ContractSetting {
  readonly app: TestApp;
  /** A separate server that allows few requests. */
  readonly limited: TestApp;
  readonly get: (path: string, key?: string) => Promise<Answer>;
  readonly post: (path: string, body: unknown) => Promise<Answer>;
  readonly put: (path: string, body: unknown) => Promise<Answer>;
  readonly stranger: Stranger;
  readonly readKey: string;
  readonly expiredKey: string;
  readonly revokedKey: string;
  readonly stop: () => Promise<void>;
}

export async function createContractSetting(): Promise<ContractSetting> {
  const app = await startTestApp();
  const limited = await startTestApp({ RATE_LIMIT_PER_MINUTE: "12", BUILT_IN_PROBE: "false" });
  const stranger = await addStranger(app);
  const expiresAt = new Date(app.clock.now().getTime() + 1_000).toISOString();
  const expired = await createKey(app, "OWNER", { expiresAt });
  const revoked = await createKey(app, "OWNER");
  await app.call("DELETE", `/v1/api-keys/${revoked.id}`);
  app.clock.advance(2_000);
  const { key: readKey } = await createKey(app, "READ_ONLY");
  const keys = { readKey, expiredKey: expired.key, revokedKey: revoked.key };
  return {
    app,
    limited,
    stranger,
    ...keys,
    get: (path, key) => app.call("GET", path, key === undefined ? {} : { key }),
    post: (path, body) => app.call("POST", path, { body }),
    put: (path, body) => app.call("PUT", path, { body }),
    stop: async () => {
      await app.stop();
      await limited.stop();
    },
  };
}

export type Body = Record<string, unknown>;
/** An id that nothing has. */
export const nobody = "0198c1f0-0000-7000-8000-000000000000";
export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
export const date = /^\d{4}-\d\d-\d\d$/;
export const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** A role that only reads may not call it. */
  readonly isWrite?: true;
  /** The account stands in the path, and the header has nothing to say. */
  readonly isAccountInPath?: true;
}

function send(
  setting: ContractSetting,
  operation: Operation,
  options: CallOptions,
): Promise<Answer> {
  const { method, path, body } = operation;
  return setting.app.call(method, path, body === undefined ? options : { body, ...options });
}

export function assertError(answer: Answer, statusCode: number, message?: string): void {
  const phrases: Readonly<Record<number, string>> = {
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    409: "Conflict",
    413: "Payload Too Large",
    415: "Unsupported Media Type",
    429: "Too Many Requests",
  };
  assert.equal(answer.status, statusCode, answer.text);
  assert.equal(answer.body.statusCode, statusCode);
  assert.equal(answer.body.error, phrases[statusCode]);
  assert.equal(typeof answer.body.message, "string");
  if (message !== undefined) assert.equal(answer.body.message, message);
  const hasAttributes = statusCode === 401 || statusCode === 429;
  assert.deepEqual(answer.body.attributes, hasAttributes ? {} : undefined);
}

/** Names the field, alone or first, and lists it. */
export function assertInvalid(answer: Answer, key: string, source = "body"): void {
  assertError(answer, 400);
  assert.equal(answer.body.validation.source, source);
  assert.ok(answer.body.validation.keys.includes(key), answer.text);
  assert.ok(answer.body.message.includes(key), answer.body.message);
}

async function assertRefusesBadTokens(setting: ContractSetting, operation: Operation) {
  const bad: readonly CallOptions[] = [
    { key: null },
    { key: null, headers: { authorization: "Basic b3duZXI6cGFzc3dvcmQ=" } },
    { key: null, headers: { authorization: "Bearer" } },
    { key: "vd_there-is-no-such-key-anywhere" },
    { key: setting.expiredKey },
    { key: setting.revokedKey },
  ];
  for (const options of bad) {
    assertError(await send(setting, operation, options), 401, "Bad Token");
  }
}

async function assertRefusesOtherAccounts(setting: ContractSetting, operation: Operation) {
  if (operation.isAccountInPath === undefined) {
    const account = setting.stranger.accountId;
    assertError(
      await send(setting, operation, { key: setting.readKey, account }),
      403,
      "Forbidden",
    );
    assertError(await send(setting, operation, { account: nobody }), 403, "Forbidden");
    const odd = await send(setting, operation, { account: "not-a-guid" });
    assertInvalid(odd, "x-service-account", "headers");
  } else {
    assertError(await send(setting, operation, { key: setting.stranger.key }), 403, "Forbidden");
  }
  if (operation.isWrite) {
    assertError(await send(setting, operation, { key: setting.readKey }), 403, "Forbidden");
  }
}

/** On the server whose limit is small; the clock in hand opens it again. */
async function assertLimits(limited: TestApp, operation: Operation, allowed: readonly number[]) {
  limited.clock.advance(60_000);
  const options = operation.body === undefined ? {} : { body: operation.body };
  const ask = () => limited.call(operation.method, operation.path, options);
  const first = await ask();
  assert.ok(allowed.includes(first.status), first.text);
  const limit = Number(first.headers.get("ratelimit-limit"));
  let last = first;
  for (let count = 1; count <= limit && last.status !== 429; count += 1) last = await ask();
  assertError(last, 429, "Too Many Requests");
  assert.ok(Number(last.headers.get("retry-after")) > 0);
  assert.equal(last.headers.get("ratelimit-remaining"), "0");
  limited.clock.advance(60_000);
  assert.ok(allowed.includes((await ask()).status));
}

/** The refusals that every operation shares; `allowed` is what the small server says before 429. */
export function describeRefusals(
  setting: () => ContractSetting,
  operation: () => Operation,
  allowed: readonly number[],
): void {
  test("401: no key, a malformed header, an unknown, expired or revoked key", () =>
    assertRefusesBadTokens(setting(), operation()));
  test("403 and 400: an account the key cannot act for, a role too low, a header that is no GUID", () =>
    assertRefusesOtherAccounts(setting(), operation()));
  test("429: too many requests", () => assertLimits(setting().limited, operation(), allowed));
}
