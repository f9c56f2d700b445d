import { Type } from "typebox";
import type { Kind } from "../../kinds/kit/kind.ts";
import { noTexts } from "../../kinds/kit/secrets.ts";
import {
  Described,
  Matching,
  maxInteger,
  ObjectOrNull,
  OrNull,
  RowId,
} from "../../platform/http/schema.ts";
import { publicLocations } from "../locations/index.ts";
import { runtimes } from "../runtimes/index.ts";
import { createVariableList, VariableList } from "../variables/index.ts";
import {
  AlertSettingsSchema,
  RetryStrategySchema,
  TriggerIncidentSchema,
} from "./alert-settings.ts";
import { frequencies } from "./check-settings.ts";

/** Fields of checks and groups in the API. */

const locationNames = Object.keys(publicLocations);
const runtimeNames = runtimes.map((runtime) => runtime.name);

export const Locations = Type.Array(Type.Enum(locationNames, { type: "string" }), {
  maxItems: 22,
  uniqueItems: true,
});
const Slug = Matching(
  "^[A-Za-z0-9-]{1,30}$",
  "must be the slug of a private location: 1 to 30 letters, digits and hyphens",
);
export const Slugs = Type.Array(Slug, { maxItems: 50, uniqueItems: true });
export const Tags = Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { maxItems: 100 });
export const Subscriptions = Type.Array(
  Type.Object({
    alertChannelId: Described(RowId, "The alert channel's id.", 7),
    activated: Type.Boolean({ description: "If false, nothing is sent.", default: true }),
  }),
  { maxItems: 500 },
);
export const RuntimeId = OrNull(Type.Enum(runtimeNames, { type: "string" }));
export const Script = OrNull(Type.String({ maxLength: 500_000 }));
export const SnippetId = OrNull(Type.Number({ minimum: 0, maximum: maxInteger }));

/**
 * Maximum number of variables of a check: the higher limit applies to kinds whose requests use
 * variables, the lower one to kinds that only store them.
 */
const maxVariables = 200;
const maxStoredVariables = 50;

export const Variables = Type.Optional(createVariableList(maxVariables));

/** Schema of the variables in responses. */
export const ShownVariables = Described(
  VariableList,
  "Variables. Values hidden from you are `null` or `********`.",
);

export function holdsVariables({ texts }: Pick<Kind, "texts">): boolean {
  return texts !== noTexts;
}

/** Fields that requests and responses have in common. */
export const common = {
  description: Described(
    Type.Optional(OrNull(Type.String({ maxLength: 5_000 }))),
    "What the check is for, and what to do if it fails. Omitted if there is none.",
    "Pings the router of the office.",
  ),
  activated: Type.Optional(
    Type.Boolean({ description: "If false, the check does not run.", examples: [true] }),
  ),
  muted: Type.Optional(
    Type.Boolean({ description: "If true, the check runs but sends no alerts." }),
  ),
  doubleCheck: Type.Optional(
    Type.Boolean({
      description: "Stored for compatibility; `retryStrategy` controls retries.",
    }),
  ),
  shouldFail: Type.Optional(
    Type.Boolean({ description: "If true, failing runs count as passing and vice versa." }),
  ),
  locations: Described(
    Type.Optional(OrNull(Locations)),
    "Locations; `null` for the server's own location.",
    null,
  ),
  tags: Described(
    Type.Optional(Tags),
    "Labels, used by lists, status pages and maintenance windows to select checks.",
    ["production"],
  ),
  alertSettings: Described(Type.Optional(AlertSettingsSchema), "When to alert."),
  useGlobalAlertSettings: Type.Optional(
    Type.Boolean({
      description: "If true, the account's alert settings replace those of the check.",
      examples: [true],
    }),
  ),
  groupId: Described(
    Type.Optional(OrNull(RowId)),
    "The group of the check; `null` if it has none.",
    null,
  ),
  groupOrder: Described(
    Type.Optional(OrNull(Type.Number({ minimum: 0, maximum: maxInteger }))),
    "Position in the group; `null` if unordered.",
    null,
  ),
  runtimeId: Described(
    Type.Optional(RuntimeId),
    "The runtime of its scripts; `null` for the default.",
    null,
  ),
  alertChannelSubscriptions: Described(
    Type.Optional(Subscriptions),
    "The channels that receive its alerts.",
  ),
  retryStrategy: Described(
    Type.Optional(ObjectOrNull(RetryStrategySchema)),
    "How a failing run is retried before it counts; `null` for no retries.",
    null,
  ),
  triggerIncident: Described(
    Type.Optional(ObjectOrNull(TriggerIncidentSchema)),
    "The incident that its alert opens; `null` for none.",
    null,
  ),
  runParallel: Type.Optional(
    Type.Boolean({
      description:
        "If true, each run uses all locations at once; if false, the locations take turns.",
    }),
  ),
  frequency: Type.Optional(
    Type.Integer({
      description: "Minutes between runs; 0 for sub-minute runs, see `frequencyOffset`.",
      examples: [1],
      enum: [...frequencies],
    }),
  ),
  frequencyOffset: Type.Optional(
    Type.Integer({
      description:
        "Start of runs within the period in steps of 6 seconds, or of an hour above 60 minutes; " +
        "with frequency 0, the seconds between runs: 10, 20 or 30.",
      examples: [5],
      minimum: 1,
      maximum: 600,
    }),
  ),
};

