/**
 * Clients that reset, abort, over-send and half-close, on every documented operation and on every
 * class of route: the process survives and handles each of them without an unexpected error.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { spawnVedette, waitForAddress } from "./support/apps/vedette-process.ts";
import { createTestDatabase } from "./support/database/database.ts";
import { isLongRun } from "./support/long-run.ts";
import { waitUntil } from "./support/time/wait-until.ts";

const key = "http-faults-test-key-0123456789";
const guid = "01890000-0000-7000-8000-000000000000";
const overLimit = Buffer.alloc(3 * 1024 * 1024, 0x20);

interface Target {
  readonly method: string;
  readonly path: string;
  readonly type?: string;
}

/** One route for each parser, guard and kind of response. */
const routeClasses: readonly Target[] = [
  { method: "POST", path: `/ping/${guid}`, type: "text/plain" },
  { method: "POST", path: `/ping/${guid}/fail`, type: "application/json" },
  { method: "POST", path: "/v1/checks/icmp" },
  { method: "PUT", path: `/v1/checks/icmp/${guid}` },
  { method: "DELETE", path: `/v1/checks/${guid}` },
  { method: "POST", path: "/v1/sessions" },
  { method: "POST", path: "/v1/checks/try" },
  { method: "POST", path: "/v1/agent/answers" },
  { method: "GET", path: "/v1/events" },
  { method: "POST", path: "/mcp" },
  { method: "GET", path: "/v1/probe" },
  { method: "GET", path: "/healthz" },
  { method: "GET", path: "/metrics" },
  { method: "GET", path: "/" },
  { method: "GET", path: "/docs/api" },
  { method: "GET", path: "/dashboards/none/events" },
  { method: "POST", path: "/dashboards/none/key", type: "application/x-www-form-urlencoded" },
  { method: "POST", path: "/status/none/subscribe", type: "application/x-www-form-urlencoded" },
  { method: "POST", path: "/status/none/key", type: "application/x-www-form-urlencoded" },
  { method: "POST", path: "/nowhere" },
  { method: "OPTIONS", path: "/v1/checks" },
];

type Fault = (socket: Socket, head: string) => Promise<void> | void;

const written = (socket: Socket, bytes: string | Buffer) =>
  new Promise<void>((resolve) => socket.write(bytes, () => resolve()));

/** Resolves with the server's response or the end of the connection. */
const answered = (socket: Socket) =>
  Promise.race([once(socket, "data"), once(socket, "close")]).catch(() => {});

