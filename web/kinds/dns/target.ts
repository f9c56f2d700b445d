import { getText } from "../../parts/fields.ts";
import { hasScheme, readHost } from "../host-text.ts";
import type { KindTarget } from "../kind.ts";

export const dnsTarget: KindTarget = {
  type: "DNS",
  label: "DNS",
  hint: "Queries DNS records and tests the response",
  isOrdered: true,
  holdsVariables: false,
  defaults: {
    request: {
      query: "",
      recordType: "A",
      nameServer: null,
      port: 53,
      protocol: "UDP",
      assertions: [],
    },
    degradedResponseTime: 500,
    maxResponseTime: 1_000,
  },
  target: {
    label: "Domain name",
    example: "www.example.com",
    paths: ["request.query"],
    read: (text) => ({ request: { query: hasScheme(text) ? readHost(text).host : text.trim() } }),
    write: (fields) => getText(fields, "request.query"),
  },
};
