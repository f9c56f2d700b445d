import { randomUUIDv7 } from "node:crypto";
import { Type } from "typebox";
import { type Caller, writeAuditEntry } from "../../access/accounts/index.ts";
import { listExistingChannelIds } from "../../channels/alert-channels/index.ts";
import { definitions, getGroup } from "../../checks/checks/index.ts";
import { inTransaction, lockName } from "../../platform/database.ts";
import { formatDateTime } from "../../platform/dates.ts";
import { conflict, invalid, KnownError, notFound } from "../../platform/errors.ts";
import {
  answers,
  CreatedAt,
  DateTime,
  Described,
  Filled,
  Guid,
  Nothing,
  OrNull,
  publicAnswers,
  RowId,
  UpdatedAt,
} from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { createSecret, hashSecret } from "../../platform/secrets.ts";
import { admitNotification, receiveNotification, type SourcesContext } from "./intake.ts";
import { NotificationBody } from "./notification.ts";
import {
  type AlertSource,
  deleteSource,
  findSource,
  insertSource,
  listGroupChecks,
  listSources,
  updateSource,
} from "./store.ts";

/** Maximum number of sources per account. */
const maxSources = 50;
const maxChannels = 100;
/**
 * Maximum size of a notification, enough for thousands of alerts. The receiver option `max_alerts`
 * makes Alertmanager send smaller notifications.
 */
const maxBodyBytes = 4 * 1024 * 1024;
const path = "/v1/alert-sources";

type SourceInput = Pick<AlertSource, "name" | "groupId" | "alertChannelIds">;

function writeUrl({ publicUrl }: SourcesContext, token: string): string {
  return `${publicUrl().replace(/\/+$/, "")}/v1/alertmanager/${token}`;
}

async function assertGroup(
  context: SourcesContext,
  caller: Caller,
  groupId: number | null,
): Promise<void> {
  if (groupId === null) return;
  try {
    await getGroup(context, caller, groupId);
  } catch (error) {
    if (!(error instanceof KnownError)) throw error;
    throw invalid("groupId", "is not a group of this account");
  }
}

/** Rejects channels that do not exist. The source may keep channels that were deleted later. */
async function assertChannels(
  { db }: SourcesContext,
  { accountId }: Caller,
  { chosen, before }: { readonly chosen: readonly number[]; readonly before: readonly number[] },
): Promise<void> {
  const existing = await listExistingChannelIds(db, accountId, chosen);
  const index = chosen.findIndex((id) => !existing.has(id) && !before.includes(id));
  if (index >= 0) throw invalid(`alertChannelIds.${index}`, "does not exist in this account");
}

async function createSource(
  context: SourcesContext,
  caller: Caller,
  { name, groupId, alertChannelIds }: SourceInput,
): Promise<AlertSource & { readonly url: string }> {
  const { accountId } = caller;
  const at = context.clock.now();
  const token = createSecret();
  const id = randomUUIDv7();
  return inTransaction(context.db, async (db) => {
    await lockName(db, `alert sources ${accountId}`);
    if ((await listSources(db, accountId)).length >= maxSources) {
      throw conflict(`an account has at most ${maxSources} alert sources; delete one first`);
    }
    await assertGroup({ ...context, db }, caller, groupId);
    await assertChannels({ ...context, db }, caller, { chosen: alertChannelIds, before: [] });
    const own = { name, groupId, alertChannelIds };
    await insertSource(db, accountId, { id, ...own, tokenHash: hashSecret(token), createdAt: at });
    const changes = { name };
    await writeAuditEntry(db, caller, {
      action: "alert-source.created",
      targetId: id,
      changes,
      at,
    });
    const source = await findSource(db, accountId, id);
    if (source === null) throw new Error("the new alert source is missing");
    return { ...source, url: writeUrl(context, token) };
  });
}

