/**
 * Measures the agent in the whole product: the time to the first token without a model and with
 * many checks, and the memory of a hundred concurrent answers whose clients do not read.
 *
 * npm run bench agent -- --streams 100
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type ModelServer, startModelServer } from "../../test/support/servers/model-server.ts";
import { readMemoryMiB } from "../scale/processes.ts";
import { median, report, type Spawned, spawnServer, write } from "../support.ts";

const { values } = parseArgs({ options: { streams: { type: "string", default: "100" } } });
const streamCount = Number(values.streams);
const accountId = "0190f3a2-7b1c-7def-8000-0123456789ab";
const key = "bench-key-bench-key-bench-key";
const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
const checkCount = 200;
const questionCount = 40;
const rounds = 8;
const heapMiB = 128;

function startProduct(folder: string, more: Readonly<Record<string, string>>): Promise<Spawned> {
  return spawnServer("bin/vedette.ts", ["server"], {
    PORT: "0",
    DATA_DIR: folder,
    BOOTSTRAP_ACCOUNT_ID: accountId,
    BOOTSTRAP_API_KEY: key,
    EXAMPLE: "false",
    RATE_LIMIT_PER_MINUTE: "0",
    AI_STREAMS_PER_ACCOUNT: "200",
    LOG_LEVEL: "warn",
    ...more,
  });
}

function ask(url: string, text: string, signal?: AbortSignal): Promise<Response> {
  return fetch(`${url}/accounts/${accountId}/ai/agents/stream`, {
    method: "POST",
    headers,
    body: JSON.stringify({ messages: [{ role: "user", content: text }] }),
    ...(signal === undefined ? {} : { signal }),
  });
}

async function createChecks(url: string): Promise<void> {
  for (let index = 0; index < checkCount; index += 1) {
    const body = { name: `host ${index}`, activated: false, request: { hostname: "127.0.0.1" } };
    const answer = await fetch(`${url}/v1/checks/icmp`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    if (answer.status !== 201) throw new Error(await answer.text());
  }
}

/**
 * Returns the milliseconds until the first byte, and until the first words after the opening quote.
 */
async function timeAnswer(url: string, text: string): Promise<{ byte: number; words: number }> {
  const started = performance.now();
  const response = await ask(url, text);
  let byte = 0;
  let words = 0;
  let length = 0;
  for await (const chunk of response.body ?? []) {
    if (length === 0) byte = performance.now() - started;
    length += chunk.length;
    if (words === 0 && length > 1) words = performance.now() - started;
  }
  return { byte, words };
}

function percentile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

async function measureFirstWords(folder: string): Promise<void> {
  const product = await startProduct(folder, {});
  try {
    await createChecks(product.url);
    const questions = ["What is failing?", "Which checks are slowest by P95 today?", "Hello"];
    for (const question of questions) await timeAnswer(product.url, question);
    const times: { byte: number; words: number }[] = [];
    for (let index = 0; index < questionCount; index += 1) {
      times.push(await timeAnswer(product.url, questions[index % questions.length] ?? ""));
    }
    const words = times.map((time) => time.words);
    report(`The planner with ${checkCount} checks, ${questionCount} questions`, [
      { name: "first byte, median", value: median(times.map(({ byte }) => byte)), unit: "ms" },
      { name: "first words, median", value: median(words), unit: "ms" },
      { name: "first words, P95", value: percentile(words, 0.95), atMost: 200, unit: "ms" },
    ]);
  } finally {
    await product.stop();
  }
}

/**
 * Opens all streams without reading them, and waits until the model has sent everything that the
 * server accepts.
 */
async function holdStreams(url: string, model: ModelServer, pid: number): Promise<number> {
  const controller = new AbortController();
  model.behave(() => ({ pieces: Array.from({ length: 500 }, () => "word ".repeat(20)) }));
  const open = await Promise.all(
    Array.from({ length: streamCount }, (_, index) => ask(url, `Ask ${index}`, controller.signal)),
  );
  const refused = open.filter(({ status }) => status !== 200).length;
  if (refused > 0) throw new Error(`${refused} of ${streamCount} were refused`);
  let peak = 0;
  for (let look = 0; look < 20; look += 1) {
    await wait(100);
    peak = Math.max(peak, readMemoryMiB([pid]));
  }
  controller.abort();
  await wait(500);
  return peak;
}

async function measureMemory(folder: string): Promise<void> {
  const model = await startModelServer();
  // A heap of this size would overflow if answers accumulated. Without a limit, V8 delays garbage
  // collection.
  const limit = { NODE_OPTIONS: `--max-old-space-size=${heapMiB}` };
  const product = await startProduct(folder, { AI_BASE_URL: model.url, ...limit });
  const pid = product.child.pid ?? 0;
  try {
    for (let index = 0; index < 20; index += 1) await (await ask(product.url, "Warm up")).text();
    const before = readMemoryMiB([pid]);
    const peaks: number[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      peaks.push(await holdStreams(product.url, model, pid));
      write(`  round ${round}: ${peaks.at(-1)?.toFixed(0)} MiB at most`);
    }
    const [first = 0] = peaks;
    const last = peaks.at(-1) ?? 0;
    const each = (Math.max(...peaks) - before) / streamCount;
    report(`${streamCount} unread answers of 50 kB at once, with a heap of ${heapMiB} MiB`, [
      { name: "before", value: before, unit: "MiB" },
      { name: "additional memory per answer at the peak", value: each, atMost: 1, unit: "MiB" },
      { name: "last round ÷ first round", value: last / first, atMost: 1.3 },
    ]);
  } finally {
    await product.stop();
    await model.stop();
  }
}

const folder = mkdtempSync(join(tmpdir(), "vedette-agent-"));
try {
  await measureFirstWords(folder);
  await measureMemory(folder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
