import { randomUUIDv7 } from "node:crypto";
import { Type } from "typebox";
import { type Caller, writeAuditEntry } from "../../access/accounts/index.ts";
import { holdChecks } from "../../checks/checks/index.ts";
import type { Clock } from "../../platform/clock.ts";
import { type Database, inTransaction, lockName } from "../../platform/database.ts";
import { formatDateTime } from "../../platform/dates.ts";
import { invalid, notFound } from "../../platform/errors.ts";
import {
  answers,
  CreatedAt,
  DateTime,
  Described,
  Guid,
  Nothing,
  OneOf,
  OrNull,
  PageQuery,
  parseBounds,
  sendTotal,
} from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import {
  type Annotation,
  type AnnotationInput,
  annotationTypes,
  findFault,
  maxPerAccount,
} from "./annotation.ts";
import {
  type AnnotationsQuery,
  deleteAnnotation,
  insertAnnotation,
  listAnnotations,
  trimAnnotations,
} from "./annotation-store.ts";

const tags = ["Annotations"];

const Tag = Type.String({ minLength: 1, maxLength: 255 });

const shared = {
  type: Described(
    OneOf(annotationTypes),
    "NOTE for general information; DEPLOYMENT for a new version that went live.",
    "DEPLOYMENT",
  ),
  text: Type.String({
    description: "The text shown at the mark.",
    examples: ["shop 4.2.0"],
    minLength: 1,
    maxLength: 500,
  }),
};

const AnnotationBody = Type.Object(
  {
    ...shared,
    url: Described(
      Type.Optional(OrNull(Type.String({ maxLength: 2_048 }))),
      "An http or https URL with details, such as the release; `null` for none.",
      "https://ci.example.com/runs/7",
    ),
    at: Described(
      Type.Optional(DateTime),
      "When it happened, at most one day ahead and 800 days ago; by default now.",
    ),
    checkId: Described(
      Type.Optional(OrNull(Guid)),
      "The only check whose chart shows it; `null` if `tags` select the checks.",
      null,
    ),
    tags: Type.Optional(
      Type.Array(Tag, {
        description:
          "Shown by checks with one of these tags, their own or their group's. Without tags and " +
          "`checkId`, every check of the account shows it.",
        examples: [["shop"]],
        maxItems: 20,
      }),
    ),
  },
  { title: "AnnotationInput" },
);

const AnnotationSchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    ...shared,
    url: Described(
      OrNull(Type.String()),
      "A URL with details; `null` if there is none.",
      "https://ci.example.com/runs/7",
    ),
    at: Described(DateTime, "When it happened."),
    checkId: Described(OrNull(Guid), "The only check that it applies to; `null` if several.", null),
    tags: Type.Array(Type.String(), { description: "Tags of the checks that it applies to." }),
    author: Type.String({
      description: "Name of the person or API key that added it, at that time.",
      examples: ["ci"],
    }),
    created_at: CreatedAt,
  },
  { title: "Annotation" },
);

const AnnotationList = Type.Array(AnnotationSchema);
const AnnotationParams = Type.Object({ id: Described(Guid, "The annotation's id.") });
const AnnotationsQuerySchema = Type.Object({
  ...PageQuery,
  from: Described(Type.Optional(DateTime), "Only annotations at this time or later."),
  to: Described(Type.Optional(DateTime), "Only annotations before this time."),
  checkId: Described(Type.Optional(Guid), "Only annotations of this check alone."),
});

function toWireAnnotation(annotation: Annotation) {
  const { id, type, text, url, at, checkId, tags, author, createdAt } = annotation;
  return {
    id,
    type,
    text,
    url,
    at: formatDateTime(at),
    checkId,
    tags: [...tags],
    author,
    created_at: formatDateTime(createdAt),
  };
}

interface AnnotationsContext {
  readonly db: Database;
  readonly clock: Clock;
}

async function createAnnotation(
  { db: pool, clock }: AnnotationsContext,
  caller: Caller,
  input: AnnotationInput,
): Promise<Annotation> {
  const { accountId } = caller;
  const now = clock.now();
  const fault = findFault(input, now);
  if (fault !== null) throw invalid(fault.key, fault.rule);
  const checkId = input.checkId ?? null;
  const annotation: Annotation = {
    id: randomUUIDv7(),
    type: input.type,
    text: input.text.trim(),
    url: input.url ?? null,
    at: input.at === undefined ? now : new Date(input.at),
    checkId,
    tags: [...new Set(input.tags ?? [])],
    author: caller.label,
    createdAt: now,
  };
  await inTransaction(pool, async (db) => {
    if (checkId !== null && (await holdChecks(db, accountId, [checkId])).size === 0) {
      throw invalid("checkId", "does not exist in this account");
    }
    await lockName(db, `annotations ${accountId}`);
    await insertAnnotation(db, accountId, annotation);
    await trimAnnotations(db, accountId, maxPerAccount);
    const changes = { name: annotation.text, type: annotation.type, checkId };
    const entry = { action: "annotation.created", targetId: annotation.id, changes, at: now };
    await writeAuditEntry(db, caller, entry);
  });
  return annotation;
}

function listOwnAnnotations(
  { db }: AnnotationsContext,
  { accountId }: Caller,
  query: AnnotationsQuery,
): Promise<{ readonly annotations: Annotation[]; readonly total: number }> {
  return listAnnotations(db, accountId, query);
}

async function removeAnnotation(
  { db: pool, clock }: AnnotationsContext,
  caller: Caller,
  id: string,
): Promise<void> {
  await inTransaction(pool, async (db) => {
    const deleted = await deleteAnnotation(db, caller.accountId, id);
    if (deleted === null) throw notFound();
    const { text: name, type, checkId } = deleted;
    const changes = { name, type, checkId };
    const at = clock.now();
    await writeAuditEntry(db, caller, { action: "annotation.deleted", targetId: id, changes, at });
  });
}

export function addAnnotationRoutes(server: HttpServer, context: AnnotationsContext): void {
  server.post(
    "/v1/annotations",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "createAnnotation",
        summary: "Add a note or a deployment to the charts of checks",
        description:
          "Call it at the end of a deployment to see its effect on response times. An account " +
          "keeps its latest 20,000 annotations.",
        body: AnnotationBody,
        response: answers({ 201: AnnotationSchema }),
      },
    },
    async ({ caller, body }, reply) =>
      reply.code(201).send(toWireAnnotation(await createAnnotation(context, caller, body))),
  );
  server.get(
    "/v1/annotations",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listAnnotations",
        summary: "List notes and deployments, newest first",
        description: "In pages of `limit`; the total is in `Content-Range`.",
        querystring: AnnotationsQuerySchema,
        answerHeaders: ["Content-Range"],
        response: answers({ 200: AnnotationList }),
      },
    },
    async ({ caller, query }, reply) => {
      const bounds = parseBounds(query);
      const { annotations, total } = await listOwnAnnotations(context, caller, bounds);
      sendTotal(reply, query, total);
      return annotations.map(toWireAnnotation);
    },
  );
  server.delete(
    "/v1/annotations/:id",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "deleteAnnotation",
        summary: "Delete a note or a deployment",
        description: "Charts no longer show it.",
        params: AnnotationParams,
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      await removeAnnotation(context, caller, params.id);
      return reply.code(204).send(null);
    },
  );
}
