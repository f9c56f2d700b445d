import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { waitUntil } from "../../../test/support/time/wait-until.ts";
import { type ConnectionLimits, limitConnections } from "./connection-limit.ts";

interface Client {
  readonly socket: Socket;
  readonly isClosed: () => boolean;
}

async function startServer(
  t: TestContext,
  limits: Pick<ConnectionLimits, "perAddress" | "total"> & Partial<ConnectionLimits>,
  isExempt: (address: string) => boolean = () => false,
) {
  const open: ServerResponse[] = [];
  const server = createServer((request, response) => {
    noteRequest(request.socket, response);
    if (request.url === "/slow") open.push(response);
    else response.end("ok");
  });
  server.keepAliveTimeout = 0;
  const noteRequest = limitConnections(server, {
    silenceMs: 60_000,
    idleMs: 60_000,
    checkEveryMs: 2_000,
    isExempt,
    ...limits,
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const dial = async (from = "127.0.0.1"): Promise<Client> => {
    const socket = connect({ port, host: "127.0.0.1", localAddress: from });
    socket.on("error", () => {});
    const connected = once(server, "connection");
    await connected;
    let isClosed = false;
    socket.on("close", () => {
      isClosed = true;
    });
    socket.resume();
    return { socket, isClosed: () => isClosed };
  };
  const ask = (client: Client, path: string) =>
    client.socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  return { dial, ask, open };
}

test("above the limit of an address, its oldest idle connection is closed", async (t) => {
  const { dial } = await startServer(t, { perAddress: 2, total: 100 });
  const [first, second] = [await dial(), await dial()];
  const other = await dial("127.0.0.2");
  const third = await dial();
  await waitUntil("the oldest is closed", async () => first.isClosed());
  assert.deepEqual(
    [second, third, other].map((client) => client.isClosed()),
    [false, false, false],
  );
});

test("busy connections stay open, and a new one of the same address is rejected", async (t) => {
  const { dial, ask, open } = await startServer(t, { perAddress: 2, total: 100 });
  const busy = [await dial(), await dial()];
  for (const client of busy) ask(client, "/slow");
  await waitUntil("both are busy", async () => open.length === 2);
  const rejected = await dial();
  await waitUntil("the new one is closed", async () => rejected.isClosed());
  assert.equal((await dial("127.0.0.2")).isClosed(), false);
  assert.ok(busy.every((client) => !client.isClosed()));
  open[0]?.end("done");
  await waitUntil("the response has been sent", async () => open[0]?.closed ?? false);
  const next = await dial();
  await waitUntil("the idle one was closed", async () => busy[0]?.isClosed() ?? false);
  assert.equal(next.isClosed(), false);
});

test("above the total limit, an idle connection of any client is closed", async (t) => {
  const { dial } = await startServer(t, { perAddress: 2, total: 3 });
  const [first] = [await dial("127.0.0.2"), await dial("127.0.0.2"), await dial("127.0.0.3")];
  const late = await dial("127.0.0.4");
  await waitUntil("the oldest is closed", async () => first.isClosed());
  assert.equal(late.isClosed(), false);
});

test("an exempt client has no limit", async (t) => {
  const { dial } = await startServer(t, { perAddress: 1, total: 100 }, () => true);
  const clients = [await dial(), await dial(), await dial()];
  assert.ok(clients.every((client) => !client.isClosed()));
});

test("only an idle connection is closed after the timeout", async (t) => {
  const limits = { perAddress: 0, total: 100, idleMs: 1_000, checkEveryMs: 20 };
  const { dial, ask, open } = await startServer(t, limits);
  const [idle, busy, waiting] = [await dial(), await dial(), await dial()];
  ask(idle, "/");
  ask(waiting, "/slow");
  await waitUntil("the idle one is closed", async () => {
    ask(busy, "/");
    return idle.isClosed();
  });
  assert.equal(open.length, 1);
  assert.ok(!busy.isClosed() && !waiting.isClosed());
});
