import type { Registry } from "prom-client";
import { type Loop, startLoop } from "../../platform/loop.ts";
import { findPathTarget, tracePath } from "../scheduling/index.ts";
import { findState, listPassingPlaces } from "../states/index.ts";
import { createPathMetrics, type PathsContext } from "./context.ts";
import { FailureTraces } from "./failure-traces.ts";
import { type CheckPlace, claimGoodPaths, saveGoodPath } from "./good-path-store.ts";

/** Minimum time between two traces of the same good path. */
const learnEveryMs = 86_400_000;
/**
 * Minimum time between two traces while no good path is stored, for example because the probe was
 * busy.
 */
const retryAfterMs = 3_600_000;
/** Maximum number of checks that an iteration examines for a due trace. */
const pageSize = 200;
/**
 * Ratio of the maximum number of good paths to the maximum number of failures that are traced per
 * minute.
 */
const learningShare = 1 / 3;
const sweepEveryMs = 60_000;
const firstId = "00000000-0000-0000-0000-000000000000";

/** Traces the good paths of passing checks, a few per iteration in the order of check ids. */
export class PathLearner {
  readonly #context: PathsContext;
  readonly #stop = new AbortController();
  #after = firstId;

  constructor(context: PathsContext) {
    this.#context = context;
  }

  readonly stop = (): void => this.#stop.abort();

  /**
   * Runs one iteration. It starts after the last check of the previous iteration. After the last of
   * all checks, the next iteration starts with the first check again.
   */
  readonly turn = async (): Promise<void> => {
    const { db, clock, watchList, pathsPerMinute } = this.#context;
    if (pathsPerMinute === 0) return;
    const page = await listPassingPlaces(db, this.#after, pageSize);
    const watched = await watchList.find(page.map(({ checkId }) => checkId));
    const traceable = page.filter(
      ({ checkId }) => watched.get(checkId)?.kind.pathTarget !== undefined,
    );
    const now = clock.now();
    const limit = Math.ceil(pathsPerMinute * learningShare);
    const before = new Date(now.getTime() - learnEveryMs);
    const unknownBefore = new Date(now.getTime() - retryAfterMs);
    const claim = { now, before, unknownBefore, limit };
    const claimed = await claimGoodPaths(db, traceable, claim);
    const isWhole = claimed.length < limit;
    const last = isWhole ? page.at(-1) : claimed.at(-1);
    this.#after = isWhole && page.length < pageSize ? firstId : (last?.checkId ?? firstId);
    // Paths are traced one after the other, so that a probe is never busy for long.
    for (const place of claimed) {
      if (this.#stop.signal.aborted) return;
      await this.#learn(place);
    }
  };

  async #learn(place: CheckPlace): Promise<void> {
    const { db, clock, watchList, pathMetrics } = this.#context;
    const { checkId, location } = place;
    const watched = (await watchList.find([checkId])).get(checkId);
    if (watched === undefined || !watched.places.includes(location)) return;
    const target = await findPathTarget(this.#context, watched, { location, outcome: null });
    if (target === null) return;
    const { signal } = this.#stop;
    const traced = await tracePath(this.#context, watched, { location, target, signal });
    const isTraced = traced !== null && "path" in traced;
    pathMetrics.traced.inc({ cause: "learning", outcome: isTraced ? "traced" : "not" });
    // The path is not stored if the check failed during the trace.
    if (!isTraced || (await findState(db, checkId))?.status !== "passing") return;
    await saveGoodPath(db, place, { path: traced.path, at: clock.now() });
  }
}

export interface Paths {
  readonly context: PathsContext;
  readonly failures: FailureTraces;
}

export function createPaths(
  context: Omit<PathsContext, "pathsPerMinute" | "pathMetrics">,
  pathsPerMinute: number,
  registry: Registry,
): Paths {
  const whole = { ...context, pathsPerMinute, pathMetrics: createPathMetrics(registry) };
  return { context: whole, failures: new FailureTraces(whole) };
}

export function startPathLoops({ context, failures }: Paths): Loop[] {
  const learner = new PathLearner(context);
  const loop = startLoop({
    name: "learn paths",
    isEssential: false,
    everyMs: sweepEveryMs,
    log: context.log,
    turn: learner.turn,
  });
  const stop = async () => {
    learner.stop();
    await Promise.all([loop.stop(), failures.stop()]);
  };
  return [{ ...loop, stop }];
}
