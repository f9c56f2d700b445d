import { type Caller, writeAuditEntry } from "../../../access/accounts/index.ts";
import { replaceSubscriptions } from "../../../channels/alert-channels/index.ts";
import { holdPolicies } from "../../../channels/escalation-policies/index.ts";
import { type Database, inTransaction } from "../../../platform/database.ts";
import { conflict, invalid, notFound } from "../../../platform/errors.ts";
import { answers, Nothing, sendTotal } from "../../../platform/http/schema.ts";
import { assertMatch, IfMatchHeaders, sendTagged } from "../../../platform/http/send.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { storeVariables } from "../../variables/index.ts";
import type { ChecksContext } from "../actions.ts";
import { type Check, tagGroup } from "../check.ts";
import { type CheckGroup, type GroupInput, mergeGroupSettings } from "../check-group.ts";
import { createOpener } from "../check-settings.ts";
import { showGroup } from "../client-answers.ts";
import { acceptClientGroup } from "../client-bodies.ts";
import { mapDefaultSecrets } from "../group-defaults.ts";
import { findPlaceFaults, findSnippetFaults } from "../reference-faults.ts";
import { AutoAssignQuery, createView } from "../schema.ts";
import { assertMayRedirectGroup, assertMayScriptGroup } from "../sending-guard.ts";
import { listChecks } from "../store.ts";
import {
  addAutoSubscribing,
  findUnknownChannels,
  withGroupChannels,
} from "../subscribed-channels.ts";
import {
  GroupBody,
  GroupChange,
  GroupList,
  GroupMembers,
  GroupParams,
  GroupQuery,
  GroupSchema,
  sealSound,
  toWireGroup,
} from "./schema.ts";
import {
  countMembers,
  deleteGroup,
  findGroup,
  type GroupsQuery,
  insertGroup,
  listGroups,
  lockGroup,
  updateGroup,
} from "./store.ts";

/** Stores the channel subscriptions of a group. Rejects channels that the account does not have. */
async function saveSubscriptions(
  db: Database,
  accountId: string,
  change: { readonly groupId: number; readonly input: GroupInput },
): Promise<void> {
  const { alertChannelSubscriptions: subscriptions } = change.input;
  if (subscriptions === undefined) return;
  const [unknown] = await findUnknownChannels(db, accountId, subscriptions);
  if (unknown !== undefined) {
    const key = `alertChannelSubscriptions.${unknown}.alertChannelId`;
    throw invalid(key, "does not exist in this account");
  }
  const subscriber = { groupId: change.groupId };
  await replaceSubscriptions(db, accountId, { subscriber, subscriptions });
}

async function assertReferences(
  db: Database,
  accountId: string,
  change: Parameters<typeof findPlaceFaults>[2] & Parameters<typeof findSnippetFaults>[2],
): Promise<void> {
  const [fault] = [
    ...(await findPlaceFaults(db, accountId, change)),
    ...(await findSnippetFaults(db, accountId, change)),
  ];
  if (fault !== undefined) throw invalid(fault.key, fault.rule);
}

async function assertPolicy(
  db: Database,
  accountId: string,
  { alertSettings }: CheckGroup["settings"],
): Promise<void> {
  const id = alertSettings?.escalationPolicyId ?? null;
  if (id === null || (await holdPolicies(db, accountId, [id])).size > 0) return;
  throw invalid("alertSettings.escalationPolicyId", "does not exist in this account");
}

export async function createGroup(
  context: ChecksContext,
  caller: Caller,
  input: GroupInput & { readonly name: string },
): Promise<CheckGroup> {
  const at = context.clock.now();
  return inTransaction(context.db, async (db) => {
    const named = input.alertChannelSubscriptions ?? [];
    const alertChannelSubscriptions = await addAutoSubscribing(db, caller.accountId, named);
    const subscribed = { ...input, alertChannelSubscriptions };
    const settings = sealSound(context, mergeGroupSettings(null, subscribed));
    await assertReferences(db, caller.accountId, { requested: settings, before: null });
    await assertPolicy(db, caller.accountId, settings);
    const variables = storeVariables([], input.environmentVariables, context.encryption);
    const draft = { name: input.name, settings, variables, createdAt: at };
    const after = { ...draft, id: 0, updatedAt: null };
    await assertMayScriptGroup({ ...context, db }, caller, { before: null, after });
    const group = await insertGroup(db, caller.accountId, draft);
    context.createdGroupIds?.add(group.id);
    await saveSubscriptions(db, caller.accountId, { groupId: group.id, input: subscribed });
    const targetId = String(group.id);
    const changes = { name: input.name };
    await writeAuditEntry(db, caller, { action: "check-group.created", targetId, changes, at });
    return attachChannels(db, caller, group);
  });
}