/** Changes a source, or replaces its token. With a new token, the old address stops working. */
async function changeSource(
  context: SourcesContext,
  caller: Caller,
  { id, input }: { readonly id: string; readonly input: SourceInput | "new-token" },
): Promise<AlertSource & { readonly url: string }> {
  const { accountId } = caller;
  const at = context.clock.now();
  const token = createSecret();
  return inTransaction(context.db, async (db) => {
    const before = await findSource(db, accountId, id);
    if (before === null) throw notFound();
    const isReplaced = input === "new-token";
    const { name, groupId, alertChannelIds } = isReplaced ? before : input;
    await assertGroup({ ...context, db }, caller, groupId);
    const channels = { chosen: alertChannelIds, before: before.alertChannelIds };
    await assertChannels({ ...context, db }, caller, channels);
    const tokenHash = isReplaced ? hashSecret(token) : null;
    const after = { id, name, groupId, alertChannelIds, tokenHash, at };
    if (!(await updateSource(db, accountId, after))) {
      throw notFound();
    }
    const action = isReplaced ? "alert-source.token-replaced" : "alert-source.changed";
    await writeAuditEntry(db, caller, { action, targetId: id, changes: { name }, at });
    const source = await findSource(db, accountId, id);
    if (source === null) throw notFound();
    return { ...source, url: writeUrl(context, token) };
  });
}

/**
 * Deletes a source and its checks: without the source, no notification would ever end the alerts of
 * these checks.
 */
async function removeSource(context: SourcesContext, caller: Caller, id: string): Promise<void> {
  const { accountId } = caller;
  const at = context.clock.now();
  await inTransaction(context.db, async (db) => {
    const source = await findSource(db, accountId, id);
    if (source === null) throw notFound();
    const groups = await listGroupChecks(db, accountId, id);
    const ids = groups.map(({ checkId }) => checkId);
    await definitions.checks.remove({ ...context, db }, caller, ids);
    await deleteSource(db, accountId, id);
    const changes = { name: source.name };
    await writeAuditEntry(db, caller, {
      action: "alert-source.deleted",
      targetId: id,
      changes,
      at,
    });
  });
}

const nameField = Filled({
  description: "Its name.",
  examples: ["Alertmanager of the shop"],
  maxLength: 100,
});
const groupField = Described(
  OrNull(RowId),
  "The group of the checks that it creates, with its channels, settings and escalation policy; " +
    "`null` for none.",
  null,
);
const channelsField = Type.Array(RowId, {
  description:
    "The channels that the checks subscribe to, besides those of the group and those with " +
    "`autoSubscribe`.",
  examples: [[7]],
  maxItems: maxChannels,
});

const SourceBody = Type.Object(
  {
    name: nameField,
    groupId: Type.Optional(groupField),
    alertChannelIds: Type.Optional(channelsField),
  },
  { title: "AlertSourceInput" },
);

const fields = {
  id: Described(Guid, "Its id."),
  name: nameField,
  groupId: groupField,
  alertChannelIds: channelsField,
  groups: Type.Integer({ description: "Number of its alert groups.", examples: [12] }),
  firingGroups: Type.Integer({ description: "Number of groups that fire.", examples: [1] }),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
  last_used_at: Described(
    OrNull(DateTime),
    "When it last sent a notification; `null` if it never did.",
  ),
};
const SourceSchema = Type.Object(fields, { title: "AlertSource" });
const SourceWithUrl = Type.Object(
  {
    ...fields,
    url: Type.String({
      description: "The address for `webhook_configs`, shown once. It contains the secret token.",
      examples: ["https://vedette.example.com/v1/alertmanager/q3…"],
    }),
  },
  { title: "AlertSourceWithUrl" },
);

function toWire({ createdAt, updatedAt, lastUsedAt, accountId: _account, ...rest }: AlertSource) {
  return {
    ...rest,
    alertChannelIds: [...rest.alertChannelIds],
    created_at: formatDateTime(createdAt),
    updated_at: updatedAt && formatDateTime(updatedAt),
    last_used_at: lastUsedAt && formatDateTime(lastUsedAt),
  };
}

