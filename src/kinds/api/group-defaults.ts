import { Type } from "typebox";
import { Described, OrNull } from "../../platform/http/schema.ts";
import { type Assertion, findAssertionFaults } from "../assertions/assertion.ts";
import type { Fault } from "../kind.ts";
import type { KindGroupDefaults } from "../secrets.ts";
import { fillVariables } from "../variables/template.ts";
import {
  type ApiSettings,
  assertionSources,
  type BasicAuth,
  findPairFaults,
  type KeyValue,
  maxAssertions,
  maxPairs,
  maxUrlLength,
} from "./request.ts";
import { pairInputs, pairsShown } from "./request-schema.ts";
import { mapSecrets, mergeSecretive } from "./settings.ts";

/** What a group sets for its API checks. */
export interface ApiCheckDefaults {
  /** What `{{GROUP_BASE_URL}}` stands for. */
  readonly url: string;
  readonly headers: readonly KeyValue[];
  readonly queryParameters: readonly KeyValue[];
  readonly assertions: readonly Assertion[];
  readonly basicAuth: BasicAuth | null;
}

const words = {
  url: "What `{{GROUP_BASE_URL}}` in the address of a member stands for.",
  all: "What its API checks have besides their own; a basicAuth of their own wins.",
};

const Input = Type.Partial(
  Type.Object({
    url: Described(
      OrNull(Type.String({ maxLength: maxUrlLength })),
      words.url,
      "https://api.example.com",
    ),
    ...pairInputs,
  }),
);
const Shown = Type.Object(
  {
    url: Type.String({ description: words.url, examples: ["https://api.example.com"] }),
    ...pairsShown,
  },
  { title: "ApiCheckDefaults" },
);

const none: ApiCheckDefaults = {
  url: "",
  headers: [],
  queryParameters: [],
  assertions: [],
  basicAuth: null,
};

function merge(before: ApiCheckDefaults | null, change: unknown): ApiCheckDefaults {
  const stored = before ?? none;
  // The schema has validated it.
  const sent = (change ?? {}) as Type.Static<typeof Input>;
  const url = sent.url === undefined ? stored.url : (sent.url ?? "");
  return {
    url,
    assertions: sent.assertions ?? stored.assertions,
    ...mergeSecretive(stored, { ...sent, url }),
  };
}

function findFaults(defaults: ApiCheckDefaults): Fault[] {
  const pairs = findPairFaults(defaults, "").map(({ key, rule }) => ({ key: key.slice(1), rule }));
  const isAddress = defaults.url === "" || /^(https?:\/\/|\{\{)/i.test(defaults.url);
  const rule = "must begin with http:// or https://";
  return [
    ...(isAddress ? [] : [{ key: "url", rule }]),
    ...pairs,
    ...findAssertionFaults(assertionSources, defaults.assertions, "assertions"),
  ];
}

/** What the group has comes first; a header of the check's own replaces that of the group. */
function apply(settings: ApiSettings, defaults: ApiCheckDefaults): ApiSettings {
  const { request } = settings;
  const own = new Set(request.headers.map(({ key }) => key.toLowerCase()));
  const inherited = defaults.headers.filter(({ key }) => !own.has(key.toLowerCase()));
  const url = fillVariables(request.url, (name) =>
    name === "GROUP_BASE_URL" ? defaults.url : undefined,
  );
  return {
    ...settings,
    request: {
      ...request,
      url,
      headers: [...inherited, ...request.headers].slice(0, 2 * maxPairs),
      queryParameters: [...defaults.queryParameters, ...request.queryParameters],
      assertions: [...defaults.assertions, ...request.assertions].slice(0, 2 * maxAssertions),
      basicAuth: request.basicAuth ?? defaults.basicAuth,
    },
  };
}

export const groupDefaults: KindGroupDefaults<ApiSettings, ApiCheckDefaults> = {
  field: "apiCheckDefaults",
  input: Described(Type.Optional(Input), words.all),
  shown: Described(Shown, words.all),
  merge,
  findFaults,
  mapSecrets,
  apply,
};
