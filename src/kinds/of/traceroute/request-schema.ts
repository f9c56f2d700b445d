import { Type } from "typebox";
import { Described, OneOf, OrNull } from "../../../platform/http/schema.ts";
import { createAssertionSchema } from "../../kit/assertions/assertion.ts";
import type { KindFields } from "../../kit/definition.ts";
import { maxHops, protocols } from "./measurement.ts";

export const maxTimeoutSeconds = 30;
export const maxPacketSize = 9_000;
const minPacketSize = 64;

const AssertionSchema = createAssertionSchema(["RESPONSE_TIME", "HOP_COUNT", "PACKET_LOSS"], {
  title: "TracerouteAssertion",
  source:
    "What to compare: the round trip to the target in milliseconds, the number of hops, or the " +
    "packet loss at the last hop in percent.",
  property: "`avg`, `min`, `max` or `stdDev` for RESPONSE_TIME; otherwise empty.",
  propertyExample: "avg",
});

const words = {
  url: "A host name or an IP address, without scheme and port.",
  protocol: "The protocol of the probes.",
  port:
    "The destination port of TCP and UDP probes; `null` for ICMP. By default 443 for TCP and 33434 " +
    "for UDP.",
  ipFamily: "The IP family of the probes.",
  maxHops: "The highest number of hops to probe.",
  maxUnknownHops: "The number of successive hops without a response after which the trace ends.",
  ptrLookup: "Whether to look up the names of the addresses.",
  timeout: "Timeout of a run in seconds.",
  packetSize:
    "Size of a probe in bytes, including the IP header, to find links with a small MTU; `null` for " +
    "the smallest. Not for TCP.",
  assertions: "Assertions that must pass in addition to reaching the target.",
};

const Family = Type.Enum(["IPv4", "IPv6"], { type: "string" });
const Port = OrNull(Type.Integer({ minimum: 1, maximum: 65_535 }));
const Size = OrNull(Type.Integer({ minimum: minPacketSize, maximum: maxPacketSize }));

const requestChange = {
  url: Type.String({
    description: words.url,
    examples: ["www.example.com"],
    minLength: 1,
    maxLength: 2_048,
  }),
  protocol: Described(OneOf(protocols), words.protocol, "TCP"),
  port: Described(Port, words.port, 443),
  ipFamily: Described(Family, words.ipFamily, "IPv4"),
  maxHops: Type.Integer({
    description: words.maxHops,
    examples: [30],
    minimum: 1,
    maximum: maxHops,
  }),
  maxUnknownHops: Type.Integer({
    description: words.maxUnknownHops,
    examples: [15],
    minimum: 1,
    maximum: 30,
  }),
  ptrLookup: Type.Boolean({ description: words.ptrLookup, examples: [true] }),
  timeout: Type.Integer({
    description: words.timeout,
    examples: [10],
    minimum: 1,
    maximum: maxTimeoutSeconds,
  }),
  packetSize: Described(Size, words.packetSize, null),
  assertions: Type.Array(AssertionSchema, { description: words.assertions, maxItems: 50 }),
};

const RequestChange = Type.Partial(Type.Object(requestChange));
const RequestBody = Type.Object({ ...RequestChange.properties, url: requestChange.url });

const RequestShown = Type.Object(
  {
    ...requestChange,
    url: Type.String({ description: words.url, examples: ["www.example.com"] }),
    port: Described(OrNull(Type.Integer()), words.port, 443),
    maxHops: Type.Integer({ description: words.maxHops, examples: [30] }),
    maxUnknownHops: Type.Integer({ description: words.maxUnknownHops, examples: [15] }),
    timeout: Type.Integer({ description: words.timeout, examples: [10] }),
    packetSize: Described(OrNull(Type.Integer()), words.packetSize, null),
    assertions: Type.Array(AssertionSchema, { description: words.assertions, examples: [[]] }),
  },
  { title: "TracerouteRequest" },
);

const what = "The target and how to trace the path to it.";

export const fields = {
  target: {
    create: { request: Described(RequestBody, what) },
    change: { request: Described(Type.Optional(RequestChange), what) },
    shown: { request: Described(RequestShown, what) },
  },
} as const satisfies KindFields;

export interface OwnInput {
  readonly request?: Type.Static<typeof RequestChange>;
}
