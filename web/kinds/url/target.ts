import { getText } from "../../parts/fields.ts";
import { completeUrl, familyOf, readHost } from "../host-text.ts";
import type { KindTarget } from "../kind.ts";

export const urlTarget: KindTarget<"URL"> = {
  type: "URL",
  label: "URL",
  hint: "Requests a URL and tests the status code",
  isOrdered: true,
  ipFamilyPath: "request.ipFamily",
  target: {
    label: "URL",
    example: "https://shop.example.com/health",
    paths: ["request.url"],
    read: (text) => ({ request: { url: completeUrl(text), ...familyOf(readHost(text)) } }),
    write: (values) => getText(values, "request.url"),
  },
};
