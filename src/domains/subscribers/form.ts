import type { SubscribeForm } from "../../pages/status-page/subscribe.ts";
import { KnownError } from "../../platform/errors.ts";
import { type SubscriberType, subscriberTypes } from "./subscriber.ts";

const maxServices = 200;

/**
 * Mail servers may send a one-click request as `multipart/form-data`. Its content is fixed, and our
 * forms do not use that type, so it is read as an empty form.
 */
export function parseForm(contentType: string, body: Buffer | string): URLSearchParams {
  return new URLSearchParams(contentType === "multipart/form-data" ? "" : body.toString());
}

export function readSubscribeForm(body: unknown): SubscribeForm {
  if (body !== undefined && body !== null && !(body instanceof URLSearchParams)) {
    throw new KnownError("unsupportedMediaType");
  }
  const fields = body ?? new URLSearchParams();
  const type = fields.get("type") ?? "EMAIL";
  return {
    type: isSubscriberType(type) ? type : "EMAIL",
    address: (fields.get("address") ?? "").slice(0, 4_096).toWellFormed(),
    serviceIds: [...new Set(fields.getAll("service"))].slice(0, maxServices),
  };
}

function isSubscriberType(text: string): text is SubscriberType {
  return (subscriberTypes as readonly string[]).includes(text);
}
