/** Runs a fleet, injects faults into it, and collects the evidence afterwards. */

import { waitUntil } from "../time/wait-until.ts";
import type { Evidence } from "./evidence.ts";
import type { Fault, FaultPlan } from "./fault-plan.ts";
import type { Fleet } from "./fleet.ts";
import { gatherEvidence, isSettled } from "./gather.ts";
import { type Heal, inject } from "./inject.ts";
import { findViolations, type Violation } from "./invariants.ts";
import { startWorkload, type Workload, type WorkloadOptions, Writer } from "./workload.ts";

/**
 * Interval of the writes. Each write creates a variable, and an account can have at most 1,000
 * variables, which is enough for ten minutes with two servers.
 */
const writeEveryMs = 1_400;
/**
 * Timeout for pending work. It is long because a server that is killed during a delivery leaves a
 * claim of forty seconds.
 */
const settleTimeoutMs = 120_000;
/**
 * Pause after a fault of PostgreSQL, because its supervisor stops restarting a PostgreSQL that
 * exits too often.
 */
const postgresRestMs = 15_000;
const pollEveryMs = 100;

export interface Outcome {
  readonly evidence: Evidence;
  readonly violations: readonly Violation[];
  /** Description of the work that was still pending after the timeout; `null` if there was none. */
  readonly unsettled: string | null;
}

export class FaultSession {
  readonly fleet: Fleet;
  readonly workload: Workload;
  readonly writer: Writer;
  readonly startedAtMs = Date.now();
  /** Time in milliseconds that each subject needed to recover after its fault had ended. */
  readonly recoveries: { readonly fault: Fault; readonly tookMs: number }[] = [];
  readonly #report: (line: string) => void;

  private constructor(fleet: Fleet, workload: Workload, tell: (line: string) => void) {
    this.fleet = fleet;
    this.workload = workload;
    this.writer = new Writer(fleet, writeEveryMs);
    this.#report = tell;
  }

  static async start(
    fleet: Fleet,
    options: WorkloadOptions,
    tell: (line: string) => void = () => {},
  ): Promise<FaultSession> {
    const session = new FaultSession(fleet, await startWorkload(fleet, options), tell);
    session.writer.start();
    return session;
  }

  async inject(fault: Fault): Promise<Heal> {
    this.say(`${fault.kind} ${fault.subject} for ${(fault.forMs / 1_000).toFixed(1)} s`);
    const heal = await inject(this.fleet, fault);
    return async () => {
      const beganMs = performance.now();
      await heal();
      const tookMs = Math.round(performance.now() - beganMs);
      this.recoveries.push({ fault, tookMs });
      this.say(`${fault.subject} is back from its ${fault.kind} after ${tookMs} ms`);
    };
  }

  /**
   * Waits until every check has a run that was due after this time. The verdict does not matter.
   */
  async waitForRuns(sinceMs: number): Promise<void> {
    const ids = this.workload.checks.map(({ checkId }) => checkId);
    await waitUntil("every check has run again", async () => {
      const [row] = await this.fleet.query<{ count: number }>(
        `select count(*)::int from check_states where check_id = any($1) and last_due_at >= $2`,
        [ids, new Date(sinceMs)],
      );
      return row?.count === ids.length;
    });
  }

  /** Executes a plan in real time. A fault is skipped if its subject is still recovering. */
  async play({ faults, outages }: FaultPlan): Promise<void> {
    const startedMs = performance.now();
    const at = async (ms: number) => {
      const restMs = startedMs + ms - performance.now();
      if (restMs > 0) await new Promise((resume) => setTimeout(resume, restMs));
    };
    const busy = new Set<string>();
    const playFault = async (fault: FaultPlan["faults"][number]) => {
      await at(fault.atMs);
      if (busy.has(fault.subject)) return this.say(`${fault.subject} is not back yet: skipped`);
      busy.add(fault.subject);
      const heal = await this.inject(fault);
      await at(fault.atMs + fault.forMs);
      await heal();
      if (fault.subject === this.fleet.postgres.name) {
        await new Promise((resume) => setTimeout(resume, postgresRestMs));
      }
      busy.delete(fault.subject);
    };
    const playOutage = async ({ target, atMs, forMs }: FaultPlan["outages"][number]) => {
      await at(atMs);
      this.fleet.targets.set(target, false);
      await at(atMs + forMs);
      this.fleet.targets.set(target, true);
    };
    await Promise.all([...faults.map(playFault), ...outages.map(playOutage)]);
  }

  say(line: string): void {
    const seconds = (Date.now() - this.startedAtMs) / 1_000;
    this.#report(`${seconds.toFixed(1).padStart(6)} s  ${line}`);
  }

  /** Waits until all results are evaluated and all alerts delivered, then collects the evidence. */
  async finish(): Promise<Outcome> {
    await this.writer.stop();
    const toMs = Date.now();
    this.say("the faults are over; waiting for everything to settle");
    const unsettled = await this.#settle(toMs);
    // Waits for results that may still be in transit although nothing appeared to be pending.
    await new Promise((resume) => setTimeout(resume, pollEveryMs));
    const evidence = await gatherEvidence(this.fleet, this.workload, {
      span: { fromMs: this.startedAtMs, toMs },
      acknowledged: this.writer.acknowledged,
    });
    return { evidence, violations: findViolations(evidence), unsettled };
  }

  async #settle(toMs: number): Promise<string | null> {
    try {
      await waitUntil(
        "everything has settled",
        () => isSettled(this.fleet, this.workload, toMs),
        settleTimeoutMs,
      );
      return null;
    } catch (error) {
      return (error as Error).message;
    }
  }
}
