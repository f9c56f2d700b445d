import { Type } from "typebox";
import { Described, OrNull } from "../../../platform/http/schema.ts";
import { type Assertion, findAssertionFaults } from "../../kit/assertions/assertion.ts";
import type { Fault } from "../../kit/definition.ts";
import type { ChangeText, GroupScripts, KindGroupDefaults } from "../../kit/secrets.ts";
import { fillVariables } from "../../kit/variables/variables.ts";
import {
  type ApiSettings,
  assertionSources,
  type BasicAuth,
  findPairFaults,
  type KeyValue,
  requestLimits,
} from "./request.ts";
import { pairInputs, pairsShown } from "./request-schema.ts";
import { mapSecrets, mergeSecretive } from "./settings.ts";

/** Settings of a group that apply to its API checks. */
interface ApiCheckDefaults {
  /** Value of `{{GROUP_BASE_URL}}`. */
  readonly url: string;
  readonly headers: readonly KeyValue[];
  readonly queryParameters: readonly KeyValue[];
  readonly assertions: readonly Assertion[];
  readonly basicAuth: BasicAuth | null;
}

const words = {
  url: "The value of `{{GROUP_BASE_URL}}` in the URLs of the group's checks.",
  all: "Settings that the group adds to its API checks; a check's own basicAuth takes precedence.",
};

const Input = Type.Partial(
  Type.Object({
    url: Described(
      OrNull(Type.String({ maxLength: requestLimits.urlLength })),
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
  // The cast is safe, because the API has validated the change against the schema.
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
  // A base URL without a scheme is valid, because the URL of a check may contain the scheme, as in
  // `https://{{GROUP_BASE_URL}}/health`.
  const isAddress = /^(?:https?:\/\/|(?![a-z][a-z\d+.-]*:\/\/))/i.test(defaults.url);
  const rule = "must start with http:// or https://, or have no scheme";
  return [
    ...(isAddress ? [] : [{ key: "url", rule }]),
    ...pairs,
    ...findAssertionFaults(assertionSources, defaults.assertions, "assertions"),
  ];
}

/**
 * Adds the group's settings to the settings of a check. Entries of the group come before those of
 * the check, but a header of the check replaces the group's header of the same name.
 */
function apply(
  settings: ApiSettings,
  defaults: ApiCheckDefaults,
  scripts?: GroupScripts,
): ApiSettings {
  const { request } = settings;
  const own = new Set(request.headers.map(({ key }) => key.toLowerCase()));
  const inherited = defaults.headers.filter(({ key }) => !own.has(key.toLowerCase()));
  const url = fillVariables(request.url, (name) =>
    name === "GROUP_BASE_URL" ? defaults.url : undefined,
  );
  return {
    ...settings,
    ...(scripts && { groupScripts: { ...scripts, baseUrl: defaults.url } }),
    request: {
      ...request,
      url,
      headers: [...inherited, ...request.headers].slice(0, 2 * requestLimits.pairs),
      queryParameters: [...defaults.queryParameters, ...request.queryParameters],
      assertions: [...defaults.assertions, ...request.assertions].slice(
        0,
        2 * requestLimits.assertions,
      ),
      basicAuth: request.basicAuth ?? defaults.basicAuth,
    },
  };
}

function withPassword(
  shown: ApiCheckDefaults,
  { basicAuth }: ApiCheckDefaults,
  open: ChangeText,
): ApiCheckDefaults {
  if (basicAuth === null || basicAuth.password === "") return shown;
  return { ...shown, basicAuth: { ...basicAuth, password: open(basicAuth.password) } };
}

export const groupDefaults: KindGroupDefaults<ApiSettings, ApiCheckDefaults> = {
  field: "apiCheckDefaults",
  input: Described(Type.Optional(Input), words.all),
  shown: Described(Shown, words.all),
  merge,
  findFaults,
  mapSecrets,
  withPassword,
  apply,
};
