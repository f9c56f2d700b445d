import { toShortLine } from "../../../platform/text/clip.ts";
import { formatMilliseconds } from "../../../platform/text/figures.ts";
import type {
  ScriptEnd,
  ScriptError,
  ScriptMeasurement,
  ScriptRequest,
  ScriptStep,
} from "../../../sandbox/script-run.ts";
import type { Run } from "../definition.ts";
import { findSlowness, type Judgement, judgeByReasons, type VerdictSettings } from "../verdict.ts";

/** Verdict reasons of scripts that ended because of a limit or a crash. */
const limitReasons = {
  "out-of-memory": "script-out-of-memory",
  "too-much-output": "script-wrote-too-much",
  "too-many-processes": "script-started-too-many-processes",
  crashed: "script-crashed",
} as const satisfies Partial<Record<ScriptEnd, string>>;

type LimitReason = (typeof limitReasons)[keyof typeof limitReasons];

export type ScriptReason =
  | {
      readonly name: "script-failed";
      readonly message: string;
      readonly file: string | null;
      readonly line: number | null;
      /**
       * Title of the innermost step that failed with the error `message`. If there is no such step,
       * the title of the failed test; `null` if no test failed either.
       */
      readonly step: string | null;
    }
  | {
      readonly name: "script-timed-out";
      readonly timeoutMs: number;
      /** Title of the reported step that started last; `null` if no step was reported. */
      readonly step: string | null;
    }
  | { readonly name: LimitReason; readonly step: string | null }
  | { readonly name: "connection-denied"; readonly host: string; readonly message: string };

const maxMessageLength = 300;
const maxTitleLength = 100;
/**
 * Maximum number of reasons in a verdict. The number is limited, because every stored run contains
 * its verdict.
 */
const maxReasons = 3;

const networkCodes = [
  ...["ECONNREFUSED", "ECONNRESET", "ECONNABORTED", "ETIMEDOUT", "ENOTFOUND", "EAI_AGAIN"],
  ...["EHOSTUNREACH", "ENETUNREACH", "EPIPE", "UND_ERR_\\w+", "net::ERR_\\w+", "socket hang up"],
];
/**
 * Matches errors of Node.js, undici and browsers that indicate a failure of the network rather than
 * of the service.
 */
const networkError = new RegExp(`\\b(?:${networkCodes.join("|")})\\b`);

type ScriptRun = Run<ScriptRequest, ScriptMeasurement>;

export function judge(settings: VerdictSettings, { request, outcome }: ScriptRun): Judgement {
  if (outcome.kind !== "measured") {
    return { verdict: "failing", isNetworkError: true, reasons: [] };
  }
  const { measurement } = outcome;
  const { end, durationMs, errors } = measurement;
  const failures = [
    ...(end === "passed" ? [] : listFailures(request, measurement)),
    ...findSlowness("response-time-above-max", durationMs, settings.maxResponseTime),
  ];
  const limitMs = settings.degradedResponseTime;
  const flaws = findSlowness("response-time-above-degraded", durationMs, limitMs);
  const isNetworkError =
    end === "failed" && errors.some(({ message }) => networkError.test(message));
  return { ...judgeByReasons(failures, flaws), isNetworkError };
}

function listFailures(request: ScriptRequest, measurement: ScriptMeasurement): ScriptReason[] {
  const { end, steps, errors, connections } = measurement;
  const denied = connections.flatMap(({ host, denial }): ScriptReason[] =>
    denial === null ? [] : [{ name: "connection-denied", host, message: shorten(denial) }],
  );
  const last = nameStep(steps.at(-1));
  if (end === "timed-out") {
    const { timeoutMs } = request;
    return [
      { name: "script-timed-out", timeoutMs, step: last },
      ...denied.slice(0, maxReasons - 1),
    ];
  }
  if (end !== "failed" && end !== "passed") {
    return [{ name: limitReasons[end], step: last }, ...denied.slice(0, maxReasons - 1)];
  }
  const failed = errors.length === 0 ? [noError] : errors;
  const reasons = failed.map((error) => describeError(error, steps));
  return [...reasons, ...denied].slice(0, maxReasons);
}

const noError: ScriptError = {
  message: "the script ended with a failure and without an error message",
  stack: null,
  file: null,
  line: null,
  column: null,
};

function describeError({ message, file, line }: ScriptError, steps: readonly ScriptStep[]) {
  const failed = steps.filter(({ error }) => error !== null);
  // A failed step also makes the steps around it fail, with the same error. Inner steps come after
  // the steps around them in the list, so the last step with the error is the innermost.
  const deepest = failed.findLast(
    ({ error, category }) => category === "step" && error !== null && isSame(error, message),
  );
  const step = nameStep(deepest ?? failed.find(({ category }) => category === "test"));
  return {
    name: "script-failed" as const,
    message: shorten(withoutCallLog(message)),
    file,
    line,
    step,
  };
}

const comparedLength = 60;

/** Removes Playwright's call log from an error message, because the run shows the log anyway. */
const withoutCallLog = (message: string) => message.replace(/\s*Call log:\n[\s\S]*$/, "");

/**
 * Compares only the beginnings of two messages, because they may be truncated to different lengths.
 */
function isSame(error: string, message: string): boolean {
  return error.slice(0, comparedLength) === message.slice(0, comparedLength);
}

const shorten = (text: string) => toShortLine(text.replace(/\s+/g, " "), maxMessageLength);

function nameStep(step: ScriptStep | undefined): string | null {
  return step === undefined ? null : toShortLine(step.title, maxTitleLength);
}

/** Formats a reason as a clause, which may end with advice for the user. */
export function explain(reason: ScriptReason): string {
  switch (reason.name) {
    case "script-failed": {
      const { step, file, line, message } = reason;
      const where = file === null ? "" : ` at ${file}${line === null ? "" : `:${line}`}`;
      return `${step === null ? "the script" : `“${step}”`} failed${where}: ${withoutStop(message)}`;
    }
    case "script-timed-out": {
      const after = `the script was ended after ${formatMilliseconds(reason.timeoutMs)}`;
      return `${after}${writeLast(reason.step)}; shorten it or split it into several checks`;
    }
    case "script-out-of-memory":
      return `the script used more memory than a run may use${writeLast(reason.step)}; load less data at once`;
    case "script-wrote-too-much":
      return `the script wrote more output than a run may write${writeLast(reason.step)}; log less`;
    case "script-started-too-many-processes":
      return `the script started more processes than a run may start${writeLast(reason.step)}`;
    case "script-crashed":
      return `the process of the script ended unexpectedly${writeLast(reason.step)}; see its logs`;
    case "connection-denied":
      return `the probe denied the connection to ${reason.host}: ${withoutStop(reason.message)}`;
  }
}

const writeLast = (step: string | null) => (step === null ? "" : ` during “${step}”`);

const withoutStop = (text: string) => text.replace(/\.$/, "");
