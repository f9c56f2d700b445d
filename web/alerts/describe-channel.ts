import type { Schemas } from "../api/client.ts";
import { words } from "./words.ts";

const naming = [
  "name",
  "address",
  "channel",
  "serviceName",
  "topic",
  "chatId",
  "roomId",
  "action",
  "key",
  "device",
  "recipients",
  "url",
] as const;

export function nameKind(type: string): string {
  const known: Readonly<Record<string, string>> = words.kinds;
  return known[type] ?? type;
}

/** Returns the text that distinguishes a channel from others of its type, such as an address. */
export function nameChannel({ config }: Pick<Schemas["AlertChannel"], "config">): string {
  const fields: Readonly<Record<string, unknown>> = { ...config };
  const found = naming.map((field) => fields[field]).find((one) => typeof one === "string" && one);
  return typeof found === "string" ? found : "";
}

export function describeChannel(channel: Schemas["AlertChannel"]): string {
  return [nameKind(channel.type), nameChannel(channel)].filter(Boolean).join(": ");
}
