import type { Traced } from "../../kinds/kit/paths/compare-paths.ts";
import type { Path, PathTarget } from "../../kinds/kit/paths/path.ts";
import { BoundedMap } from "../../platform/bounded-map.ts";
import { RateLimit } from "../../platform/rate-limit.ts";
import type { FailureListener, FailureOffer } from "../recording/index.ts";
import { saveRunPath } from "../results/index.ts";
import { captureRun, findPathTarget, tracePath } from "../scheduling/index.ts";
import { type CheckState, findState } from "../states/index.ts";
import type { PathsContext } from "./context.ts";
import { listGoodPaths } from "./good-path-store.ts";

/**
 * Maximum number of failures that are traced concurrently. Each failure is traced from one or two
 * locations.
 */
const maxOpen = 32;
/** Minimum time between two traces of the same failing check. */
const restMs = 600_000;
const maxRemembered = 20_000;

/**
 * Returns the location with the newest passing result, or `null`. The failing location is excluded.
 */
function choosePassingLocation(
  { locations }: Pick<CheckState, "locations">,
  places: readonly string[],
  failing: string,
): string | null {
  const passing = Object.entries(locations).filter(
    ([location, { verdict }]) =>
      verdict === "passing" && location !== failing && places.includes(location),
  );
  const newest = passing.toSorted(([, one], [, other]) => other.atMs - one.atMs)[0];
  return newest?.[0] ?? null;
}

/**
 * Returns whether a stored path has the IP version of the target. The good path of a check that
 * uses both IP versions is stored for only one of them.
 */
const isOfFamily = ({ address }: Path, { ipFamily }: PathTarget) =>
  address.includes(":") === (ipFamily === "IPv6");

/**
 * Traces network paths after failures. Recording does not wait for the traces. There is no queue:
 * failures above the limits are counted but not traced.
 */
export class FailureTraces implements FailureListener {
  readonly #context: PathsContext;
  readonly #perMinute: RateLimit;
  readonly #tracedAtMs = new BoundedMap<string, number>(maxRemembered);
  readonly #explained = new BoundedMap<string, true>(100);
  readonly #open = new Set<Promise<void>>();
  readonly #stop = new AbortController();

  constructor(context: PathsContext) {
    this.#context = context;
    const { clock, pathsPerMinute: limit } = context;
    this.#perMinute = new RateLimit({ clock, limit, windowMs: 60_000 });
  }

  readonly offer = (failure: FailureOffer): void => {
    const { checkId, kind } = failure.watched;
    if (this.#perMinute.isOff || kind.pathTarget === undefined || this.#stop.signal.aborted) return;
    if (this.#open.size >= maxOpen) {
      this.#context.pathMetrics.shed.inc({ reason: "concurrency" });
      return;
    }
    const work = this.#trace(failure)
      .catch((error) => this.#context.log.warn({ err: error, checkId }, "could not trace a path"))
      .finally(() => this.#open.delete(work));
    this.#open.add(work);
  };

  /** Aborts the traces in progress. Their results get no path. */
  readonly stop = async (): Promise<void> => {
    this.#stop.abort();
    await Promise.all(this.#open);
  };

  #mayTrace(checkId: string): boolean {
    const { clock, pathMetrics } = this.#context;
    const nowMs = clock.now().getTime();
    const lastMs = this.#tracedAtMs.get(checkId);
    if (lastMs !== undefined && Math.abs(nowMs - lastMs) < restMs) return false;
    if (!this.#perMinute.take("").allowed) {
      pathMetrics.shed.inc({ reason: "rate" });
      return false;
    }
    this.#tracedAtMs.set(checkId, nowMs);
    return true;
  }

  async #trace({ watched, result, isFirst }: FailureOffer): Promise<void> {
    const { db, clock, recorded } = this.#context;
    const { checkId, accountId } = watched;
    const { location, outcome, runId } = result;
    const state = await findState(db, checkId);
    // A failure of a check that was already failing is not a new problem. `isFirst` means that this
    // run has just worsened the status of the check. An attempt that will be retried has not
    // changed the status, so the stored status is the one from before the failure.
    if (!isFirst && state?.status === "failing") return;
    if (!this.#mayTrace(checkId)) return;
    const target = await findPathTarget(this.#context, watched, { location, outcome });
    if (target === null) return;
    const other = state === null ? null : choosePassingLocation(state, watched.places, location);
    const trace = async (from: string) => {
      const request = { location: from, target, signal: this.#stop.signal };
      const traced = await tracePath(this.#context, watched, request);
      this.#note(from, traced);
      return traced;
    };
    const [failing, passing] = await Promise.all([
      trace(location),
      other === null ? null : trace(other),
    ]);
    if (failing === null) return;
    const good = (await listGoodPaths(db, [checkId])).find(
      (one) => one.location === location && isOfFamily(one.path, target),
    );
    await saveRunPath(db, checkId, runId, {
      location,
      tracedAtMs: clock.now().getTime(),
      failing,
      passing:
        other === null || passing === null || !("path" in passing)
          ? null
          : { location: other, path: passing.path },
      lastGood:
        good === undefined ? null : { learnedAtMs: good.learnedAt.getTime(), path: good.path },
    });
    recorded.add(accountId, checkId);
    if (watched.kind.capturesPackets !== true || !("path" in failing)) return;
    // The capture starts after the trace, so that it does not contain the packets of the trace.
    const repeat = { runId, location, target, signal: this.#stop.signal };
    const isCaptured = await captureRun(this.#context, watched, repeat);
    const labels = { cause: "capture", outcome: isCaptured ? "traced" : "not" };
    this.#context.pathMetrics.traced.inc(labels);
    if (isCaptured) recorded.add(accountId, checkId);
  }

  #note(location: string, traced: Traced | null): void {
    const hasPath = traced !== null && "path" in traced;
    const outcome = hasPath ? "traced" : "not";
    this.#context.pathMetrics.traced.inc({ cause: "failure", outcome });
    if (traced === null || hasPath || this.#explained.has(location)) return;
    this.#explained.set(location, true);
    this.#context.log.warn({ location }, `cannot trace paths: ${traced.trouble}`);
  }
}
