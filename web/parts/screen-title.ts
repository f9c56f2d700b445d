/** The title of the browser's tab: "(54) Shop · Vedette". */
import { useEffect } from "react";

interface Shown {
  readonly title: string;
}

/** Screens that are mounted, the innermost last. */
let shown: readonly Shown[] = [];
let failing = 0;

export function formatTabTitle(failingCount: number, title: string | undefined): string {
  const own = title === undefined || title === "" ? "Vedette" : `${title} · Vedette`;
  return failingCount === 0 ? own : `(${failingCount}) ${own}`;
}

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
