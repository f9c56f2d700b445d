import type { PayloadPair } from "../../../kinds/check-payloads.ts";
import { Row } from "./row.ts";

const secretNames = /authorization|cookie|token|secret|password|api-?key|credential|signature/i;

/** Whether the value of a header or variable is probably a secret. */
export const isSecretName = (name: string): boolean => secretNames.test(name);

/** Values that look like secrets are locked: encrypted, and never shown. */
export function toPair(key: string, value: string): PayloadPair {
  return { key, value, locked: isSecretName(key) };
}

/** Converts an object of header names and values. Values that are not text are dropped. */
export function toHeaders(headers: unknown): PayloadPair[] {
  const row = new Row(headers);
  return row.keys().flatMap((key) => {
    const value = row.text(key);
    return value === null ? [] : [toPair(key, value)];
  });
}
