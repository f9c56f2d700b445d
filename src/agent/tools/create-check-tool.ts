import { type TObject, Type } from "typebox";
import {
  type CheckInput,
  type CheckSettings,
  checkBodies,
  createCheck,
  proposeCheck,
} from "../../checks/checks/index.ts";
import { allKinds, type CheckType, kinds } from "../../kinds/index.ts";
import type { Kind } from "../../kinds/kit/kind.ts";
import { assertSchema } from "../../platform/http/validation.ts";
import { defineWriteTool } from "../tool.ts";
import { checkSource } from "./sources.ts";
import { done, quote } from "./write-tools.ts";

/** Descriptions of the fields of a check, for a model that fills in these fields. */
const descriptions: Readonly<Record<string, string>> = {
  name: "Name of the check.",
  activated: "false: created, but paused.",
  muted: "true: runs, but sends no alerts.",
  shouldFail: "true: passes when the host does not respond.",
  locations: "Regions to run from, such as eu-central-1; see list_locations.",
  privateLocations: "Private locations to run from.",
  tags: "Labels to find the check by.",
  groupId: "Id of its group; see list_groups.",
  runParallel: "true: all locations run at once; false: in turn.",
  frequency: "Minutes between runs; 0 for less than a minute, see frequencyOffset.",
  frequencyOffset: "With frequency 0, seconds between runs: 10, 20 or 30.",
  degradedResponseTime: "Average round trip in milliseconds above which a run is degraded.",
  maxResponseTime: "Average round trip in milliseconds above which a run is failing.",
  useGlobalAlertSettings: "true: the account's alert settings apply, not those given here.",
  alertSettings: "When alerts are sent.",
  "alertSettings.escalationType": "Alert after failed runs in a row, or after minutes of failing.",
  "alertSettings.runBasedEscalation": "For RUN_BASED.",
  "alertSettings.runBasedEscalation.failedRunThreshold": "Failed runs in a row before an alert.",
  "alertSettings.timeBasedEscalation": "For TIME_BASED.",
  "alertSettings.timeBasedEscalation.minutesFailingThreshold":
    "Minutes of failing before an alert.",
  "alertSettings.reminders": "Repeated alerts while the failure lasts.",
  "alertSettings.reminders.amount": "Number of reminders; 100000 for unlimited.",
  "alertSettings.reminders.interval": "Minutes between reminders.",
  "alertSettings.parallelRunFailureThreshold": "Share of locations that must fail before an alert.",
  "alertSettings.parallelRunFailureThreshold.enabled": "false: one failing location is sufficient.",
  "alertSettings.parallelRunFailureThreshold.percentage": "Percentage of locations that must fail.",
  "alertSettings.sslCertificates": "Alerts on expiring certificates.",
  "alertSettings.sslCertificates.enabled": "false: no such alerts.",
  "alertSettings.sslCertificates.alertThreshold": "Days before a certificate expires.",
  "alertSettings.urgency": "HIGH or LOW; otherwise by the kind of alert.",
  "alertSettings.escalationPolicyId": "The escalation policy of its alerts.",
  retryStrategy: "How a failed run is retried; null for no retries.",
  "retryStrategy.type": "How the delay grows between retries.",
  "retryStrategy.baseBackoffSeconds": "Seconds before the first retry.",
  "retryStrategy.sameRegion": "true: from the same location; false: from another.",
  "retryStrategy.maxRetries": "Maximum number of retries.",
  "retryStrategy.maxDurationSeconds": "Seconds after which no retry starts.",
  "retryStrategy.onlyOn": "Retry only on these failures; empty for all.",
};

/**
 * Fields that the agent may set and that all check kinds have. Fields with secrets or scripts are
 * excluded. Automatic incidents are excluded too, because only a person may decide that subscribers
 * are notified.
 */
const commonFields = [
  "name",
  "activated",
  "muted",
  "shouldFail",
  "locations",
  "privateLocations",
  "tags",
  "groupId",
  "runParallel",
  "frequency",
  "frequencyOffset",
  "retryStrategy",
  "alertSettings",
  "useGlobalAlertSettings",
];

const listOwnFields = ({ fields, responseTimeLimits }: Kind) => [
  ...Object.keys(fields.target.create),
  ...Object.keys(fields.settings),
  ...(responseTimeLimits.areShown ? ["degradedResponseTime", "maxResponseTime"] : []),
];

const pick = (kind: Kind, names: string[]): TObject => Type.Pick(checkBodies.of(kind), names);

/**
 * Check kinds that the agent may create. Kinds that run scripts are excluded: malicious text could
 * make a model write a script, and scripts receive all variables of the account.
 */
const creatable = allKinds.filter(({ receivesAllVariables }) => !receivesAllVariables);

