import { useEffect, useRef } from "react";
import { Row } from "../parts/layout.tsx";
import styles from "./palette.module.css";
import { words } from "./words.ts";

export function ShortcutList({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className={styles.palette} aria-labelledby="shortcuts" onClose={onClose}>
      <Row nowrap gap={0} justify="between" className={styles.head}>
        <h2 id="shortcuts">{words.shortcuts}</h2>
        <button type="button" className={styles.close} onClick={() => dialog.current?.close()}>
          {words.close}
        </button>
      </Row>
      <dl className={styles.keys} tabIndex={0}>
        {words.keys.map(([key, meaning]) => (
          <div key={key}>
            <dt>{key}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </dialog>
  );
}
