import { Type } from "typebox";
import type { Caller } from "../../access/accounts/index.ts";
import type { Database } from "../../platform/database.ts";
import { formatDateTime, toDay } from "../../platform/dates.ts";
import {
  answers,
  DateOnly,
  DateTime,
  Described,
  Guid,
  Nothing,
  OrNull,
} from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import {
  createPageKey,
  listPageKeys,
  type PageKey,
  removePageKey,
  rotatePageKey,
  type ShownPageKey,
} from "../publishing/index.ts";
import { getStatusPage } from "./actions.ts";
import type { StatusPagesContext } from "./context.ts";
import { referToPage } from "./status-page.ts";
import { holdStatusPage } from "./store.ts";

const tags = ["Status page keys"];

export const PageParams = Type.Object({ statusPageId: Described(Guid, "The status page's id.") });
const PageKeyParams = Type.Object({
  statusPageId: Described(Guid, "The status page's id."),
  keyId: Described(Guid, "The key's id."),
});

const shown = {
  id: Described(Guid, "Its id."),
  maskedKey: Type.String({
    description: "The key, masked except for its last characters.",
    examples: ["…4f2a"],
  }),
  created_at: Described(DateOnly, "Date of creation, in UTC."),
  updated_at: Described(
    OrNull(DateOnly),
    "Date of the last change, in UTC; `null` if never changed.",
  ),
  lastUsedAt: Described(
    OrNull(DateTime),
    "Time of the last use, to the minute; `null` if never used.",
  ),
};

const PageKeySchema = Type.Object(shown, { title: "StatusPageKey" });
const PageKeyList = Type.Array(PageKeySchema);
const ShownPageKeySchema = Type.Object(
  {
    ...shown,
    rawKey: Type.String({ description: "The key. It is never shown again." }),
  },
  { title: "CreatedStatusPageKey" },
);

function toWirePageKey(key: PageKey) {
  return {
    id: key.id,
    maskedKey: key.maskedKey,
    created_at: toDay(key.createdAt),
    updated_at: key.updatedAt && toDay(key.updatedAt),
    lastUsedAt: key.lastUsedAt && formatDateTime(key.lastUsedAt),
  };
}

function toWireShownPageKey(key: ShownPageKey) {
  return { ...toWirePageKey(key), rawKey: key.rawKey };
}

function createStatusPageKey(
  context: StatusPagesContext,
  caller: Caller,
  statusPageId: string,
): Promise<ShownPageKey> {
  const hold = (db: Database) => holdStatusPage(db, caller.accountId, statusPageId);
  return createPageKey(context, caller, { ...referToPage(statusPageId), hold });
}

async function listStatusPageKeys(
  context: StatusPagesContext,
  caller: Caller,
  statusPageId: string,
): Promise<PageKey[]> {
  const { id } = await getStatusPage(context, caller, statusPageId);
  return listPageKeys(context.db, caller.accountId, { pageKind: "status-page", pageIds: [id] });
}

const toKeyReference = (params: { readonly statusPageId: string; readonly keyId: string }) => ({
  ...referToPage(params.statusPageId),
  keyId: params.keyId,
});

export function addPageKeyRoutes(server: HttpServer, context: StatusPagesContext): void {
  server.post(
    "/v1/status-pages/:statusPageId/keys",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "createStatusPageKey",
        summary: "Create a key that opens a private status page",
        description: "At most ten per page. `rawKey` is only in this response.",
        params: PageParams,
        response: answers({ 201: ShownPageKeySchema }, "notFound", "conflict"),
      },
    },
    async ({ caller, params }, reply) => {
      const key = await createStatusPageKey(context, caller, params.statusPageId);
      return reply.code(201).send(toWireShownPageKey(key));
    },
  );
  server.get(
    "/v1/status-pages/:statusPageId/keys",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listStatusPageKeys",
        summary: "List the keys of a status page, masked",
        description: "Keys cannot be shown again.",
        params: PageParams,
        response: answers({ 200: PageKeyList }, "notFound"),
      },
    },
    async ({ caller, params }) =>
      (await listStatusPageKeys(context, caller, params.statusPageId)).map(toWirePageKey),
  );
  server.post(
    "/v1/status-pages/:statusPageId/keys/:keyId/rotate",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "rotateStatusPageKey",
        summary: "Replace a key",
        description:
          "`rawKey` is only in this response. The old key and its cookies stop working " +
          "immediately.",
        params: PageKeyParams,
        response: answers({ 200: ShownPageKeySchema }, "notFound"),
      },
    },
    async ({ caller, params }) =>
      toWireShownPageKey(await rotatePageKey(context, caller, toKeyReference(params))),
  );
  server.delete(
    "/v1/status-pages/:statusPageId/keys/:keyId",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "deleteStatusPageKey",
        summary: "Delete a key of a status page",
        description: "The key and its cookies stop working immediately.",
        params: PageKeyParams,
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      await removePageKey(context, caller, toKeyReference(params));
      return reply.code(204).send(null);
    },
  );
}
