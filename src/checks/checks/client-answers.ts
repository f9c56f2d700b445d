import type { FastifyRequest } from "fastify";
import { type Caller, isAllowed } from "../../access/accounts/index.ts";
import { kinds } from "../../kinds/index.ts";
import { isFromClient } from "../../platform/http/client-dialect.ts";
import type { ChecksContext } from "./actions.ts";
import { readClientScripts } from "./check.ts";
import type { CheckGroup } from "./check-group.ts";
import { createOpener } from "./check-settings.ts";
import { withPasswords } from "./group-defaults.ts";
import { toWireGroup } from "./groups/schema.ts";
import { createView, toWireCheck } from "./schema.ts";
import { findPrivateSettings } from "./store.ts";
import type { SubscribedCheck } from "./subscribed-channels.ts";

/**
 * Checks and groups in responses. Existing clients, such as the Terraform provider, compare a
 * response with the user's code and treat a missing field as a change. They therefore also receive
 * private fields if the caller may write these fields (decision 0076).
 */

type Request = Pick<FastifyRequest, "headers" | "caller">;

function mayReadAll(request: Request): boolean {
  const { role, type }: Caller = request.caller;
  return isFromClient(request) && isAllowed("write", role, type === "SESSION");
}

export async function showCheck(context: ChecksContext, request: Request, check: SubscribedCheck) {
  const { caller } = request;
  const shown = toWireCheck(check, createView(context, caller));
  if (!mayReadAll(request)) return shown;
  const stored = await findPrivateSettings(context.db, caller.accountId, check.id);
  return { ...stored, ...shown, ...readClientScripts(kinds[check.kind], stored) };
}

export function showGroup(context: ChecksContext, request: Request, group: CheckGroup) {
  const shown = toWireGroup(group, createView(context, request.caller));
  if (!mayReadAll(request)) return shown;
  return withPasswords(shown, group.settings, createOpener(context.encryption));
}
