import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Below those that systems give to whoever connects or asks for any port: one of these, free now,
 * is not the next connection's of another test before it is used, or used again.
 */
const firstPort = 20_000;
const lastPort = 32_000;
const tries = 100;

async function isFree(port: number, address: string): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, address), "listening");
    server.close();
    await once(server, "close");
    return true;
  } catch {
    return false;
  }
}

/** A port that nobody has: to be refused there, or to listen there later, or again. */
export async function findFreePort(address = "127.0.0.1"): Promise<number> {
  for (let count = 0; count < tries; count += 1) {
    const port = randomInt(firstPort, lastPort);
    if (await isFree(port, address)) return port;
  }
  throw new Error(`None of ${tries} ports from ${firstPort} to ${lastPort} is free.`);
}
