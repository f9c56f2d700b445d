import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import {
  CreatedAt,
  DateTime,
  Described,
  Guid,
  Matching,
  Name,
  OneOf,
  OrNull,
  UpdatedAt,
} from "../../../platform/http/schema.ts";
import type { NewProbeKey, ProbeKey } from "../probe-key-store.ts";
import { ProbeSchema, toWireProbe } from "../schema.ts";
import {
  decideLocationStatus,
  groupByVersion,
  type PrivateLocation,
  type ServedLocation,
  slugPattern,
} from "./private-location-store.ts";

const words = {
  name: "Display name.",
  slugName:
    "Name used in checks: 1 to 30 letters, digits and hyphens. Must not look like a region " +
    "such as eu-west-1. Unique in the account.",
  icon: "Name of an icon, for clients that show one.",
  proxyUrl: "Always null: probes connect directly. Other values are rejected.",
};

const Slug = Matching(slugPattern, "must be 1 to 30 letters, digits and hyphens");
const Icon = Type.Optional(Type.String({ minLength: 1, maxLength: 64 }));
// Accepts an empty string, because some clients send it instead of `null`.
const ProxyUrl = Type.Optional(OrNull(Type.String({ maxLength: 0 })));

export const LocationParams = Type.Object({
  id: Described(Guid, "The private location's id."),
});
export const KeyParams = Type.Object({
  id: Described(Guid, "The private location's id."),
  keyId: Described(Guid, "The key's id."),
});
export const ListQuery = Type.Object({
  versions: Type.Boolean({
    description: "Whether to include `runningAgents`, the versions of its probes.",
    default: false,
  }),
});

export const LocationBody = Type.Object(
  {
    name: Described(Name, words.name, "Office"),
    slugName: Described(Slug, words.slugName, "office"),
    icon: Described(Icon, words.icon, "location"),
    proxyUrl: Described(ProxyUrl, words.proxyUrl, null),
  },
  { title: "PrivateLocationInput" },
);
export const LocationUpdate = Type.Object(
  {
    name: Described(Name, words.name, "Office"),
    slugName: Described(
      Type.Optional(Slug),
      "A new slug. It replaces the old one in checks and groups; existing results " +
        "keep the old name.",
      "office",
    ),
    icon: Described(Icon, words.icon, "location"),
    proxyUrl: Described(ProxyUrl, words.proxyUrl, null),
  },
  { title: "PrivateLocationChange" },
);

export const KeySchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    rawKey: Type.String({
      description: "The key itself, only in the response that creates it; empty otherwise.",
      examples: ["pl_0f9b1e7c2d3a4b5c6d7e8f9a0b1c2d3e"],
    }),
    maskedKey: Type.String({
      description: "The key, masked except for its last characters.",
      examples: ["...2d3e"],
    }),
    created_at: CreatedAt,
    updated_at: Described(OrNull(DateTime), "Always null: a key never changes.", null),
    lastUsedAt: Described(OrNull(DateTime), "When a probe last used it; `null` if never."),
  },
  { title: "ProbeKey" },
);

const shown = {
  id: Described(Guid, "Its id."),
  name: Type.String({ description: words.name, examples: ["Office"] }),
  slugName: Type.String({ description: words.slugName, examples: ["office"] }),
  icon: Type.String({ description: words.icon, examples: ["location"] }),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
  keys: Type.Array(KeySchema, { description: "The keys that admit probes, oldest first." }),
  proxyUrl: Described(OrNull(Type.String()), words.proxyUrl, null),
};
export const CreatedLocation = Type.Object(shown, { title: "CreatedPrivateLocation" });

const RunningVersionSchema = Type.Object({
  version: Type.String({ description: "The probe version.", examples: ["0.1.0"] }),
  isOutdated: Type.Boolean({ description: "Whether it differs from the server's version." }),
  count: Type.Integer({ description: "Number of probes with this version." }),
  agents: Type.Array(
    Type.Object({
      id: Type.String({ description: "Identifies the probe.", examples: ["rack-7"] }),
      lastSeenAt: Described(DateTime, "When it last reported."),
    }),
    { description: "Those probes." },
  ),
});

export const LocationSchema = Type.Object(
  {
    ...shown,
    lastSeen: Described(
      OrNull(DateTime),
      "When a probe last reported; `null` if none has recently.",
    ),
    agentCount: Type.Integer({ description: "Number of live probes." }),
    minAgentVersion: Described(
      OrNull(Type.String()),
      "Always null: there is no minimum version.",
      null,
    ),
    runningAgents: Type.Optional(
      Type.Array(RunningVersionSchema, {
        description: "Live probes by version; only with `versions=true`.",
      }),
    ),
    status: Described(
      OneOf(["no-probe-yet", "served", "silent"]),
      "Whether the location has live probes; `silent` if it had some before.",
    ),
    probes: Type.Array(ProbeSchema, { description: "The probes of this location." }),
  },
  { title: "PrivateLocation" },
);
export const LocationList = Type.Array(LocationSchema);

export function toWireKey(key: ProbeKey | NewProbeKey) {
  const isNew = "text" in key;
  return {
    id: key.id,
    rawKey: isNew ? key.text : "",
    maskedKey: `...${isNew ? key.text.slice(-4) : key.lastFour}`,
    created_at: formatDateTime(key.createdAt),
    updated_at: null,
    lastUsedAt: isNew || key.lastUsedAt === null ? null : formatDateTime(key.lastUsedAt),
  };
}

export function toWireCreated(
  location: PrivateLocation,
  keys: readonly (ProbeKey | NewProbeKey)[],
) {
  return {
    id: location.id,
    name: location.name,
    slugName: location.slugName,
    icon: location.icon ?? "",
    created_at: formatDateTime(location.createdAt),
    updated_at: location.updatedAt && formatDateTime(location.updatedAt),
    keys: keys.map(toWireKey),
    proxyUrl: null,
  };
}

interface LocationView {
  readonly now: Date;
  readonly serverVersion: string;
  readonly showsVersions: boolean;
}

export function toWireLocation(location: ServedLocation, view: LocationView) {
  const { now, serverVersion, showsVersions } = view;
  const { probes } = location;
  const versions = groupByVersion(probes, now, serverVersion);
  const seen = [location.servedAt, ...probes.map(({ lastSeenAt }) => lastSeenAt)];
  const lastSeenMs = Math.max(...seen.map((at) => at?.getTime() ?? 0));
  return {
    ...toWireCreated(location, location.keys),
    lastSeen: lastSeenMs === 0 ? null : formatDateTime(new Date(lastSeenMs)),
    agentCount: versions.reduce((sum, { probes: some }) => sum + some.length, 0),
    minAgentVersion: null,
    ...(showsVersions && { runningAgents: versions.map(toWireVersion) }),
    status: decideLocationStatus(location, now),
    probes: probes.map((probe) => toWireProbe(probe, now)),
  };
}

function toWireVersion({ version, isOutdated, probes }: ReturnType<typeof groupByVersion>[number]) {
  return {
    version,
    isOutdated,
    count: probes.length,
    agents: probes.map(({ id, lastSeenAt }) => ({ id, lastSeenAt: formatDateTime(lastSeenAt) })),
  };
}
