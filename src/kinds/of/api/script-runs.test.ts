import assert from "node:assert/strict";
import { test } from "node:test";
import type { ScriptMeasurement } from "../../../sandbox/script-run.ts";
import { secretMask } from "../../kit/secrets.ts";
import type { HttpMeasurement, UnpackedBody } from "../../wire/http/http-measurement.ts";
import type { ApiRequest, KeyValue } from "./request.ts";
import {
  describeFailure,
  findScriptReasons,
  type HookRun,
  mapRunTexts,
  readEnvironment,
  readRequest,
  readResponse,
  readScriptRuns,
  type ScriptRuns,
  showRequest,
  showResponse,
  showValue,
  summariseHook,
  toSent,
  UnusableValue,
} from "./script-runs.ts";

const pair = (key: string, value: string, locked = false): KeyValue => ({ key, value, locked });

const written: ApiRequest = {
  method: "POST",
  url: "https://{{HOST}}/orders",
  followRedirects: true,
  skipSSL: false,
  ipFamily: "IPv4",
  body: '{"id":"{{ID}}"}',
  bodyType: "JSON",
  headers: [pair("Accept", "*/*"), pair("X-Api-Key", "{{KEY}}", true)],
  queryParameters: [pair("page", "1")],
  assertions: [
    { source: "TEXT_BODY", property: "", comparison: "EQUALS", target: "{{ID}}", regex: null },
  ],
  basicAuth: { username: "{{USER}}", password: "{{PASSWORD}}" },
  timeoutMs: 1_000,
};
const variables: Readonly<Record<string, string>> = {
  HOST: "example.com",
  ID: "7",
  KEY: "k",
  USER: "ada",
  PASSWORD: "p",
};
const fill = (text: string) =>
  text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => variables[name] ?? "");
const filled: ApiRequest = JSON.parse(fill(JSON.stringify(written)));
const shown = showRequest(filled);

const read = (request: unknown, change: Partial<ApiRequest> = {}) =>
  readRequest({
    written: { ...written, ...change },
    shown,
    values: { request },
    fill,
  });

test("a request that the script left unchanged is the configured one, filled in", () => {
  assert.deepEqual(read({ ...shown }), filled);
});

test("values that the script set are sent, with the variables in them", () => {
  const request = read({
    ...shown,
    method: "put",
    url: "https://api.example.com/{{ID}}",
    body: { id: "{{ID}}" },
    headers: { accept: "text/{{ID}}", "X-API-KEY": "own" },
    queryParameters: { page: 2, all: true, none: null },
  });
  assert.equal(request.method, "PUT");
  assert.equal(request.url, "https://api.example.com/7");
  assert.equal(request.body, '{"id":"7"}');
  // A name that was locked stays locked, however it is written.
  assert.deepEqual(request.headers, [pair("accept", "text/7"), pair("X-API-KEY", "own", true)]);
  assert.deepEqual(request.queryParameters, [pair("page", "2"), pair("all", "true")]);
  assert.deepEqual(request.basicAuth, { username: "ada", password: "p" });
  assert.equal(request.assertions[0]?.target, "7");
});

test("a body that a script adds to a request without one is sent as it is", () => {
  const none = { bodyType: "NONE", body: "" } as const;
  assert.equal(read({ ...shown, body: "a=1" }, none).bodyType, "RAW");
  assert.equal(read({ ...shown, body: "" }, none).bodyType, "NONE");
  assert.equal(read({ ...shown, body: "a=1" }, { bodyType: "FORM" }).bodyType, "FORM");
});

test("a request that cannot be sent is rejected with what is wrong", () => {
  const rows: readonly (readonly [unknown, RegExp])[] = [
    [undefined, /did not leave a request/],
    [null, /did not leave a request/],
    ["https://example.com", /did not leave a request/],
    [{ ...shown, method: "TRACE" }, /request\.method must be one of GET, POST/],
    [{ ...shown, method: undefined }, /request\.method must be one of/],
    [{ ...shown, url: "file:///etc/passwd" }, /request\.url must be a URL/],
    [{ ...shown, url: null }, /request\.url must be a URL/],
    [{ ...shown, url: "http://[2001:db8::1]/" }, /request\.ipFamily must be IPv6/],
    [{ ...shown, url: `https://example.com/${"x".repeat(2_100)}` }, /longer than 2048/],
    [{ ...shown, body: "x".repeat(4 * 262_144 + 1) }, /request\.body is longer than/],
    [{ ...shown, headers: null }, /request\.headers must be an object/],
    [{ ...shown, headers: [["a", "b"]] }, /request\.headers must be an object/],
    [{ ...shown, headers: { "a b": "c" } }, /request\.headers\.0\.key must be a valid header name/],
    [{ ...shown, headers: { a: "b\r\nX-Evil: 1" } }, /headers\.0\.value must not contain line/],
    [{ ...shown, headers: { a: secretMask } }, /headers\.0\.value must be entered again/],
    [{ ...shown, headers: { "": "b" } }, /is too long or has no name/],
    [{ ...shown, headers: { ["a".repeat(257)]: "b" } }, /is too long or has no name/],
    [{ ...shown, headers: { a: "b".repeat(8_193) } }, /is too long or has no name/],
    [
      {
        ...shown,
        queryParameters: Object.fromEntries(Array.from({ length: 201 }, (_, i) => [i, 1])),
      },
      /request\.queryParameters has more than 200 entries/,
    ],
  ];
  for (const [request, message] of rows) {
    assert.throws(
      () => read(request),
      (error) => {
        assert.ok(error instanceof UnusableValue, String(error));
        assert.match(error.message, message);
        return true;
      },
    );
  }
});

