import { useEffect, useRef } from "react";
import { type KeyCommand, readKey } from "./keys.ts";

/** Letters are not shortcuts in a field, and no shortcut works behind an open dialog. */
function isTyping({ target }: KeyboardEvent): boolean {
  if (document.querySelector("dialog[open], [role=dialog]") !== null) return true;
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || ["TEXTAREA", "SELECT"].includes(target.tagName)) return true;
  return target instanceof HTMLInputElement && !["checkbox", "radio"].includes(target.type);
}

/** `takeEarly` is called first and returns whether it consumed the key. */
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
