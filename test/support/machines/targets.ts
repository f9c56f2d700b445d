/** What the checks watch: up or down as the harness says, so that every true change is known. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TargetChange } from "./evidence.ts";

export interface Targets {
  readonly urlOf: (target: number) => string;
  readonly set: (target: number, isUp: boolean) => void;
  readonly isUp: (target: number) => boolean;
  readonly changes: readonly TargetChange[];
  readonly stop: () => Promise<void>;
}

export async function startTargets(count: number): Promise<Targets> {
  const states = Array.from({ length: count }, () => true);
  const changes: TargetChange[] = [];
  const server = createServer((request, response) => {
    const target = Number(request.url?.slice(1));
    response.writeHead(states[target] === true ? 200 : 503).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    urlOf: (target) => `http://127.0.0.1:${port}/${target}`,
    isUp: (target) => states[target] === true,
    set: (target, isUp) => {
      states[target] = isUp;
      changes.push({ target, atMs: Date.now(), isUp });
    },
    changes,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
