/** Tests a separate gateway with short timeouts. */
import assert from "node:assert/strict";
import { randomUUIDv7 } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { createRunsFixture } from "../../../../test/support/modules/runs.ts";
import { connectClient, makeHello } from "../../../../test/support/probes/probe-client.ts";
import { openRawLink, writeFrameHead } from "../../../../test/support/probes/raw-link.ts";
import { waitUntil } from "../../../../test/support/time/wait-until.ts";
import { createKeyText, insertProbeKey } from "../../../checks/locations/probe-key-store.ts";
import { ProbeGateway } from "./gateway.ts";
import { linkLimits } from "./link-limits.ts";

test("a frame that is not finished in time closes only its own link", async (t) => {
  const { context, stop } = await createRunsFixture();
  t.after(stop);
  const place = { region: "eu-west-1" };
  const text = createKeyText(place);
  const key = { id: randomUUIDv7(), text, createdAt: context.clock.now() };
  await insertProbeKey(context.db, place, key);
  const gateway = new ProbeGateway({
    context,
    serverId: context.serverId,
    keyChanges: { onChange: () => {}, isOn: () => true },
    limits: { ...linkLimits, frameMs: 3_000 },
  });
  const server = createServer();
  gateway.attach(server);
  const loops = gateway.startLoops();
  t.after(async () => {
    await Promise.all(loops.map((loop) => loop.stop()));
    server.closeAllConnections();
    server.close();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const honest = await connectClient(t, { url, token: text });
  const slow = await openRawLink(t, url, text);
  // It has sent its hello, so that only the slow frame can close the link.
  const hello = Buffer.from(JSON.stringify({ type: "hello", hello: makeHello({ name: "slow" }) }));
  slow.write(writeFrameHead(hello.length));
  slow.write(hello);
  slow.write(writeFrameHead(1_000_000));
  const dribble = setInterval(() => slow.write(" "), 200);
  t.after(() => clearInterval(dribble));
  const idle = setInterval(
    () => honest.send({ type: "hello", hello: makeHello({ maxOpen: 0 }) }),
    500,
  );
  t.after(() => clearInterval(idle));
  await waitUntil("the slow link is cut", () => slow.closed);
  assert.equal(honest.closed, null);
  const { values } = await context.probeMetrics.rejectedProbes.get();
  assert.deepEqual(
    values.map(({ labels, value }) => [labels.reason, value]),
    [["slow-frame", 1]],
  );
});
