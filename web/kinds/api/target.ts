import { getText } from "../fields.ts";
import { completeUrl, familyOf, readHost } from "../host-text.ts";
import type { KindTarget } from "../kind-target.ts";

export const apiTarget: KindTarget = {
  type: "API",
  label: "API",
  hint: "Sends a request with method, headers and body, and looks into the answer",
  isOrdered: true,
  holdsVariables: true,
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
