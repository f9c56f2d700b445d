import type { Schemas } from "../../api/client.ts";
import { contactWords as words } from "./contact-words.ts";

type Method = Pick<Schemas["ContactMethod"], "id" | "name">;
type Step = Schemas["NotificationStep"];

export function nameMethod({ id, name }: Method): string {
  if (id === "push") return words.push;
  return id === "email" ? words.email(name) : name;
}

/**
 * Describes notification steps in chronological order. Steps with the same delay share one
 * sentence.
 */
export function describeSteps(steps: readonly Step[], methods: readonly Method[]): string[] {
  const nameOf = (methodId: string) => {
    const method = methods.find(({ id }) => id === methodId);
    return method === undefined ? words.deletedMethod : nameMethod(method);
  };
  const byTime = Map.groupBy(steps, ({ afterMinutes }) => afterMinutes);
  return [...byTime]
    .toSorted(([one], [other]) => one - other)
    .map(([count, together]) => {
      const names = together.map(({ methodId }) => nameOf(methodId)).join(", ");
      return count === 0 ? words.atOnce(names) : words.after(count, names);
    });
}

/**
 * Proposes the next step: five minutes after the last step, with an unused contact method if
 * possible.
 */
export function proposeStep(
  steps: readonly Step[],
  methods: readonly (Method & Pick<Schemas["ContactMethod"], "isVerified">)[],
): Step {
  const verified = methods.filter(({ isVerified }) => isVerified);
  const used = new Set(steps.map(({ methodId }) => methodId));
  const method = verified.find(({ id }) => !used.has(id)) ?? verified[0];
  const last = Math.max(0, ...steps.map(({ afterMinutes }) => afterMinutes));
  return { methodId: method?.id ?? "email", afterMinutes: Math.min(1_440, last + 5) };
}
