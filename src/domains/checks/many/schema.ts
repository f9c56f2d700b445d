import { Type } from "typebox";
import { Described, Guid, OrNull } from "../../../platform/http/schema.ts";
import { AnyCheckBody } from "../check-bodies.ts";
import type { ManyItem } from "./actions.ts";

export const maxChecks = 500;

/** What is wrong with one is said of it alone, so its schema is not asked about here. */
const Item = Type.Unsafe<unknown>({
  "x-shown": (AnyCheckBody as unknown as { readonly "x-shown": object })["x-shown"],
});

export const ManyBody = Type.Object({
  checks: Described(
    Type.Array(Item, { minItems: 1, maxItems: maxChecks }),
    "Each is the body of `POST /v1/checks`.",
  ),
});

export const ManyAnswer = Type.Object(
  {
    created: Type.Integer({ description: "How many were created.", examples: [19], minimum: 0 }),
    refused: Type.Integer({ description: "How many were not.", examples: [1], minimum: 0 }),
    items: Type.Array(
      Type.Object({
        id: Described(OrNull(Guid), "The id of the new check; null: it was refused."),
        error: Described(
          OrNull(
            Type.Object({
              message: Type.String({
                description: "Why it was refused.",
                examples: ["request.hostname must be a host name or an IP address"],
              }),
              keys: Type.Array(Type.String({ maxLength: 1_000 }), {
                description: "Paths of the fields at fault.",
                examples: [["request.hostname"]],
              }),
            }),
          ),
          "What `POST /v1/checks` would have answered; null: it was created.",
        ),
      }),
      { description: "One for each check of the request, in its order." },
    ),
  },
  { title: "CreatedChecks" },
);

export function toWireMany(items: readonly ManyItem[]) {
  const created = items.filter(({ kind }) => kind === "created").length;
  return {
    created,
    refused: items.length - created,
    items: items.map((item) => {
      if (item.kind === "created") return { id: item.check.id, error: null };
      const { message, validation } = item.error;
      return { id: null, error: { message, keys: [...(validation?.keys ?? [])] } };
    }),
  };
}
