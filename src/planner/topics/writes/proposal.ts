import { findProposedKind } from "../../kinds.ts";
import { callToolEach, type Plan } from "../../plan.ts";
import { buildBodies, type CheckBody } from "../../proposal/check-body.ts";
import { type CheckRequest, readCheckRequest } from "../../proposal/check-request.ts";
import { quote, writeCount } from "../../wording.ts";
import type { Situation } from "../situation.ts";
import { reportWrite } from "./writes.ts";

/** Proposes checks for a request, and shows their bodies before any is created. */
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

/** A name must not end the code block it is in, or hide characters in it. */
function writeJson(body: CheckBody): string {
  return JSON.stringify(body, null, 2).replace(
    /[`\p{Cf}\p{Zl}\p{Zp}]/gu,
    (mark) => `\\u${(mark.codePointAt(0) ?? 0).toString(16).padStart(4, "0").slice(-4)}`,
  );
}

/** Later messages override earlier ones; "also" adds targets. */
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
