/** A server with its own data, and a signed-in browser. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { launchChromium } from "../../test/support/browsers/chromium.ts";
import { type Spawned, spawnServer } from "../support.ts";

export const key = "bench-key-bench-key-bench-key";
const password = "bench password";
const email = "owner@vedette.localhost";

export interface Bench {
  readonly url: string;
  readonly server: Spawned;
  readonly browser: Browser;
  readonly ask: (method: string, path: string, body?: unknown) => Promise<Answer>;
  readonly open: () => Promise<Page>;
  readonly stop: () => Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: a benchmark asks any answer for any field.
type Answer = any;

function createAsk(url: string): Bench["ask"] {
  return async (method, path, body) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text === "" ? null : JSON.parse(text);
  };
}

const environment = {
  PORT: "0",
  BOOTSTRAP_API_KEY: key,
  OUTBOUND_ALLOW_PRIVATE: "true",
  RATE_LIMIT_PER_MINUTE: "0",
  LOG_LEVEL: "warn",
};

/** Performs a first start, using only what the server prints. */
export async function startFirst(): Promise<{
  readonly url: string;
  readonly link: string;
  readonly stop: () => Promise<void>;
}> {
  const folder = mkdtempSync(join(tmpdir(), "vedette-bench-web-"));
  const { BOOTSTRAP_API_KEY: _, ...bare } = environment;
  const server = await spawnServer("bin/vedette.ts", ["server"], {
    ...bare,
    DATA_DIR: join(folder, "data"),
  });
  const path = /(\/sign-in#link=\S+)/.exec(server.printed.join("\n"))?.[1];
  if (path === undefined) throw new Error("The first start printed no link.");
  const stop = async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  };
  return { url: server.url, link: `${server.url}${path}`, stop };
}

async function signIn(context: BrowserContext, url: string): Promise<void> {
  const answer = await context.request.post(`${url}/v1/sessions`, { data: { email, password } });
  if (!answer.ok()) throw new Error(await answer.text());
}

export async function startBench(): Promise<Bench> {
  const folder = mkdtempSync(join(tmpdir(), "vedette-bench-web-"));
  const server = await spawnServer("bin/vedette.ts", ["server"], {
    ...environment,
    DATA_DIR: join(folder, "data"),
    BOOTSTRAP_PASSWORD: password,
    EXAMPLE: "false",
  });
  const browser = await launchChromium();
  const open = async () => {
    // Bypasses the policy, because waiting for a condition evaluates text in the page.
    const viewport = { width: 1440, height: 900 };
    const context = await browser.newContext({ viewport, bypassCSP: true });
    await signIn(context, server.url);
    return context.newPage();
  };
  const stop = async () => {
    await browser.close();
    await server.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  };
  return { url: server.url, server, browser, ask: createAsk(server.url), open, stop };
}
