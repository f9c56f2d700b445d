import { findProposedKind } from "../../kinds.ts";
import { callToolEach, type Found, type Plan } from "../../plan.ts";
import { buildBodies, type CheckBody } from "../../proposal/check-body.ts";
import { type CheckRequest, readCheckRequest } from "../../proposal/check-request.ts";
import { thingNouns } from "../../reading/name-match.ts";
import type { NeedsConfirmationData, WriteDoneData } from "../../tools/tool-data.ts";
import type { ToolName } from "../../tools/tool-outcome.ts";
import { quote, writeCount, writeList } from "../../wording.ts";
import { checkIdsOf, isUnclear, requestCheckName, type Situation } from "../situation.ts";

const maxWrites = 5;
const maxTags = 2;
const maxTagged = 100;
/** Text that marks a proposal in an answer. Later turns search the conversation for this text. */
export const proposedMark = "Not done yet, please confirm";

/** Writes the result of a write tool: the change either waits for confirmation or has been made. */
export function reportWrite(
  { answer }: Situation,
  found: Found<NeedsConfirmationData | WriteDoneData> | null,
): void {
  if (found === null) {
    answer.line("Nothing was done.");
    return;
  }
  const { data } = found;
  // The summary contains names that users chose, so it is untrusted and must be quoted.
  const summary = quote(data.summary, 400);
  if ("needsConfirmation" in data) {
    answer.line(`${proposedMark}: ${summary}`);
    return;
  }
  answer.line(`Done: ${summary}${answer.cite(found)}`);
}

/** Returns the ids of the named checks or, if none are named, of the checks with the named tags. */
function* findTargets({ intent }: Situation): Plan<string[]> {
  const named = checkIdsOf(intent);
  const tags = named.length > 0 ? [] : intent.subject.tags.slice(0, maxTags);
  const listed = yield* callToolEach(
    "list_checks",
    tags.map((tag) => ({ tag, limit: maxTagged })),
  );
  const tagged = listed.flatMap((found) => found?.data.checks ?? []);
  return [...new Set([...named, ...tagged.map(({ checkId }) => checkId)])];
}

export interface WriteRequest {
  readonly tool: ToolName &
    ("run_check" | "mute_check" | "acknowledge_alert" | "snooze_alert" | "escalate_alert");
  readonly verb: string;
  readonly input: Readonly<Record<string, unknown>>;
}

function* planWrite(situation: Situation, request: WriteRequest): Plan<void> {
  if (isUnclear(situation, `me to ${request.verb} it`)) return;
  if (isOfSeveral(situation, request.verb)) return;
  const checkIds = yield* findTargets(situation);
  if (checkIds.length === 0) {
    const meansAll = /\bEVERY\b/.test(situation.intent.canonical);
    if (meansAll) situation.answer.line(`I ${request.verb} at most ${maxWrites} checks at a time.`);
    requestCheckName(situation);
    return;
  }
  yield* proposeFor(situation, checkIds, request);
}

/**
 * Returns whether several resources, such as a service and a group, have the name in the question.
 * If so, asks which one is meant.
 */
