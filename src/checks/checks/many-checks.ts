import { randomUUIDv7 } from "node:crypto";
import { Type } from "typebox";
import {
  type Caller,
  createOnce,
  IdempotencyHeaders,
  listRememberedTargets,
  rememberTargets,
} from "../../access/accounts/index.ts";
import { type Database, inTransaction } from "../../platform/database.ts";
import { conflict, type KnownError } from "../../platform/errors.ts";
import { answers, Described, Guid, OrNull } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import type { ChecksContext } from "./actions.ts";
import { parseUnknownCheck, UnvalidatedCheckBody } from "./check-bodies.ts";
import { createRequestedChecks } from "./create-checks.ts";
import { AutoAssignQuery } from "./schema.ts";
import { listAccountCheckIds } from "./store.ts";

type ManyItem =
  | { readonly kind: "created"; readonly id: string }
  | { readonly kind: "refused"; readonly error: KnownError };

interface ManyRequest {
  readonly checks: readonly unknown[];
  readonly autoAssignAlerts: boolean;
  readonly idempotencyKey: string | undefined;
}

const operation = "checks.created";

/**
 * Returns one idempotency key per check of the request; none if the request has no Idempotency-Key.
 * A retry uses the keys to find the checks that were already created. Waits for a concurrent
 * request with the same Idempotency-Key.
 */
async function findKeys(
  db: Database,
  caller: Caller,
  { idempotencyKey: key, at, checks, autoAssignAlerts }: ManyRequest & { readonly at: Date },
): Promise<readonly string[]> {
  if (key === undefined) return [];
  const body = { checks, autoAssignAlerts };
  const once = { key, operation, body, targetId: randomUUIDv7(), at };
  const { targetId } = await createOnce(db, caller, once, async () => {});
  return checks.map((_, index) => `${targetId}/${index}`);
}

/**
 * Returns the checks that an earlier attempt of the request created, keyed by their index in the
 * request. A check that was deleted after its creation is returned as an error.
 */
async function loadEarlier(
  db: Database,
  { accountId }: Caller,
  keys: readonly string[],
): Promise<Map<number, ManyItem>> {
  const targets = await listRememberedTargets(db, accountId, keys);
  if (targets.size === 0) return new Map();
  const existing = new Set(await listAccountCheckIds(db, accountId, [...targets.values()]));
  return new Map(
    keys.flatMap((key, index) => {
      const id = targets.get(key);
      if (id === undefined) return [];
      const error = conflict("the check created with this Idempotency-Key was deleted");
      return [[index, existing.has(id) ? { kind: "created", id } : { kind: "refused", error }]];
    }),
  );
}

/** Creates the valid checks in one transaction. An invalid check does not affect the others. */
async function createManyChecks(
  context: ChecksContext,
  caller: Caller,
  request: ManyRequest,
): Promise<ManyItem[]> {
  const { autoAssignAlerts } = request;
  const at = context.clock.now();
  return inTransaction(context.db, async (db) => {
    const keys = await findKeys(db, caller, { ...request, at });
    const earlier = await loadEarlier(db, caller, keys);
    const indexes = [...request.checks.keys()].filter((index) => !earlier.has(index));
    const drafts = indexes.map((index) => () => {
      const parsed = parseUnknownCheck(request.checks[index]);
      return { ...parsed, autoAssignAlerts, id: randomUUIDv7() };
    });
    const creations = await createRequestedChecks({ ...context, db }, caller, drafts);
    const items = new Map(earlier);
    const created: { readonly key: string; readonly targetId: string }[] = [];
    for (const [place, creation] of creations.entries()) {
      const index = indexes[place] ?? 0;
      if (creation.kind === "refused") items.set(index, creation);
      else {
        const { id } = creation.check;
        items.set(index, { kind: "created", id });
        created.push({ key: keys[index] ?? "", targetId: id });
      }
    }
    if (keys.length > 0) await rememberTargets(db, caller.accountId, { operation, created, at });
    return [...items.entries()].sort(([one], [other]) => one - other).map(([, item]) => item);
  });
}

export const maxChecks = 500;

const ManyBody = Type.Object({
  checks: Described(
    Type.Array(UnvalidatedCheckBody, { minItems: 1, maxItems: maxChecks }),
    "Bodies as in `POST /v1/checks`.",
  ),
});

const ManyAnswer = Type.Object(
  {
    created: Type.Integer({ description: "Number of checks created.", examples: [19], minimum: 0 }),
    refused: Type.Integer({ description: "Number of checks rejected.", examples: [1], minimum: 0 }),
    items: Type.Array(
      Type.Object({
        id: Described(OrNull(Guid), "The id of the new check; `null` if it was rejected."),
        error: Described(
          OrNull(
            Type.Object({
              message: Type.String({
                description: "Why it was rejected.",
                examples: ["request.hostname must be a host name or an IP address"],
              }),
              keys: Type.Array(Type.String({ maxLength: 1_000 }), {
                description: "Paths of the invalid fields.",
                examples: [["request.hostname"]],
              }),
            }),
          ),
          "The error of `POST /v1/checks`; `null` if the check was created.",
        ),
      }),
      { description: "One entry per check of the request, in the same order." },
    ),
  },
  { title: "CreatedChecks" },
);

function toWireMany(items: readonly ManyItem[]) {
  const created = items.filter(({ kind }) => kind === "created").length;
  return {
    created,
    refused: items.length - created,
    items: items.map((item) => {
      if (item.kind === "created") return { id: item.id, error: null };
      const { message, validation } = item.error;
      return { id: null, error: { message, keys: [...(validation?.keys ?? [])] } };
    }),
  };
}

export function addManyRoutes(server: HttpServer, context: ChecksContext): void {
  server.post(
    "/v1/checks/many",
    {
      config: { access: "write" },
      schema: {
        tags: ["Checks"],
        operationId: "createManyChecks",
        summary: "Create many checks at once",
        description:
          `Up to ${maxChecks} checks of any kind. Each is created or rejected independently, and the ` +
          "response contains the outcome of each. One audit entry lists the created checks. A retry " +
          "with the same `Idempotency-Key` creates only the checks that do not exist yet.",
        headers: IdempotencyHeaders,
        querystring: AutoAssignQuery,
        body: ManyBody,
        response: answers({ 200: ManyAnswer }, "conflict"),
      },
    },
    async ({ caller, headers, body, query }) => {
      const request = { ...body, ...query, idempotencyKey: headers["idempotency-key"] };
      return toWireMany(await createManyChecks(context, caller, request));
    },
  );
}
