/**
 * Targets of the checks. The harness decides whether a target is up or down, so that every change
 * is known.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TargetChange } from "./evidence.ts";

export interface Targets {
  readonly urlOf: (target: number) => string;
  readonly set: (target: number, isUp: boolean) => void;
  readonly isUp: (target: number) => boolean;
  /** Holds all requests until `release` is called. */
  readonly hold: () => void;
  readonly release: () => void;
  /** Returns the number of requests for a target that wait for a response. */
  readonly countWaiting: (target: number) => number;
  readonly changes: readonly TargetChange[];
  readonly stop: () => Promise<void>;
}

export async function startTargets(count: number): Promise<Targets> {
  const states = Array.from({ length: count }, () => true);
  const changes: TargetChange[] = [];
  const waiting = states.map(() => 0);
  let held: (() => void)[] | null = null;
  const server = createServer((request, response) => {
    const target = Number(request.url?.slice(1));
    const status = states[target] === true ? 200 : 503;
    waiting[target] = (waiting[target] ?? 0) + 1;
    const answer = () => {
      waiting[target] = (waiting[target] ?? 1) - 1;
      response.writeHead(status).end();
    };
    if (held === null) answer();
    else held.push(answer);
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
    hold: () => {
      held ??= [];
    },
    release: () => {
      const answers = held ?? [];
      held = null;
      for (const answer of answers) answer();
    },
    countWaiting: (target) => waiting[target] ?? 0,
    changes,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
