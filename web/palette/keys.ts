import { useEffect, useRef } from "react";

/** Keyboard shortcuts that work on every screen, except while the user types in a field. */

export type KeyCommand =
  | { readonly command: "palette" | "search" | "shortcuts" | "agent" | "new-check" | "edit" }
  | { readonly command: "go"; readonly href: string };

const places: Readonly<Record<string, string>> = {
  n: "/",
  c: "/checks",
  g: "/groups",
  a: "/alerts",
  i: "/incidents",
  p: "/status-pages",
  m: "/alerts/maintenance",
  o: "/on-call",
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
  /**
   * Whether single-key shortcuts are disabled, because the focus is in a field or a dialog is open.
   */
  readonly isTyping: boolean;
  readonly atMs: number;
}

/**
 * Returns the command of a key, or `null`. `goPressedAtMs` is the time at which "g" was last
 * pressed.
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
  if (key === "a") return { command: "agent" };
  if (key === "?") return { command: "shortcuts" };
  if (key === "e") return { command: "edit" };
  if (key === "c") return { command: "new-check" };
  return null;
}

/** Whether shortcuts are disabled, because the user is typing in a field or a dialog is open. */
function isTyping(event: KeyboardEvent): boolean {
  // The script editor is in a shadow tree. Outside of this tree, `event.target` is only the tree's
  // host.
  const [target] = event.composedPath();
  if (document.querySelector("dialog[open], [role=dialog]") !== null) return true;
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || ["TEXTAREA", "SELECT"].includes(target.tagName)) return true;
  return target instanceof HTMLInputElement && !["checkbox", "radio"].includes(target.type);
}

/** Handles keyboard shortcuts. `takeEarly` runs first and returns whether it consumed the key. */
export function useKeys(
  onCommand: (command: KeyCommand) => void,
  takeEarly: (key: string) => boolean,
): void {
  const newest = useRef({ onCommand, takeEarly });
  newest.current = { onCommand, takeEarly };
  useEffect(() => {
    let goPressedAtMs: number | null = null;
    const onKey = (event: KeyboardEvent) => {
      const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
      if (isPlain && newest.current.takeEarly(event.key)) {
        event.preventDefault();
        return;
      }
      const pressed = {
        key: event.key,
        isCommandHeld: event.ctrlKey || event.metaKey,
        isOtherHeld: event.altKey,
        isTyping: isTyping(event),
        atMs: performance.now(),
      };
      const read = event.defaultPrevented ? null : readKey(pressed, goPressedAtMs);
      goPressedAtMs = read === "go-pressed" ? pressed.atMs : null;
      if (read === null || read === "go-pressed") return;
      event.preventDefault();
      newest.current.onCommand(read);
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}
