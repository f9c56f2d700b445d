import { Type } from "typebox";
import { type Caller, writeAuditEntry } from "../../../access/accounts/index.ts";
import { getCheck, holdChecks } from "../../../checks/checks/index.ts";
import { type Database, inTransaction } from "../../../platform/database.ts";
import { invalid, notFound } from "../../../platform/errors.ts";
import { answers, Described, Guid } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { AlertingContext } from "../context.ts";
import {
  findCycle,
  listParents,
  loadParentGraph,
  lockParents,
  replaceParents,
} from "./parent-store.ts";

interface ParentsChange {
  readonly checkId: string;
  readonly parentIds: readonly string[];
}

export async function readParents(
  context: AlertingContext,
  caller: Caller,
  checkId: string,
): Promise<string[]> {
  const check = await getCheck(context, caller, checkId);
  return listParents(context.db, check.id);
}

async function assertSound(db: Database, accountId: string, change: ParentsChange): Promise<void> {
  const { checkId, parentIds } = change;
  if (parentIds.length === 0) return;
  const known = await holdChecks(db, accountId, parentIds);
  for (const [index, parentId] of parentIds.entries()) {
    const key = `parentIds.${index}`;
    if (!known.has(parentId)) throw invalid(key, "does not exist in this account");
    if (parentId === checkId) throw invalid(key, "must not be the check itself");
  }
  const graph = await loadParentGraph(db, accountId);
  const cycle = findCycle(graph.set(checkId, [...parentIds]));
  if (cycle === null) return;
  const index = parentIds.findIndex((parentId) => cycle.includes(parentId));
  throw invalid(`parentIds.${index}`, "must not depend on the check itself");
}

export async function changeParents(
  context: AlertingContext,
  caller: Caller,
  change: ParentsChange,
): Promise<string[]> {
  const { accountId } = caller;
  return inTransaction(context.db, async (db) => {
    await lockParents(db, accountId);
    const [checkId] = await holdChecks(db, accountId, [change.checkId]);
    if (checkId === undefined) throw notFound();
    const parentIds = [...new Set(change.parentIds.map((parentId) => parentId.toLowerCase()))];
    await assertSound(db, accountId, { checkId, parentIds });
    await replaceParents(db, { checkId, parentIds });
    const at = context.clock.now();
    const note = { action: "check-parents.updated", changes: { parentIds } };
    await writeAuditEntry(db, caller, { ...note, targetId: checkId, at });
    return listParents(db, checkId);
  });
}

const ParentParams = Type.Object({ id: Described(Guid, "The check's id.") });

const ParentsSchema = Type.Object(
  {
    parentIds: Type.Array(Guid, {
      description: "Ids of the checks that this check depends on.",
      examples: [["7d1f2c9e-4b7a-4c0e-9a53-0f6f6f2b1d10"]],
      maxItems: 20,
      uniqueItems: true,
    }),
  },
  { title: "CheckParents" },
);

const tags = ["Checks"];

export function addParentRoutes(server: HttpServer, context: AlertingContext): void {
  server.get(
    "/v1/checks/:id/parents",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getCheckParents",
        summary: "Get the parents of a check",
        description: "The checks that this check depends on. Empty if there are none.",
        params: ParentParams,
        response: answers({ 200: ParentsSchema }, "notFound"),
      },
    },
    async ({ caller, params }) => ({ parentIds: await readParents(context, caller, params.id) }),
  );
  server.put(
    "/v1/checks/:id/parents",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "updateCheckParents",
        summary: "Set the parents of a check; its alerts are held while a parent fails",
        description: "Replaces the whole list. Returns 400 if the parents would form a cycle.",
        params: ParentParams,
        body: ParentsSchema,
        response: answers({ 200: ParentsSchema }, "notFound"),
      },
    },
    async ({ caller, params, body }) => {
      const change = { checkId: params.id, parentIds: body.parentIds };
      return { parentIds: await changeParents(context, caller, change) };
    },
  );
}