const faults: Readonly<Record<string, Fault>> = {
  "reset in the headers": async (socket, head) => {
    await written(socket, head.slice(0, -4));
    socket.resetAndDestroy();
  },
  "reset after the headers": async (socket, head) => {
    await written(socket, `${head}Content-Length: 100\r\n\r\n`);
    socket.resetAndDestroy();
  },
  "reset within the body": async (socket, head) => {
    await written(socket, `${head}Content-Length: 100\r\n\r\n{"name":`);
    socket.resetAndDestroy();
  },
  "half-close within the body": async (socket, head) => {
    socket.end(`${head}Content-Length: 100\r\n\r\n{"name":`);
    await answered(socket);
  },
  "half-close after a whole request": async (socket, head) => {
    socket.end(`${head}Content-Length: 2\r\n\r\n{}`);
    await answered(socket);
  },
  "reset after a whole request": async (socket, head) => {
    await written(socket, `${head}Content-Length: 2\r\n\r\n{}`);
    socket.resetAndDestroy();
  },
  "abort at the first byte of the response": async (socket, head) => {
    socket.write(`${head}Content-Length: 2\r\n\r\n{}`);
    await answered(socket);
    socket.resetAndDestroy();
  },
  "more than the declared length": async (socket, head) => {
    await written(socket, `${head}Content-Length: 2\r\n\r\n{}${"x".repeat(5_000)}`);
    await answered(socket);
  },
  "pipelined requests and a reset": async (socket, head) => {
    await written(socket, `${head}Content-Length: 2\r\n\r\n{}`.repeat(20));
    socket.resetAndDestroy();
  },
  "a broken chunk": async (socket, head) => {
    socket.write(`${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`);
    await answered(socket);
  },
  "chunks without end and a reset": async (socket, head) => {
    await written(socket, `${head}Transfer-Encoding: chunked\r\n\r\n4\r\n    \r\n`);
    socket.resetAndDestroy();
  },
  "a content type without a body": async (socket, head) => {
    socket.write(`${head}\r\n`);
    await answered(socket);
  },
  "an upgrade and a reset": async (socket, head) => {
    const upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n";
    await written(socket, `${head}${upgrade}Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`);
    socket.resetAndDestroy();
  },
  "an expectation with too long a body": async (socket, head) => {
    socket.write(`${head}Expect: 100-continue\r\nContent-Length: 12000000\r\n\r\n`);
    await answered(socket);
    socket.resetAndDestroy();
  },
  "an expectation whose body is reset": async (socket, head) => {
    socket.write(`${head}Expect: 100-continue\r\nContent-Length: 12000000\r\n\r\n`);
    socket.write(overLimit);
    await answered(socket);
    socket.resetAndDestroy();
  },
  "too long a body and a reset": async (socket, head) => {
    socket.write(`${head}Content-Length: 12000000\r\n\r\n`);
    await Promise.race([written(socket, overLimit), answered(socket)]);
    socket.resetAndDestroy();
  },
  "too long a body without a length, continued after the response": async (socket, head) => {
    socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`);
    const chunk = Buffer.concat([
      Buffer.from(`${overLimit.length.toString(16)}\r\n`),
      overLimit,
      Buffer.from("\r\n"),
    ]);
    await Promise.race([written(socket, chunk), answered(socket)]);
    socket.write(chunk);
    await answered(socket);
  },
};

function writeHead({ method, path, type = "application/json" }: Target, hasKey: boolean): string {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    "Host: 127.0.0.1",
    "X-Forwarded-For: 192.0.2.7, 198.51.100.9",
    "X-Forwarded-Host: status.example.com",
    `Content-Type: ${type}`,
    ...(hasKey ? [`Authorization: Bearer ${key}`] : []),
  ];
  return `${lines.join("\r\n")}\r\n`;
}

async function attempt(url: string, fault: Fault, head: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  socket.on("data", () => {});
  const closed = once(socket, "close").catch(() => {});
  await fault(socket, head);
  socket.destroy();
  await closed;
}

/** Each documented operation with one fault, in turn, and each class of route with every fault. */
function* listAttempts(operations: readonly Target[]): Generator<[Fault, string]> {
  const all = Object.values(faults);
  for (const [index, target] of operations.entries()) {
    const fault = all[index % all.length];
    if (fault !== undefined) yield [fault, writeHead(target, true)];
  }
  for (const [index, target] of routeClasses.entries()) {
    for (const [number, fault] of all.entries()) {
      // Every pair once, in turn with and without a key.
      const hasKey = (index + number) % 2 === 0;
      yield [fault, writeHead(target, hasKey)];
      if (isLongRun) yield [fault, writeHead(target, !hasKey)];
    }
  }
}

async function listOperations(url: string): Promise<Target[]> {
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, unknown>>;
  };
  const methods = new Set(["get", "put", "post", "patch", "delete"]);
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.keys(item)
      .filter((method) => methods.has(method))
      .map((method) => ({
        method: method.toUpperCase(),
        path: path.replaceAll(/\{\w+\}/g, guid),
      })),
  );
}

/** A signal listener represents any code outside of a request handler. */
const strayError = `process.on("SIGUSR2", () => { throw new Error("nobody expects this") })`;

async function start(t: TestContext, environment: Readonly<Record<string, string>>) {
  const database = await createTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), "vedette-http-faults-"));
  t.after(async () => {
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });
  const vedette = spawnVedette(t, ["server"], {
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    PORT: "0",
    LOG_LEVEL: "error",
    BUILT_IN_PROBE: "false",
    RATE_LIMIT_PER_MINUTE: "0",
    BOOTSTRAP_API_KEY: key,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(strayError)}`,
    ...environment,
  });
  return { vedette, url: await waitForAddress(vedette) };
}

const proxySettings: readonly Readonly<Record<string, string>>[] = [
  {},
  { TRUSTED_PROXIES: "127.0.0.0/8" },
];
for (const environment of proxySettings.slice(0, isLongRun ? 2 : 1)) {
  const proxies = environment.TRUSTED_PROXIES ?? "no proxies";
  test(`no client can end the process by what it sends or omits, trusting ${proxies}`, async (t) => {
    const { vedette, url } = await start(t, environment);
    const operations = await listOperations(url);
    assert.ok(operations.length > 200, `${operations.length} operations`);
    const attempts = listAttempts(operations);
    const work = async () => {
      for (const [fault, head] of attempts) {
        if (vedette.hasExited()) return;
        await attempt(url, fault, head);
      }
    };
    await Promise.all(Array.from({ length: 8 }, work));
    assert.equal(vedette.hasExited(), false, vedette.errors());
    assert.equal((await fetch(`${url}/healthz`)).status, 200);
    const metrics = await (await fetch(`${url}/metrics`)).text();
    assert.match(metrics, /^vedette_unexpected_errors_total 0$/m);
    // A busy machine may respond with 503; anything else is an error.
    const failures = vedette
      .output()
      .split("\n")
      .filter((line) => /"level":[56]0/.test(line) && !line.includes('"errorName":"unavailable"'));
    assert.deepEqual(failures, []);
    assert.equal(vedette.errors(), "");
    await t.test("an error that no code handles is logged and counted", async () => {
      vedette.process.kill("SIGUSR2");
      await waitUntil("it is logged", () => vedette.output().includes("nobody expects this"));
      assert.equal((await fetch(`${url}/healthz`)).status, 200);
      // The figures may be a second old.
      await waitUntil("it is counted", async () => {
        const counted = await (await fetch(`${url}/metrics`)).text();
        return /^vedette_unexpected_errors_total 1$/m.test(counted);
      });
    });
  });
}
