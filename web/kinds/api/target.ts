import { getText } from "../../parts/fields.ts";
import { completeUrl, familyOf, readHost } from "../host-text.ts";
import type { KindTarget } from "../kind.ts";

export const apiTarget: KindTarget = {
  type: "API",
  label: "API",
  hint: "Sends an HTTP request with method, headers and body, and tests the response",
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
      body: "",
      bodyType: "NONE",
      headers: [],
      queryParameters: [],
      assertions: [],
      basicAuth: null,
    },
    degradedResponseTime: 5_000,
    maxResponseTime: 20_000,
  },
  target: {
    label: "URL",
    example: "https://api.example.com/v1/orders",
    paths: ["request.url"],
    read: (text) => ({ request: { url: completeUrl(text), ...familyOf(readHost(text)) } }),
    write: (fields) => getText(fields, "request.url"),
  },
};
