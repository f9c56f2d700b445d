/** Runs one contestant in a separate process and reports the CPU time per check. */
import { createSocket } from "node:dgram";
import { connect } from "node:net";
import { createSecureContext } from "node:tls";
import { Client } from "undici";
import type { Ports } from "./ports.ts";
import { startProbeRuns, toRequest } from "./probe-runs.ts";

const [name = "", countText = "0", portsText = "{}"] = process.argv.slice(2);
const count = Number(countText);
const ports: Ports = JSON.parse(portsText);
/**
 * A probe reports results every 20 ms. With few concurrent checks, mostly the wake-ups would be
 * measured.
 */
const concurrency = 100;
const warmUps = 800;

type Check = () => Promise<unknown>;

async function askUndici(origin: string, secureContext?: object): Promise<void> {
  const tls = secureContext && { secureContext, rejectUnauthorized: false, maxCachedSessions: 0 };
  const client = new Client(origin, { ...(tls && { connect: tls }) });
  const { body } = await client.request({ path: "/", method: "GET" });
  await body.text();
  await client.close();
}

function connectBare(): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port: ports.tcp, autoSelectFamily: false });
    socket.on("error", reject);
    socket.on("connect", () => {
      socket.destroy();
      resolve();
    });
  });
}

/** A DNS query for the address of `a.bench.example`. */
const question = Buffer.from(
  "123401000001000000000000016105" + "62656e6368076578616d706c6500" + "00010001",
  "hex",
);

function askBare(): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = createSocket("udp4");
    socket.on("error", reject);
    socket.on("message", () => {
      socket.close();
      resolve();
    });
    socket.connect(ports.dns, "127.0.0.1", () => socket.send(question));
  });
}

async function probe(type: Parameters<typeof startProbeRuns>[0], asked: object): Promise<Check> {
  const { run } = await startProbeRuns(type);
  const request = toRequest(type, asked);
  return () => run(request);
}

const contestants: Readonly<Record<string, () => Promise<Check>>> = {
  "url-http": () => probe("URL", { url: `http://127.0.0.1:${ports.http}/` }),
  "url-https": () => probe("URL", { url: `https://127.0.0.1:${ports.https}/`, skipSSL: true }),
  tcp: () => probe("TCP", { hostname: "127.0.0.1", port: ports.tcp }),
  dns: () => {
    const server = { nameServer: "127.0.0.1", port: ports.dns };
    return probe("DNS", { query: "a.bench.example", recordType: "A", ...server });
  },
  "undici-http": async () => () => askUndici(`http://127.0.0.1:${ports.http}`),
  "undici-https": async () => {
    // Shared, because undici would create one per connection, which takes longer than the
    // handshake.
    const context = createSecureContext();
    return () => askUndici(`https://127.0.0.1:${ports.https}`, context);
  },
  "bare-tcp": async () => connectBare,
  "bare-dns": async () => askBare,
};

async function repeat(check: Check, times: number): Promise<void> {
  let left = times;
  const work = async () => {
    while (left > 0) {
      left -= 1;
      await check();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
}

const check = await contestants[name]?.();
if (check === undefined) throw new Error(`There is no contestant ${name}.`);
await repeat(check, warmUps);
const before = process.cpuUsage();
await repeat(check, count);
const { user, system } = process.cpuUsage(before);
process.send?.((user + system) / count, () => process.exit());
