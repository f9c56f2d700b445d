// The socket thread's entry: answers each call with the module that it names.

import { readlinkSync } from "node:fs";
import { setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import type { RunStep } from "../../contract/progress.ts";
import { Outbox } from "./outbox.ts";
import { hasNames, resolveEveryMs, resolveOwnHosts } from "./own-hosts.ts";
import { createReach } from "./reach.ts";
import { createNameResolver } from "./resolve.ts";
import type { AnswerMessage, CallMessage, Serve, StepMessage, ThreadStart } from "./socket-work.ts";

const port = parentPort;
if (port === null) throw new Error("This module runs in a worker thread only.");

/** Where the system permits it, other threads wait for this one: it has times to take. */
function goFirst(): void {
  try {
    const threadId = Number(readlinkSync("/proc/thread-self").split("/").at(-1));
    setPriority(threadId, -10);
  } catch {
    // Without the privilege it has the priority of the process.
  }
}

goFirst();
const { reach, nameServers } = workerData as ThreadStart;
const rules = createReach(reach);
const tools = {
  resolver: createNameResolver(nameServers === null ? {} : { nameServers }),
  reach: rules,
};

/** Follows the addresses of what the service itself uses. */
async function followOwnHosts(): Promise<void> {
  rules.setOwn(await resolveOwnHosts(reach.ownHosts ?? [], rules.own));
}

if (hasNames(reach.ownHosts ?? [])) {
  setInterval(() => void followOwnHosts(), resolveEveryMs).unref();
}
const outbox = new Outbox<AnswerMessage | StepMessage>((batch) => port.postMessage(batch));
const serving = new Map<string, Serve<unknown, unknown>>();

async function load(module: string): Promise<Serve<unknown, unknown>> {
  const { serve }: { serve: Serve<unknown, unknown> } = await import(module);
  serving.set(module, serve);
  return serve;
}

async function answer({ id, module, content, isWatched }: CallMessage): Promise<void> {
  try {
    const serve = serving.get(module) ?? (await load(module));
    const tell = (told: RunStep) => outbox.add({ id, told });
    outbox.add({ id, content: await serve(content, isWatched ? { ...tools, tell } : tools) });
  } catch (error) {
    // A bug of one kind must not end the runs of the others.
    const failure = error instanceof Error ? (error.stack ?? error.message) : String(error);
    outbox.add({ id, content: null, failure });
  }
}

port.on("message", (batch: readonly CallMessage[]) => {
  for (const call of batch) void answer(call);
});
