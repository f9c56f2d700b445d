import { type TSchema, Type } from "typebox";
import { Described, ObjectOrNull, OneOf, OrNull } from "../../../platform/http/schema.ts";
import { createAssertionSchema } from "../../kit/assertions/assertion.ts";
import type { KindFields } from "../../kit/definition.ts";
import { FamilyChoice, familyMeaning } from "../../kit/families/both-families.ts";
import { Files, filesMeaning, ScriptPath } from "../../kit/scripts/request.ts";
import { secretMask } from "../../kit/secrets.ts";
import { bodyTypes, methods, requestLimits } from "./request.ts";

/** Defines the API schemas of the fields of an API check. */

const AssertionSchema = createAssertionSchema(
  ["STATUS_CODE", "RESPONSE_TIME", "HEADERS", "TEXT_BODY", "JSON_BODY"],
  {
    title: "ApiAssertion",
    source:
      "What to compare: the status code, the response time in milliseconds, the headers, the " +
      "body as text, or the body as JSON.",
    property:
      "A header name for HEADERS, a JSONPath for JSON_BODY, or a regular expression for " +
      "TEXT_BODY in place of `regex`; empty for the other sources.",
    propertyExample: "$.id",
  },
);

const locked = Type.Boolean({
  description: `Whether the value is a secret: it is encrypted, and responses show ${secretMask} instead.`,
  default: false,
});

const KeyValueInput = Type.Object({
  key: Type.String({
    description: "The name.",
    examples: ["x-api-version"],
    minLength: 1,
    maxLength: requestLimits.keyLength,
  }),
  value: Type.String({
    description: `The value; ${secretMask} keeps the stored secret.`,
    examples: ["2"],
    maxLength: requestLimits.valueLength,
  }),
  locked: Type.Optional(locked),
});
const KeyValueShown = Type.Object({
  key: Type.String({ description: "The name.", examples: ["x-api-version"] }),
  value: Type.String({ description: "The value, or the mask of a secret.", examples: ["2"] }),
  locked,
});

const BasicAuthInput = Type.Object({
  username: Type.String({ description: "The user name.", examples: ["monitor"], maxLength: 256 }),
  password: Type.String({
    description: `The password; ${secretMask} keeps the stored one. It is encrypted in the database.`,
    examples: ["correct horse"],
    maxLength: 2_048,
  }),
});
const BasicAuthShown = Type.Object({
  username: Type.String({ description: "The user name.", examples: ["monitor"] }),
  password: Type.String({ description: "Its mask.", examples: [secretMask] }),
});

const words = {
  method: "The HTTP method.",
  url: "The URL, with http:// or https://. `{{NAME}}` inserts a variable.",
  followRedirects: "Whether to follow up to ten redirects. Default: true.",
  skipSSL: "Whether to accept a certificate that is not trusted.",
  body: "The request body. Not sent if `bodyType` is NONE.",
  bodyType:
    "The type of the body. Sets `Content-Type` unless a header does. GRAPHQL accepts a query, or " +
    "JSON with `query` and `variables`.",
  headers: "Request headers.",
  queryParameters: "Query parameters that are added to the URL.",
  assertions:
    "Assertions that must pass. Without one on STATUS_CODE, a status of 400 or above fails.",
  basicAuth: "User name and password, sent in `Authorization`; `null` for none.",
};

/** Request schemas of the fields that checks and the defaults of groups have in common. */
export const pairInputs = {
  headers: Type.Array(KeyValueInput, { description: words.headers, maxItems: requestLimits.pairs }),
  queryParameters: Type.Array(KeyValueInput, {
    description: words.queryParameters,
    maxItems: requestLimits.pairs,
  }),
  assertions: Type.Array(AssertionSchema, {
    description: words.assertions,
    maxItems: requestLimits.assertions,
  }),
  basicAuth: Described(ObjectOrNull(BasicAuthInput), words.basicAuth, null),
};

/** Response schemas of the fields that checks and the defaults of groups have in common. */
export const pairsShown = {
  headers: Type.Array(KeyValueShown, { description: words.headers, examples: [[]] }),
  queryParameters: Type.Array(KeyValueShown, {
    description: words.queryParameters,
    examples: [[]],
  }),
  assertions: Type.Array(AssertionSchema, { description: words.assertions, examples: [[]] }),
  basicAuth: Described(ObjectOrNull(BasicAuthShown), words.basicAuth, null),
};

const Url = Type.String({
  description: words.url,
  examples: ["https://api.example.com/health"],
  minLength: 1,
  maxLength: requestLimits.urlLength,
});
const Method = Described(OneOf(methods), words.method, "GET");
const Body = Type.String({
  description: words.body,
  examples: ['{"ping":true}'],
  maxLength: requestLimits.bodyLength,
});

const optional = {
  followRedirects: Type.Boolean({ description: words.followRedirects, examples: [true] }),
  skipSSL: Type.Boolean({ description: words.skipSSL, examples: [false] }),
  ipFamily: Described(FamilyChoice, familyMeaning, "IPv4"),
  body: Body,
  bodyType: Described(OneOf(bodyTypes), words.bodyType, "NONE"),
  ...pairInputs,
};

const RequestInput = Type.Object({
  method: Method,
  url: Url,
  ...Type.Partial(Type.Object(optional)).properties,
});
/** Schema of an update. Every field is optional; an omitted field keeps its stored value. */
const RequestChange = Type.Partial(Type.Object({ method: Method, url: Url, ...optional }));

const RequestShown = Type.Object(
  {
    method: Method,
    url: Type.String({ description: words.url, examples: ["https://api.example.com/health"] }),
    ...optional,
    body: Type.String({ description: words.body, examples: [""] }),
    ...pairsShown,
  },
  { title: "ApiRequest" },
);

const what = "The request to send.";
const snippetMeaning = (when: string) =>
  `Id of the snippet that runs ${when}; \`null\` for none. It runs before the script.`;
const optionalOrNull = (schema: TSchema, meaning: string) =>
  Described(Type.Optional(OrNull(schema)), meaning, null);
const Snippet = Type.Number({ minimum: 0, maximum: 2_147_483_647 });
const Script = Type.String({ maxLength: 500_000 });
const before = "before the request is sent and may change it";
const after = "after the response and may change what assertions read";
const scriptPathMeaning = "Where the script is among its files; `null` if it needs no path.";

export const fields = {
  target: {
    create: { request: Described(RequestInput, what) },
    change: { request: Described(Type.Optional(RequestChange), what) },
    shown: { request: Described(RequestShown, what) },
  },
  scripts: {
    setupSnippetId: optionalOrNull(Snippet, snippetMeaning(before)),
    tearDownSnippetId: optionalOrNull(Snippet, snippetMeaning(after)),
    localSetupScript: optionalOrNull(Script, `The script that runs ${before}; \`null\` for none.`),
    localTearDownScript: optionalOrNull(
      Script,
      `The script that runs ${after}; \`null\` for none.`,
    ),
    setupScriptPath: optionalOrNull(ScriptPath, scriptPathMeaning),
    tearDownScriptPath: optionalOrNull(ScriptPath, scriptPathMeaning),
    setupScriptDependencies: optionalOrNull(Files, filesMeaning),
    tearDownScriptDependencies: optionalOrNull(Files, filesMeaning),
  },
  unused: { create: {}, change: {} },
} as const satisfies KindFields;

export type RequestChange = Type.Static<typeof RequestChange>;
