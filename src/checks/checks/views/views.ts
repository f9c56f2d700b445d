import type { preValidationHookHandler } from "fastify";
import { Type } from "typebox";
import { type Caller, isAllowed, writeAuditEntry } from "../../../access/accounts/index.ts";
import { type Database, inTransaction, lockName } from "../../../platform/database.ts";
import { formatDateTime } from "../../../platform/dates.ts";
import { conflict, forbidden, KnownError, notFound } from "../../../platform/errors.ts";
import { isFromClient } from "../../../platform/http/client-dialect.ts";
import {
  answers,
  CreatedAt,
  Described,
  Name,
  Nothing,
  RowId,
  UpdatedAt,
} from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { ChecksContext } from "../actions.ts";
import {
  deleteView,
  insertView,
  listViews,
  lockView,
  maxOwnViews,
  maxSharedViews,
  type SavedView,
  updateView,
  type ViewInput,
} from "./store.ts";

const Query = Type.String({
  description: "The query string of the list, without the question mark.",
  maxLength: 2_000,
  examples: ["state=failing&tag=production"],
});
const Shared = Type.Boolean({
  description: "If true, visible to everyone in the account and editable with write access.",
});

const ViewParams = Type.Object({ id: Described(RowId, "The view's id.") });
const ViewBody = Type.Object(
  {
    name: Described(Name, "Name of the view.", "Failing in production"),
    query: Query,
    shared: Type.Boolean({ ...Shared, default: false }),
  },
  { title: "SavedViewInput" },
);
const ViewChange = Type.Object(
  {
    name: Described(Type.Optional(Name), "Its name."),
    query: Type.Optional(Query),
    shared: Type.Optional(Shared),
  },
  { title: "SavedViewChange" },
);
const ViewSchema = Type.Object(
  {
    id: Type.Integer({ description: "Its id.", examples: [1] }),
    name: Type.String({ description: "Name of the view.", examples: ["Failing in production"] }),
    query: Query,
    shared: Shared,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  },
  { title: "SavedView" },
);
const ViewList = Type.Array(ViewSchema);

function toWireView(view: SavedView) {
  return {
    id: view.id,
    name: view.name,
    query: view.query,
    shared: view.isShared,
    created_at: formatDateTime(view.createdAt),
    updated_at: view.updatedAt && formatDateTime(view.updatedAt),
  };
}

/** Rejects a view that the caller may not save: shared views require write access. */
function assertMaySave(caller: Caller, { isShared }: Pick<SavedView, "isShared">): void {
  const isPerson = caller.userId !== null;
  const mayWrite = isAllowed("write", caller.role, caller.type === "SESSION");
  if (isShared ? !mayWrite : !isPerson) throw forbidden();
}

/** Rejects a view above the limit. A lock keeps concurrent requests from exceeding the limit. */
async function assertBelowLimit(db: Database, caller: Caller, isShared: boolean): Promise<void> {
  await lockName(db, `saved-views ${caller.accountId}`);
  const views = await listViews(db, caller.accountId, caller.userId);
  const count = views.filter((view) => view.isShared === isShared).length;
  const limit = isShared ? maxSharedViews : maxOwnViews;
  if (count >= limit) throw conflict(`limit of ${limit} saved views reached; delete one first`);
}

function listOwnViews({ db }: ChecksContext, caller: Caller): Promise<SavedView[]> {
  return listViews(db, caller.accountId, caller.userId);
}

async function createView(
  context: ChecksContext,
  caller: Caller,
  { name, query, shared }: { readonly [Field in keyof ViewInput]-?: NonNullable<ViewInput[Field]> },
): Promise<SavedView> {
  const at = context.clock.now();
  const draft = { name, query, isShared: shared };
  assertMaySave(caller, draft);
  return inTransaction(context.db, async (db) => {
    await assertBelowLimit(db, caller, draft.isShared);
    const { userId } = caller;
    const view = await insertView(db, caller.accountId, { ...draft, userId, createdAt: at });
    await audit(db, caller, { view, what: "created", at });
    return view;
  });
}

