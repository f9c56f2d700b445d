import { type TSchema, Type } from "typebox";
import { Described, OneOf, OrNull } from "../../../platform/http/schema.ts";
import { createAssertionSchema } from "../../kit/assertions/assertion.ts";
import type { KindFields } from "../../kit/definition.ts";

export const modes = ["BEHAVIOR", "HEALTH"] as const;
export type Mode = (typeof modes)[number];
const serviceDefinitions = ["REFLECTION", "PROTO_FILE"] as const;
export type ServiceDefinition = (typeof serviceDefinitions)[number];

const maxProtoLength = 50_000;
const maxMessageLength = 65_536;
const maxMetadata = 50;
export const maxTimeoutSeconds = 180;

const AssertionSchema = createAssertionSchema(
  [
    "RESPONSE_TIME",
    "GRPC_STATUS_CODE",
    "GRPC_HEALTHCHECK_STATUS",
    "GRPC_RESPONSE",
    "TEXT_BODY",
    "GRPC_METADATA",
  ],
  {
    title: "GrpcAssertion",
    source:
      "What to compare: the response time in milliseconds, the status code (0 is OK), the health " +
      "status (1 is SERVING), the response message as JSON or as text, or the response metadata.",
    property:
      "A JSONPath for GRPC_RESPONSE, a name for GRPC_METADATA, a regular expression for TEXT_BODY; " +
      "otherwise empty.",
    propertyExample: "",
  },
);

const words = {
  url: "A host name or an IP address, without scheme and port.",
  port: "The port to connect to.",
  ipFamily: "The IP family used to connect to the host.",
  skipSSL: "Whether to accept a certificate that is not trusted.",
  timeout: "Timeout of a run in seconds.",
  grpcConfig: "What to call, and how.",
  mode: "`HEALTH` asks the standard health service, `BEHAVIOR` calls a unary method.",
  tls: "Whether the connection uses TLS.",
  metadata: "Metadata to send.",
  serviceDefinition:
    "Where the types of the method come from: the server's reflection service, or `protoContent`. " +
    "Only if `mode` is `BEHAVIOR`.",
  method:
    "The method to call, as `package.Service/Method`. Required if `mode` is `BEHAVIOR`, and only then.",
  protoContent:
    "A `.proto` file with all definitions. Required if `serviceDefinition` is `PROTO_FILE`, and " +
    "only then. It may import the files of `google/protobuf`.",
  message:
    "The message to send as JSON; empty for the empty message. Only if `mode` is `BEHAVIOR`.",
  service:
    "The service whose health is queried; empty for the server as a whole. Only if `mode` is `HEALTH`.",
  encoding: "The encoding of messages. Only `PROTOBUF` is supported.",
  assertions:
    "Assertions that must pass. Without one about the status, a status other than OK fails the " +
    "run; without one about the health status, any other than SERVING does.",
};

const Family = Type.Enum(["IPv4", "IPv6"], { type: "string" });
const Metadata = Type.Array(
  Type.Object({
    key: Type.String({ description: "Name.", examples: ["authorization"], maxLength: 256 }),
    value: Type.String({ description: "Value.", examples: ["Bearer {{TOKEN}}"], maxLength: 8_192 }),
  }),
  { description: words.metadata, maxItems: maxMetadata },
);
const Text = (maxLength: number) => OrNull(Type.String({ maxLength }));
/** Schema of an optional choice. Clients send an empty text for a choice that does not apply. */
const Choice = (names: readonly string[]) => OrNull(Type.Enum(["", ...names], { type: "string" }));

const configChange = {
  mode: Described(OneOf(modes), words.mode, "HEALTH"),
  tls: Type.Boolean({ description: words.tls, examples: [true] }),
  metadata: Metadata,
  serviceDefinition: Described(Choice(serviceDefinitions), words.serviceDefinition, "REFLECTION"),
  method: Described(Text(500), words.method, "shop.v1.Cart/Get"),
  protoContent: Described(Text(maxProtoLength), words.protoContent, null),
  message: Described(Text(maxMessageLength), words.message, '{"id": "1"}'),
  service: Described(Text(500), words.service, "shop.v1.Cart"),
  encoding: Described(Choice(["PROTOBUF"]), words.encoding, "PROTOBUF"),
};

const ConfigChange = Type.Partial(Type.Object(configChange));

const requestChange = {
  url: Type.String({
    description: words.url,
    examples: ["grpc.example.com"],
    minLength: 1,
    maxLength: 2_048,
  }),
  port: Type.Integer({ description: words.port, examples: [443], minimum: 1, maximum: 65_535 }),
  ipFamily: Described(Family, words.ipFamily, "IPv4"),
  skipSSL: Type.Boolean({ description: words.skipSSL, examples: [false] }),
  timeout: Type.Integer({
    description: words.timeout,
    examples: [60],
    minimum: 1,
    maximum: maxTimeoutSeconds,
  }),
  grpcConfig: Described(ConfigChange, words.grpcConfig),
  assertions: Type.Array(AssertionSchema, { description: words.assertions, maxItems: 50 }),
};

const RequestChange = Type.Partial(Type.Object(requestChange));
const RequestBody = Type.Object({
  ...RequestChange.properties,
  url: requestChange.url,
  port: requestChange.port,
  grpcConfig: requestChange.grpcConfig,
});

const Shown = <Schema extends TSchema>(schema: Schema, text: string, example: unknown) =>
  Described(OrNull(schema), `${text} Otherwise \`null\`.`, example);

const ConfigShown = Type.Object(
  {
    mode: configChange.mode,
    tls: configChange.tls,
    metadata: Metadata,
    serviceDefinition: Shown(OneOf(serviceDefinitions), words.serviceDefinition, null),
    method: Shown(Type.String(), words.method, null),
    protoContent: Shown(Type.String(), words.protoContent, null),
    message: Shown(Type.String(), words.message, null),
    service: Shown(Type.String(), words.service, ""),
  },
  { title: "GrpcConfig" },
);

const RequestShown = Type.Object(
  {
    url: Type.String({ description: words.url, examples: ["grpc.example.com"] }),
    port: Type.Integer({ description: words.port, examples: [443] }),
    ipFamily: requestChange.ipFamily,
    skipSSL: requestChange.skipSSL,
    timeout: Type.Integer({ description: words.timeout, examples: [60] }),
    grpcConfig: Described(ConfigShown, words.grpcConfig),
    assertions: Type.Array(AssertionSchema, { description: words.assertions, examples: [[]] }),
  },
  { title: "GrpcRequest" },
);

const what = "The server to connect to and the call.";

export const fields = {
  target: {
    create: { request: Described(RequestBody, what) },
    change: { request: Described(Type.Optional(RequestChange), what) },
    shown: { request: Described(RequestShown, what) },
  },
} as const satisfies KindFields;

export type ConfigInput = Type.Static<typeof ConfigChange>;
export interface OwnInput {
  readonly request?: Type.Static<typeof RequestChange>;
}
