import { useRef } from "react";

/** Not `randomUUID`, which browsers have only on https and on this machine. */
export function createKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * One key for one content: what is sent again because no answer came is posted, and told to people,
 * only once.
 */
export function useSendKey(): (body: unknown) => string {
  const last = useRef({ text: "", key: "" });
  return (body) => {
    const text = JSON.stringify(body);
    if (last.current.text !== text) last.current = { text, key: createKey() };
    return last.current.key;
  };
}
