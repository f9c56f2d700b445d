import { getText } from "../../parts/fields.ts";
import { completeUrl, familyOf, readHost } from "../host-text.ts";
import type { KindTarget } from "../kind.ts";

export const apiTarget: KindTarget<"API"> = {
  type: "API",
  label: "API",
  hint: "Sends an HTTP request with method, headers and body, and tests the response",
  isOrdered: true,
  ipFamilyPath: "request.ipFamily",
  target: {
    label: "URL",
    example: "https://api.example.com/v1/orders",
    paths: ["request.url"],
    read: (text) => ({ request: { url: completeUrl(text), ...familyOf(readHost(text)) } }),
    write: (values) => getText(values, "request.url"),
  },
};
