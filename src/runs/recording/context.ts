import { Counter, Histogram, type Registry } from "prom-client";
import type { NatsKeys } from "../../checks/locations/index.ts";
import type { Result } from "../../contract/result.ts";
import type { ChangeAnnouncer } from "../../platform/notifications.ts";
import type { ScheduleContext, Watched } from "../scheduling/index.ts";
import type { SeenCertificates } from "./certificate-store.ts";

/**
 * Lets publishers wait until their results have been processed. Used only with the in-process bus:
 * a durable bus stores the results itself.
 */
export class RecordedRuns {
  readonly #waiting = new Map<string, (() => void)[]>();

  /**
   * Waits until the results of runs have been processed. Must be called before the results are
   * published.
   */
  waitFor(runIds: readonly string[]): Promise<unknown> {
    return Promise.all(runIds.map((runId) => this.#waitForOne(runId)));
  }

  #waitForOne(runId: string): Promise<void> {
    return new Promise((resume) => {
      this.#waiting.set(runId, [...(this.#waiting.get(runId) ?? []), resume]);
    });
  }

  /** Resumes the publishers. Must be called after the results were recorded or finally rejected. */
  note(messages: readonly unknown[]): void {
    if (this.#waiting.size === 0) return;
    for (const message of messages) {
      const { runId } = message as { readonly runId: string };
      for (const resume of this.#waiting.get(runId) ?? []) resume();
      this.#waiting.delete(runId);
    }
  }
}

/** A recorded run that failed, entirely or for one IP family. */
export interface FailureOffer {
  readonly watched: Watched;
  readonly result: Result;
  /**
   * Whether this run worsened the status of the check. False for an attempt that will be retried.
   */
  readonly isFirst: boolean;
}

/** Receives recorded failures. `offer` must return immediately and must not throw. */
export interface FailureListener {
  readonly offer: (failure: FailureOffer) => void;
}

/** Dependencies for recording accepted results. */
export interface RecorderContext
  extends Pick<ScheduleContext, "db" | "clock" | "log" | "watchList"> {
  readonly seenCertificates: SeenCertificates;
  readonly recordingMetrics: RecordingMetrics;
  /** Collects the checks with new results and periodically notifies open event streams. */
  readonly recorded: Pick<ChangeAnnouncer, "add">;
  /** Receives failures after they were recorded. */
  readonly failures?: FailureListener;
}

/** Dependencies of the recorder and the retention loop. */
export interface RecordingContext
  extends RecorderContext,
    Pick<ScheduleContext, "bus" | "directory" | "tags" | "load"> {
  readonly natsKeys: Pick<NatsKeys, "find" | "isLocked" | "noteForgery">;
  readonly recordedRuns: RecordedRuns;
}

interface RecordingMetrics {
  readonly results: Counter;
  readonly lateness: Histogram;
  readonly recordSeconds: Histogram;
  readonly ignored: Counter;
}

export function createRecordingMetrics(registry: Registry): RecordingMetrics {
  const registers = [registry];
  return {
    results: new Counter({
      name: "vedette_results_total",
      help: "Number of results recorded, by verdict.",
      labelNames: ["verdict"],
      registers,
    }),
    lateness: new Histogram({
      name: "vedette_run_lateness_seconds",
      help: "Delay between the planned and the actual start of a run.",
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
      registers,
    }),
    recordSeconds: new Histogram({
      name: "vedette_record_batch_seconds",
      help: "Duration of a transaction that records a batch of results.",
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
      registers,
    }),
    ignored: new Counter({
      name: "vedette_results_ignored_total",
      help: "Number of results that were not recorded, by reason.",
      labelNames: ["reason"],
      registers,
    }),
  };
}
