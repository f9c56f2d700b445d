/**
 * Measures the public status page: requests per second compared with a bare Fastify route that
 * sends the same bytes, the size of a typical page, and the time until a posted update appears.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { requireTools } from "../icmp/bench-tools.ts";
import { median, report, spawnServer, write } from "../support.ts";
import { loadWithWrk } from "../wrk.ts";

const rounds = 11;
const seconds = 1;
const cards = 4;
const servicesPerCard = 5;
const incidents = 3;
const updates = 40;
const key = "bench-key-bench-key-bench-key";
const path = "/status/bench";
const maxSeenMs = 1_000;

requireTools(["wrk"]);
const folder = mkdtempSync(join(tmpdir(), "vedette-bench-"));
const product = await spawnServer("bin/vedette.ts", ["server"], {
  PORT: "0",
  DATA_DIR: folder,
  BOOTSTRAP_API_KEY: key,
  EXAMPLE: "false",
  BUILT_IN_PROBE: "false",
  RATE_LIMIT_PER_MINUTE: "0",
});

async function post(to: string, body: unknown): Promise<{ readonly id: string }> {
  const answer = await fetch(`${product.url}${to}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json() as Promise<{ readonly id: string }>;
}

async function makePage(): Promise<readonly string[]> {
  const serviceIds: string[] = [];
  const made = [];
  for (let card = 1; card <= cards; card += 1) {
    const services = [];
    for (let service = 1; service <= servicesPerCard; service += 1) {
      const name = `Service ${card}.${service}`;
      const { id } = await post("/v1/status-pages/services", { name });
      serviceIds.push(id);
      services.push({ id });
    }
    made.push({ name: `Card ${card}`, services });
  }
  await post("/v1/status-pages", { name: "Bench", url: "bench", cards: made });
  return serviceIds;
}

async function makeIncidents(serviceIds: readonly string[]): Promise<string> {
  let last = "";
  for (let number = 0; number < incidents; number += 1) {
    const at = (hoursAgo: number) => new Date(Date.now() - hoursAgo * 3_600_000).toISOString();
    const begun = (number + 1) * 60;
    const words = "Some requests fail. We have found the cause and are working on it. ".repeat(3);
    const body = {
      name: `Incident ${number + 1}`,
      severity: "MAJOR",
      services: [{ id: serviceIds[number] }],
      incidentUpdates: [
        { description: words, status: "INVESTIGATING", publicIncidentUpdateDate: at(begun) },
        { description: words, status: "IDENTIFIED", publicIncidentUpdateDate: at(begun - 1) },
        { description: words, status: "MONITORING", publicIncidentUpdateDate: at(begun - 2) },
      ],
    };
    last = (await post("/v1/status-pages/incidents", body)).id;
  }
  return last;
}

async function measureWeight(): Promise<number> {
  const page = await (await fetch(`${product.url}${path}`)).text();
  let bytes = Buffer.byteLength(page);
  for (const [, file] of page.matchAll(/(?:href|src)="([^"]+\.(?:css|js)\?v=[^"]+)"/g)) {
    bytes += Buffer.byteLength(await (await fetch(`${product.url}${file}`)).text());
  }
  return bytes;
}

/** Measures from the API request until the page shows the update. */
async function measureNews(incidentId: string): Promise<readonly number[]> {
  const times: number[] = [];
  for (let number = 1; number <= updates; number += 1) {
    const words = `News number ${number}.`;
    const begunMs = performance.now();
    await post(`/v1/status-pages/incidents/${incidentId}/incident-updates`, {
      description: words,
      status: "MONITORING",
    });
    while (!(await (await fetch(`${product.url}${path}`)).text()).includes(words)) {
      if (performance.now() - begunMs > 10_000) throw new Error(`never seen: ${words}`);
    }
    times.push(performance.now() - begunMs);
  }
  return times;
}

async function requestsPerSecond(url: string, duration: number): Promise<number> {
  const { requests, seconds } = await loadWithWrk(`${url}${path}`, { seconds: duration });
  return requests / seconds;
}

async function measureRatios(): Promise<readonly number[]> {
  const body = await (await fetch(`${product.url}${path}`)).text();
  const bodyFile = join(folder, "body.html");
  writeFileSync(bodyFile, body);
  const bare = await spawnServer("bench/pages/bare-server.ts", [bodyFile]);
  try {
    if ((await (await fetch(`${bare.url}${path}`)).text()) !== body)
      throw new Error("bytes differ");
    await requestsPerSecond(product.url, 2);
    await requestsPerSecond(bare.url, 2);
    const ratios: number[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      const ours = await requestsPerSecond(product.url, seconds);
      const theirs = await requestsPerSecond(bare.url, seconds);
      ratios.push(ours / theirs);
      write(`  round ${round}: ours ${ours.toFixed(0)}/s, bare Fastify ${theirs.toFixed(0)}/s`);
    }
    return ratios;
  } finally {
    await bare.stop();
  }
}

try {
  const incidentId = await makeIncidents(await makePage());
  const weight = await measureWeight();
  const ratios = await measureRatios();
  const news = await measureNews(incidentId);
  report("The public status page", [
    { name: "requests per second ÷ bare Fastify, median", value: median(ratios), atLeast: 0.5 },
    { name: "page, style and script, not packed", value: weight / 1_000, atMost: 60, unit: "kB" },
    {
      name: "slowest of forty updates ÷ one second",
      value: Math.max(...news) / maxSeenMs,
      atMost: 1,
    },
  ]);
} finally {
  await product.stop();
  rmSync(folder, { recursive: true, force: true });
}
