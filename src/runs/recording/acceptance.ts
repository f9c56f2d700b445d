import {
  builtInRoute,
  contractVersion,
  explainVersionGap,
  maxSpoolAgeMs,
} from "../../contract/protocol.ts";
import {
  isProofRight,
  parseResult,
  type Result,
  type SignedResult,
} from "../../contract/result.ts";
import type { Kind } from "../../kinds/kit/kind.ts";
import { deriveRunId } from "../results/index.ts";
import type { Watched } from "../scheduling/index.ts";
import type { RecordingContext } from "./context.ts";

/**
 * Maximum time by which the due time of a result may be in the past. `maxAheadMs` is the maximum
 * time in the future. The database has partitions for all due times in this range.
 */
export const maxAgeMs = 23 * 3_600_000;
const maxAheadMs = 3_600_000;
/** Maximum number of attempts of a run, higher than any retry strategy allows. */
const maxAttempts = 100;

type AcceptContext = Pick<
  RecordingContext,
  "clock" | "directory" | "recordingMetrics" | "natsKeys" | "tags"
>;

/** Reasons to reject a result from outside this process. */
type Rejection =
  | "malformed"
  | "wrong-version"
  | "wrong-route"
  | "wrong-probe"
  | "forged-tag"
  | "revoked-key"
  | "locked-key"
  | "forged-proof"
  | "past-deadline";

/** Rejections that indicate a forged result, because a genuine probe never causes them. */
const forgeries: readonly Rejection[] = ["malformed", "wrong-route", "forged-tag", "forged-proof"];

/** Tolerated difference between the clocks of the probe and the server. */
const clockToleranceMs = 2_000;

/**
 * Returns the results that may be recorded. Probes are grouped by route, and a run is assigned to
 * one route. The subject of a message proves the route of its sender, because only probes of that
 * route can publish to the subject. The tag in a result is the server's signature of the order. The
 * tag proves that the server assigned the run to the route.
 */
export function acceptResults(
  context: AcceptContext,
  messages: readonly unknown[],
  sentTo: readonly string[],
): Result[] {
  const nowMs = context.clock.now().getTime();
  return messages.flatMap((message, place) => {
    const { route, user } = readSender(sentTo[place] ?? "");
    // Results of the built-in probe are trusted, because only servers can publish to its subject.
    if (route === builtInRoute) return [message as Result];
    const accepted = acceptResult(context, message, { route, user, nowMs });
    if (typeof accepted !== "string") return [accepted];
    context.recordingMetrics.ignored.inc({ reason: accepted });
    if (user !== undefined && forgeries.includes(accepted)) {
      context.natsKeys.noteForgery(user, nowMs);
    }
    return [];
  });
}

interface Sender {
  readonly route: string;
  /**
   * NATS user of a probe that is directly connected to NATS. Undefined for a probe that connects to
   * a server, which has already verified the probe's key.
   */
  readonly user: string | undefined;
  readonly nowMs: number;
}

function acceptResult(
  { directory, natsKeys, tags }: AcceptContext,
  message: unknown,
  { route, user, nowMs }: Sender,
): Result | Rejection {
  const key = user === undefined ? undefined : natsKeys.find(user);
  if (key === null) return "revoked-key";
  if (key !== undefined && natsKeys.isLocked(key.user, nowMs)) return "locked-key";
  const result = parseResult(message);
  if (result === null) return "malformed";
  if (explainVersionGap(contractVersion, result.version) !== null) return "wrong-version";
  if (result.route !== route) return "wrong-route";
  if (!tags.isRight(result)) return "forged-tag";
  if (key !== undefined) {
    if (key.route !== route) return "wrong-route";
    if (!isProofRight(key.proofKey, result)) return "forged-proof";
  }
  if (nowMs > result.deadlineAtMs + maxSpoolAgeMs) return "past-deadline";
  const probe = directory.findProbe(result.probeId);
  if (probe !== null && probe.route !== route) return "wrong-probe";
  const timed = correctTimes(result, nowMs);
  if (probe === null || probe.quarantinedAt === null) return timed;
  const why = probe.quarantineReason ?? "its results are not trusted";
  const explanation = `The probe ${result.probeId} is in quarantine: ${why}`;
  return { ...timed, outcome: { kind: "cannot-check", message: explanation } };
}

/**
 * Corrects the start and stop times of a run if the probe's clock is wrong. Both times are shifted
 * equally, so that the run starts between its due time and its deadline, and not in the future.
 * Differences of up to `clockToleranceMs` are tolerated.
 */
function correctTimes(result: SignedResult, nowMs: number): Result {
  const { dueAtMs, deadlineAtMs, startedAtMs, stoppedAtMs } = result;
  const latestMs = Math.min(deadlineAtMs, nowMs) + clockToleranceMs;
  const earliestMs = Math.min(dueAtMs - clockToleranceMs, latestMs);
  const startMs = Math.min(Math.max(startedAtMs, earliestMs), latestMs);
  if (startMs === startedAtMs) return result;
  return { ...result, startedAtMs: startMs, stoppedAtMs: stoppedAtMs + startMs - startedAtMs };
}

/** Returns the route, and the NATS user of a directly connected probe, from the subject. */
function readSender(subject: string): { readonly route: string; readonly user?: string } {
  const [, route = "", user] = subject.split(".");
  return { route, ...(user !== undefined && { user }) };
}

function isBelievable(result: Result, nowMs: number): boolean {
  return result.dueAtMs > nowMs - maxAgeMs && result.dueAtMs < nowMs + maxAheadMs;
}

/** Whether the run id is derived from the other fields. If not, the id was invented. */
function isDerived({ runId, checkId, dueAtMs, location, attempt }: Result): boolean {
  // Orders always contain a valid due time and attempt number. A single invalid value would make
  // the database reject the whole batch.
  if (!Number.isSafeInteger(dueAtMs)) return false;
  if (!Number.isSafeInteger(attempt) || attempt < 1 || attempt > maxAttempts) return false;
  return runId === deriveRunId({ checkId, dueAtMs, location, attempt });
}

/** Returns the reason why an accepted result must not be recorded, or `null`. */
export function findReasonToIgnore(
  result: Result,
  check: Watched | undefined,
  { nowMs, seen }: { readonly nowMs: number; readonly seen: ReadonlySet<string> },
): string | null {
  if (check === undefined) return "unknown-check";
  if (!isBelievable(result, nowMs)) return "unbelievable-time";
  if (!isDerived(result)) return "forged-run";
  if (!isOfKind(result, check.kind)) return "malformed";
  return seen.has(result.runId) ? "duplicate" : null;
}

/** Checks that a result is valid for the kind of the check, because probes are not trusted. */
function isOfKind({ kind: type, outcome }: Result, kind: Kind): boolean {
  if (type !== kind.type) return false;
  return outcome.kind !== "measured" || kind.isMeasurement(outcome.measurement);
}
