/** Keyboard shortcuts that work on every screen, except in fields. */

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

/** Maximum time between the two keys of a sequence. */
export const sequenceMs = 1_500;

export interface PressedKey {
  readonly key: string;
  readonly isCommandHeld: boolean;
  readonly isOtherHeld: boolean;
  /** Whether the focus is in a field or a dialog is open, so that letters are not shortcuts. */
  readonly isTyping: boolean;
  readonly atMs: number;
}

/**
 * Returns the command of a key, given when "g" was last pressed, or `null` if it is no shortcut.
 */
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
