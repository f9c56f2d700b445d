import { Type } from "typebox";
import { answers, Described, Guid, OrNull } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { IdempotencyHeaders } from "../accounts/index.ts";
import type { ChecksContext } from "./actions.ts";
import { UnvalidatedCheckBody } from "./check-bodies.ts";
import { createManyChecks, type ManyItem } from "./many-actions.ts";
import { AutoAssignQuery } from "./schema.ts";

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
