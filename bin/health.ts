#!/usr/bin/env node
/** Health check for supervisors that run a command. Exits with 0 if the local server is alive. */
import { addressOf } from "../src/app/listening-address.ts";
import { readConfig } from "../src/config.ts";

const timeoutMs = 4_000;

try {
  const url = `${addressOf(readConfig())}/healthz`;
  const answer = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
  process.stdout.write(`${url} answers ${answer.status}\n`);
  process.exitCode = answer.ok ? 0 : 1;
} catch (error) {
  process.stdout.write(`The server does not respond: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
