import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Lowest port that tests use. The range is below the system's ephemeral ports, so that the system
 * does not assign a free port to a connection of another test.
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

/** Returns a free port, either for a refused connection or for a server that starts later. */
export async function findFreePort(address = "127.0.0.1"): Promise<number> {
  for (let count = 0; count < tries; count += 1) {
    const port = randomInt(firstPort, lastPort);
    if (await isFree(port, address)) return port;
  }
  throw new Error(`None of ${tries} ports from ${firstPort} to ${lastPort} is free.`);
}
