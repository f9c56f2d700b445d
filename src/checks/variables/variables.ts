import { Type } from "typebox";
import { type Caller, isAllowed, writeAuditEntry } from "../../access/accounts/index.ts";
import { inTransaction, lockName } from "../../platform/database.ts";
import { conflict, invalid, notFound } from "../../platform/errors.ts";
import {
  answers,
  Described,
  Matching,
  Nothing,
  OrNull,
  PageQuery,
  sendTotal,
} from "../../platform/http/schema.ts";
import { assertMatch, IfMatchHeaders, sendTagged, tagVersion } from "../../platform/http/send.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import {
  type AccountVariable,
  countVariables,
  decideStored,
  deleteVariable,
  findVariable,
  insertVariable,
  listVariables,
  lockVariable,
  mask,
  maxValueLength,
  rejections,
  type StoredVariable,
  showVariable,
  updateVariable,
  type Variable,
  type VariableInput,
  type VariablesContext,
} from "./variable-store.ts";

const VariableKey = Matching(
  "^[A-Za-z_][A-Za-z0-9_]*$",
  "must be letters, digits and underscores, and must not begin with a digit",
  { minLength: 1, maxLength: 255 },
);
const VariableValue = Type.String({ maxLength: maxValueLength });

const words = {
  key: "The name: letters, digits and underscores. Requests reference it as `{{KEY}}`.",
  value: "The value, encrypted at rest.",
  locked: "If true, the value is visible only to those who may change it.",
  secret: "If true, the value is never shown again. This cannot be undone.",
};

const flags = {
  locked: Type.Boolean({ description: words.locked, default: false }),
  secret: Type.Boolean({ description: words.secret, default: false }),
};

export const VariableBody = Type.Object(
  {
    key: Described(VariableKey, words.key, "API_TOKEN"),
    value: Described(VariableValue, words.value, "42"),
    ...flags,
  },
  { title: "VariableInput" },
);

const VariableChange = Type.Object(
  {
    key: Described(
      Type.Optional(VariableKey),
      "If sent, must equal the key in the path.",
      "API_TOKEN",
    ),
    value: Described(
      VariableValue,
      "The new value; the mask `********` keeps a hidden value.",
      "42",
    ),
    ...flags,
  },
  { title: "VariableChange" },
);

const VariableParams = Type.Object({
  key: Described(VariableKey, "The variable's key.", "API_TOKEN"),
});
const VariableQuery = Type.Object({ ...PageQuery });

const VariableSchema = Type.Object(
  {
    key: Type.String({ description: words.key, examples: ["API_TOKEN"] }),
    value: Described(
      OrNull(Type.String()),
      "The value; `null` for a secret or if it cannot be decrypted with this server's encryption " +
        "key. `********` if it is locked and you may not change it.",
      "42",
    ),
    locked: Type.Boolean({ description: words.locked }),
    secret: Type.Boolean({ description: words.secret }),
  },
  { title: "Variable" },
);
export const VariableList = Type.Array(VariableSchema);

const ChangedVariableSchema = Type.Object(
  {
    ...VariableSchema.properties,
    value: Type.String({
      description: "The stored value; `********` for a secret.",
      examples: ["42"],
    }),
  },
  { title: "ChangedVariable" },
);

/** Creates the request schema of the variables of a check or a group. */
export function createVariableList(maxItems: number) {
  return OrNull(
    Type.Array(
      Type.Object({
        key: Described(VariableKey, words.key, "API_TOKEN"),
        value: Described(
          OrNull(VariableValue),
          "The value, encrypted at rest; `null` or the mask `********` keeps a hidden value.",
          "42",
        ),
        locked: Type.Optional(Type.Boolean({ description: words.locked })),
        secret: Type.Optional(Type.Boolean({ description: words.secret })),
      }),
      { maxItems },
    ),
  );
}

function toWireVariable({ key, value, locked, secret }: Variable) {
  return { key, value, locked, secret };
}

function tagVariable({ version }: Pick<AccountVariable, "version">): string {
  return tagVersion(version);
}

const maxPerAccount = 1_000;

interface TaggedVariable extends Variable {
  readonly version: number;
}

function show(
  { encryption }: Pick<VariablesContext, "encryption">,
  caller: Caller,
  variable: AccountVariable,
): TaggedVariable {
  const mayWrite = isAllowed("write", caller.role, false);
  return { ...showVariable(variable, encryption, { mayWrite }), version: variable.version };
}

/** Returns a changed variable. A secret is masked even in the response that creates it. */
function showChanged(
  context: VariablesContext,
  caller: Caller,
  variable: AccountVariable,
): TaggedVariable & { readonly value: string } {
  const shown = show(context, caller, variable);
  return { ...shown, value: shown.value ?? mask };
}

function store(
  { encryption }: Pick<VariablesContext, "encryption">,
  before: StoredVariable | null,
  input: VariableInput,
): StoredVariable {
  const decision = decideStored(before, input, encryption);
  if (decision.kind === "stored") return decision.variable;
  throw invalid("value", rejections[decision.kind]);
}

