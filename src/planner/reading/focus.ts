import { type Intent, readQuestion } from "./question.ts";
import { emptySubject, type Subject } from "./subject.ts";
import type { Focus, Vocabulary } from "./vocabulary.ts";

function findSubject({ kind, id }: Focus, vocabulary: Vocabulary): Subject {
  const { checks, incidents, things } = vocabulary;
  const checkOf = (checkId: string) =>
    checks.find((one) => one.checkId === checkId) ?? { checkId, name: "", target: "", tags: [] };
  if (kind === "check") return { ...emptySubject, checks: [checkOf(id)] };
  if (kind === "incident") {
    const known = incidents.find(({ incidentId }) => incidentId === id);
    return { ...emptySubject, incidents: [known ?? { incidentId: id, name: "" }] };
  }
  const thing = things.find((one) => one.kind === kind && one.id === id);
  if (thing === undefined) return emptySubject;
  return { ...emptySubject, things: [thing], checks: thing.checkIds.map(checkOf) };
}

/** Treats the resource on the screen as if it had been mentioned before the first question. */
export function seedIntent(focus: Focus, nowMs: number, vocabulary: Vocabulary): Intent | null {
  const [blank] = readQuestion("", nowMs, vocabulary).clauses;
  const subject = findSubject(focus, vocabulary);
  return blank === undefined ? null : { ...blank, topic: "status", subject };
}
