/** Sets the title of the browser tab. */
import { useEffect } from "react";

/** Formats the title of the browser tab, such as "(54) Shop · Vedette" with 54 failing checks. */
export function formatTabTitle(failing: number, title: string | undefined): string {
  const own = title === undefined || title === "" ? "Vedette" : `${title} · Vedette`;
  return failing === 0 ? own : `(${failing}) ${own}`;
}

interface Shown {
  readonly title: string;
}

/** Titles of the mounted screens; the innermost screen is last. */
let shown: readonly Shown[] = [];
let failing = 0;

function apply(): void {
  document.title = formatTabTitle(failing, shown.at(-1)?.title);
}

/** Sets the number of failing checks. Every tab title starts with this number. */
export function showFailing(count: number): void {
  failing = count;
  apply();
}

/** Sets the tab title, and returns a function that removes this title again. */
export function showScreenTitle(title: string): () => void {
  const own: Shown = { title };
  shown = [...shown, own];
  apply();
  return () => {
    shown = shown.filter((other) => other !== own);
    apply();
  };
}

/** Sets the tab title while the component is mounted; `undefined` sets no title. */
export function useScreenTitle(title: string | undefined): void {
  useEffect(() => (title === undefined ? undefined : showScreenTitle(title)), [title]);
}
