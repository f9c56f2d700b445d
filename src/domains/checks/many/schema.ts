import { Type } from "typebox";
import { Described, Guid, OrNull } from "../../../platform/http/schema.ts";
import { AnyCheckBody } from "../check-bodies.ts";
import type { ManyItem } from "./actions.ts";

export const maxChecks = 500;

/**
 * Not validated here: each check is validated separately, so that its errors do not affect others.
 */
const Item = Type.Unsafe<unknown>({
  "x-shown": (AnyCheckBody as unknown as { readonly "x-shown": object })["x-shown"],
});

export const ManyBody = Type.Object({
  checks: Described(
    Type.Array(Item, { minItems: 1, maxItems: maxChecks }),
    "Bodies as in `POST /v1/checks`.",
  ),
});

export const ManyAnswer = Type.Object(
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