/** Schemas of the fields that the agent may set, by check kind. Other fields are rejected. */
const proposed = new Map<string, TObject>(
  creatable.map((kind) => [
    kind.type,
    Type.Object(pick(kind, [...commonFields, ...listOwnFields(kind)]).properties, {
      additionalProperties: false,
    }),
  ]),
);

/** Returns a schema that describes the common fields once, followed by the fields of each kind. */
function describeBody() {
  const [first] = creatable;
  if (first === undefined) throw new Error("There are no kinds of check.");
  const common = describeFields(JSON.parse(JSON.stringify(pick(first, commonFields))), {});
  const oneOf = creatable.map((kind) => {
    const own = pick(kind, listOwnFields(kind));
    const described = describeFields(JSON.parse(JSON.stringify(own)), kind.agent.fieldHints);
    const checkType = { const: kind.type, description: `${kind.words.aCheck}.` };
    return {
      type: "object",
      properties: { checkType, ...described.properties },
      required: ["checkType", ...(own.required ?? [])],
    };
  });
  return {
    ...common,
    description: "The check; omitted fields get their defaults.",
    required: ["name"],
    discriminator: { propertyName: "checkType" },
    oneOf,
  };
}

type CheckBody = CheckInput & { readonly checkType: CheckType };
const CheckBodySchema = Type.Unsafe<CheckBody>(describeBody());

function parseBody({ checkType: type, ...input }: CheckBody): {
  readonly type: CheckType;
  readonly input: CheckInput;
} {
  const schema = proposed.get(type);
  if (schema === undefined) throw new Error(`Unknown kind of check: ${type}.`);
  assertSchema(schema, input);
  return { type, input };
}

function describeRhythm(kind: Kind, settings: CheckSettings): string {
  const { frequency, frequencyOffset, locations, privateLocations } = settings;
  const what = `that ${kind.words.verb} ${kind.target(settings)}`;
  if (!kind.isOrdered) return what;
  const minutes = frequency === 1 ? "minute" : `${frequency} minutes`;
  const every = frequency === 0 ? `${frequencyOffset} seconds` : minutes;
  const places = [...(locations ?? []), ...privateLocations];
  const from = places.length === 0 ? "the default location" : places.join(", ");
  return `${what} every ${every} from ${from}`;
}

const creationHints = creatable.map(({ agent }) => agent.hints.creation).filter(Boolean);

export const createCheckTool = defineWriteTool({
  name: "create_check",
  title: "Create a check",
  description:
    `Create a check of a kind (checkType: ${creatable.map(({ type }) => type).join(", ")}). It alerts through every ` +
    "channel of the account. Frequency is in minutes (0, 1, 2, 5, 10, 15, 30, 60, 120, 180, " +
    "360, 720 or 1440; 0 with a frequencyOffset of 10, 20 or 30 is that many seconds). " +
    creationHints.join(" "),
  right: "write",
  InputSchema: Type.Object({ body: CheckBodySchema }, { additionalProperties: false }),
  propose: async (context, caller, { body }) => {
    const checked = parseBody(body);
    const settings = await proposeCheck(context, caller, checked);
    const kind = kinds[checked.type];
    return {
      summary:
        `Create the check ${quote(settings.name)} ${describeRhythm(kind, settings)}, ` +
        `${kind.describeLimits(settings)}, and alerts through every channel of the account.`,
      proposal: body,
      changes: [
        { what: "Check", before: null, after: settings.name },
        { what: "What it does", before: null, after: describeRhythm(kind, settings).slice(5) },
        { what: "Limits", before: null, after: kind.describeLimits(settings) },
      ],
    };
  },
  run: async (context, caller, { body }) => {
    const input = { ...parseBody(body), autoAssignAlerts: true };
    const { id, settings } = await createCheck(context, caller, input);
    const summary = `The check ${quote(settings.name)} has been created.`;
    const sources = [checkSource(context, { checkId: id, name: settings.name })];
    return { data: done("create_check", summary, id), sources };
  },
});

interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
}

/** Returns the schema with a description for each field. */
function describeFields(
  schema: JsonSchema,
  hints: Readonly<Record<string, string>>,
  path = "",
): JsonSchema {
  const { properties } = schema;
  if (properties === undefined) return schema;
  const described = Object.entries(properties).map(([name, field]) => {
    const here = `${path}${name}`;
    const description = hints[here] ?? descriptions[here] ?? "";
    // Examples are for the API reference. They are removed, because they would use up a model's
    // context.
    const inner: JsonSchema & { examples?: unknown } = describeFields(field, hints, `${here}.`);
    const { examples: _examples, ...rest } = inner;
    return [name, { ...rest, description }];
  });
  return { ...schema, properties: Object.fromEntries(described) };
}
