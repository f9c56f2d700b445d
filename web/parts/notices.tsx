/**
 * Shows short messages about the results of actions in a corner of the window: at the bottom right,
 * and at the top on a phone, where thumbs use the bottom. They never move the page.
 */

import { useSyncExternalStore } from "react";
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

export function Notices() {
  const notices = useSyncExternalStore(subscribe, () => shown);
  return (
    <Stack gap={2} className={styles.notices} role="status" aria-live="polite">
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