export async function getGroup(
  context: Pick<ChecksContext, "db">,
  caller: Caller,
  id: number,
): Promise<CheckGroup> {
  const group = await findGroup(context.db, caller.accountId, id);
  if (group === null) throw notFound();
  return attachChannels(context.db, caller, group);
}

async function attachChannels(
  db: Database,
  { accountId }: Caller,
  group: CheckGroup,
): Promise<CheckGroup> {
  const [attached = group] = await withGroupChannels(db, accountId, [group]);
  return attached;
}

/** Rejects a change if `ifMatch` does not contain the group's current ETag. */
async function assertGroupMatch(
  db: Database,
  caller: Caller,
  { group, ifMatch }: { readonly group: CheckGroup; readonly ifMatch: string | undefined },
): Promise<void> {
  if (ifMatch === undefined) return;
  assertMatch(ifMatch, tagGroup(await attachChannels(db, caller, group)));
}

export async function changeGroup(
  context: ChecksContext,
  caller: Caller,
  change: {
    readonly id: number;
    readonly input: GroupInput;
    /** The request with its masks, if `input` has stored secrets instead of masks. */
    readonly typed?: GroupInput;
    /** Accepted ETags (If-Match) of the group. If omitted, the ETag is not checked. */
    readonly ifMatch?: string | undefined;
  },
): Promise<CheckGroup> {
  const at = context.clock.now();
  return inTransaction(context.db, async (db) => {
    const before = await lockGroup(db, caller.accountId, change.id);
    if (before === null) throw notFound();
    await assertGroupMatch(db, caller, { group: before, ifMatch: change.ifMatch });
    const opened = mapDefaultSecrets(before.settings, createOpener(context.encryption));
    const settings = sealSound(context, mergeGroupSettings(opened, change.input));
    await assertReferences(db, caller.accountId, { requested: settings, before: before.settings });
    await assertPolicy(db, caller.accountId, settings);
    const { environmentVariables, name = before.name } = change.input;
    const variables = storeVariables(before.variables, environmentVariables, context.encryption);
    const group = { ...before, name, settings, variables, updatedAt: at };
    const redirect = { before, after: group, input: change.typed ?? change.input };
    await assertMayRedirectGroup({ ...context, db }, caller, redirect);
    await assertMayScriptGroup({ ...context, db }, caller, { before, after: group });
    await updateGroup(db, caller.accountId, group);
    await saveSubscriptions(db, caller.accountId, { groupId: group.id, input: change.input });
    const targetId = String(group.id);
    const changes = { fields: Object.keys(change.input) };
    await writeAuditEntry(db, caller, { action: "check-group.updated", targetId, changes, at });
    return attachChannels(db, caller, group);
  });
}

export async function listOwnGroups(
  { db }: ChecksContext,
  { accountId }: Caller,
  query: GroupsQuery,
): Promise<{ readonly groups: CheckGroup[]; readonly total: number }> {
  const { groups, total } = await listGroups(db, accountId, query);
  return { groups: await withGroupChannels(db, accountId, groups), total };
}

async function listGroupChecks(
  context: ChecksContext,
  caller: Caller,
  query: GroupsQuery & { readonly id: number },
): Promise<{ readonly checks: Check[]; readonly total: number }> {
  const group = await getGroup(context, caller, query.id);
  return listChecks(context.db, caller.accountId, { ...query, groupId: group.id });
}

export async function removeGroup(
  context: ChecksContext,
  caller: Caller,
  { id, ifMatch }: { readonly id: number; readonly ifMatch?: string | undefined },
): Promise<void> {
  await inTransaction(context.db, async (db) => {
    const group = await lockGroup(db, caller.accountId, id);
    if (group === null) throw notFound();
    await assertGroupMatch(db, caller, { group, ifMatch });
    const members = await countMembers(db, caller.accountId, id);
    if (members > 0) throw conflict(`the group still has ${members} checks`);
    await deleteGroup(db, caller.accountId, id);
    const at = context.clock.now();
    const changes = { name: group.name };
    const targetId = String(id);
    await writeAuditEntry(db, caller, { action: "check-group.deleted", targetId, changes, at });
  });
}

const tags = ["Check groups"];

