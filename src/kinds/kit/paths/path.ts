import { type Static, Type } from "typebox";
import type { IpFamily } from "../../../platform/net/host.ts";

/** Destination of a run's packets, to which a path can be traced. */
export interface PathTarget {
  readonly hostname: string;
  readonly protocol: "ICMP" | "UDP" | "TCP";
  /** Port of the target; `null` for ICMP. */
  readonly port: number | null;
  readonly ipFamily: IpFamily;
}

/** Returns the target of an HTTP or HTTPS URL; `null` for other schemes or incomplete URLs. */
export function readUrlTarget(url: string, ipFamily: string): PathTarget | null {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return null;
  const usual = parsed.protocol === "https:" ? 443 : 80;
  const port = parsed.port === "" ? usual : Number(parsed.port);
  const hostname = parsed.hostname.replace(/^\[(.*)\]$/, "$1");
  return { hostname, protocol: "TCP", port, ipFamily: toFamily(ipFamily) };
}

/** Returns the IP family to trace: IPv4, unless the setting is IPv6. */
export function toFamily(ipFamily: string): IpFamily {
  return ipFamily === "IPv6" ? "IPv6" : "IPv4";
}

/** Returns the target of a run that connects to one TCP port. */
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

/** Reasons why a path ends. `silent` means that no hop responded after the last hop of the path. */
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

/**
 * Measurements of one hop of a traced path. They come from all packets that the trace sent with the
 * same hop limit.
 */
export interface HopSamples {
  readonly address: string | null;
  readonly name: string | null;
  readonly sent: number;
  readonly rttsMs: readonly number[];
}

/** Defines how one kind, such as traceroute, traces the paths to the targets of other kinds. */
export interface PathTracer<Request, Measurement> {
  /** Maximum duration of a trace, including name resolution and the transfer of the result. */
  readonly deadlineMs: number;
  toRequest(target: PathTarget): Request;
  readPath(request: Request, measurement: Measurement): Path;
  readSamples(measurement: Measurement): readonly HopSamples[];
}
