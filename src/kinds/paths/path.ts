import { type Static, Type } from "typebox";
import type { IpFamily } from "../network/host.ts";

/** Where a run sends its packets. */
export interface PathTarget {
  readonly hostname: string;
  readonly protocol: "ICMP" | "UDP" | "TCP";
  /** `null` for ICMP. */
  readonly port: number | null;
  readonly ipFamily: IpFamily;
}

/** Returns `null` unless the URL is complete. */
export function readUrlTarget(url: string, ipFamily: string): PathTarget | null {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return null;
  const usual = parsed.protocol === "https:" ? 443 : 80;
  const port = parsed.port === "" ? usual : Number(parsed.port);
  const hostname = parsed.hostname.replace(/^\[(.*)\]$/, "$1");
  return { hostname, protocol: "TCP", port, ipFamily: toFamily(ipFamily) };
}

/** Without an outcome, a check with both families is traced over IPv4. */
export function toFamily(ipFamily: string): IpFamily {
  return ipFamily === "IPv6" ? "IPv6" : "IPv4";
}

/** Returns the target of a run that connects to one port. */
export function toTcpTarget({
  hostname,
  port,
  ipFamily,
}: {
  readonly hostname: string;
  readonly port: number;
  readonly ipFamily: string;
}): PathTarget {
  return { hostname, protocol: "TCP", port, ipFamily: toFamily(ipFamily) };
}

/** Why a path ends where it does. `silent`: nothing after the last hop responded. */
const pathEnds = ["reached", "silent", "error", "loop"] as const;

const maxHops = 64;
const Text = (maxLength: number) => Type.String({ maxLength });

const PathHopSchema = Type.Object({
  address: Type.Union([Text(64), Type.Null()], {
    description: "The address that responded; `null` if none did.",
    examples: ["198.51.100.1"],
  }),
  name: Type.Union([Text(255), Type.Null()], {
    description: "The reverse name of the address; `null` if it has none.",
    examples: ["edge.example.net"],
  }),
  roundTripMs: Type.Union([Type.Number({ minimum: 0 }), Type.Null()], {
    description: "The shortest round trip in milliseconds; `null` without a response.",
    examples: [4.2],
  }),
  error: Type.Union([Text(255), Type.Null()], {
    description: "The error that the hop reported; `null` if it reported none.",
    examples: [null],
  }),
});

export const PathSchema = Type.Object(
  {
    address: Type.String({
      description: "The traced address.",
      maxLength: 64,
      examples: ["203.0.113.9"],
    }),
    protocol: Type.String({
      description: "Protocol of the probes: ICMP, UDP or TCP, as the check uses.",
      maxLength: 8,
      examples: ["TCP"],
    }),
    port: Type.Union([Type.Integer({ minimum: 0, maximum: 65_535 }), Type.Null()], {
      description: "Destination port; `null` for ICMP.",
      examples: [443],
    }),
    end: Type.Enum([...pathEnds], {
      type: "string",
      description:
        "Why the path ends: `reached` (the target responded), `silent` (no later hop responded), " +
        "`error` (the last hop reported an error) or `loop`.",
    }),
    hops: Type.Array(PathHopSchema, {
      description: "Hops up to the last one that responded.",
      maxItems: maxHops,
    }),
  },
  { title: "Path" },
);

export type PathHop = Static<typeof PathHopSchema>;
export type Path = Static<typeof PathSchema>;

/** What the probes with one hop limit measured, in the order of the hops. */
export interface HopSamples {
  readonly address: string | null;
  readonly name: string | null;
  readonly sent: number;
  readonly rttsMs: readonly number[];
}

/** How runs of a kind trace the path to a target of any kind. */
export interface PathTracer<Request, Measurement> {
  /** Maximum duration of a trace, including timeouts. */
  readonly deadlineMs: number;
  toRequest(target: PathTarget): Request;
  readPath(request: Request, measurement: Measurement): Path;
  readSamples(measurement: Measurement): readonly HopSamples[];
}