function isOfSeveral({ intent, answer }: Situation, verb: string): boolean {
  const [first, ...others] = intent.subject.things;
  const twins = others.filter(({ name }) => name === first?.name);
  if (first === undefined || twins.length === 0) return false;
  const nouns = [first, ...twins].map(({ kind }) => thingNouns[kind]);
  const example = `${verb} the ${first.kind} ${first.name}`.replaceAll(/[`“”\p{C}]/gu, "");
  answer.line(
    `${quote(first.name)} is the name of ${writeList(nouns)}. Say which, for example “${example}”.`,
  );
  return true;
}

/** Makes one proposal per check, up to a limit, and writes how many checks were left out. */
export function* proposeFor(
  situation: Situation,
  checkIds: readonly string[],
  request: WriteRequest,
): Plan<void> {
  const done = yield* callToolEach(
    request.tool,
    checkIds.slice(0, maxWrites).map((checkId) => ({ checkId, ...request.input })),
  );
  for (const one of done) reportWrite(situation, one);
  const rest = checkIds.length - maxWrites;
  if (rest > 0) situation.answer.line(`${rest} more were meant: ask for them separately.`);
}

export function* planRun(situation: Situation): Plan<void> {
  yield* planWrite(situation, { tool: "run_check", verb: "run", input: {} });
}

/**
 * Returns the number of minutes that a change should last, as in "mute it for 2 hours". The window
 * of the question contains this duration, because "2 hours" is read as the last two hours. Returns
 * `null` if the question contains no "for" or no duration.
 */
export function readMinutes({ window, text }: Situation["intent"]): number | null {
  if (window === null || !/\bfor\b/i.test(text) || !/^the last /.test(window.label)) return null;
  return Math.max(1, Math.round((window.toMs - window.fromMs) / 60_000));
}

export function* planMute(situation: Situation): Plan<void> {
  const minutes = readMinutes(situation.intent);
  if (situation.intent.window !== null && minutes === null) {
    situation.answer.line(
      "This mute has no end time: say for how long, such as “for 2 hours”, or unmute it later.",
    );
  }
  const input = minutes === null ? { muted: true } : { muted: true, minutes };
  yield* planWrite(situation, { tool: "mute_check", verb: "mute", input });
}

export function* planUnmute(situation: Situation): Plan<void> {
  yield* planWrite(situation, { tool: "mute_check", verb: "unmute", input: { muted: false } });
}

/**
 * Proposes to create the requested checks. For the check configuration generator, also shows the
 * request bodies.
 */
export function* planProposal(situation: Situation): Plan<void> {
  const { answer, vocabulary, requests, findBodyFault, showsBodies } = situation;
  const kind = findProposedKind(requests);
  if (kind === null) return;
  const { proposal } = kind;
  const request = requests
    .map((text) => readCheckRequest(text, vocabulary.places, proposal))
    .reduce<CheckRequest | null>(mergeRequests, null);
  if (request === null) return;
  for (const { typed, reason, instead } of request.refused) {
    const hint = instead === null ? "" : ` Write ${quote(instead)} instead.`;
    answer.line(`I left out ${quote(typed)}: ${reason}${hint}`);
  }
  if (request.targets.length === 0) {
    answer.line(request.refused.length > 0 ? proposal.noTargetLeft : proposal.askForTargets);
    return;
  }
  const { bodies, notes } = buildBodies(request, kind, findBodyFault);
  for (const note of notes) answer.item(note);
  if (bodies.length === 0) return;
  answer.line(`${writeCount(bodies.length, "check")} to create:`);
  if (showsBodies) for (const body of bodies) answer.block(writeJson(body));
  const done = yield* callToolEach(
    "create_check",
    bodies.map((body) => ({ body })),
  );
  for (const one of done) reportWrite(situation, one);
}

/** Formats a body as JSON. Escapes characters that could end the code block or hide text. */
function writeJson(body: CheckBody): string {
  return JSON.stringify(body, null, 2).replace(
    /[`\p{Cf}\p{Zl}\p{Zp}]/gu,
    (mark) => `\\u${(mark.codePointAt(0) ?? 0).toString(16).padStart(4, "0").slice(-4)}`,
  );
}

/**
 * Merges two requests. The later request takes precedence. If it says "also", its targets are
 * added.
 */
function mergeRequests(before: CheckRequest | null, next: CheckRequest): CheckRequest {
  if (before === null) return next;
  const isSilent = next.targets.length === 0;
  const all = [...before.targets, ...next.targets].map((target) => [target.label, target] as const);
  const added = next.adds ? [...new Map(all).values()] : next.targets;
  return {
    ...before,
    ...keepMentioned(next),
    own: { ...before.own, ...keepMentioned(next.own) },
    targets: isSilent ? before.targets : added,
    refused: next.refused,
    announced: isSilent ? before.announced : next.announced,
  };
}

function keepMentioned(fields: object): object {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) =>
        value !== null && value !== false && !(Array.isArray(value) && value.length === 0),
    ),
  );
}
