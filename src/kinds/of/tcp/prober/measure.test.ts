import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { findFreePort } from "../../../../../test/support/servers/free-port.ts";
import { maxKeptBytes } from "../measurement.ts";
import { type ExchangeOrder, exchange } from "./measure.ts";

/** Starts a server and passes on each connection. */
async function serve(
  t: TestContext,
  talk: (socket: Socket) => void,
  address = "127.0.0.1",
): Promise<Pick<ExchangeOrder, "address" | "port">> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on("error", () => {});
    talk(socket);
  }).listen(0, address);
  await once(server, "listening");
  t.after(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return { address, port: (server.address() as AddressInfo).port };
}

const patient = { data: null, answer: "wanted", timeoutMs: 60_000 } as const;
/** Long enough for a connection on this machine, short enough for a test. */
const impatient = { ...patient, timeoutMs: 1_000 };

async function connected(order: ExchangeOrder) {
  const result = await exchange(order);
  assert.ok(result.kind === "connected", JSON.stringify(result));
  assert.ok(result.connectMs >= 0 && result.connectMs < order.timeoutMs);
  return result;
}

test("a run that awaits no response ends with the connection", async (t) => {
  for (const address of ["127.0.0.1", "::1"]) {
    const target = await serve(t, (socket) => socket.write("banner"), address);
    const result = await connected({ ...target, ...patient, answer: "none" });
    const { connectMs: _time, ...rest } = result;
    assert.deepEqual(rest, {
      kind: "connected",
      firstByteMs: null,
      dataMs: null,
      receivedBytes: 0,
      text: "",
      isCut: false,
      answer: "not-awaited",
    });
  }
});

test("data is sent, and the response is read to its end", async (t) => {
  const target = await serve(t, (socket) => {
    socket.on("data", (bytes) => {
      socket.write(`you said ${bytes}`);
      setImmediate(() => socket.write(", and that is all"));
    });
  });
  const result = await connected({ ...target, ...patient, data: "PING é\r\n" });
  assert.equal(result.text, "you said PING é\r\n, and that is all");
  assert.equal(result.receivedBytes, Buffer.byteLength(result.text));
  assert.equal(result.answer, "received");
  const { firstByteMs, dataMs } = result;
  assert.ok(firstByteMs !== null && dataMs !== null && firstByteMs <= dataMs);
});

test("a response that ends with the connection is complete at once", async (t) => {
  const target = await serve(t, (socket) => socket.end("220 ready\r\n"));
  const result = await connected({ ...target, ...patient });
  assert.equal(result.text, "220 ready\r\n");
  assert.equal(result.answer, "received");
});

test("a refused connection is a failure with its code", async (t) => {
  const target = await serve(t, () => {});
  const result = await exchange({ ...target, ...patient, port: await findFreePort() });
  assert.equal(result.kind === "failed" && result.code, "ECONNREFUSED");
});

test("a hanging server is waited for until the timeout", async (t) => {
  const target = await serve(t, () => {});
  const result = await connected({ ...target, ...impatient });
  assert.equal(result.answer, "timed-out");
  assert.equal(result.dataMs, null);
});

test("a connection that is closed or reset before any data is reported as such", async (t) => {
  const closing = await serve(t, (socket) => socket.end());
  assert.equal((await connected({ ...closing, ...patient })).answer, "closed");
  const resetting = await serve(t, (socket) => {
    socket.once("data", () => socket.resetAndDestroy());
  });
  assert.equal((await connected({ ...resetting, ...patient, data: "x" })).answer, "reset");
});

test("bytes received before a reset are a response", async (t) => {
  const target = await serve(t, (socket) => {
    socket.write("denied");
    // The client shares the event loop: after some turns it has read the bytes.
    const resetAfter = (turns: number) => {
      if (turns === 0) socket.resetAndDestroy();
      else setImmediate(resetAfter, turns - 1);
    };
    resetAfter(20);
  });
  const result = await connected({ ...target, ...patient });
  assert.deepEqual([result.answer, result.text], ["received", "denied"]);
});

test("one byte per second is a response of one byte", async (t) => {
  const target = await serve(t, (socket) => {
    socket.write("a");
    const timer = setInterval(() => socket.write("a"), 1_000);
    socket.on("close", () => clearInterval(timer));
  });
  const result = await connected({ ...target, ...patient });
  assert.deepEqual([result.text, result.answer], ["a", "received"]);
});

test("a server that never stops sending is abandoned at the timeout", async (t) => {
  const target = await serve(t, (socket) => {
    const timer = setInterval(() => socket.write("a"), 10);
    socket.on("close", () => clearInterval(timer));
  });
  const result = await connected({ ...target, ...impatient });
  assert.equal(result.answer, "received");
  assert.ok(result.receivedBytes > 1 && result.receivedBytes <= maxKeptBytes);
});

test("the beginning of an endless response is kept, and the connection is closed", async (t) => {
  const gone = Promise.withResolvers<void>();
  const target = await serve(t, (socket) => {
    socket.on("close", () => gone.resolve());
    const chunk = Buffer.alloc(100_000, "é");
    const pump = () => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.on("drain", pump);
    pump();
  });
  const result = await connected({ ...target, ...patient });
  assert.equal(result.isCut, true);
  assert.equal(result.text, "é".repeat(maxKeptBytes / 2));
  assert.ok(result.receivedBytes >= maxKeptBytes);
  await gone.promise;
});

test("a character split by the cut is dropped, and invalid bytes are replaced", async (t) => {
  const divided = await serve(t, (socket) => socket.end(`a${"é".repeat(maxKeptBytes)}`));
  const { text } = await connected({ ...divided, ...patient });
  assert.equal(text, `a${"é".repeat(maxKeptBytes / 2 - 1)}`);
  const binary = await serve(t, (socket) => socket.end(Buffer.from([0, 0xff, 0x41])));
  assert.equal((await connected({ ...binary, ...patient })).text, "\0\u{fffd}A");
});

test("expected silence is detected after a short wait", async (t) => {
  const silent = await serve(t, () => {});
  const order = { ...patient, answer: "silence", data: "metric 1\n" } as const;
  assert.equal((await connected({ ...silent, ...order })).answer, "silent");
  const closing = await serve(t, (socket) => socket.once("data", () => socket.end()));
  assert.equal((await connected({ ...closing, ...order })).answer, "silent");
  const talking = await serve(t, (socket) => socket.write("what?"));
  const result = await connected({ ...talking, ...order });
  assert.deepEqual([result.answer, result.text], ["received", "what?"]);
});
