#!/usr/bin/env node
/** For supervisors that run a command: ends with 0 while the server of this machine is alive. */
import { addressOf } from "../src/app/listening-address.ts";
import { readConfig } from "../src/config.ts";

const patienceMs = 4_000;

try {
  const url = `${addressOf(readConfig())}/healthz`;
  const answer = await fetch(url, { signal: AbortSignal.timeout(patienceMs) });
  process.stdout.write(`${url} answers ${answer.status}\n`);
  process.exitCode = answer.ok ? 0 : 1;
} catch (error) {
  process.stdout.write(`The server does not answer: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
