import { Type } from "typebox";
import { type Caller, writeAuditEntry } from "../../access/accounts/index.ts";
import type { Clock } from "../../platform/clock.ts";
import { type Database, inTransaction, lockName } from "../../platform/database.ts";
import { formatDateTime } from "../../platform/dates.ts";
import { conflict, notFound } from "../../platform/errors.ts";
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
  countSnippets,
  deleteSnippet,
  findSnippet,
  insertSnippet,
  isInSnippet,
  listSnippets,
  type Snippet,
  type SnippetInput,
  updateSnippet,
} from "./snippet-store.ts";

export interface SnippetsContext {
  readonly db: Database;
  readonly clock: Clock;
  /**
   * Rejects a change of a snippet if a script that uses the snippet may receive values that are
   * hidden from the caller.
   */
  readonly assertMayChangeSnippet: (
    db: Database,
    caller: Caller,
    snippet: SnippetUse,
  ) => Promise<void>;
}

/** Describes a changed snippet, so that the scripts which use the snippet can be found. */
export interface SnippetUse {
  /** Id of the snippet; `null` for a new snippet. */
  readonly id: number | null;
  /** Names of the snippet before and after the change. */
  readonly names: readonly string[];
  /** Returns whether another snippet may import this one. */
  readonly isImported: () => Promise<boolean>;
}

function assertMayWrite(
  { assertMayChangeSnippet }: SnippetsContext,
  caller: Caller,
  db: Database,
  { id, names }: Pick<SnippetUse, "id" | "names">,
): Promise<void> {
  const isImported = () => isInSnippet(db, caller.accountId, { names, exceptId: id });
  return assertMayChangeSnippet(db, caller, { id, names, isImported });
}

const maxPerAccount = 1_000;

export function createSnippet(
  context: SnippetsContext,
  caller: Caller,
  input: SnippetInput,
): Promise<Snippet> {
  const { accountId } = caller;
  const at = context.clock.now();
  return inTransaction(context.db, async (db) => {
    await lockName(db, `snippets ${accountId}`);
    if ((await countSnippets(db, accountId)) >= maxPerAccount) {
      throw conflict(`limit of ${maxPerAccount} snippets reached; delete one first`);
    }
    await assertMayWrite(context, caller, db, { id: null, names: [input.name] });
    const snippet = await insertSnippet(db, accountId, { ...input, createdAt: at });
    const note = { action: "snippet.created", changes: { name: snippet.name } };
    await writeAuditEntry(db, caller, { ...note, targetId: String(snippet.id), at });
    return snippet;
  });
}

export async function listOwnSnippets(
  context: SnippetsContext,
  { accountId }: Caller,
  paging: { readonly limit: number; readonly page: number },
): Promise<{ readonly snippets: Snippet[]; readonly total: number }> {
  const snippets = await listSnippets(context.db, accountId, paging);
  return { snippets, total: await countSnippets(context.db, accountId) };
}

async function getSnippet(context: SnippetsContext, caller: Caller, id: number): Promise<Snippet> {
  const snippet = await findSnippet(context.db, caller.accountId, id);
  if (snippet === null) throw notFound();
  return snippet;
}

export function changeSnippet(
  context: SnippetsContext,
  caller: Caller,
  { id, input }: { readonly id: number; readonly input: SnippetInput },
): Promise<Snippet> {
  const at = context.clock.now();
  return inTransaction(context.db, async (db) => {
    const before = await findSnippet(db, caller.accountId, id);
    if (before === null) throw notFound();
    await assertMayWrite(context, caller, db, { id, names: [before.name, input.name] });
    const snippet = await updateSnippet(db, caller.accountId, { ...input, id, at });
    if (snippet === null) throw notFound();
    const note = { action: "snippet.updated", changes: { name: snippet.name } };
    await writeAuditEntry(db, caller, { ...note, targetId: String(id), at });
    return snippet;
  });
}

export async function removeSnippet(
  context: SnippetsContext,
  caller: Caller,
  id: number,
): Promise<void> {
  const at = context.clock.now();
  await inTransaction(context.db, async (db) => {
    const removed = await deleteSnippet(db, caller.accountId, id);
    if (removed === null) throw notFound();
    const note = { action: "snippet.deleted", changes: { name: removed.name } };
    await writeAuditEntry(db, caller, { ...note, targetId: String(id), at });
  });
}

const tags = ["Snippets"];

const SnippetParams = Type.Object({ id: Described(RowId, "The snippet's id.") });
export const SnippetBody = Type.Object(
  {
    name: Described(Name, "Its name.", "Sign in"),
    script: Type.String({
      description: "JavaScript or TypeScript. Scripts import it as `./snippets/NAME.js`.",
      maxLength: 500_000,
      examples: ["module.exports = (text) => text.trim()"],
    }),
  },
  { title: "SnippetInput" },
);
const SnippetSchema = Type.Object(
  {
    id: Type.Integer({ description: "Its id.", examples: [3] }),
    name: Type.String({ description: "Its name.", examples: ["Sign in"] }),
    script: Type.String({
      description: "The script.",
      examples: ["module.exports = (text) => text.trim()"],
    }),
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
        description:
          "Checks and groups run it by its id, and scripts import it by its name. If scripts that " +
          "use it receive hidden values, an owner or admin has to write it.",
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
        description: "Checks that refer to it keep the id and do not run until they are changed.",
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
