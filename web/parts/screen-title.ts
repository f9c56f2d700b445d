/** Names the browser's tab after the screen. */
import { useEffect } from "react";
import { formatTabTitle } from "./tab-title.ts";

interface Shown {
  readonly title: string;
}

/** Screens that are mounted, the innermost last. */
let shown: readonly Shown[] = [];
let failing = 0;

function apply(): void {
  document.title = formatTabTitle(failing, shown.at(-1)?.title);
}

/** Sets the number of failing checks before the title of every screen. */
export function showFailing(count: number): void {
  failing = count;
  apply();
}

/** Names the tab until the returned function is called. */
export function showScreenTitle(title: string): () => void {
  const own: Shown = { title };
  shown = [...shown, own];
  apply();
  return () => {
    shown = shown.filter((other) => other !== own);
    apply();
  };
}

/** Names the tab after the screen; `undefined` while the name is not known. */
export function useScreenTitle(title: string | undefined): void {
  useEffect(() => (title === undefined ? undefined : showScreenTitle(title)), [title]);
}
