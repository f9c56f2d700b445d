import { Type } from "typebox";
import { formatDateTime } from "../../platform/dates.ts";
import {
  answers,
  CreatedAt,
  Described,
  Name,
  Nothing,
  PageQuery,
  RowId,
  sendTotal,
  UpdatedAt,
} from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import {
  changeSnippet,
  createSnippet,
  getSnippet,
  listOwnSnippets,
  removeSnippet,
  type SnippetsContext,
} from "./actions.ts";
import type { Snippet } from "./snippet.ts";

const tags = ["Snippets"];

const SnippetParams = Type.Object({ id: Described(RowId, "The snippet's id.") });
const SnippetBody = Type.Object(
  {
    name: Described(Name, "Its name.", "Sign in"),
    script: Type.String({
      description: "The script. It is stored and not run.",
      maxLength: 500_000,
      examples: ["const token = ''"],
    }),
  },
  { title: "SnippetInput" },
);
const SnippetSchema = Type.Object(
  {
    id: Type.Integer({ description: "Its id.", examples: [3] }),
    name: Type.String({ description: "Its name.", examples: ["Sign in"] }),
    script: Type.String({ description: "The script.", examples: ["const token = 1"] }),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  },
  { title: "Snippet" },
);

function toWireSnippet({ id, name, script, createdAt, updatedAt }: Snippet) {
  const updated_at = updatedAt && formatDateTime(updatedAt);
  return { id, name, script, created_at: formatDateTime(createdAt), updated_at };
}

function addSnippetWriteRoutes(server: HttpServer, context: SnippetsContext): void {
  server.post(
    "/v1/snippets",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "createSnippet",
        summary: "Create a snippet",
        description: "Checks and groups can refer to it. This server stores scripts only.",
        body: SnippetBody,
        response: answers({ 201: SnippetSchema }, "conflict"),
      },
    },
    async ({ caller, body: { name, script } }, reply) =>
      reply.code(201).send(toWireSnippet(await createSnippet(context, caller, { name, script }))),
  );
  server.put(
    "/v1/snippets/:id",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "updateSnippet",
        summary: "Update a snippet",
        description: "Replaces its name and script.",
        params: SnippetParams,
        body: SnippetBody,
        response: answers({ 200: SnippetSchema }, "notFound"),
      },
    },
    async ({ caller, params, body: { name, script } }) => {
      const change = { id: params.id, input: { name, script } };
      return toWireSnippet(await changeSnippet(context, caller, change));
    },
  );
  server.delete(
    "/v1/snippets/:id",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "deleteSnippet",
        summary: "Delete a snippet",
        description: "Checks that refer to it keep the id.",
        params: SnippetParams,
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      await removeSnippet(context, caller, params.id);
      return reply.code(204).send(null);
    },
  );
}

export function addSnippetRoutes(server: HttpServer, context: SnippetsContext): void {
  server.get(
    "/v1/snippets",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listSnippets",
        summary: "List snippets",
        description: "Paginated by `limit` and `page`; the total is in `Content-Range`.",
        querystring: Type.Object(PageQuery),
        answerHeaders: ["Content-Range"],
        response: answers({ 200: Type.Array(SnippetSchema) }),
      },
    },
    async ({ caller, query }, reply) => {
      const { snippets, total } = await listOwnSnippets(context, caller, query);
      sendTotal(reply, query, total);
      return snippets.map(toWireSnippet);
    },
  );
  server.get(
    "/v1/snippets/:id",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getSnippet",
        summary: "Get one snippet",
        description: "With its script.",
        params: SnippetParams,
        response: answers({ 200: SnippetSchema }, "notFound"),
      },
    },
    async ({ caller, params }) => toWireSnippet(await getSnippet(context, caller, params.id)),
  );
  addSnippetWriteRoutes(server, context);
}
