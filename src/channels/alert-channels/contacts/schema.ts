import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import {
  DateTime,
  Described,
  exampleId,
  Guid,
  ObjectOrNull,
  OneOf,
  OrNull,
  UpdatedAt,
} from "../../../platform/http/schema.ts";
import { fromWireHours, weekHoursFields } from "../../../platform/http/week-hours-schema.ts";
import { describeChannel } from "../actions.ts";
import { maskConfig } from "../config-secrets.ts";
import { channelKinds } from "../kinds/index.ts";
import type { MethodTest } from "./actions.ts";
import {
  builtInIds,
  type ContactMethod,
  contactTypes,
  isBuiltIn,
  maxSteps,
  type NotificationRules,
} from "./contact-method.ts";

const MethodId = Type.Union([Guid, ...builtInIds.map((id) => Type.Literal(id))]);
const types = [...contactTypes] as const;

export const MethodParams = Type.Object({
  id: Described(MethodId, "The contact method's id; `email` and `push` are built in.", exampleId),
});

const Config = Type.Object({}, { additionalProperties: true });

/** Request body of a contact method. The channel kind's schema validates `config` later. */
export const MethodBody = Type.Object(
  {
    type: Described(OneOf(types), "The kind of channel.", "NTFY"),
    config: Described(
      Config,
      "Settings of the destination, as in an alert channel of the same type.",
      { url: "https://ntfy.example.com", topic: "ada" },
    ),
  },
  { title: "ContactMethodInput" },
);

export const MethodChange = Type.Object(
  { config: MethodBody.properties.config },
  { title: "ContactMethodChange" },
);

export const MethodSchema = Type.Object(
  {
    id: Described(MethodId, "Its id; `email` and `push` are built in.", exampleId),
    type: Described(OneOf([...types, "WEBPUSH"]), "The kind of channel.", "NTFY"),
    name: Type.String({
      description: "The recipient, without secrets.",
      examples: ["ntfy ada at ntfy.example.com"],
    }),
    config: Described(Config, "Settings of the destination with masked secrets."),
    isBuiltIn: Type.Boolean({
      description: "True for the user's email address and for all of the user's devices.",
      examples: [false],
    }),
    isVerified: Type.Boolean({ description: "Whether it was confirmed.", examples: [true] }),
    problem: Described(
      OrNull(Type.String()),
      "Why nothing can be sent there; `null` if it can.",
      null,
    ),
    created_at: Described(OrNull(DateTime), "When it was created; `null` if it is built in."),
    updated_at: UpdatedAt,
  },
  { title: "ContactMethod" },
);
export const MethodList = Type.Array(MethodSchema);

export function toWireMethod(method: ContactMethod) {
  const { id, type, config, isVerified, problem, createdAt, updatedAt } = method;
  return {
    id,
    type,
    name: id === "push" ? "All of your devices" : describeChannel({ type, config }),
    config: id === "push" ? {} : { ...maskConfig(channelKinds[type], config) },
    isBuiltIn: isBuiltIn(id),
    isVerified,
    problem,
    created_at: createdAt && formatDateTime(createdAt),
    updated_at: updatedAt && formatDateTime(updatedAt),
  };
}

export const MethodTestSchema = Type.Object(
  {
    outcome: Described(OneOf(["sent", "failed"]), "Whether the recipient accepted the message."),
    statusCode: Described(
      OrNull(Type.Integer()),
      "HTTP status of the response; `null` if there is none, as with email.",
      200,
    ),
    reason: Described(OrNull(Type.String()), "Why it failed; `null` if it was sent.", null),
    hasCode: Type.Boolean({
      description: "Whether the message contains a code to confirm within 30 minutes.",
      examples: [true],
    }),
    durationMs: Type.Integer({
      description: "Response time of the recipient in milliseconds.",
      examples: [120],
    }),
  },
  { title: "ContactMethodTest" },
);

export function toWireMethodTest({ outcome, hasCode, durationMs }: MethodTest) {
  return {
    outcome: outcome.kind,
    statusCode: outcome.statusCode,
    reason: outcome.kind === "failed" ? outcome.reason : null,
    hasCode,
    durationMs,
  };
}

export const CodeBody = Type.Object(
  {
    code: Type.String({
      description: "The code of the newest test message.",
      minLength: 1,
      maxLength: 20,
      examples: ["042137"],
    }),
  },
  { title: "ContactMethodCode" },
);

const Step = Type.Object(
  {
    methodId: Described(MethodId, "A verified contact method.", "push"),
    afterMinutes: Type.Integer({
      description: "Minutes after the page.",
      minimum: 0,
      maximum: 1_440,
      default: 0,
      examples: [5],
    }),
  },
  { title: "NotificationStep" },
);
const Steps = Type.Array(Step, { minItems: 1, maxItems: maxSteps });

const QuietHoursSchema = Type.Object(
  {
    ...weekHoursFields("When the member receives no pages."),
    holdsHigh: Type.Boolean({
      description: "Whether urgent pages wait as well.",
      default: false,
    }),
  },
  { title: "MemberQuietHours" },
);

export const RulesSchema = Type.Object(
  {
    high: Described(Steps, "Steps of an urgent page: a check fails or has no data."),
    low: Described(Steps, "Steps of another page: a check is degraded, a certificate expires."),
    quietHours: Described(
      Type.Optional(ObjectOrNull(QuietHoursSchema)),
      "Times at which pages wait for the end of the quiet hours; `null` for none. Absent: unchanged.",
      null,
    ),
  },
  { title: "NotificationRules" },
);

/** Copies each field of notification rules by name, so that unknown fields are not stored. */
export function fromWireRules({
  high,
  low,
  quietHours,
}: Type.Static<typeof RulesSchema>): NotificationRules {
  const copy = (steps: typeof high) =>
    steps.map(({ methodId, afterMinutes }) => ({ methodId, afterMinutes }));
  const hours = quietHours && { ...fromWireHours(quietHours), holdsHigh: quietHours.holdsHigh };
  return { high: copy(high), low: copy(low), ...(hours !== undefined && { quietHours: hours }) };
}

export function toWireRules({ high, low, quietHours = null }: NotificationRules) {
  const hours = quietHours && {
    ...quietHours,
    ranges: quietHours.ranges.map(({ days, ...range }) => ({ ...range, days: [...days] })),
  };
  return { high: [...high], low: [...low], quietHours: hours };
}
