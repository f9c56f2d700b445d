import { getText } from "../../parts/fields.ts";
import { completeUrl, familyOf, readHost } from "../host-text.ts";
import type { KindTarget } from "../kind.ts";

export const urlTarget: KindTarget = {
  type: "URL",
  label: "URL",
  hint: "Requests a URL and tests the status code",
  isOrdered: true,
  holdsVariables: true,
  ipFamilyPath: "request.ipFamily",
  defaults: {
    request: {
      method: "GET",
      url: "",
      followRedirects: true,
      skipSSL: false,
      ipFamily: "IPv4",
      assertions: [],
    },
    degradedResponseTime: 3_000,
    maxResponseTime: 5_000,
  },
  target: {
    label: "URL",
    example: "https://shop.example.com/health",
    paths: ["request.url"],
    read: (text) => ({ request: { url: completeUrl(text), ...familyOf(readHost(text)) } }),
    write: (fields) => getText(fields, "request.url"),
  },
};
