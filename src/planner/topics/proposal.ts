import { askEach, type Plan } from "../plan.ts";
import { buildBodies, type CheckBody } from "../proposal/check-body.ts";
import { type CheckRequest, readCheckRequest } from "../proposal/check-request.ts";
import { quote, writeCount } from "../wording.ts";
import type { Situation } from "./situation.ts";
import { reportWrite } from "./writes.ts";

/** Turns what somebody wants watched into bodies of checks, shown before anything is made. */
export function* planProposal(situation: Situation): Plan<void> {
  const { answer, vocabulary, requests, findBodyFault } = situation;
  const request = requests
    .map((text) => readCheckRequest(text, vocabulary.places))
    .reduce<CheckRequest | null>(mergeRequests, null);
  if (request === null) return;
  for (const { typed, reason, instead } of request.refused) {
    const hint = instead === null ? "" : ` Write ${quote(instead)} instead.`;
    answer.line(`I left out ${quote(typed)}: ${reason}${hint}`);
  }
  if (request.hosts.length === 0) {
    answer.line(
      request.refused.length > 0
        ? "There is no host left to ping. A check takes a host name or an IP address, without a port or a path."
        : "Which hosts? Write for example: ping 192.0.2.1 and example.com every minute, fail at 20 % loss.",
    );
    return;
  }
  const { bodies, notes } = buildBodies(request, findBodyFault);
  for (const note of notes) answer.item(note);
  if (bodies.length === 0) return;
  answer.line(`${writeCount(bodies.length, "check")} to create:`);
  for (const body of bodies) answer.block(writeJson(body));
  const done = yield* askEach(
    "create_check",
    bodies.map((body) => ({ body })),
  );
  for (const one of done) reportWrite(situation, one);
}

/** Nothing in a name may end the block it stands in, or hide in it. */
function writeJson(body: CheckBody): string {
  return JSON.stringify(body, null, 2).replace(
    /[`\p{Cf}\p{Zl}\p{Zp}]/gu,
    (mark) => `\\u${(mark.codePointAt(0) ?? 0).toString(16).padStart(4, "0").slice(-4)}`,
  );
}

/** What is said later wins; hosts are added to where somebody says "also". */
function mergeRequests(before: CheckRequest | null, next: CheckRequest): CheckRequest {
  if (before === null) return next;
  const said = Object.fromEntries(
    Object.entries(next).filter(
      ([, value]) =>
        value !== null && value !== false && !(Array.isArray(value) && value.length === 0),
    ),
  );
  const hosts =
    next.hosts.length === 0
      ? before.hosts
      : next.adds
        ? [
            ...new Map(
              [...before.hosts, ...next.hosts].map((host) => [host.hostname, host]),
            ).values(),
          ]
        : next.hosts;
  const announced = next.hosts.length === 0 ? before.announced : next.announced;
  return { ...before, ...said, hosts, refused: next.refused, announced };
}
