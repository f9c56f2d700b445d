import { type TSchema, Type } from "typebox";
import { Described, ObjectOrNull, OneOf, OrNull } from "../../platform/http/schema.ts";
import { createAssertionSchema } from "../assertions/assertion.ts";
import type { KindFields } from "../kind.ts";
import { secretMask } from "../secrets.ts";
import {
  bodyTypes,
  maxAssertions,
  maxBodyLength,
  maxKeyLength,
  maxPairs,
  maxUrlLength,
  maxValueLength,
  methods,
} from "./request.ts";

/** The fields of an API check at the wire. */

const AssertionSchema = createAssertionSchema(
  ["STATUS_CODE", "RESPONSE_TIME", "HEADERS", "TEXT_BODY", "JSON_BODY"],
  {
    title: "ApiAssertion",
    source:
      "What is compared: the status, the response time in milliseconds, the header fields, the " +
      "body as text, or the body as JSON.",
    property:
      "Of HEADERS the name of a header; of JSON_BODY a JSONPath; of TEXT_BODY a regular " +
      "expression, in place of `regex`; of the others nothing.",
    propertyExample: "$.id",
  },
);

const locked = Type.Boolean({
  description: `True: the value is sealed, and every answer shows ${secretMask} in its place.`,
  default: false,
});

const KeyValueInput = Type.Object({
  key: Type.String({
    description: "The name.",
    examples: ["x-api-version"],
    minLength: 1,
    maxLength: maxKeyLength,
  }),
  value: Type.String({
    description: `The value; ${secretMask} keeps a locked one as it is.`,
    examples: ["2"],
    maxLength: maxValueLength,
  }),
  locked: Type.Optional(locked),
});
const KeyValueShown = Type.Object({
  key: Type.String({ description: "The name.", examples: ["x-api-version"] }),
  value: Type.String({ description: "The value, or its mask.", examples: ["2"] }),
  locked,
});

const BasicAuthInput = Type.Object({
  username: Type.String({ description: "The user's name.", examples: ["monitor"], maxLength: 256 }),
  password: Type.String({
    description: `The password, which is sealed; ${secretMask} keeps it as it is.`,
    examples: ["correct horse"],
    maxLength: 2_048,
  }),
});
const BasicAuthShown = Type.Object({
  username: Type.String({ description: "The user's name.", examples: ["monitor"] }),
  password: Type.String({ description: "Its mask.", examples: [secretMask] }),
});

const words = {
  method: "The method of the request.",
  url: "The address, with http:// or https://. `{{NAME}}` stands for a variable.",
  followRedirects: "Whether redirects are followed, up to ten. True if not given.",
  skipSSL: "True: a certificate that is not trusted is accepted.",
  ipFamily: "Which address of the host is connected to.",
  body: "What is sent. Nothing is where `bodyType` is NONE.",
  bodyType:
    "What the body is: it sets `Content-Type`, unless a header does. GRAPHQL takes a query, or " +
    "JSON with `query` and `variables`.",
  headers: "Header fields of the request.",
  queryParameters: "Parameters that are added to the address.",
  assertions: "What must hold for a run to pass. Without one on STATUS_CODE, 400 and above fail.",
  basicAuth: "A user's name and password, sent in `Authorization`; null: none.",
};

/** In requests, of checks and of groups. */
export const pairInputs = {
  headers: Type.Array(KeyValueInput, { description: words.headers, maxItems: maxPairs }),
  queryParameters: Type.Array(KeyValueInput, {
    description: words.queryParameters,
    maxItems: maxPairs,
  }),
  assertions: Type.Array(AssertionSchema, {
    description: words.assertions,
    maxItems: maxAssertions,
  }),
  basicAuth: Described(ObjectOrNull(BasicAuthInput), words.basicAuth, null),
};

/** In answers. */
export const pairsShown = {
  headers: Type.Array(KeyValueShown, { description: words.headers, examples: [[]] }),
  queryParameters: Type.Array(KeyValueShown, {
    description: words.queryParameters,
    examples: [[]],
  }),
  assertions: Type.Array(AssertionSchema, { description: words.assertions, examples: [[]] }),
  basicAuth: Described(ObjectOrNull(BasicAuthShown), words.basicAuth, null),
};

const Family = Type.Enum(["IPv4", "IPv6"], { type: "string" });
const Url = Type.String({
  description: words.url,
  examples: ["https://api.example.com/health"],
  minLength: 1,
  maxLength: maxUrlLength,
});
const Method = Described(OneOf(methods), words.method, "GET");
const Body = Type.String({
  description: words.body,
  examples: ['{"ping":true}'],
  maxLength: maxBodyLength,
});

const optional = {
  followRedirects: Type.Boolean({ description: words.followRedirects, examples: [true] }),
  skipSSL: Type.Boolean({ description: words.skipSSL, examples: [false] }),
  ipFamily: Described(Family, words.ipFamily, "IPv4"),
  body: Body,
  bodyType: Described(OneOf(bodyTypes), words.bodyType, "NONE"),
  ...pairInputs,
};

const RequestInput = Type.Object({
  method: Method,
  url: Url,
  ...Type.Partial(Type.Object(optional)).properties,
});
/** An update may leave out everything; then it stays as it is. */
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

const what = "What is asked for.";
const refused = "Only null or empty: this service runs no scripts around a request.";
const script = (schema: TSchema) => Described(Type.Optional(OrNull(schema)), refused, null);
const Snippet = Type.Number({ minimum: 0, maximum: 2_147_483_647 });
const Script = Type.String({ maxLength: 500_000 });

export const fields = {
  target: {
    create: { request: Described(RequestInput, what) },
    change: { request: Described(Type.Optional(RequestChange), what) },
    shown: { request: Described(RequestShown, what) },
  },
  settings: {
    setupSnippetId: script(Snippet),
    tearDownSnippetId: script(Snippet),
    localSetupScript: script(Script),
    localTearDownScript: script(Script),
  },
  unused: { create: {}, change: {} },
} as const satisfies KindFields;

export type RequestChange = Type.Static<typeof RequestChange>;
