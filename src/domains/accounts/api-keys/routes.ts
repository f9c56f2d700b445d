import { answers, Nothing, toCursorPage } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { AccountsContext } from "../context.ts";
import { createApiKey, getApiKey, listOwnApiKeys, renameApiKey, revokeApiKey } from "./actions.ts";
import {
  ApiKeyBody,
  ApiKeyChange,
  ApiKeyPage,
  ApiKeyParams,
  ApiKeyQuery,
  ApiKeySchema,
  CreatedApiKeySchema,
  fromWireApiKey,
  toWireApiKey,
} from "./schema.ts";

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
