import { getText } from "../../parts/fields.ts";
import { hasScheme, readHost } from "../host-text.ts";
import type { KindTarget } from "../kind.ts";

export const dnsTarget: KindTarget<"DNS"> = {
  type: "DNS",
  label: "DNS",
  hint: "Queries DNS records and tests the response",
  isOrdered: true,
  target: {
    label: "Domain name",
    example: "www.example.com",
    paths: ["request.query"],
    read: (text) => ({ request: { query: hasScheme(text) ? readHost(text).host : text.trim() } }),
    write: (values) => getText(values, "request.query"),
  },
};
