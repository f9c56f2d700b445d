import { Type } from "typebox";
import type { Kind } from "../../kinds/kind.ts";
import { noTexts } from "../../kinds/texts.ts";
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
import { frequencies } from "./frequency.ts";

/** The fields of checks and groups at the wire. */

const locationNames = Object.keys(publicLocations);
const runtimeNames = runtimes.map((runtime) => runtime.name);

export const Locations = Type.Array(Type.Enum(locationNames, { type: "string" }), {
  maxItems: 22,
  uniqueItems: true,
});
export const Slug = Matching(
  "^[A-Za-z0-9-]{1,30}$",
  "must be the slug of a private location: 1 to 30 letters, digits and hyphens",
);
export const Slugs = Type.Array(Slug, { maxItems: 50, uniqueItems: true });
export const Tags = Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { maxItems: 100 });
export const Subscriptions = Type.Array(
  Type.Object({
    alertChannelId: Described(RowId, "The alert channel's id.", 7),
    activated: Type.Boolean({ description: "False: nothing is sent.", default: true }),
  }),
  { maxItems: 500 },
);
export const RuntimeId = OrNull(Type.Enum(runtimeNames, { type: "string" }));
const Script = OrNull(Type.String({ maxLength: 500_000 }));
const SnippetId = OrNull(Type.Number({ minimum: 0, maximum: maxInteger }));

/** Of kinds whose requests hold variables; of others they are only kept. */
const maxVariables = 200;
const maxKeptVariables = 50;

export const Variables = Type.Optional(createVariableList(maxVariables));

/** As they are shown. */
export const ShownVariables = Described(
  VariableList,
  "Its variables. Values that are hidden from you are `null` or `********`.",
);

export function holdsVariables({ texts }: Pick<Kind, "texts">): boolean {
  return texts !== noTexts;
}

/** Fields of both requests and answers. */
export const common = {
  activated: Type.Optional(
    Type.Boolean({ description: "False: it does not run.", examples: [true] }),
  ),
  muted: Type.Optional(
    Type.Boolean({ description: "True: it runs and is recorded, but nobody is told." }),
  ),
  doubleCheck: Type.Optional(
    Type.Boolean({
      description: "Kept for clients that send it; `retryStrategy` decides about retries.",
    }),
  ),
  shouldFail: Type.Optional(
    Type.Boolean({ description: "True: failing counts as passing and the other way round." }),
  ),
  locations: Described(
    Type.Optional(OrNull(Locations)),
    "Where it runs; null: the server's own location.",
    null,
  ),
  tags: Described(
    Type.Optional(Tags),
    "Labels; lists, alert settings and windows find checks by them.",
    ["production"],
  ),
  alertSettings: Described(Type.Optional(AlertSettingsSchema), "When to alert."),
  useGlobalAlertSettings: Type.Optional(
    Type.Boolean({
      description: "True: the account's alert settings count in place of its own.",
      examples: [true],
    }),
  ),
  groupId: Described(Type.Optional(OrNull(RowId)), "The group it is in; null: none.", null),
  groupOrder: Described(
    Type.Optional(OrNull(Type.Number({ minimum: 0, maximum: maxInteger }))),
    "Its place in the group; null: none.",
    null,
  ),
  runtimeId: Described(
    Type.Optional(RuntimeId),
    "The runtime of its scripts; null: the default.",
    null,
  ),
  alertChannelSubscriptions: Described(
    Type.Optional(Subscriptions),
    "The channels that it alerts through.",
  ),
  retryStrategy: Described(
    Type.Optional(ObjectOrNull(RetryStrategySchema)),
    "How a failing run is tried again before it counts; null: not at all.",
    null,
  ),
  triggerIncident: Described(
    Type.Optional(ObjectOrNull(TriggerIncidentSchema)),
    "The incident that its alert opens; null: none.",
    null,
  ),
  runParallel: Type.Optional(
    Type.Boolean({
      description: "True: every run goes to all locations at once; false: to one after the other.",
    }),
  ),
  frequency: Type.Optional(
    Type.Integer({
      description: "Minutes between runs; 0 is more often, see `frequencyOffset`.",
      examples: [1],
      enum: [...frequencies],
    }),
  ),
  frequencyOffset: Type.Optional(
    Type.Integer({
      description:
        "When in the period it runs, in steps of 6 seconds (of an hour above 60 minutes); " +
        "with frequency 0 the seconds between runs: 10, 20 or 30.",
      examples: [5],
      minimum: 1,
      maximum: 600,
    }),
  ),
};

/** The limits of the response time, whose bounds and defaults are the kind's. */
export function createTimeFields({ words, responseTimeLimits }: Kind) {
  const { degradedMs, failingMs, highestMs } = responseTimeLimits;
  const Milliseconds = OrNull(Type.Number({ minimum: 0, maximum: highestMs }));
  const createField = (verdict: string, usualMs: number | null) => {
    const meaning = `Above this ${words.responseTime}, in milliseconds, a run is ${verdict}; null: no limit.`;
    if (usualMs === null) return Described(Type.Optional(Milliseconds), meaning);
    const usually = `${meaning} ${usualMs} if not given.`;
    return Described(Type.Optional(Milliseconds), usually, usualMs);
  };
  return {
    degradedResponseTime: createField("degraded", degradedMs),
    maxResponseTime: createField("failing", failingMs),
  };
}

/** Accepted for checks of every kind; never shown. */
export function createPrivateFields(kind: Kind) {
  const { aRun } = kind.words;
  const meaningless = `Stored for clients that send it; means nothing for ${aRun}.`;
  return {
    scriptPath: Described(Type.Optional(OrNull(Type.String({ maxLength: 2_000 }))), meaningless),
    sslCheckDomain: Described(
      Type.Optional(OrNull(Type.String({ maxLength: 2_000 }))),
      "The only domain whose certificate alerts on expiry are about; null or empty: any that a run sees.",
    ),
    environmentVariables: holdsVariables(kind)
      ? Described(Variables, "What `{{KEY}}` stands for, before variables of group and account.")
      : Described(Type.Optional(createVariableList(maxKeptVariables)), meaningless),
    setupSnippetId: Described(Type.Optional(SnippetId), meaningless),
    tearDownSnippetId: Described(Type.Optional(SnippetId), meaningless),
    localSetupScript: Described(Type.Optional(Script), meaningless),
    localTearDownScript: Described(Type.Optional(Script), meaningless),
    privateLocations: Described(
      Type.Optional(OrNull(Type.Union([Slug, Slugs]))),
      "Slugs of private locations where it runs as well. Each must exist.",
      ["office"],
    ),
  };
}