test("variables that scripts set have valid names, and texts or null as values", () => {
  const environment = { A: "1", _b$2: "", GONE: null, "1A": "x", "A B": "x", C: 5, D: {} };
  assert.deepEqual(
    [...readEnvironment({ environment })],
    [
      ["A", "1"],
      ["_b$2", ""],
      ["GONE", null],
    ],
  );
  for (const values of [null, undefined, "x", {}, { environment: null }, { environment: "x" }]) {
    assert.equal(readEnvironment(values).size, 0);
  }
  assert.equal(readEnvironment({ environment: { A: "x".repeat(262_145) } }).size, 0);
  const many = (count: number) => ({
    environment: Object.fromEntries(Array.from({ length: count }, (_, index) => [`A${index}`, ""])),
  });
  assert.equal(readEnvironment(many(200)).size, 200);
  assert.throws(() => readEnvironment(many(201)), UnusableValue);
});

const body: UnpackedBody = { text: "hello", bytes: 5, isCut: false, fault: null };
const answer = {
  measurement: {
    status: 200,
    statusText: "OK",
    headers: [
      ["set-cookie", "a=1"],
      ["set-cookie", "b=2"],
    ],
  } as unknown as HttpMeasurement,
  body,
};
const shownResponse = showResponse(answer);

test("a response that the script left unchanged is the received one", () => {
  assert.deepEqual(shownResponse.headers, { "set-cookie": "a=1, b=2" });
  const same = readResponse(answer, { response: { ...shownResponse } });
  assert.deepEqual(same, answer);
  assert.equal(same.body, body);
});

test("assertions read the response that the script left", () => {
  const response = { statusCode: 404, statusText: 5, headers: { "X-A": 1 }, body: { a: "ä" } };
  const { measurement, body: changed } = readResponse(answer, { response });
  assert.deepEqual([measurement.status, measurement.statusText], [404, "5"]);
  assert.deepEqual(measurement.headers, [["x-a", "1"]]);
  assert.deepEqual(changed, { text: '{"a":"ä"}', bytes: 10, isCut: false, fault: null });
});

test("a response that cannot be assessed is rejected", () => {
  const rows: readonly unknown[] = [
    undefined,
    null,
    { ...shownResponse, statusCode: 99 },
    { ...shownResponse, statusCode: 600 },
    { ...shownResponse, statusCode: 200.5 },
    { ...shownResponse, statusCode: "200" },
    { ...shownResponse, headers: null },
    { ...shownResponse, headers: "x" },
    { ...shownResponse, body: "ä".repeat(524_289) },
  ];
  for (const response of rows) {
    assert.throws(() => readResponse(answer, { response }), UnusableValue);
  }
  assert.throws(() => readResponse(answer, null), UnusableValue);
});

const measured = {
  end: "failed",
  durationMs: 1_200,
  cpuMs: 300,
  runtime: "2026.04",
  isolation: "full",
  errors: [],
  logs: [],
  connections: [],
} as unknown as ScriptMeasurement;

test("a summary has the denied connections, and fits into the storage of a phase", () => {
  const host = (denial: string | null) => ({ host: "db.internal:5432", denial });
  const log = (text: string) => ({ atMs: 1, level: "info" as const, text });
  const short = summariseHook(
    { ...measured, logs: [log("a")], connections: [host(null), host("private")] } as never,
    40,
  );
  assert.deepEqual(short.logs, [
    log("a"),
    { atMs: 1_200, level: "error", text: "Connection to db.internal:5432: private" },
  ]);
  assert.deepEqual([short.startMs, short.end, short.cpuMs], [40, "failed", 300]);
  const error = { message: "m".repeat(3_000), stack: "s".repeat(3_000), file: null, line: null };
  const large = summariseHook(
    {
      ...measured,
      logs: Array.from({ length: 300 }, () => log("x".repeat(10_000))),
      errors: [error, { ...error, stack: null }, error],
    } as never,
    0,
  );
  assert.equal(large.logs.length, 100);
  assert.ok(large.logs.reduce((sum, { text }) => sum + text.length, 0) <= 12_100);
  assert.equal(large.errors.length, 2);
  assert.equal(large.errors[0]?.message.length, 1_000);
  assert.deepEqual([large.errors[0]?.stack?.length, large.errors[1]?.stack], [1_000, null]);
});

const hook = (change: object = {}): HookRun => ({ ...summariseHook(measured, 0), ...change });