/** Paths of both API versions. Both accept the same bodies, in which settings may be `null`. */
const writePaths = [
  { path: "/v1/check-groups", suffix: "", which: "" },
  { path: "/v2/check-groups", suffix: "V2", which: ", version 2" },
] as const;

function addGroupWriteRoutes(
  server: HttpServer,
  context: ChecksContext,
  { path, suffix, which }: (typeof writePaths)[number],
): void {
  server.post(
    path,
    {
      preValidation: acceptClientGroup,
      config: { access: "write" },
      schema: {
        tags,
        operationId: `createCheckGroup${suffix}`,
        summary: `Create a check group${which}`,
        description: "Checks join the group through their `groupId`.",
        querystring: AutoAssignQuery,
        body: GroupBody,
        answerHeaders: ["ETag"],
        response: answers({ 201: GroupSchema }),
      },
    },
    async (request, reply) => {
      const { caller, body } = request;
      const group = await createGroup(context, caller, body);
      reply.code(201);
      return sendTagged(reply, tagGroup(group), showGroup(context, request, group));
    },
  );
  server.put(
    `${path}/:id`,
    {
      preValidation: acceptClientGroup,
      config: { access: "write" },
      schema: {
        tags,
        operationId: `updateCheckGroup${suffix}`,
        summary: `Update a check group${which}; changes apply to its checks at their next run`,
        description:
          "Omitted fields keep their value. With `If-Match`, fails if the group was changed " +
          "since it was read.",
        headers: IfMatchHeaders,
        params: GroupParams,
        querystring: AutoAssignQuery,
        body: GroupChange,
        answerHeaders: ["ETag"],
        response: answers({ 200: GroupSchema }, "notFound", "preconditionFailed"),
      },
    },
    async (request, reply) => {
      const { caller, headers, params, body } = request;
      const change = { id: params.id, input: body, ifMatch: headers["if-match"] };
      const group = await changeGroup(context, caller, change);
      return sendTagged(reply, tagGroup(group), showGroup(context, request, group));
    },
  );
}

export function addGroupRoutes(server: HttpServer, context: ChecksContext): void {
  for (const versioned of writePaths) addGroupWriteRoutes(server, context, versioned);
  server.get(
    "/v1/check-groups",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listCheckGroups",
        summary: "List check groups",
        description: "Paginated by `limit`; the total is in `Content-Range`.",
        querystring: GroupQuery,
        answerHeaders: ["Content-Range"],
        response: answers({ 200: GroupList }),
      },
    },
    async ({ caller, query }, reply) => {
      const { groups, total } = await listOwnGroups(context, caller, query);
      sendTotal(reply, query, total);
      return groups.map((group) => toWireGroup(group, createView(context, caller)));
    },
  );
  server.get(
    "/v1/check-groups/:id",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getCheckGroup",
        summary: "Get one check group",
        description: "The settings that its checks share, with an `ETag` for conditional updates.",
        params: GroupParams,
        answerHeaders: ["ETag"],
        response: answers({ 200: GroupSchema }, "notFound"),
      },
    },
    async (request, reply) => {
      const group = await getGroup(context, request.caller, request.params.id);
      return sendTagged(reply, tagGroup(group), showGroup(context, request, group));
    },
  );
  server.delete(
    "/v1/check-groups/:id",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "deleteCheckGroup",
        summary: "Delete a check group that has no checks",
        description:
          "Returns 409 if the group still has checks. With `If-Match`, fails if the group was " +
          "changed since it was read.",
        headers: IfMatchHeaders,
        params: GroupParams,
        response: answers({ 204: Nothing }, "notFound", "conflict", "preconditionFailed"),
      },
    },
    async ({ caller, headers, params }, reply) => {
      await removeGroup(context, caller, { id: params.id, ifMatch: headers["if-match"] });
      return reply.code(204).send(null);
    },
  );
  server.get(
    "/v1/check-groups/:id/checks",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listCheckGroupChecks",
        summary: "List the checks of a group",
        description: "Paginated by `limit`; the total is in `Content-Range`.",
        params: GroupParams,
        querystring: GroupQuery,
        answerHeaders: ["Content-Range"],
        response: answers({ 200: GroupMembers }, "notFound"),
      },
    },
    async ({ caller, params, query }, reply) => {
      const { checks, total } = await listGroupChecks(context, caller, { ...params, ...query });
      sendTotal(reply, query, total);
      return checks.map(({ id, kind }) => ({ id, checkType: kind }));
    },
  );
}
