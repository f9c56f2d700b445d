import { useRef } from "react";

/** `randomUUID` is available only over HTTPS and on localhost. */
export function createKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Returns an idempotency key per content, so that a retried request is executed, and its
 * notifications are sent, only once.
 */
export function useSendKey(): (body: unknown) => string {
  const last = useRef({ text: "", key: "" });
  return (body) => {
    const text = JSON.stringify(body);
    if (last.current.text !== text) last.current = { text, key: createKey() };
    return last.current.key;
  };
}
