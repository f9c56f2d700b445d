import { KnownError } from "../../../platform/errors.ts";
import type { Caller } from "../../accounts/index.ts";
import { createCheck } from "../actions.ts";
import { parseUnknownCheck } from "../check-bodies.ts";
import type { ChecksContext } from "../context.ts";
import type { SubscribedCheck } from "../subscribed-channels.ts";

export type ManyItem =
  | { readonly kind: "created"; readonly check: SubscribedCheck }
  | { readonly kind: "refused"; readonly error: KnownError };

/** Each is created or refused as if it came alone: what is wrong with one stops no other. */
export async function createManyChecks(
  context: ChecksContext,
  caller: Caller,
  request: { readonly checks: readonly unknown[]; readonly autoAssignAlerts: boolean },
): Promise<ManyItem[]> {
  const items: ManyItem[] = [];
  for (const body of request.checks) {
    try {
      const parsed = parseUnknownCheck(body);
      const { autoAssignAlerts } = request;
      const check = await createCheck(context, caller, { ...parsed, autoAssignAlerts });
      items.push({ kind: "created", check });
    } catch (error) {
      if (!(error instanceof KnownError)) throw error;
      items.push({ kind: "refused", error });
    }
  }
  return items;
}