const readInput = (body: Type.Static<typeof SourceBody>): SourceInput => {
  const { name, groupId = null, alertChannelIds = [] } = body;
  return { name, groupId, alertChannelIds: [...new Set(alertChannelIds)] };
};
const tags = ["Alert sources"];
const params = Type.Object({ id: Described(Guid, "The source's id.") });

function addReadRoutes(server: HttpServer, { db }: SourcesContext): void {
  server.get(
    path,
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listAlertSources",
        summary: "List alert sources",
        description: "All of the account, oldest first. Their addresses are not stored.",
        response: answers({ 200: Type.Array(SourceSchema) }),
      },
    },
    async ({ caller }) => (await listSources(db, caller.accountId)).map(toWire),
  );
  server.get(
    `${path}/:id`,
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getAlertSource",
        summary: "Get an alert source",
        description: "Its address is not stored; replace the token to get a new one.",
        params,
        response: answers({ 200: SourceSchema }, "notFound"),
      },
    },
    async ({ caller, params: { id } }) => {
      const source = await findSource(db, caller.accountId, id);
      if (source === null) throw notFound();
      return toWire(source);
    },
  );
}

function addWriteRoutes(server: HttpServer, context: SourcesContext): void {
  server.post(
    path,
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "createAlertSource",
        summary: "Create an alert source",
        description: "Its address is in this response only.",
        body: SourceBody,
        response: answers({ 201: SourceWithUrl }, "conflict"),
      },
    },
    async ({ caller, body }, reply) => {
      const { url, ...source } = await createSource(context, caller, readInput(body));
      return reply.code(201).send({ ...toWire(source), url });
    },
  );
  server.put(
    `${path}/:id`,
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "updateAlertSource",
        summary: "Update an alert source",
        description: "A new group and new channels apply to checks that are created afterwards.",
        params,
        body: SourceBody,
        response: answers({ 200: SourceSchema }, "notFound"),
      },
    },
    async ({ caller, params: { id }, body }) => {
      const input = readInput(body);
      const { url: _unused, ...source } = await changeSource(context, caller, { id, input });
      return toWire(source);
    },
  );
  server.post(
    `${path}/:id/token`,
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "replaceAlertSourceToken",
        summary: "Replace the token of an alert source",
        description: "The old address stops working immediately. The new one is shown once.",
        params,
        response: answers({ 200: SourceWithUrl }, "notFound"),
      },
    },
    async ({ caller, params: { id } }) => {
      const { url, ...source } = await changeSource(context, caller, { id, input: "new-token" });
      return { ...toWire(source), url };
    },
  );
  server.delete(
    `${path}/:id`,
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "deleteAlertSource",
        summary: "Delete an alert source",
        description: "Deletes the checks of its alert groups too, with their history.",
        params,
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller, params: { id } }, reply) => {
      await removeSource(context, caller, id);
      return reply.code(204).send(null);
    },
  );
}

export function addSourceRoutes(server: HttpServer, context: SourcesContext): void {
  addReadRoutes(server, context);
  addWriteRoutes(server, context);
  server.post(
    "/v1/alertmanager/:token",
    {
      config: { access: "public", isUnlimited: true },
      bodyLimit: maxBodyBytes,
      onRequest: async ({ params, ip }) => admitNotification(context, params.token, ip),
      schema: {
        tags,
        operationId: "receiveAlertmanagerNotification",
        summary: "Receive a notification of Alertmanager",
        description:
          "For `webhook_configs` of Alertmanager. Needs no key: the token authenticates the " +
          "request. Responds when the notification is stored.",
        params: Type.Object({
          token: Type.String({
            description: "The token of the source's address.",
            examples: ["q3Zk"],
            minLength: 1,
            maxLength: 100,
          }),
        }),
        body: NotificationBody,
        response: publicAnswers(
          { 200: Type.Object({ status: Type.String({ description: "Always stored." }) }) },
          "invalidRequest",
          "notFound",
          "bodyTooLarge",
          "unavailable",
        ),
      },
    },
    async ({ params: { token }, body, ip: address, id: requestId }) => {
      await receiveNotification(context, token, { body, origin: { address, requestId } });
      return { status: "stored" };
    },
  );
}
