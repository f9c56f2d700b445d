import { randomUUIDv7 } from "node:crypto";
import { Type } from "typebox";
import { inTransaction, lockName } from "../../../platform/database.ts";
import { formatDateTime } from "../../../platform/dates.ts";
import { conflict, forbidden, invalid, notFound } from "../../../platform/errors.ts";
import {
  answers,
  CursorPage,
  CursorQuery,
  DateTime,
  Described,
  Guid,
  Name,
  Nothing,
  OneOf,
  OrNull,
  toCursorPage,
} from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { hashSecret } from "../../../platform/secrets.ts";
import { writeAuditEntry } from "../audit/store.ts";
import type { Caller } from "../caller.ts";
import { isAtLeast, roles } from "../caller.ts";
import type { AccountsContext } from "../context.ts";
import {
  type ApiKey,
  type ApiKeyInput,
  apiKeyTypes,
  countApiKeys,
  createRawKey,
  decideApiKey,
  deleteApiKey,
  findApiKey,
  insertApiKey,
  type ApiKeyQuery as KeysQuery,
  listApiKeys,
  maskKey,
  mayHandle,
  updateApiKeyName,
} from "./api-key-store.ts";

const maxKeysPerAccount = 1_000;

/** Creates an API key. Only this response contains the raw key; the database stores its hash. */
export async function createApiKey(
  context: AccountsContext,
  caller: Caller,
  input: ApiKeyInput,
): Promise<ApiKey & { readonly rawKey: string }> {
  const at = context.clock.now();
  const expiresAt = input.expiresAt ?? null;
  if (expiresAt !== null && expiresAt <= at) throw invalid("expiresAt", "must be in the future");
  const decision = decideApiKey(caller, input);
  if (decision.kind === "no-person-to-own-it") {
    throw invalid("type", "must be SERVICE when a service key creates the key");
  }
  if (decision.kind !== "granted") throw forbidden();
  const rawKey = createRawKey();
  const key: ApiKey = {
    id: randomUUIDv7(),
    name: input.name,
    type: decision.type,
    userId: decision.type === "USER" ? caller.userId : null,
    role: decision.role,
    lastFour: rawKey.slice(-4),
    createdAt: at,
    expiresAt,
    lastUsedAt: null,
    lastUsedAddress: null,
  };
  await inTransaction(context.db, async (db) => {
    await lockName(db, `API keys ${caller.accountId}`);
    if ((await countApiKeys(db, caller.accountId)) >= maxKeysPerAccount) {
      throw conflict(`an account has at most ${maxKeysPerAccount} API keys; revoke one first`);
    }
    await insertApiKey(db, caller.accountId, { ...key, hash: hashSecret(rawKey) });
    const changes = { name: key.name, type: key.type, role: key.role, expiresAt };
    await writeAuditEntry(db, caller, { action: "api-key.created", targetId: key.id, changes, at });
  });
  return { ...key, rawKey };
}

function listOwnApiKeys(
  context: AccountsContext,
  caller: Caller,
  query: KeysQuery,
): Promise<ApiKey[]> {
  const seesAll = isAtLeast(caller.role, "ADMIN");
  const scope = seesAll ? query : { ...query, userId: caller.userId };
  return listApiKeys(context.db, caller.accountId, scope);
}

async function getApiKey(context: AccountsContext, caller: Caller, id: string): Promise<ApiKey> {
  const key = await findApiKey(context.db, caller.accountId, id);
  if (key === null || !mayHandle(caller, key)) throw notFound();
  return key;
}

async function renameApiKey(
  context: AccountsContext,
  caller: Caller,
  change: { readonly id: string; readonly name: string },
): Promise<ApiKey> {
  const { id, name } = change;
  const key = await getApiKey(context, caller, id);
  await inTransaction(context.db, async (db) => {
    if (!(await updateApiKeyName(db, caller.accountId, change))) throw notFound();
    const at = context.clock.now();
    const changes = { name: { from: key.name, to: name }, lastFour: key.lastFour };
    await writeAuditEntry(db, caller, { action: "api-key.renamed", targetId: id, changes, at });
  });
  // Clear the cache of credentials, because cached credentials contain the old name of the key.
  // Without this step, new audit entries would still contain the old name.
  context.credentials.forgetAll();
  return { ...key, name };
}

async function revokeApiKey(context: AccountsContext, caller: Caller, id: string): Promise<void> {
  const key = await getApiKey(context, caller, id);
  await inTransaction(context.db, async (db) => {
    if (!(await deleteApiKey(db, caller.accountId, id))) throw notFound();
    const at = context.clock.now();
    const changes = { name: key.name, lastFour: key.lastFour };
    await writeAuditEntry(db, caller, { action: "api-key.revoked", targetId: id, changes, at });
  });
  context.credentials.forgetAll();
}

const ApiKeyParams = Type.Object({ id: Described(Guid, "The key's id.") });
const ApiKeyQuery = Type.Object(CursorQuery);

