import { useRef } from "react";

/**
 * Creates a random key. `randomUUID` is not used, because it is available only over HTTPS and on
 * localhost.
 */
export function createKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Returns a function that creates an idempotency key per request body. A retry with the same body
 * has the same key, so that the server does not execute the request twice.
 */
export function useSendKey(): (body: unknown) => string {
  const last = useRef({ text: "", key: "" });
  return (body) => {
    const text = JSON.stringify(body);
    if (last.current.text !== text) last.current = { text, key: createKey() };
    return last.current.key;
  };
}