/** Creates the fields for response time limits, with the bounds and defaults of the kind. */
export function createTimeFields({ words, responseTimeLimits }: Kind) {
  const { degradedMs, failingMs, highestMs } = responseTimeLimits;
  const Milliseconds = OrNull(Type.Number({ minimum: 0, maximum: highestMs }));
  const createField = (verdict: string, usualMs: number | null) => {
    const meaning = `Above this ${words.responseTime}, in milliseconds, a run is ${verdict}; \`null\` for no limit.`;
    if (usualMs === null) return Described(Type.Optional(Milliseconds), meaning);
    const usually = `${meaning} ${usualMs} by default.`;
    return Described(Type.Optional(Milliseconds), usually, usualMs);
  };
  return {
    degradedResponseTime: createField("degraded", degradedMs),
    maxResponseTime: createField("failing", failingMs),
  };
}

/**
 * Creates the private fields of a kind, which requests may contain. Most of these fields are shown
 * only in responses to existing clients, such as the Terraform provider.
 */
export function createPrivateFields(kind: Kind) {
  const { aRun } = kind.words;
  const meaningless = `Stored for compatibility; has no effect on ${aRun}.`;
  return {
    scriptPath: Described(Type.Optional(OrNull(Type.String({ maxLength: 2_000 }))), meaningless),
    sslCheckDomain: Described(
      Type.Optional(OrNull(Type.String({ maxLength: 2_000 }))),
      "The only domain whose certificate causes expiry alerts; `null` or empty for any that a run sees.",
    ),
    environmentVariables: holdsVariables(kind)
      ? Described(
          Variables,
          "Values of `{{KEY}}`; take precedence over variables of group and account.",
        )
      : Described(Type.Optional(createVariableList(maxStoredVariables)), meaningless),
    intent: Described(
      Type.Optional(ObjectOrNull(Intent)),
      "The purpose of the check, as other clients send it. Stored, but not used.",
      null,
    ),
    setupSnippetId: Described(Type.Optional(SnippetId), meaningless),
    tearDownSnippetId: Described(Type.Optional(SnippetId), meaningless),
    localSetupScript: Described(Type.Optional(Script), meaningless),
    localTearDownScript: Described(Type.Optional(Script), meaningless),
    privateLocations: Described(
      Type.Optional(OrNull(Type.Union([Slug, Slugs]))),
      "Slugs of private locations. Each must exist.",
      ["office"],
    ),
  };
}

const Intent = Type.Object({
  goal: Type.Optional(
    Type.String({ description: "What the check is to prove.", maxLength: 5_000 }),
  ),
  constraints: Type.Optional(
    Type.Array(
      Type.Object({
        type: Type.String({ description: "The kind of constraint.", maxLength: 64 }),
        statement: Type.String({ description: "The constraint.", maxLength: 5_000 }),
      }),
      { description: "What a change of the check must keep.", maxItems: 50 },
    ),
  ),
});

/** Creates the private fields and the script for responses to existing clients. */
export function createClientFields(kind: Kind) {
  return { script: Type.Optional(Script), ...createPrivateFields(kind) };
}
