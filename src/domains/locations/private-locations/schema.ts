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
import type { NewProbeKey, ProbeKey } from "../probe-key.ts";
import { ProbeSchema, toWireProbe } from "../schema.ts";
import {
  decideLocationStatus,
  groupByVersion,
  type PrivateLocation,
  type ServedLocation,
  slugPattern,
} from "./private-location.ts";

const words = {
  name: "What people call it.",
  slugName:
    "What checks call it: 1 to 30 letters, digits and hyphens, nothing that looks like a region " +
    "such as eu-west-1. Unique in the account.",
  icon: "The name of a picture, for clients that show one.",
  proxyUrl: "Always null: probes connect directly. Another value is refused.",
};

const Slug = Matching(slugPattern, "must be 1 to 30 letters, digits and hyphens");
const Icon = Type.Optional(Type.String({ minLength: 1, maxLength: 64 }));
// A client that sends nothing for it may send an empty text.
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
    description: "True: `runningAgents` says which versions its probes have.",
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
      "A new slug. Checks and groups that name the old one name this one from then on; results " +
        "keep the name that the location had when they were made.",
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
      description: "The key itself, in the answer that creates it only; empty in all others.",
      examples: ["pl_0f9b1e7c2d3a4b5c6d7e8f9a0b1c2d3e"],
    }),
    maskedKey: Type.String({
      description: "The key, masked except for its end.",
      examples: ["...2d3e"],
    }),
    created_at: CreatedAt,
    updated_at: Described(OrNull(DateTime), "Always null: a key never changes.", null),
    lastUsedAt: Described(OrNull(DateTime), "When a probe last came in with it; null: never."),
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
  keys: Type.Array(KeySchema, { description: "What lets probes in, the oldest first." }),
  proxyUrl: Described(OrNull(Type.String()), words.proxyUrl, null),
};
export const CreatedLocation = Type.Object(shown, { title: "CreatedPrivateLocation" });

const RunningVersionSchema = Type.Object({
  version: Type.String({ description: "The version of their program.", examples: ["0.1.0"] }),
  isOutdated: Type.Boolean({ description: "Whether the server has another version." }),
  count: Type.Integer({ description: "How many probes have it." }),
  agents: Type.Array(
    Type.Object({
      id: Type.String({ description: "Names the probe.", examples: ["rack-7"] }),
      lastSeenAt: Described(DateTime, "When it last reported."),
    }),
    { description: "Those probes." },
  ),
});

export const LocationSchema = Type.Object(
  {
    ...shown,
    lastSeen: Described(OrNull(DateTime), "When a probe last reported; null: none has lately."),
    agentCount: Type.Integer({ description: "How many probes are alive there." }),
    minAgentVersion: Described(
      OrNull(Type.String()),
      "Always null: no version is too old by itself.",
      null,
    ),
    runningAgents: Type.Optional(
      Type.Array(RunningVersionSchema, {
        description: "The probes that are alive, by version; with `versions=true` only.",
      }),
    ),
    status: Described(
      OneOf(["no-probe-yet", "served", "silent"]),
      "Whether probes are alive there; `silent`: there were some.",
    ),
    probes: Type.Array(ProbeSchema, { description: "The probes that have reported from there." }),
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

export interface LocationView {
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
