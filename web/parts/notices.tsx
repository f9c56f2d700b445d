/** Shows short messages about the results of actions at the bottom of the window. */

import { useLayoutEffect, useRef, useSyncExternalStore } from "react";
import { CloseIcon } from "./icons.tsx";
import layoutStyles from "./layout.module.css";
import { Row, Stack } from "./layout.tsx";
import { addNotice, findLastingMs, type Notice, type ShownNotice } from "./notice-list.ts";
import styles from "./notices.module.css";

export type { Notice } from "./notice-list.ts";

let shown: readonly ShownNotice[] = [];
let nextId = 1;
const listeners = new Set<() => void>();

function change(next: readonly ShownNotice[]): void {
  shown = next;
  for (const listener of listeners) listener();
}

export function dismissNotice(id: number): void {
  change(shown.filter((notice) => notice.id !== id));
}

/** Shows a notice and returns its id, which `dismissNotice` accepts. */
export function showNotice(notice: Notice): number {
  const id = nextId++;
  change(addNotice(shown, { ...notice, id }));
  const lastsMs = findLastingMs(notice);
  if (lastsMs !== null) setTimeout(() => dismissNotice(id), lastsMs);
  return id;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const controls = "#content :is(a[href], button, input, select, textarea)";

/** Returns whether the notices at the bottom of the window cover a control of the screen. */
function coversControl(strip: Element): boolean {
  const { top, bottom, left, right } = strip.getBoundingClientRect();
  return [...document.querySelectorAll(controls)].some((control) => {
    const box = control.getBoundingClientRect();
    const isShown = box.width > 0 && box.height > 0;
    return isShown && box.bottom > top && box.top < bottom && box.right > left && box.left < right;
  });
}

/**
 * Reserves the height of the notices at the bottom of the window, so that full-height and sticky
 * elements end above the notices. If the notices would cover a control, the screen is scrolled by
 * the added height.
 */
function useReservedHeight(count: number) {
  const strip = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height changes with the count
  useLayoutEffect(() => {
    const { current } = strip;
    if (current === null) return;
    const root = document.documentElement;
    const before = Number.parseFloat(root.style.getPropertyValue("--notices-height")) || 0;
    const height = current.offsetHeight;
    root.style.setProperty("--notices-height", `${height}px`);
    if (height > before && coversControl(current)) scrollBy({ top: height - before });
  }, [count]);
  return strip;
}

export function Notices() {
  const notices = useSyncExternalStore(subscribe, () => shown);
  const strip = useReservedHeight(notices.length);
  return (
    <Stack gap={0} className={styles.notices} role="status" aria-live="polite" ref={strip}>
      {notices.map(({ id, text, tone = "plain", action }) => (
        <Row nowrap gap={3} className={styles.notice} data-tone={tone} key={id}>
          <span className={layoutStyles.fill}>{text}</span>
          {action && (
            <button
              type="button"
              className={styles.action}
              onClick={() => {
                dismissNotice(id);
                action.run();
              }}
            >
              {action.label}
            </button>
          )}
          <button
            type="button"
            className={styles.close}
            aria-label="Dismiss"
            onClick={() => dismissNotice(id)}
          >
            <CloseIcon size={14} />
          </button>
        </Row>
      ))}
    </Stack>
  );
}
