import type { Answer } from "../answer.ts";
import type { Plan } from "../plan.ts";
import type { FindBodyFault } from "../proposal/check-body.ts";
import { writeOffer } from "../reading/conversation.ts";
import { dayMs } from "../reading/moment.ts";
import type { Intent } from "../reading/question.ts";
import type { TimeWindow } from "../reading/time-window.ts";
import type { Vocabulary } from "../reading/vocabulary.ts";
import { formatTime, quote, writeList } from "../wording.ts";

/** Input for answering a topic: the question, the time, and the answer to write. */
export interface Situation {
  readonly intent: Intent;
  readonly nowMs: number;
  readonly answer: Answer;
  readonly vocabulary: Vocabulary;
  /** Text of the previous answer, which contains the draft that "post it" refers to. */
  readonly lastAnswer: string;
  /** User messages from which check requests are read, oldest first. */
  readonly requests: readonly string[];
  readonly findBodyFault: FindBodyFault;
  /** Whether the answer shows the bodies of proposed checks as JSON. */
  readonly showsBodies: boolean;
}

export type TopicPlan = (situation: Situation) => Plan<void>;

const maxChecks = 50;
const maxOffered = 8;

export function checkIdsOf({ subject }: Intent): string[] {
  return [...subject.checks.map(({ checkId }) => checkId), ...subject.ids].slice(0, maxChecks);
}

/** Returns the ids of the known checks that have one of the named tags. */
export function taggedIds({ intent, vocabulary }: Situation): string[] {
  const { tags } = intent.subject;
  return vocabulary.checks
    .filter((check) => tags.some((tag) => check.tags.includes(tag)))
    .map(({ checkId }) => checkId);
}

/**
 * Returns the part of the requested window that is in the past. If no time is requested, returns a
 * window of `defaultMs` that ends now.
 */
export function pastWindow({ intent, nowMs }: Situation, defaultMs = dayMs): TimeWindow {
  const { window } = intent;
  if (window === null) {
    const hours = defaultMs / 3_600_000;
    const label = hours <= 48 ? `the last ${hours} hours` : `the last ${hours / 24} days`;
    return { fromMs: nowMs - defaultMs, toMs: nowMs, label };
  }
  const toMs = Math.min(window.toMs, nowMs);
  return { ...window, toMs: Math.max(window.fromMs + 1, toMs) };
}

/** Returns whether the requested time is in the future. If it is, writes that there is no data. */
export function isAhead(situation: Situation): boolean {
  const { window } = situation.intent;
  if (window === null || window.fromMs < situation.nowMs) return false;
  situation.answer.line(`There is no data for ${window.label}: it lies in the future.`);
  return true;
}

export function spanOf({ fromMs, toMs }: TimeWindow): { from: string; to: string } {
  return { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
}

/** Formats a window with its start and end, as in "yesterday (… 00:00 UTC to … 00:00 UTC)". */
export function describeWindow(window: TimeWindow): string {
  return `${window.label} (${formatTime(window.fromMs)} to ${formatTime(window.toMs)})`;
}

/** Formats a window for use in a sentence, as in "in the last 24 hours (…)" or "on Monday …". */
export function duringWindow(window: TimeWindow): string {
  const { label } = window;
  const hasDate = /^\d{4}-\d{2}-\d{2}|^[A-Z][a-z]+day /.test(label);
  const opening = /^\d{2}:\d{2}/.test(label) ? "around " : hasDate ? "on " : "";
  const isStretch = /^(?:the (?:last|next)|as long)|^[A-Z][a-z]+ \d{4}$/.test(label);
  return `${isStretch ? "in " : opening}${describeWindow(window)}`;
}

/**
 * Returns whether the question has no clear subject. In that case, this function also adds the
 * answer: it asks which of several checks is meant, or reports an unknown name or an empty service
 * or group. The caller must then add nothing to the answer.
 */
export function isUnclear({ intent, answer }: Situation, requested: string): boolean {
  const { subject } = intent;
  const [ambiguity] = subject.ambiguities;
  if (ambiguity !== undefined && subject.checks.length === 0) {
    const shown = ambiguity.candidates.slice(0, maxOffered);
    const rest = ambiguity.candidates.length - shown.length;
    answer.line(
      `${ambiguity.candidates.length} checks fit ${quote(ambiguity.phrase)}. Which one do you mean?`,
    );
    for (const [index, { checkId, name }] of shown.entries()) {
      answer.line(writeOffer(index + 1, { kind: "check", id: checkId, name }));
    }
    if (rest > 0) answer.line(`And ${rest} more: say more of the name to narrow it down.`);
    return true;
  }
  if (checkIdsOf(intent).length > 0) return false;
  const empty = subject.things.find(({ kind }) => kind === "service" || kind === "group");
  if (empty !== undefined) {
    answer.line(`No check belongs to the ${empty.kind} ${quote(empty.name)}: no data.`);
    return true;
  }
  if (subject.unknown.length > 0) {
    answer.line(`I know nothing called ${writeUnknown(intent)}.`);
    answer.line(`Ask “list checks” for the names I know, then ask again for ${requested}.`);
    return true;
  }
  return false;
}

function writeUnknown({ subject }: Intent): string {
  return writeList(subject.unknown.map((phrase) => quote(phrase)));
}

/** Asks for the name of a check. Used if a question needs a check and names none. */
export function requestCheckName({ answer }: Situation): void {
  answer.line("Which check do you mean? Name it, or ask “list checks” for the names.");
}

/** Writes that a name is unknown, unless the question also names something known. */
export function noteUnknown({ intent, answer }: Situation): void {
  const { subject } = intent;
  const hasOther =
    subject.checks.length +
    subject.tags.length +
    subject.places.length +
    subject.incidents.length +
    subject.things.length;
  if (subject.unknown.length === 0 || hasOther > 0) return;
  answer.line(`(I know nothing called ${writeUnknown(intent)}.)`);
}
