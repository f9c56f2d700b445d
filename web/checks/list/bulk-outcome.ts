/** Describes the outcome of a bulk action. */

interface OutcomeWords {
  /** Past participle, such as "muted", that follows "3 checks were". */
  readonly done: string;
  /**
   * Phrase for the unchanged checks, such as "were already muted", in the singular and the plural.
   */
  readonly already: { readonly one: string; readonly many: string };
}

const were = (state: string) => ({ one: `was ${state}`, many: `were ${state}` });
const had = (state: string) => ({ one: `already had ${state}`, many: `already had ${state}` });

const byAction: Readonly<Record<string, OutcomeWords>> = {
  mute: { done: "muted", already: were("already muted") },
  unmute: { done: "unmuted", already: { one: "was not muted", many: "were unmuted already" } },
  activate: { done: "activated", already: were("already active") },
  deactivate: { done: "deactivated", already: were("already inactive") },
  addTags: { done: "tagged", already: had("these tags") },
  removeTags: {
    done: "changed",
    already: { one: "had none of these tags", many: "had none of these tags" },
  },
  move: { done: "moved", already: were("already there") },
  delete: { done: "deleted", already: were("already deleted") },
};
const anyAction: OutcomeWords = { done: "changed", already: had("these settings") };

const countChecks = (count: number) =>
  count === 1 ? "1 check was" : `${count.toLocaleString("en")} checks were`;

function nameAll(count: number): string {
  if (count === 1) return "The check";
  return count === 2 ? "Both" : `All ${count.toLocaleString("en")}`;
}

export function describeOutcome(action: string, changed: number, unchanged: number): string {
  const { done, already } = byAction[action] ?? anyAction;
  const state = unchanged === 1 ? already.one : already.many;
  if (changed === 0 && unchanged > 0) return `${nameAll(unchanged)} ${state}.`;
  const first = `${countChecks(changed)} ${done}`;
  return unchanged === 0 ? `${first}.` : `${first}; ${unchanged.toLocaleString("en")} ${state}.`;
}