function audit(
  db: Database,
  caller: Caller,
  { view, what, at }: { readonly view: SavedView; readonly what: string; readonly at: Date },
): Promise<void> {
  const { id, name, isShared: shared } = view;
  const note = { action: `view.${what}`, targetId: String(id), changes: { name, shared }, at };
  return writeAuditEntry(db, caller, note);
}

async function changeView(
  context: ChecksContext,
  caller: Caller,
  { id, input }: { readonly id: number; readonly input: ViewInput },
): Promise<SavedView> {
  const at = context.clock.now();
  return inTransaction(context.db, async (db) => {
    const before = await lockView(db, caller.accountId, { id, userId: caller.userId });
    if (before === null) throw notFound();
    const { name = before.name, query = before.query, shared = before.isShared } = input;
    const view = { ...before, name, query, isShared: shared, updatedAt: at };
    assertMaySave(caller, before);
    assertMaySave(caller, view);
    // Only the person who saved a shared view may make it private.
    if (!view.isShared && before.userId !== caller.userId) throw forbidden();
    if (view.isShared !== before.isShared) await assertBelowLimit(db, caller, view.isShared);
    await updateView(db, caller.accountId, view);
    await audit(db, caller, { view, what: "updated", at });
    return view;
  });
}

async function removeView(context: ChecksContext, caller: Caller, id: number): Promise<void> {
  await inTransaction(context.db, async (db) => {
    const view = await lockView(db, caller.accountId, { id, userId: caller.userId });
    if (view === null) throw notFound();
    assertMaySave(caller, view);
    await deleteView(db, caller.accountId, id);
    await audit(db, caller, { view, what: "deleted", at: context.clock.now() });
  });
}

const tags = ["Check lists"];

/** Request hook that rejects views of existing clients: this server does not store their format. */
const ownDialect = {
  preValidation: ((request, _reply, done) => {
    const message = "This server does not store views of the command line.";
    done(isFromClient(request) ? new KnownError("notFound", { message }) : undefined);
  }) satisfies preValidationHookHandler,
};

export function addViewRoutes(server: HttpServer, context: ChecksContext): void {
  server.get(
    "/v1/views",
    {
      ...ownDialect,
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listViews",
        summary: "List the saved views of the checks list",
        description: "Views shared with the account and the caller's own views.",
        response: answers({ 200: ViewList }),
      },
    },
    async ({ caller }) => (await listOwnViews(context, caller)).map(toWireView),
  );
  server.post(
    "/v1/views",
    {
      ...ownDialect,
      config: { access: "self" },
      schema: {
        tags,
        operationId: "createView",
        summary: "Save a view of the checks list",
        description:
          "Anyone who is signed in may save 50 own views. Shared views require write access; an " +
          "account has at most 100. A service key can save shared views only.",
        body: ViewBody,
        response: answers({ 201: ViewSchema }, "conflict"),
      },
    },
    async ({ caller, body }, reply) =>
      reply.code(201).send(toWireView(await createView(context, caller, body))),
  );
  server.put(
    "/v1/views/:id",
    {
      ...ownDialect,
      config: { access: "self" },
      schema: {
        tags,
        operationId: "updateView",
        summary: "Change a saved view",
        description:
          "Omitted fields keep their value. Anyone with write access may change a shared view; only " +
          "the person who saved it may make it private.",
        params: ViewParams,
        body: ViewChange,
        response: answers({ 200: ViewSchema }, "notFound", "conflict"),
      },
    },
    async ({ caller, params, body }) =>
      toWireView(await changeView(context, caller, { id: params.id, input: body })),
  );
  server.delete(
    "/v1/views/:id",
    {
      ...ownDialect,
      config: { access: "self" },
      schema: {
        tags,
        operationId: "deleteView",
        summary: "Delete a saved view",
        description: "The checks in it are not affected.",
        params: ViewParams,
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      await removeView(context, caller, params.id);
      return reply.code(204).send(null);
    },
  );
}
