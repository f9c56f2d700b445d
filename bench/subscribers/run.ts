/**
 * Sends one incident update to thousands of mail subscribers, in the whole product, with a server
 * that is killed half way: whether all are notified, how fast, and the effect on other API clients.
 *
 * npm run bench subscribers -- --subscribers 10000
 */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { SMTPServer } from "smtp-server";
import { report, type Spawned, spawnServer, write } from "../support.ts";

const { values } = parseArgs({ options: { subscribers: { type: "string", default: "10000" } } });
const count = Number(values.subscribers);
const key = "bench-key-bench-key-bench-key";
const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
const perRequest = 100;
/** By then, claims of the killed server have expired. */
const patienceMs = 600_000;
const bar = { p99Ratio: 3, mailsPerSecond: 50, repeats: 4 } as const;

/** Message-IDs received by each mailbox. */
const told = new Map<string, string[]>();
let mailCount = 0;
const receiver = new SMTPServer({
  authOptional: true,
  disabledCommands: ["STARTTLS"],
  logger: false,
  onData(stream, { envelope }, done) {
    let text = "";
    stream.on("data", (chunk) => {
      text += String(chunk);
    });
    stream.on("end", () => {
      const address = envelope.rcptTo[0]?.address ?? "";
      const id = /^Message-ID:\s*(\S+)/im.exec(text)?.[1] ?? "";
      told.set(address, [...(told.get(address) ?? []), id]);
      mailCount += 1;
      done();
    });
  },
});
receiver.on("error", () => {});
await new Promise<void>((done) => receiver.listen(0, "127.0.0.1", done));
const { port } = receiver.server.address() as AddressInfo;

const folder = mkdtempSync(join(tmpdir(), "vedette-subscribers-"));
const start = (): Promise<Spawned> =>
  spawnServer("bin/vedette.ts", ["server"], {
    PORT: "0",
    DATA_DIR: folder,
    BOOTSTRAP_API_KEY: key,
    EXAMPLE: "false",
    RATE_LIMIT_PER_MINUTE: "0",
    BUILT_IN_PROBE: "false",
    SMTP_URL: `smtp://127.0.0.1:${port}`,
    LOG_LEVEL: "warn",
  });
let product = await start();

async function post(path: string, body: unknown): Promise<{ id: string }> {
  const answer = await fetch(`${product.url}${path}`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  if (answer.status !== 201) throw new Error(await answer.text());
  return (await answer.json()) as { id: string };
}

/** Returns the P99 in milliseconds. */
async function measureP99(path: string, isGoingOn: () => boolean): Promise<number> {
  const times: number[] = [];
  while (isGoingOn()) {
    const startedMs = performance.now();
    const answer = await fetch(`${product.url}${path}`, { headers });
    await answer.arrayBuffer();
    times.push(performance.now() - startedMs);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  times.sort((one, other) => one - other);
  return times[Math.floor(times.length * 0.99)] ?? Number.NaN;
}

const service = await post("/v1/status-pages/services", { name: "Checkout" });
const cards = [{ name: "Shop", services: [{ id: service.id }] }];
const page = await post("/v1/status-pages", { name: "Acme", url: "acme", cards });
for (let first = 0; first < count; first += perRequest) {
  const subscriptions = Array.from(
    { length: Math.min(perRequest, count - first) },
    (_n, index) => ({
      type: "EMAIL",
      config: `reader-${first + index}@example.com`,
    }),
  );
  const body = { subscriptions, autoVerify: true };
  await post(`/v1/status-pages/${page.id}/subscriptions/bulk`, body);
}
write(`${count} subscribers are on the list.`);

let asked = 0;
const before = await measureP99(`/v1/status-pages/${page.id}`, () => asked++ < 1_000);
const startedMs = performance.now();
await post("/v1/status-pages/incidents", {
  name: "Payments fail",
  severity: "MAJOR",
  services: [{ id: service.id }],
  incidentUpdates: [{ description: "We are on it.", notifySubscribers: true }],
});
const during = await measureP99(`/v1/status-pages/${page.id}`, () => mailCount < count / 2);
const halfSeconds = (performance.now() - startedMs) / 1_000;
const gone = once(product.child, "exit");
product.child.kill("SIGKILL");
await gone;
write(`Killed after ${mailCount} mails in ${halfSeconds.toFixed(1)} s.`);
product = await start();
while (told.size < count && performance.now() - startedMs < patienceMs) {
  await new Promise((resolve) => setTimeout(resolve, 100));
}
const totalSeconds = (performance.now() - startedMs) / 1_000;
await product.stop();
await new Promise<void>((resolve) => receiver.close(resolve));
rmSync(folder, { recursive: true, force: true });

const strange = [...told.values()].filter((ids) => new Set(ids).size !== 1).length;
report(`One update to ${count} subscribers, the server killed half way`, [
  { name: "subscribers not notified", value: count - told.size, atMost: 0 },
  { name: "mailboxes with a second Message-ID", value: strange, atMost: 0 },
  { name: "repeats under the same Message-ID", value: mailCount - told.size, atMost: bar.repeats },
  {
    name: "mails per second until the kill",
    value: count / 2 / halfSeconds,
    atLeast: bar.mailsPerSecond,
  },
  { name: "until the last, including claims of the killed server", value: totalSeconds, unit: "s" },
  { name: "API p99 before", value: before, unit: "ms" },
  { name: "API p99 during ÷ before", value: during / before, atMost: bar.p99Ratio },
]);
