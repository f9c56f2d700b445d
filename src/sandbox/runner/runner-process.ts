// Entry point of the runner process, which builds the sandboxes of scripts and connects the
// sandboxes to the network. The process can access neither the database nor secrets of the service,
// only the scripts that a probe sends.

import type { Outcome } from "../../contract/result.ts";
import type { RunAsset } from "../../contract/run-asset.ts";
import {
  createReach,
  hasNames,
  resolveEveryMs,
  resolveOwnHosts,
} from "../../platform/net/reach.ts";
import { createNameResolver } from "../../platform/net/resolve.ts";
import { findBrowserDenial } from "../browsers.ts";
import { hasNamespaces } from "../isolation/sandbox.ts";
import type { ScriptMeasurement, ScriptOrder } from "../script-run.ts";
import { type PreparedSuite, prepareSuite } from "../suites/prepare-suite.ts";
import { SuiteStore, type Unusable } from "../suites/suite-store.ts";
import { warmUpSuite } from "../suites/warm-suite.ts";
import { CompileCaches, identify } from "./compile-caches.ts";
import { type FoundIsolation, findIsolation, isolationAdvice } from "./isolation.ts";
import type { CodeCache } from "./launch.ts";
import type { FromRunner, RunnerSettings, ToRunner } from "./messages.ts";
import { failAtOnce, runScript, type ScriptResult, type ScriptTask } from "./run-script.ts";
import {
  claimSlots,
  decideCapacity,
  decideShares,
  FairQueue,
  SlotPool,
  suiteShares,
} from "./slots.ts";

/** Maximum length of the queue. With a longer queue, scripts would start after their deadlines. */
const maxWaiting = 200;

type Task = Extract<ToRunner, { kind: "run" }>;
type Machine = Omit<ScriptTask, "order" | "browser" | "cache" | "prepared" | "snapshots">;

function send(message: FromRunner): void {
  if (process.connected) process.send?.(message);
}

function sendOutcome(
  id: number,
  outcome: Outcome<ScriptMeasurement>,
  assets: readonly RunAsset[] = [],
): void {
  send({ kind: "outcome", id, outcome, assets });
}

class Runner {
  readonly #settings: RunnerSettings;
  readonly #egress;
  readonly #queue = new FairQueue<Task>(maxWaiting);
  #slots: SlotPool | null = null;
  readonly #caches: CompileCaches | null;
  readonly #suites: SuiteStore | null;
  #found: FoundIsolation | null = null;

  constructor(settings: RunnerSettings) {
    this.#settings = settings;
    const { reach: rules, nameServers } = settings;
    const { cacheFolder, suitesFolder, authorities } = settings;
    this.#suites = suitesFolder === undefined ? null : new SuiteStore(suitesFolder);
    this.#caches = cacheFolder === undefined ? null : new CompileCaches(cacheFolder);
    const reach = createReach(rules);
    const resolver = createNameResolver(nameServers === undefined ? {} : { nameServers });
    this.#egress = { resolver, reach, authorities };
    const ownHosts = rules.ownHosts ?? [];
    if (hasNames(ownHosts)) {
      const follow = async () => reach.setOwn(await resolveOwnHosts(ownHosts, reach.own));
      setInterval(() => void follow(), resolveEveryMs).unref();
    }
  }

