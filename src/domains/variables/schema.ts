import { Type } from "typebox";
import { Described, Matching, OrNull, PageQuery } from "../../platform/http/schema.ts";
import { tagVersion } from "../../platform/http/send.ts";
import type { AccountVariable } from "./variable-store.ts";
import { maxValueLength, type Variable } from "./variable-store.ts";

export const VariableKey = Matching(
  "^[A-Za-z_][A-Za-z0-9_]*$",
  "must be letters, digits and underscores, and must not begin with a digit",
  { minLength: 1, maxLength: 255 },
);
export const VariableValue = Type.String({ maxLength: maxValueLength });

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

export const VariableChange = Type.Object(
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

export const VariableParams = Type.Object({
  key: Described(VariableKey, "The variable's key.", "API_TOKEN"),
});
export const VariableQuery = Type.Object({ ...PageQuery });

export const VariableSchema = Type.Object(
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

export const ChangedVariableSchema = Type.Object(
  {
    ...VariableSchema.properties,
    value: Type.String({
      description: "The stored value; `********` for a secret.",
      examples: ["42"],
    }),
  },
  { title: "ChangedVariable" },
);

/** Schema of the variables of a check or a group in requests. */
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

export function toWireVariable({ key, value, locked, secret }: Variable) {
  return { key, value, locked, secret };
}

export function tagVariable({ version }: Pick<AccountVariable, "version">): string {
  return tagVersion(version);
}
