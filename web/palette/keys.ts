/** Keys that work everywhere but where somebody types. Pure. */

export type KeyCommand =
  | { readonly command: "palette" | "search" | "shortcuts" | "agent" | "new-check" }
  | { readonly command: "go"; readonly href: string };

const places: Readonly<Record<string, string>> = {
  n: "/",
  c: "/checks",
  g: "/groups",
  a: "/alerts",
  i: "/incidents",
  p: "/status-pages",
  m: "/alerts/maintenance",
  l: "/locations",
  d: "/dashboards",
  s: "/settings",
};

/** The second key of two comes within this time. */
export const sequenceMs = 1_500;

export interface PressedKey {
  readonly key: string;
  readonly isCommandHeld: boolean;
  readonly isOtherHeld: boolean;
  /** In a field or behind a dialog, where letters are letters. */
  readonly isTyping: boolean;
  readonly atMs: number;
}

/** What a key means, given when "g" was pressed last; null: nothing of ours. */
export function readKey(
  pressed: PressedKey,
  goPressedAtMs: number | null,
): KeyCommand | "go-pressed" | null {
  const { key, isCommandHeld, isOtherHeld, isTyping, atMs } = pressed;
  if (isCommandHeld) return key.toLowerCase() === "k" ? { command: "palette" } : null;
  if (isOtherHeld || isTyping) return null;
  if (goPressedAtMs !== null && atMs - goPressedAtMs <= sequenceMs) {
    const href = places[key];
    return href === undefined ? null : { command: "go", href };
  }
  if (key === "g") return "go-pressed";
  if (key === "/") return { command: "search" };
  if (key === "?") return { command: "agent" };
  if (key === "h") return { command: "shortcuts" };
  if (key === "c") return { command: "new-check" };
  return null;
}