  async prepare(): Promise<void> {
    const { concurrency, memoryBytes, isolations } = this.#settings;
    const capacity = decideCapacity(concurrency, memoryBytes);
    const { slots } = await claimSlots(capacity.slots);
    this.#slots = new SlotPool(capacity, slots);
    await Promise.all([this.#suites?.removeUnfinished(), this.#caches?.removeUnfinished()]);
    this.#found = await findIsolation(isolations, this.#egress);
    send({ kind: "ready", found: this.#found });
    this.#startNext();
  }

  add(task: Task): void {
    const rejected = this.#queue.add(task.order.accountId, task);
    if (rejected !== null) {
      const message = `The probe is overloaded: ${maxWaiting} scripts are waiting.`;
      sendOutcome(rejected.id, { kind: "overloaded", message });
    }
    this.#startNext();
  }

  /**
   * Starts waiting scripts in order. If the first script does not fit into memory, all later
   * scripts wait too, so that large scripts are not postponed forever.
   */
  #startNext(): void {
    const slots = this.#slots;
    while (slots !== null && this.#found !== null) {
      const task = this.#queue.first();
      if (task === undefined) return;
      const slot = slots.take(decideShares(task.order.request, task.browser));
      if (slot === null) return;
      this.#queue.next();
      void this.#run(task, slot, this.#found).finally(() => {
        slots.release(slot);
        this.#startNext();
      });
    }
  }

  async #run(task: Task, slot: number, { isolation, refusals }: FoundIsolation) {
    const { id, runtime } = task;
    if (isolation === null) {
      const message = `Scripts cannot be isolated on this machine. ${refusals.join(" ")} ${isolationAdvice}`;
      sendOutcome(id, { kind: "cannot-check", message });
      return;
    }
    const denial =
      task.browser === null || hasNamespaces(isolation) ? null : findBrowserDenial(task.browser);
    if (denial !== null) {
      sendOutcome(id, { kind: "cannot-check", message: denial });
      return;
    }
    const { memoryBytes } = this.#settings;
    const machine = { runtime, isolation, slot, memoryBytes, egress: this.#egress };
    try {
      const { outcome, assets } = await this.#measure(task, machine);
      sendOutcome(id, outcome, assets);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      sendOutcome(id, { kind: "interrupted", message });
    }
    if (task.order.request.suite !== undefined) return;
    await this.#caches?.warmUp(machine).catch(() => {});
  }

  async #measure(task: Task, machine: Machine): Promise<ScriptResult> {
    const { id, order, browser, isWatched, snapshots } = task;
    if (limitByDeadline(order, Date.now()) === null) return { outcome: tooLate, assets: [] };
    const prepared = await this.#prepare(task, machine);
    if (prepared !== null && "reason" in prepared) {
      const { reason: message, isFault } = prepared;
      const outcome = isFault
        ? failAtOnce(message, machine)
        : { kind: "cannot-check" as const, message };
      return { outcome, assets: [] };
    }
    try {
      const limited = limitByDeadline(order, Date.now());
      if (limited === null) return { outcome: tooLate, assets: [] };
      const cache = this.#findCache(prepared, machine);
      const { outcome, assets } = await runScript(
        { order: limited, ...machine, browser, cache, prepared, snapshots },
        isWatched ? (step) => send({ kind: "step", id, step }) : undefined,
      );
      const isCutShort = limited !== order && isTimedOut(outcome);
      return { outcome: isCutShort ? tooLate : outcome, assets };
    } finally {
      prepared?.release();
    }
  }

  /**
   * Returns the compile cache for a run. A suite has a separate cache, because it has its own
   * packages.
   */
  #findCache(prepared: PreparedSuite | null, { runtime, isolation }: Machine): CodeCache | null {
    if (prepared !== null) return prepared.cache;
    const folder = this.#caches?.find(runtime, isolation) ?? null;
    return folder === null ? null : { folder, isNew: false };
  }

  /** Prepares the code and packages of a suite. Returns `null` for a script without a suite. */
  async #prepare(
    { order, code, browser }: Task,
    machine: Machine,
  ): Promise<PreparedSuite | Unusable | null> {
    const { request, accountId: scope, variables } = order;
    if (request.suite === undefined) return null;
    if (this.#suites === null) {
      return { reason: "This probe has no folder for suites.", isFault: false };
    }
    const { npm = null } = this.#settings;
    const { isolation, slot, memoryBytes, egress, runtime } = machine;
    const limits = { isolation, slot, egress, memoryBytes: memoryBytes * suiteShares };
    return prepareSuite(this.#suites, {
      ...{ suite: request.suite, scope },
      // Converts the bytes to a buffer, because the IPC channel delivers a plain byte array.
      content: code === null ? null : Buffer.from(code),
      installation: { ...limits, npm, variables },
      engine: `${isolation} ${identify(runtime)}`,
      warmUp: (prepared, folder) => warmUpSuite(prepared, { ...machine, browser }, folder),
    });
  }
}

const tooLate = {
  kind: "overloaded",
  message: "The script waited for others until too little time was left.",
} as const;

/** Time reserved for returning the result before the deadline. */
const slackMs = 5_000;
/**
 * Time that is enough for most scripts. If less time is left, a script is started only if its own
 * timeout fits.
 */
const usualMs = 30_000;

/**
 * Shortens the timeout of an order so that the script ends before the deadline; `null` if too
 * little time is left.
 */
function limitByDeadline(order: ScriptOrder, nowMs: number): ScriptOrder | null {
  const { request, deadlineAtMs } = order;
  const leftMs = deadlineAtMs - nowMs - slackMs;
  if (leftMs >= request.timeoutMs) return order;
  if (leftMs < Math.min(usualMs, request.timeoutMs)) return null;
  return { ...order, request: { ...request, timeoutMs: leftMs } };
}

const isTimedOut = (outcome: Outcome<ScriptMeasurement>) =>
  outcome.kind === "measured" && outcome.measurement.end === "timed-out";

let runner: Runner | null = null;

process.on("message", (message: ToRunner) => {
  if (message.kind === "run") runner?.add(message);
  else {
    runner = new Runner(message.settings);
    void runner.prepare();
  }
});
// Stops the runner when the probe disconnects. The wardens of its sandboxes then stop too.
process.once("disconnect", () => process.exit(0));
