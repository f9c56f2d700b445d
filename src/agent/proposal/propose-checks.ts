import { Value } from "typebox/value";
import { checkBodies } from "../../checks/checks/index.ts";
import { allKinds, defaultType, isCheckType, kinds } from "../../kinds/index.ts";
import { quote } from "../answers/wording.ts";
import { buildBodies, type CheckBody, type ProposedKind } from "./check-body.ts";
import { type CheckRequest, type KnownPlace, readCheckRequest } from "./check-request.ts";

/**
 * Searches the messages from newest to oldest for a check kind. Returns the default kind if no
 * message mentions one.
 */
export function findProposedKind(texts: readonly string[]): ProposedKind | null {
  const proposed = allKinds.flatMap(({ type: checkType, agent: { speech } }) =>
    speech.proposal === null ? [] : [{ checkType, proposal: speech.proposal }],
  );
  for (const text of [...texts].reverse()) {
    const line = text.toLowerCase();
    const claims = proposed.map(({ proposal }) => proposal.claim(line));
    const highest = Math.max(0, ...claims);
    const found = proposed[claims.indexOf(highest)];
    if (highest > 0 && found !== undefined) return found;
  }
  return proposed.find(({ checkType }) => checkType === defaultType) ?? null;
}

/** Returns the reason why the API would reject a body, or `null` if the body is valid. */
export function findBodyFault({ checkType, ...body }: CheckBody): string | null {
  if (!isCheckType(checkType)) return "this kind of check does not exist";
  const schema = checkBodies.of(kinds[checkType]);
  if (Value.Check(schema, body)) return null;
  const [first] = Value.Errors(schema, body);
  const field = first?.instancePath.slice(1).replaceAll("/", ".") ?? "";
  return `${field} ${first?.message ?? "is not valid"}`;
}

interface ProposedChecks {
  /** What was left out or adjusted, and what is missing. */
  readonly lines: readonly string[];
  readonly bodies: readonly CheckBody[];
}

/** Reads the checks that the messages of a user describe together. */
export function proposeChecks(
  messages: readonly string[],
  places: readonly KnownPlace[],
  isPlain: (word: string) => boolean,
): ProposedChecks {
  const kind = findProposedKind(messages);
  const request = messages
    .map((text) =>
      kind === null ? null : readCheckRequest(text, { places, isPlain }, kind.proposal),
    )
    .reduce(mergeRequests, null);
  if (kind === null || request === null) return { lines: [], bodies: [] };
  const { proposal } = kind;
  const lines = request.refused.map(({ typed, reason, instead }) => {
    const hint = instead === null ? "" : ` Write ${quote(instead)} instead.`;
    return `I left out ${quote(typed)}: ${reason}${hint}`;
  });
  if (request.targets.length === 0) {
    const last = lines.length > 0 ? proposal.noTargetLeft : proposal.askForTargets;
    return { lines: [...lines, last], bodies: [] };
  }
  const { bodies, notes } = buildBodies(request, kind, findBodyFault);
  return { lines: [...lines, ...notes.map((note) => `- ${note}`)], bodies };
}

/**
 * Merges two requests. The later request takes precedence. If it says "also", its targets are
 * added.
 */
function mergeRequests(
  before: CheckRequest | null,
  next: CheckRequest | null,
): CheckRequest | null {
  if (before === null || next === null) return next ?? before;
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
