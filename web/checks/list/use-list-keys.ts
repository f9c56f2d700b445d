import { useEffect, useRef } from "react";
import type { ListRows, Selection } from "./use-list.ts";

interface KeyTargets {
  readonly rows: ListRows;
  readonly selection: Selection;
  readonly maySelect: boolean;
  readonly scrollTo: (index: number) => void;
}

/** Letters are not shortcuts in a field, and no shortcut works behind an open dialog. */
function isTyping(event: KeyboardEvent): boolean {
  const { target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey) return true;
  if (document.querySelector("[role=dialog]") !== null) return true;
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      ["TEXTAREA", "SELECT"].includes(target.tagName) ||
      (target instanceof HTMLInputElement && target.type !== "checkbox"))
  );
}

const findLink = (checkId: string) =>
  document.querySelector<HTMLElement>(`[data-check="${CSS.escape(checkId)}"]`);

/** Returns the check whose row has the focus. */
function findFocused(): string | null {
  const row = document.activeElement?.closest("tr");
  return row?.querySelector<HTMLElement>("[data-check]")?.dataset.check ?? null;
}

/** Retries, because the row may have to be rendered first. */
function focusRow(checkId: string, triesLeft = 10): void {
  const link = findLink(checkId);
  if (link !== null) link.focus({ preventScroll: true });
  else if (triesLeft > 0) requestAnimationFrame(() => focusRow(checkId, triesLeft - 1));
}

/** Handles j and k (move), x (select) and / (search). Enter follows the focused link. */
export function useListKeys(targets: KeyTargets): void {
  const newest = useRef(targets);
  newest.current = targets;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event)) return;
      const { rows, selection, maySelect, scrollTo } = newest.current;
      const focused = findFocused();
      const index = focused === null ? -1 : rows.indexOf(focused);
      if (event.key === "j" || event.key === "k") {
        const next = Math.max(0, index + (event.key === "j" ? 1 : -1));
        const check = rows.at(next);
        if (check === undefined) return;
        event.preventDefault();
        scrollTo(next);
        focusRow(check.checkId);
      } else if (event.key === "x" && maySelect && focused !== null) {
        event.preventDefault();
        selection.toggle(focused, index);
      } else if (event.key === "Escape" && selection.ids.size > 0) {
        selection.clear();
      } else if (event.key === "/") {
        event.preventDefault();
        document.querySelector<HTMLElement>("[data-list-search]")?.focus();
      }
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}
