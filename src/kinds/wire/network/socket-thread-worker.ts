// Entry point of the socket thread. Each call names the module that executes the call.

import { readlinkSync } from "node:fs";
import { setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import type { RunStep } from "../../../contract/result.ts";
import {
  createReach,
  hasNames,
  resolveEveryMs,
  resolveOwnHosts,
} from "../../../platform/net/reach.ts";
import { createNameResolver } from "../../../platform/net/resolve.ts";
import type { AnswerMessage, CallMessage, Serve, StepMessage, ThreadStart } from "./socket-work.ts";
import { Outbox } from "./socket-work.ts";

const port = parentPort;
if (port === null) throw new Error("This module runs in a worker thread only.");

/** Raises the priority of this thread, if permitted, because the thread measures times. */
function raisePriority(): void {
  try {
    const threadId = Number(readlinkSync("/proc/thread-self").split("/").at(-1));
    setPriority(threadId, -10);
  } catch {
    // The thread keeps the priority of the process if it may not raise its own priority.
  }
}

raisePriority();
const { reach, nameServers } = workerData as ThreadStart;
const rules = createReach(reach);
const tools = {
  resolver: createNameResolver(nameServers === null ? {} : { nameServers }),
  reach: rules,
  nameServers,
};

/** Updates the addresses of the hosts that the service itself uses. */
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
    const onStep = (step: RunStep) => outbox.add({ id, step });
    outbox.add({ id, content: await serve(content, isWatched ? { ...tools, onStep } : tools) });
  } catch (error) {
    // Exceptions are caught, because an exception in one kind must not end runs of other kinds.
    const failure = error instanceof Error ? (error.stack ?? error.message) : String(error);
    outbox.add({ id, content: null, failure });
  }
}

port.on("message", (batch: readonly CallMessage[]) => {
  for (const call of batch) void answer(call);
});