const ApiKeyBody = Type.Object(
  {
    name: Described(Name, "Its name.", "CI"),
    type: Described(
      Type.Optional(OneOf(apiKeyTypes)),
      "Whether the key belongs to a user or to the account.",
    ),
    role: Described(
      Type.Optional(OneOf(roles)),
      "Role of the key. Default: the caller's role, at most `READ_WRITE`.",
    ),
    expiresAt: Described(
      Type.Optional(OrNull(DateTime)),
      "Expiry time; `null` if the key never expires.",
    ),
  },
  { title: "ApiKeyInput" },
);

const ApiKeyChange = Type.Object(
  { name: Described(Name, "Its name.", "CI") },
  { title: "ApiKeyChange" },
);

const shown = {
  id: Described(Guid, "Its id."),
  name: Type.String({ description: "Its name.", examples: ["CI"] }),
  type: Described(OneOf(apiKeyTypes), "Whether the key belongs to a user or to the account."),
  userId: Described(OrNull(Guid), "Owner of the key; `null` for a service key."),
  role: Described(OneOf(roles), "Role of the key."),
  maskedKey: Type.String({
    description: "The key, masked except for its last characters.",
    examples: ["…4f2a"],
  }),
  created_at: Described(DateTime, "Creation time."),
  expiresAt: Described(OrNull(DateTime), "Expiry time; `null` if the key never expires."),
  lastUsedAt: Described(OrNull(DateTime), "Time of the last use; `null` if never used."),
  lastUsedAddress: Described(
    OrNull(Type.String()),
    "IP address of the last use; `null` if never used or unknown.",
    "192.0.2.7",
  ),
};

const ApiKeySchema = Type.Object(shown, { title: "ApiKey" });
const CreatedApiKeySchema = Type.Object(
  {
    ...shown,
    rawKey: Type.String({ description: "The key. It is never shown again." }),
  },
  { title: "CreatedApiKey" },
);
const ApiKeyPage = CursorPage(ApiKeySchema);

function toWireApiKey(key: ApiKey) {
  return {
    id: key.id,
    name: key.name,
    type: key.type,
    userId: key.userId,
    role: key.role,
    maskedKey: maskKey(key.lastFour),
    created_at: formatDateTime(key.createdAt),
    expiresAt: key.expiresAt && formatDateTime(key.expiresAt),
    lastUsedAt: key.lastUsedAt && formatDateTime(key.lastUsedAt),
    lastUsedAddress: key.lastUsedAddress,
  };
}

function fromWireApiKey(body: Type.Static<typeof ApiKeyBody>) {
  return { ...body, expiresAt: body.expiresAt ? new Date(body.expiresAt) : null };
}

const tags = ["API keys"];

export function addApiKeyRoutes(server: HttpServer, context: AccountsContext): void {
  server.post(
    "/v1/api-keys",
    {
      config: { access: "self" },
      schema: {
        tags,
        operationId: "createApiKey",
        summary: "Create an API key; the response shows it once",
        description:
          "Store `rawKey` safely: the server keeps only its hash. A key cannot have more rights " +
          "than its creator.",
        body: ApiKeyBody,
        response: answers({ 201: CreatedApiKeySchema }, "conflict"),
      },
    },
    async ({ caller, body }, reply) => {
      const key = await createApiKey(context, caller, fromWireApiKey(body));
      return reply.code(201).send({ ...toWireApiKey(key), rawKey: key.rawKey });
    },
  );
  server.get(
    "/v1/api-keys",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listApiKeys",
        summary: "List API keys, masked; administrators see all keys of the account",
        description: "Paginated: pass `nextId` of the response to fetch the next page.",
        querystring: ApiKeyQuery,
        response: answers({ 200: ApiKeyPage }),
      },
    },
    async ({ caller, query }) => {
      const keys = await listOwnApiKeys(context, caller, { ...query, limit: query.limit + 1 });
      return toCursorPage(keys.map(toWireApiKey), query.limit);
    },
  );
  server.get(
    "/v1/api-keys/:id",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getApiKey",
        summary: "Get an API key, masked",
        description: "The key itself is not stored and cannot be shown again.",
        params: ApiKeyParams,
        response: answers({ 200: ApiKeySchema }, "notFound"),
      },
    },
    async ({ caller, params }) => toWireApiKey(await getApiKey(context, caller, params.id)),
  );
  server.patch(
    "/v1/api-keys/:id",
    {
      config: { access: "self" },
      schema: {
        tags,
        operationId: "updateApiKey",
        summary: "Rename an API key",
        description: "Role and expiry of a key cannot be changed; create another key instead.",
        params: ApiKeyParams,
        body: ApiKeyChange,
        response: answers({ 200: ApiKeySchema }, "notFound"),
      },
    },
    async ({ caller, params, body }) =>
      toWireApiKey(await renameApiKey(context, caller, { id: params.id, name: body.name })),
  );
  server.delete(
    "/v1/api-keys/:id",
    {
      config: { access: "self" },
      schema: {
        tags,
        operationId: "deleteApiKey",
        summary: "Revoke an API key",
        description: "Takes effect immediately: requests with this key are rejected.",
        params: ApiKeyParams,
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      await revokeApiKey(context, caller, params.id);
      return reply.code(204).send(null);
    },
  );
}
