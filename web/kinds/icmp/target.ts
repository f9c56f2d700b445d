import { getText } from "../../parts/fields.ts";
import { familyOf, readHost } from "../host-text.ts";
import type { KindTarget } from "../kind.ts";

export const icmpTarget: KindTarget<"ICMP"> = {
  type: "ICMP",
  label: "Ping",
  hint: "Pings a host and measures packet loss and round-trip time",
  isOrdered: true,
  ipFamilyPath: "request.ipFamily",
  target: {
    label: "Host or IP address",
    example: "router.example.com",
    paths: ["request.hostname"],
    read: (text) => {
      const found = readHost(text);
      return { request: { hostname: found.host, ...familyOf(found) } };
    },
    write: (values) => getText(values, "request.hostname"),
  },
};
