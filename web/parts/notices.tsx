/** Short messages at the edge of the screen: something was done, or was not. */
import { useSyncExternalStore } from "react";
import { CloseIcon } from "./icons.tsx";
import styles from "./notices.module.css";

export interface Notice {
  readonly text: string;
  readonly tone?: "plain" | "bad";
  /** A button beside the text, for example Undo. */
  readonly action?: { readonly label: string; readonly run: () => void };
  readonly lastsMs?: number;
}

interface ShownNotice extends Notice {
  readonly id: number;
}

const maxNotices = 3;
const defaultLastsMs = 6_000;
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

/** Returns its id, by which it can be taken away again. */
export function showNotice(notice: Notice): number {
  const id = nextId++;
  change([...shown.slice(-(maxNotices - 1)), { ...notice, id }]);
  setTimeout(() => dismissNotice(id), notice.lastsMs ?? defaultLastsMs);
  return id;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function Notices() {
  const notices = useSyncExternalStore(subscribe, () => shown);
  return (
    <div className={styles.notices} role="status" aria-live="polite">
      {notices.map(({ id, text, tone = "plain", action }) => (
        <div className={styles.notice} data-tone={tone} key={id}>
          <span className={styles.text}>{text}</span>
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
        </div>
      ))}
    </div>
  );
}
