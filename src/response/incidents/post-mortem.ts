import { Type } from "typebox";
import { type Caller, writeAuditEntry } from "../../access/accounts/index.ts";
import { inTransaction } from "../../platform/database.ts";
import { formatDateTime } from "../../platform/dates.ts";
import { notFound } from "../../platform/errors.ts";
import {
  answers,
  DateTime,
  Described,
  Filled,
  Nothing,
  OrNull,
} from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import type { IncidentsContext } from "./incident.ts";
import { maxDescriptionLength } from "./incident.ts";
import {
  deletePostMortem,
  findPostMortem,
  type PostMortem,
  savePostMortem,
} from "./notes-store.ts";
import { IncidentParams } from "./schema.ts";
import { findRecord, lockRecord, saveIncident } from "./store.ts";

const tags = ["Incidents"];
const path = "/v1/status-pages/incidents/:incidentId/post-mortem";

const PostMortemBody = Type.Object(
  {
    body: Filled({
      maxLength: maxDescriptionLength,
      description: "The text, in Markdown.",
      examples: ["## What happened\nA certificate expired."],
    }),
    isPublished: Type.Optional(
      Type.Boolean({
        description: "Whether it is public. If omitted, unchanged; a new one is a draft.",
      }),
    ),
  },
  { title: "PostMortemInput" },
);

const PostMortemSchema = Type.Object(
  {
    body: Type.String({ description: "The text, in Markdown." }),
    author: Type.String({ description: "Name of the last editor.", examples: ["Ada Lovelace"] }),
    publishedAt: Described(OrNull(DateTime), "Time of publication; `null` for a draft."),
    createdAt: Described(DateTime, "Creation time."),
    updatedAt: Described(DateTime, "Time of the last change."),
  },
  { title: "PostMortem" },
);

const PostMortemAnswer = Type.Object({
  postMortem: Described(OrNull(PostMortemSchema), "The post-mortem; `null` if none was written."),
});

function toWirePostMortem(one: PostMortem) {
  return {
    body: one.body,
    author: one.author,
    publishedAt: one.publishedAt && formatDateTime(one.publishedAt),
    createdAt: formatDateTime(one.createdAt),
    updatedAt: formatDateTime(one.updatedAt),
  };
}

async function readPostMortem(
  { db }: Pick<IncidentsContext, "db">,
  { accountId }: Pick<Caller, "accountId">,
  incidentId: string,
): Promise<PostMortem | null> {
  const record = await findRecord(db, accountId, incidentId);
  if (record === null) throw notFound();
  return findPostMortem(db, accountId, incidentId);
}

/**
 * Returns the publication date of a post-mortem; `null` if it is not public. The date does not
 * change when a published post-mortem is saved again.
 */
function decidePublication(
  before: PostMortem | null,
  isPublished: boolean | undefined,
  at: Date,
): Date | null {
  if (isPublished === undefined) return before?.publishedAt ?? null;
  return isPublished ? (before?.publishedAt ?? at) : null;
}

async function writePostMortem(
  context: IncidentsContext,
  caller: Caller,
  input: {
    readonly incidentId: string;
    readonly body: string;
    readonly isPublished: boolean | undefined;
  },
): Promise<PostMortem> {
  const { accountId } = caller;
  const at = context.clock.now();
  return inTransaction(context.db, async (db) => {
    const record = await lockRecord(db, accountId, input.incidentId);
    if (record === null) throw notFound();
    const before = await findPostMortem(db, accountId, record.id);
    const publishedAt = decidePublication(before, input.isPublished, at);
    const saved = {
      incidentId: record.id,
      body: input.body,
      author: caller.label,
      publishedAt,
      createdAt: before?.createdAt ?? at,
      updatedAt: at,
    };
    await savePostMortem(db, accountId, saved);
    // A change of the incident's row invalidates the cached pages that show the post-mortem.
    await saveIncident(db, accountId, { ...record, updatedAt: at });
    const changes = { isPublished: publishedAt !== null };
    const entry = { action: "incident-post-mortem.saved", targetId: record.id, changes, at };
    await writeAuditEntry(db, caller, entry);
    return saved;
  });
}

async function removePostMortem(
  context: IncidentsContext,
  caller: Caller,
  incidentId: string,
): Promise<void> {
  const at = context.clock.now();
  await inTransaction(context.db, async (db) => {
    const record = await lockRecord(db, caller.accountId, incidentId);
    if (record === null) throw notFound();
    if (!(await deletePostMortem(db, caller.accountId, record.id))) throw notFound();
    await saveIncident(db, caller.accountId, { ...record, updatedAt: at });
    const entry = { action: "incident-post-mortem.deleted", targetId: record.id, changes: {}, at };
    await writeAuditEntry(db, caller, entry);
  });
}

export function addPostMortemRoutes(server: HttpServer, context: IncidentsContext): void {
  server.get(
    path,
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getPostMortem",
        summary: "Get the post-mortem of an incident",
        description: "`postMortem` is `null` if none was written.",
        params: IncidentParams,
        response: answers({ 200: PostMortemAnswer }, "notFound"),
      },
    },
    async ({ caller, params }) => {
      const found = await readPostMortem(context, caller, params.incidentId);
      return { postMortem: found && toWirePostMortem(found) };
    },
  );
  server.put(
    path,
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "putPostMortem",
        summary: "Save the post-mortem of an incident",
        description:
          "With `isPublished` it appears on the public page of the incident; otherwise it is a " +
          "draft. Subscribers are not notified.",
        params: IncidentParams,
        body: PostMortemBody,
        response: answers({ 200: PostMortemSchema }, "notFound"),
      },
    },
    async ({ caller, params, body }) => {
      const { incidentId } = params;
      const input = { incidentId, body: body.body, isPublished: body.isPublished };
      return toWirePostMortem(await writePostMortem(context, caller, input));
    },
  );
  server.delete(
    path,
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "deletePostMortem",
        summary: "Delete the post-mortem of an incident",
        description: "It is also removed from the public page.",
        params: IncidentParams,
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      await removePostMortem(context, caller, params.incidentId);
      return reply.code(204).send(null);
    },
  );
}
