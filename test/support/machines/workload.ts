/** Workload of a fleet: checks with changing targets, an alert channel, and regular writes. */
import assert from "node:assert/strict";
import { planSchedule } from "../../../src/runs/scheduling/schedule.ts";
import { ask, create } from "./ask.ts";
import type { CheckFact } from "./evidence.ts";
import type { Fleet } from "./fleet.ts";

const periodSeconds = 10;

export interface WorkloadOptions {
  /** Number of checks. Every check has a separate target. */
  readonly checks: number;
  /** Lists of locations. The checks take turns in using these lists. */
  readonly places: readonly Places[];
}

export interface Places {
  readonly locations?: readonly string[];
  readonly privateLocations?: readonly string[];
}

export interface Workload {
  readonly checks: readonly CheckFact[];
  readonly channelIds: readonly number[];
}

const urlOf = ({ servers }: Fleet) => servers[0]?.url ?? assert.fail("there is no server");

/**
 * Creates the alert channel. Alerts are sent immediately for every state change, but not for
 * missing data, which keeps the expected alerts simple.
 */
async function createChannel(fleet: Fleet, url: string): Promise<number> {
  const settings = { flapDamping: null, noDataMinutes: null, escalationStages: [] };
  await create(`${url}/v1/alert-settings`, settings, "PUT");
  const config = { name: "Receiver", url: `${fleet.receiver.url}/hook` };
  const channel = { type: "WEBHOOK", config, autoSubscribe: true, digest: false };
  return (await create<{ id: number }>(`${url}/v1/alert-channels`, channel)).id;
}

async function createCheck(fleet: Fleet, target: number, places: Places): Promise<CheckFact> {
  const url = urlOf(fleet);
  const { id } = await create<{ id: string }>(`${url}/v1/checks/url`, {
    name: `target ${target}`,
    frequency: 0,
    frequencyOffset: periodSeconds,
    ...places,
    degradedResponseTime: 5_000,
    maxResponseTime: 5_000,
    request: { url: fleet.targets.urlOf(target) },
    // A third of the checks retry, so that faults also occur between two attempts.
    retryStrategy: target % 3 === 0 ? { type: "SINGLE_RETRY", baseBackoffSeconds: 1 } : null,
  });
  const [row] = await fleet.query<{ at: Date }>(
    "select coalesce(updated_at, created_at) as at from checks where id = $1",
    [id],
  );
  const schedule = { checkId: id, frequencyMinutes: 0, frequencyOffset: periodSeconds };
  return {
    checkId: id,
    ...planSchedule(schedule),
    sinceMs: (row?.at ?? assert.fail("a check is missing")).getTime(),
    locations: [...(places.locations ?? []), ...(places.privateLocations ?? [])],
    isParallel: false,
    target,
  };
}

export async function startWorkload(fleet: Fleet, options: WorkloadOptions): Promise<Workload> {
  const channelId = await createChannel(fleet, urlOf(fleet));
  const checks: CheckFact[] = [];
  for (let target = 0; target < options.checks; target += 1) {
    const places = options.places[target % options.places.length] ?? {};
    checks.push(await createCheck(fleet, target, places));
  }
  return { checks, channelIds: [channelId] };
}

/** Writes at regular intervals to each server in turn, and records the acknowledged writes. */
export class Writer {
  readonly acknowledged: string[] = [];
  readonly statuses = new Map<number | null, number>();
  readonly #fleet: Fleet;
  readonly #everyMs: number;
  #isStopped = false;
  #running: Promise<void> = Promise.resolve();

  constructor(fleet: Fleet, everyMs: number) {
    this.#fleet = fleet;
    this.#everyMs = everyMs;
  }

  start(): void {
    const writers = this.#fleet.servers.map(({ url }, number) => this.#write(url, number));
    this.#running = Promise.all(writers).then(() => {});
  }

  async #write(url: string, writer: number): Promise<void> {
    for (let turn = 1; !this.#isStopped; turn += 1) {
      const key = `WRITE_${writer}_${turn}`;
      const { status } = await ask(`${url}/v1/variables`, "POST", { key, value: "1" });
      this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
      if (status !== null && status < 300) this.acknowledged.push(key);
      await new Promise((resume) => setTimeout(resume, this.#everyMs));
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }
}