export async function createVariable(
  context: VariablesContext,
  caller: Caller,
  input: VariableInput,
): Promise<TaggedVariable & { readonly value: string }> {
  const { accountId } = caller;
  const at = context.clock.now();
  const variable = store(context, null, input);
  await inTransaction(context.db, async (db) => {
    await context.assertMayRedefine(db, caller, input.key);
    await lockName(db, `variables ${accountId}`);
    if ((await countVariables(db, accountId)) >= maxPerAccount) {
      throw conflict(`limit of ${maxPerAccount} variables reached; delete one first`);
    }
    if (!(await insertVariable(db, accountId, { ...variable, createdAt: at }))) {
      throw conflict(`variable ${input.key} already exists`);
    }
    const { key: targetId, locked, secret } = variable;
    const note = { action: "variable.created", changes: { locked, secret } };
    await writeAuditEntry(db, caller, { ...note, targetId, at });
  });
  context.accountVariables.forget(accountId);
  return showChanged(context, caller, { ...variable, version: 1 });
}

export async function changeVariable(
  context: VariablesContext,
  caller: Caller,
  change: VariableInput & {
    readonly sentKey?: string | undefined;
    readonly ifMatch?: string | undefined;
  },
): Promise<TaggedVariable & { readonly value: string }> {
  const { accountId } = caller;
  const { key, sentKey = key } = change;
  if (sentKey !== key) throw invalid("key", "cannot be changed and must equal the key in the path");
  const at = context.clock.now();
  const changed = await inTransaction(context.db, async (db) => {
    await context.assertMayRedefine(db, caller, key);
    const before = await lockVariable(db, accountId, key);
    if (before === null) throw notFound();
    assertMatch(change.ifMatch, tagVariable(before));
    const after = { ...store(context, before, change), version: before.version + 1 };
    await updateVariable(db, accountId, { ...after, updatedAt: at });
    const { locked, secret } = after;
    const note = { action: "variable.updated", changes: { locked, secret } };
    await writeAuditEntry(db, caller, { ...note, targetId: key, at });
    return after;
  });
  context.accountVariables.forget(accountId);
  return showChanged(context, caller, changed);
}

async function getVariable(
  context: VariablesContext,
  caller: Caller,
  key: string,
): Promise<TaggedVariable> {
  const variable = await findVariable(context.db, caller.accountId, key);
  if (variable === null) throw notFound();
  return show(context, caller, variable);
}

async function listOwnVariables(
  context: VariablesContext,
  caller: Caller,
  query: { readonly limit: number; readonly page: number },
): Promise<{ readonly variables: Variable[]; readonly total: number }> {
  const { variables, total } = await listVariables(context.db, caller.accountId, query);
  return { variables: variables.map((one) => show(context, caller, one)), total };
}

export async function removeVariable(
  context: VariablesContext,
  caller: Caller,
  key: string,
): Promise<void> {
  const at = context.clock.now();
  await inTransaction(context.db, async (db) => {
    await context.assertMayRedefine(db, caller, key);
    if (!(await deleteVariable(db, caller.accountId, key))) throw notFound();
    await writeAuditEntry(db, caller, { action: "variable.deleted", targetId: key, at });
  });
  context.accountVariables.forget(caller.accountId);
}

const tags = ["Variables"];

export function addVariableRoutes(server: HttpServer, context: VariablesContext): void {
  server.get(
    "/v1/variables",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listVariables",
        summary: "List variables by key with masked hidden values",
        description: "Paginated by `limit`; the total is in `Content-Range`.",
        querystring: VariableQuery,
        answerHeaders: ["Content-Range"],
        response: answers({ 200: VariableList }),
      },
    },
    async ({ caller, query }, reply) => {
      const { variables, total } = await listOwnVariables(context, caller, query);
      sendTotal(reply, query, total);
      return variables.map(toWireVariable);
    },
  );
  server.post(
    "/v1/variables",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "createVariable",
        summary: "Create a variable",
        description:
          "From the next run on, replaces `{{KEY}}` in the requests of the account's checks. " +
          "Returns 409 if the key exists.",
        body: VariableBody,
        answerHeaders: ["ETag"],
        response: answers({ 201: ChangedVariableSchema }, "conflict"),
      },
    },
    async ({ caller, body }, reply) => {
      const variable = await createVariable(context, caller, body);
      const answer = { ...toWireVariable(variable), value: variable.value };
      return reply.code(201).send(sendTagged(reply, tagVariable(variable), answer));
    },
  );
  server.get(
    "/v1/variables/:key",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getVariable",
        summary: "Get one variable with its value masked if hidden",
        description: "The response has an `ETag` for conditional updates.",
        params: VariableParams,
        answerHeaders: ["ETag"],
        response: answers({ 200: VariableSchema }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      const variable = await getVariable(context, caller, params.key);
      return sendTagged(reply, tagVariable(variable), toWireVariable(variable));
    },
  );
  server.put(
    "/v1/variables/:key",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "updateVariable",
        summary: "Update a variable; the mask keeps a hidden value",
        description:
          "Replaces value and flags. Omitted fields get their defaults, but a secret stays " +
          "secret. With `If-Match`, fails if it was changed since.",
        params: VariableParams,
        headers: IfMatchHeaders,
        body: VariableChange,
        answerHeaders: ["ETag"],
        response: answers({ 200: ChangedVariableSchema }, "notFound", "preconditionFailed"),
      },
    },
    async ({ caller, params, body, headers }, reply) => {
      const change = { ...body, ...params, sentKey: body.key, ifMatch: headers["if-match"] };
      const variable = await changeVariable(context, caller, change);
      const answer = { ...toWireVariable(variable), value: variable.value };
      return sendTagged(reply, tagVariable(variable), answer);
    },
  );
  server.delete(
    "/v1/variables/:key",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "deleteVariable",
        summary: "Delete a variable",
        description: "From the next run on, `{{KEY}}` in requests is not replaced.",
        params: VariableParams,
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      await removeVariable(context, caller, params.key);
      return reply.code(204).send(null);
    },
  );
}
