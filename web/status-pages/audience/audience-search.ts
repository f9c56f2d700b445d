import type { Delivery, Subscription } from "./queries.ts";

const states = ["PENDING", "VERIFIED", "QUARANTINED"] as const satisfies Subscription["status"][];
const outcomes = ["PENDING", "SENT", "DEAD"] as const satisfies Delivery["status"][];
const id = /^[0-9a-f-]{36}$/;

/** Query parameters of the subscribers screen. */
export interface AudienceSearch {
  readonly view?: "messages";
  readonly search?: string;
  readonly status?: Subscription["status"];
  readonly outcome?: Delivery["status"];
  readonly subscriber?: string;
}

function readText(value: unknown): string | undefined {
  // The router parses search text such as "123" as a number.
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && text !== "" && text.length <= 254 ? text : undefined;
}

export function parseAudienceSearch(raw: Record<string, unknown>): AudienceSearch {
  const search = readText(raw.search);
  const status = states.find((one) => one === raw.status);
  const outcome = outcomes.find((one) => one === raw.outcome);
  const subscriber = readText(raw.subscriber);
  return {
    ...(raw.view === "messages" && { view: "messages" as const }),
    ...(search !== undefined && { search }),
    ...(status !== undefined && { status }),
    ...(outcome !== undefined && { outcome }),
    ...(subscriber !== undefined && id.test(subscriber) && { subscriber }),
  };
}