test("a failure names its file and line, or what ended the script", () => {
  const error = { message: "no\n  token", stack: null, file: "setup.js", line: 3, column: 1 };
  const rows: readonly (readonly [object, string])[] = [
    [{ errors: [error] }, " at setup.js:3: no token"],
    [{ errors: [{ ...error, line: null }] }, " at setup.js: no token"],
    [{ errors: [{ ...error, file: null }] }, ": no token"],
    [{ errors: [] }, ": it ended with a failure and without an error message."],
    [{ end: "timed-out", errors: [error] }, ": it was ended after its time limit of 15 seconds."],
    [{ end: "out-of-memory" }, ": it used more memory than a run may use."],
  ];
  for (const [change, text] of rows) {
    assert.equal(describeFailure("setup", hook(change)), `The setup script failed${text}`);
  }
});

test("only a teardown that did not pass is a reason", () => {
  const runs = (teardown: HookRun | null): ScriptRuns => ({ setup: hook(), teardown, sent: null });
  assert.deepEqual(findScriptReasons(undefined), []);
  assert.deepEqual(findScriptReasons(runs(null)), []);
  assert.deepEqual(findScriptReasons(runs(hook({ end: "passed" }))), []);
  assert.deepEqual(findScriptReasons(runs(hook({ end: "crashed" }))), [
    {
      name: "script-failed",
      code: "TEARDOWN_FAILED",
      message: "The teardown script failed: its process ended unexpectedly.",
    },
  ]);
});

test("values that may be secrets are masked in the request that is shown", () => {
  const rows: readonly (readonly [KeyValue, string])[] = [
    [pair("Accept", "*/*"), "*/*"],
    [pair("Accept", "*/*", true), secretMask],
    [pair("Authorization", "Bearer x"), secretMask],
    [pair("X-API-KEY", "x"), secretMask],
    [pair("set-cookie", "a=1"), secretMask],
    [pair("sig", "x"), "x"],
    [pair("X-Signature", "x"), secretMask],
    [pair("password", ""), ""],
    [pair("accessToken", "x"), secretMask],
  ];
  for (const [one, expected] of rows) assert.equal(showValue(one), expected, one.key);
  const sent = toSent({ ...filled, body: "b".repeat(5_000) }, true);
  assert.deepEqual(sent.headers, [pair("Accept", "*/*"), pair("X-Api-Key", secretMask, true)]);
  assert.equal(sent.body.length, 4_096);
  const { url, method, bodyType } = filled;
  const empty = { headers: [], queryParameters: [], body: "" };
  assert.deepEqual(toSent(filled, false), { url, method, bodyType, ...empty });
  const secret = toSent({ ...filled, url: "https://ann:hunter2@a.example/" }, true);
  assert.equal(secret.url, "https://a.example/");
});

const runs: ScriptRuns = {
  setup: hook({
    errors: [{ message: "m", stack: "s", file: "f.js", line: 1, column: 1 }],
    logs: [{ atMs: 1, level: "info", text: "t" }],
  }),
  teardown: null,
  sent: toSent(filled, true),
};

test("every text that a run has may be changed, and nothing else", () => {
  const changed = mapRunTexts(runs, (text) => `<${text}>`);
  assert.deepEqual(changed.setup?.errors, [
    { message: "<m>", stack: "<s>", file: "<f.js>", line: 1, column: 1 },
  ]);
  assert.deepEqual(changed.setup?.logs, [{ atMs: 1, level: "info", text: "<t>" }]);
  assert.equal(changed.sent?.url, "<https://example.com/orders>");
  assert.equal(changed.sent?.body, '<{"id":"7"}>');
  assert.deepEqual(changed.sent?.queryParameters, [pair("<page>", "<1>")]);
  assert.deepEqual(changed.sent?.headers[0], pair("<Accept>", "<*/*>"));
  assert.deepEqual([changed.teardown, changed.sent?.method], [null, "POST"]);
  assert.deepEqual(
    mapRunTexts(runs, (text) => text),
    runs,
  );
});

test("runs of a probe are read only with the shape of runs", () => {
  assert.deepEqual(readScriptRuns(structuredClone(runs)), runs);
  assert.deepEqual(readScriptRuns({ setup: null, teardown: null, sent: null }), {
    ...{ setup: null, teardown: null, sent: null },
  });
  const rejected: readonly unknown[] = [
    null,
    {},
    { ...runs, sent: undefined },
    { ...runs, setup: hook({ end: "exploded" }) },
    { ...runs, setup: hook({ durationMs: -1 }) },
    { ...runs, setup: hook({ isolation: "x".repeat(21) }) },
    { ...runs, sent: { ...runs.sent, method: "TRACE" } },
    { ...runs, sent: { ...runs.sent, url: "x".repeat(2_049) } },
    { ...runs, sent: { ...runs.sent, headers: [{ key: "a", value: 1, locked: false }] } },
  ];
  for (const [index, value] of rejected.entries()) {
    assert.equal(readScriptRuns(value), null, `value ${index}`);
  }
});
